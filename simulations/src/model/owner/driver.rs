//! An owner that is fed: a door and its sections, with what is on its way between them. Mutants that
//! break the talk between the two stand here.

use std::collections::{BTreeSet, VecDeque};
use std::rc::Rc;

use taquilla_engine::answer::{Answer, Outcome, Unanswered};
use taquilla_engine::command::{Command, Request};
use taquilla_engine::event::{Batch, Door, Effect, Limits, Snapshot, Terms};
use taquilla_engine::hold::{HoldStatus, Portion};
use taquilla_engine::id::{HoldId, SectionIndex};
use taquilla_engine::moment::Moment;
use taquilla_engine::refusal::Refusal;
use taquilla_engine::section::{
    Decided, Decision, Denial, SectionAction, SectionCommand, SectionEvent, SectionMessage, Window,
};

use super::{Caller, Input, Output};
use crate::model::mutant::Mutant;

/// What is the same for every owner of a machine.
#[derive(Debug)]
pub(super) struct Setting {
    terms: Terms,
    commands: Vec<Command>,
    mutant: Option<Mutant>,
}

impl Setting {
    pub(super) fn new(mut terms: Terms, commands: Vec<Command>, mutant: Option<Mutant>) -> Self {
        if mutant == Some(Mutant::LimitNotKept) {
            terms.sale.buyer_seats_max += 1;
        }
        Self { terms, commands, mutant }
    }

    fn is(&self, mutant: Mutant) -> bool {
        self.mutant == Some(mutant)
    }
}

/// The owner itself. Its `Debug` text is its whole state.
#[derive(Debug)]
pub(super) struct Live {
    door: Door<Caller>,
    sections: Vec<Window>,
    to_door: Vec<VecDeque<Decided>>,
    pub(super) on_its_way: Option<Rc<Batch>>,
    /// Holds that sections have sold, which is not in the rows yet.
    pub(super) converting: BTreeSet<HoldId>,
}

impl Live {
    pub(super) fn rebuild(setting: &Setting, snapshot: Snapshot) -> Result<Self, String> {
        let rebuilt = Door::rebuild(setting.terms.clone(), Limits::default(), snapshot);
        let (door, sections) = rebuilt.map_err(|breach| breach.to_string())?;
        if let Some((section, why)) = door.quarantine().first_key_value() {
            return Err(format!("{section:?} is kept apart: {why}"));
        }
        let to_door = sections.iter().map(|_| VecDeque::new()).collect();
        Ok(Self { door, sections, to_door, on_its_way: None, converting: BTreeSet::new() })
    }

    /// How many decisions of each section are on their way to the door.
    pub(super) fn decisions(&self) -> Vec<u8> {
        self.to_door.iter().map(|it| it.len() as u8).collect()
    }

    /// As the runtime does it: one message, then whatever the door wants done.
    pub(super) fn feed(&mut self, setting: &Setting, input: Input) -> Vec<Output> {
        match input {
            Input::Submit { caller, now } => {
                let command = setting.commands[usize::from(caller.ask)].clone();
                self.door.submit(now, Request { command, deadline: Moment(i64::MAX) }, caller);
            }
            Input::Decided { section, now } => {
                let decided = self.to_door[usize::from(section)].pop_front();
                let decided = decided.expect("only what was decided arrives");
                if setting.is(Mutant::DecidedTwice) {
                    self.door.decided(now, decided.clone());
                }
                self.door.decided(now, decided);
            }
            Input::Committed { epoch, sequence, now } => {
                if !self.door.committed(now, epoch, sequence) {
                    return vec![Output::Stranger];
                }
                if let Some(batch) = self.on_its_way.take() {
                    self.converting.retain(|hold| !ends(&batch, *hold));
                }
            }
            Input::Tick { now } => self.door.tick(now),
        }
        self.outputs(setting)
    }

