//! From what the sale measures of itself to how many are let in this second.

use std::time::Duration;

use crate::buyer::BuyerId;
use crate::moment::Moment;
use crate::telemetry::AdmissionTold;
use crate::waiting_room::control::Control;
use crate::waiting_room::line::Line;
use crate::waiting_room::rate::{
    AdmissionRate, Decided, LimitedBy, RateBounds, SaleSignals, Signals,
};

/// What a sale measures of itself.
pub trait SaleGauge: Send + Sync + 'static {
    /// What has been measured since it was asked last.
    fn measure(&self) -> SaleSignals;

    /// When it opens, or has opened.
    fn opens_at(&self) -> Moment;

    /// Who has bought since this was asked last.
    fn bought(&self) -> Vec<BuyerId>;
}

/// What was decided, and what it rests on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Regulated {
    /// The rate, and what limits it.
    pub decided: Decided,
    /// What was measured.
    pub signals: Signals,
    /// What an operator has set.
    pub control: Control,
    /// When.
    pub at: Moment,
}

/// Whoever is called holds something within this time, mostly, or nothing at all.
const COMING: Duration = Duration::from_secs(15);

/// Decides once a second.
#[derive(Debug)]
pub(super) struct Regulator {
    bounds: RateBounds,
    rate: AdmissionRate,
    told: AdmissionTold,
    /// What was decided and is not a whole person yet.
    owed: f64,
    let_in: u32,
    last: Option<Moment>,
}

impl Regulator {
    pub(super) fn new(bounds: RateBounds) -> Self {
        let (rate, told) = (AdmissionRate::new(bounds), AdmissionTold::default());
        Self { bounds, rate, told, owed: 0.0, let_in: 0, last: None }
    }

    /// How many may be let in now.
    pub(super) fn decide(
        &mut self,
        sale: SaleSignals,
        line: &Line,
        control: Control,
        now: Moment,
    ) -> (u32, Regulated) {
        let active = line.active(now);
        let without_hold = active.saturating_sub(sale.open_holds);
        let signals = Signals {
            sale,
            paused: control.paused,
            active,
            coming: line.called_within(now, COMING).min(without_hold),
            somebody_waits: line.served() < line.joined(),
            let_in: self.let_in,
        };
        let ceiling = control.ceiling.map_or(self.bounds.ceiling, |it| it.min(self.bounds.ceiling));
        self.rate.set_bounds(RateBounds { ceiling, ..self.bounds });
        // What a sale that is not open measures says nothing, and least of all that it bears less.
        let decided = match line.draw() {
            Some(_) => self.rate.decide(&signals),
            None => Decided { rate: 0.0, limited_by: LimitedBy::NotOpen },
        };
        // A tick that comes late does not let in two seconds' worth at once.
        let elapsed = self.last.map_or(1.0, |last| now.since(last).as_secs_f64().min(1.0));
        self.last = Some(now);
        // What is not a whole person yet is not lost: one and a half a second are three in two.
        self.owed = self.owed.fract() + decided.rate * elapsed;
        if decided.rate <= 0.0 {
            self.owed = 0.0;
        }
        self.told.tell(&decided, &signals, line);
        // At most four thousand million a second: bounds are far below.
        (self.owed as u32, Regulated { decided, signals, control, at: now })
    }

    /// The room's owner died, perhaps of what the database could not bear: the next one begins with half.
    pub(super) fn owner_died(&mut self) {
        self.rate.halve();
        self.told = AdmissionTold::default();
    }

