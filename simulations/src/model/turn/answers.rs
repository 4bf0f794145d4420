//! What callers hear, and whether it is true.

use taquilla_engine::answer::{Answer, Unanswered};

use super::{Heard, Turn};
use crate::model::machine::rule;
use crate::model::mutant::Mutant;
use crate::model::owner::{Caller, Input};
use crate::model::scenario::{Ask, STEPS_BEHIND_MAX, Wanted, moment};
use crate::model::truth::history::History;
use crate::model::truth::judge;
use crate::model::truth::plain::{Said, Telling};
use crate::model::world::Waiting;

impl Turn<'_> {
    fn asked(&self, ask: u8) -> (u8, &'static Ask) {
        (ask, &self.machine.scenario().asks[usize::from(ask)])
    }

    /// A buyer sends his request, perhaps again.
    pub(super) fn ask(&mut self, ask: u8, process: u8) {
        let (since, clock) = (self.durable_len(), self.world.clock(process));
        // By a clock that is further behind than that nothing may be decided.
        let asked_at = clock.max(self.world.time.saturating_sub(STEPS_BEHIND_MAX));
        let subject = judge::subject(ask, self.asked(ask).1);
        let knew_over = subject.is_some_and(|hold| self.world.asks[usize::from(hold)].over);
        let asked = &mut self.world.asks[usize::from(ask)];
        let nth = asked.sent;
        asked.sent += 1;
        asked.first.get_or_insert((since, asked_at));
        asked.waiting.push(Waiting { nth, process, since, asked_at, knew_over });
        let (caller, now) = (Caller { ask, nth }, moment(clock));
        self.feed(process, Input::Submit { caller, now });
    }

    fn durable_len(&self) -> u8 {
        u8::try_from(self.world.durable().len()).expect("logs are short")
    }

    /// An answer leaves.
    pub(super) fn answered(&mut self, caller: Caller, answer: &Result<Answer, Unanswered>) {
        let asked = &mut self.world.asks[usize::from(caller.ask)];
        let waiting = asked.waiting.iter().position(|it| it.nth == caller.nth);
        let Some(waiting) = waiting.map(|at| asked.waiting.remove(at)) else {
            if !self.machine.mutant().is_some_and(Mutant::answers_early) {
                self.violated(rule::TWICE, format!("{caller:?}: {answer:?}"));
            }
            return;
        };
        match answer {
            Ok(answer) => {
                let telling = self.machine.names.telling(answer);
                self.judge(caller, waiting, &telling);
                self.heard.push((caller, Heard::Told(telling)));
            }
            Err(
                Unanswered::Overloaded
                | Unanswered::LineFull
                | Unanswered::HoldsFull
                | Unanswered::KeyInUse,
            ) => {
                asked.turned_away += 1;
                self.heard.push((caller, Heard::TurnedAway));
            }
            Err(
                Unanswered::OutcomeUnknown
                | Unanswered::PurchasesPaused(_)
                | Unanswered::Quarantined(_)
                | Unanswered::Broken,
            ) => {
                self.heard.push((caller, Heard::Unknown));
                let what = format!("ask {} hears {answer:?}", caller.ask);
                self.violated(rule::STRANGE_WORD, what);
            }
        }
    }

    /// Everybody who waits for this process hears the same.
    pub(super) fn leave_callers(&mut self, process: u8, word: &Heard) {
        for (ask, asked) in (0_u8..).zip(&mut self.world.asks) {
            let left = asked.waiting.extract_if(.., |it| it.process == process);
            for waiting in left {
                asked.turned_away += u8::from(*word == Heard::TurnedAway);
                self.heard.push((Caller { ask, nth: waiting.nth }, word.clone()));
            }
        }
    }

    fn judge(&mut self, caller: Caller, waiting: Waiting, telling: &Telling) {
        let asked = self.asked(caller.ask);
        if !self.was_true(asked, waiting, telling) {
            let what = format!("{:?} is told {telling:?}", asked.1);
            self.violated(rule::UNTRUE, what);
        }
        let told = judge::told(asked.1, &telling.said);
        let before = self.world.asks[usize::from(caller.ask)].result;
        if let Some(before) = before.filter(|it| !judge::may_follow(asked.1, *it, told)) {
            let what = format!("{before:?}, then {told:?}");
            self.violated(rule::TWO_RESULTS, what);
        }
        self.world.asks[usize::from(caller.ask)].result = Some(told);
        let (over, not) = judge::over_and_not(caller.ask, asked.1, telling);
        if waiting.knew_over && !not.is_empty() {
            let what = format!("hold {not:?} was told to be over: {telling:?}");
            self.violated(rule::CAME_BACK, what);
        }
        for hold in over {
            let converting = self.is_being_converted(waiting.process, hold);
            self.world.asks[usize::from(hold)].over |= !converting;
        }
    }

    /// A section of this owner has sold the hold in time, and that is on its way to the door, or from
    /// there to the rows.
    fn is_being_converted(&self, process: u8, hold: u8) -> bool {
        let hold = self.machine.scenario().hold(usize::from(hold));
        let owner = self.owner(process);
        owner.is_some_and(|owner| self.machine.owners.converting(owner).contains(&hold))
    }

    fn was_true(&self, asked: (u8, &Ask), waiting: Waiting, telling: &Telling) -> bool {
        let refused =
            matches!(telling.said, Said::Taken(_) | Said::OverLimit { .. } | Said::NotActive(_));
        let first = self.world.asks[usize::from(asked.0)].first;
        let (since, from) = match first {
            // A refusal that is repeated was true when it was first given.
            Some(first) if telling.replayed && refused => first,
            Some(_) | None => (waiting.since, waiting.asked_at),
        };
        let durable = self.world.durable();
        let seats_max = self.machine.scenario().buyer_seats_max;
        let is_true = |history: &History| {
            judge::is_true(history, asked, seats_max, from..=telling.as_of, &telling.said)
        };
        let (before, since) = durable.split_at(usize::from(since));
        before.last().is_some_and(|rows| is_true(&self.machine.shelved(*rows).history))
            || since
                .iter()
                .map(|rows| self.machine.shelved(*rows))
                .any(|shelved| is_true(&shelved.history) || shelved.along.iter().any(&is_true))
    }

    /// Who hears that nothing was decided may repeat, or go away: then nothing may have been.
    pub(super) fn nobody_was_told_that_nothing_was_decided(&mut self) {
        let durable = *self.world.durable().last().expect("a log begins with a bump");
        let history = &self.machine.shelved(durable).history;
        let wrong = self.world.asks.iter().enumerate().position(|(ask, asked)| {
            let places = matches!(self.machine.scenario().asks[ask].wanted, Wanted::Place(_));
            let all = asked.sent > 0 && asked.turned_away == asked.sent;
            let hold = u8::try_from(ask).expect("few asks");
            places && all && history.holds.contains_key(&hold)
        });
        if let Some(ask) = wrong {
            let what = format!("the hold of ask {ask} is durable");
            self.violated(rule::UNDECIDED, what);
        }
    }
}