    fn outputs(&mut self, setting: &Setting) -> Vec<Output> {
        let mut outputs = Vec::new();
        while let Some(effect) = self.door.poll() {
            match effect {
                Effect::Tell(section, message) => self.tell(setting, section, message),
                Effect::Reply(caller, mut answer) => {
                    let granted =
                        answer.as_ref().is_ok_and(|it| matches!(it.outcome, Outcome::Hold(_)));
                    if granted && setting.is(Mutant::AnsweredTwice) {
                        outputs.push(Output::Reply(caller, answer.clone()));
                    }
                    if setting.is(Mutant::RepeatTakenForNew) {
                        forget_the_first(&mut answer);
                    }
                    if setting.is(Mutant::UnknownFromTheDoor) {
                        answer = Err(Unanswered::OutcomeUnknown);
                    }
                    outputs.push(Output::Reply(caller, answer));
                }
                Effect::Append(batch) => {
                    let batch = Rc::new(batch);
                    self.on_its_way = Some(Rc::clone(&batch));
                    outputs.push(Output::Append(batch));
                }
                Effect::Publish(_) | Effect::OrdersChanged(_) => {}
            }
        }
        outputs
    }

    fn tell(&mut self, setting: &Setting, index: SectionIndex, message: SectionMessage) {
        let message = match message {
            SectionMessage::Settle { .. } if setting.is(Mutant::SettlementLost) => return,
            SectionMessage::Settle { errand, .. }
                if setting.is(Mutant::OneSectionSettled) && index != SectionIndex(0) =>
            {
                SectionMessage::Settle { errand, granted: false }
            }
            SectionMessage::Settle { .. } | SectionMessage::Decide(_) => message,
        };
        let section = usize::from(index.0);
        let waiting = self.sections[section].waiting();
        let refused = setting.is(Mutant::RefusedByThePrepared).then(|| refusal(index, &message));
        let (to_door, converting) = (&mut self.to_door[section], &mut self.converting);
        // Nobody's patience ends in the model, so any time will do.
        self.sections[section].handle(message, Moment(0), |decided| {
            converting.extend(decided.decision.events.iter().filter_map(converted));
            to_door.push_back(decided);
        });
        if let Some(refused) = refused.flatten()
            && self.sections[section].waiting() > waiting
        {
            // It forgets the command that was to wait.
            self.sections[section] = Window::new(self.sections[section].section().clone());
            self.to_door[section].push_back(refused);
        }
    }
}

fn forget_the_first(answer: &mut Result<Answer, Unanswered>) {
    if let Ok(Answer { outcome: Outcome::Order { created, .. }, replayed, .. }) = answer {
        *created &= !*replayed;
    }
}

fn converted(event: &SectionEvent) -> Option<HoldId> {
    match event {
        SectionEvent::HoldConverted(hold) => Some(*hold),
        SectionEvent::HoldPlaced { .. }
        | SectionEvent::Offered { .. }
        | SectionEvent::HoldReduced { .. }
        | SectionEvent::HoldReleased(_)
        | SectionEvent::HoldExpired(_)
        | SectionEvent::TicketsReturned { .. }
        | SectionEvent::HoldExtended { .. }
        | SectionEvent::SeatsBlocked(_)
        | SectionEvent::SeatsUnblocked(_)
        | SectionEvent::CapacitySet(_) => None,
    }
}

/// Whether the batch says how the hold ended.
fn ends(batch: &Batch, hold: HoldId) -> bool {
    let placed = batch.holds_placed.get(&hold).map(|hold| hold.status);
    let reduced = batch.holds_reduced.get(&hold).map(|it| it.hold.status);
    let over = |status: HoldStatus| status != HoldStatus::Active;
    batch.holds_ended.contains_key(&hold) || placed.is_some_and(over) || reduced.is_some_and(over)
}

/// The answer of a section that takes what is prepared for taken; only holds are refused so.
fn refusal(section: SectionIndex, message: &SectionMessage) -> Option<Decided> {
    let SectionMessage::Decide(SectionCommand { errand, action, .. }) = message else {
        return None;
    };
    let SectionAction::Place { portion: Portion::Seats(seats), .. } = action else { return None };
    let refusal = Refusal::SeatsUnavailable { seats: seats.clone(), sections: Vec::new() };
    let decision = Decision { events: Default::default(), outcome: Err(Denial::Refused(refusal)) };
    Some(Decided { errand: *errand, section, decision })
}