    /// So many were there to be let in.
    pub(super) fn let_in(&mut self, count: u32) {
        self.let_in = count;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::buyer::BuyerId;
    use crate::id::{EventId, EventNumber};
    use crate::waiting_room::draw::Secret;
    use crate::waiting_room::line::Patience;
    use crate::waiting_room::room::{Room, RoomTerms};
    use crate::waiting_room::snapshot::QueueSnapshot;

    const BOUNDS: RateBounds = RateBounds {
        ceiling: 100.0,
        floor: 1.0,
        start: 1.5,
        active_max: 100_000,
        payments_max: 1_000,
        open_holds_max: 100_000,
        commit_max: Duration::from_millis(100),
        wait_max: Duration::from_millis(250),
    };

    fn at(seconds: i64) -> Moment {
        Moment(seconds * 1_000_000)
    }

    /// A room in which so many wait, open.
    fn open_room(people: u32) -> Room<()> {
        let rows = QueueSnapshot::empty([5; 32], Secret::new([6; 32]));
        let event = EventId::new(EventNumber(7), [1; 11]);
        let terms = RoomTerms { event, opens_at: at(0), members_max: people };
        let patience =
            Patience { grace: Duration::from_secs(120), admission: Duration::from_secs(600) };
        let mut room = Room::new(terms, patience, rows);
        for nth in 0..people {
            let buyer = BuyerId::parse(&format!("b{nth}")).expect("a buyer");
            room.join(&buyer, at(-1), ()).expect("there is room");
        }
        room.open_in_time(at(0));
        commit(&mut room, at(0));
        room
    }

    fn commit(room: &mut Room<()>, now: Moment) {
        if room.send(now).is_some() {
            room.committed();
        }
    }

    fn sale() -> SaleSignals {
        SaleSignals { may_go_on: true, stock: 60_000, answered: 10, ..SaleSignals::default() }
    }

    /// So many seconds in which all who are called come: who has been called by then.
    fn run(regulator: &mut Regulator, room: &mut Room<()>, seconds: std::ops::Range<i64>) -> u32 {
        for second in seconds {
            let line = std::sync::Arc::clone(room.line());
            let (count, _) = regulator.decide(sale(), &line, Control::default(), at(second));
            regulator.let_in(room.call(count, at(second)));
            commit(room, at(second));
        }
        room.line().served()
    }

    #[test]
    fn a_rate_with_a_fraction_lets_everybody_in_whom_it_says_and_grows() {
        for start in [1.5, 1.9, 2.7, 3.8] {
            let mut regulator = Regulator::new(RateBounds { start, ceiling: start, ..BOUNDS });
            let served = run(&mut regulator, &mut open_room(5_000), 0..100);
            let expected = start * 100.0;
            assert!((f64::from(served) - expected).abs() <= 2.0, "{served} at {start}");

            let mut regulator = Regulator::new(RateBounds { start, ..BOUNDS });
            run(&mut regulator, &mut open_room(10_000), 0..100);
            let line = open_room(1);
            let (_, seen) = regulator.decide(sale(), line.line(), Control::default(), at(100));
            assert!(seen.decided.rate > 90.0, "{:?} from {start}", seen.decided);
        }
    }

    #[test]
    fn an_operators_ceiling_bounds_the_configured_one_and_raises_it_never() {
        for (ceiling, expected) in [(Some(3.0), 3.0), (Some(1_000.0), 100.0), (None, 100.0)] {
            let mut regulator = Regulator::new(RateBounds { start: 100.0, ..BOUNDS });
            let control = Control { paused: false, ceiling };
            let room = open_room(10);
            let (_, seen) = regulator.decide(sale(), room.line(), control, at(1));
            assert!((seen.decided.rate - expected).abs() < 1e-9, "{:?}", seen.decided);
        }
    }

    #[test]
    fn a_late_second_is_not_made_up_for_and_an_owner_that_died_leaves_half() {
        let mut regulator = Regulator::new(RateBounds { start: 10.0, ceiling: 10.0, ..BOUNDS });
        let mut room = open_room(100);
        assert_eq!(run(&mut regulator, &mut room, 0..1), 10);
        assert_eq!(run(&mut regulator, &mut room, 9..10), 20, "not ninety more");
        regulator.owner_died();
        let (_, seen) = regulator.decide(sale(), room.line(), Control::default(), at(10));
        assert!(seen.decided.rate < 7.0, "{:?}", seen.decided);
    }
}
