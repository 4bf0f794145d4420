//! An owner without actors: the engine's door and sections, carried out in order.

use std::collections::HashMap;
use std::time::Duration;

use taquilla_engine::answer::{Answer, Outcome};
use taquilla_engine::buyer::BuyerId;
use taquilla_engine::clock::Clock;
use taquilla_engine::command::{Command, Keyed, Request, Wish};
use taquilla_engine::event::{Batch, Door, Effect, Snapshot};
use taquilla_engine::hold::Claim;
use taquilla_engine::id::HoldId;
use taquilla_engine::moment::Moment;
use taquilla_engine::section::Window;
use taquilla_engine::waiting_room::admission::Admission;

use super::box_office::{BoxOffice, limits, seats, terms};

/// Time for decisions is the owner's own and moves when told to; a batch carries the database's,
/// which is later than any decision in it.
pub(crate) struct Owner {
    door: Door<u32>,
    sections: Vec<Window>,
    answers: HashMap<u32, Answer>,
    asked: u32,
    on_its_way: Option<Batch>,
    pub(crate) now: Moment,
}

impl Owner {
    /// Takes the event over. Its decisions begin an hour ago, which leaves an hour to pass.
    pub(crate) async fn start(office: &BoxOffice) -> Owner {
        let mut owner = Owner::rebuild(office.take_over().await);
        owner.now = office.clock.now() - Duration::from_secs(3_600);
        owner
    }

    pub(crate) fn rebuild(snapshot: Snapshot) -> Owner {
        let now = snapshot.decided_at;
        let (door, sections) =
            Door::rebuild(terms(), limits(), snapshot).expect("rows that agree with each other");
        Owner { door, sections, answers: HashMap::new(), asked: 0, on_its_way: None, now }
    }

    /// Hands a command in and lets it be decided. What is decided gathers behind a batch that is
    /// taken to be on its way, as it would behind a slow commit.
    pub(crate) fn ask(&mut self, command: Command) -> u32 {
        self.occupy_lane();
        self.submit(command)
    }

    fn submit(&mut self, command: Command) -> u32 {
        self.asked += 1;
        let request = Request { command, deadline: Moment(i64::MAX) };
        self.door.submit(self.now, request, self.asked);
        let sent = self.carry_out();
        self.on_its_way = self.on_its_way.take().or(sent);
        self.asked
    }

    /// Sends a batch that only matches the head, if none is on its way.
    fn occupy_lane(&mut self) {
        if self.on_its_way.is_none() {
            self.submit(Command::ReadHolds { buyer: buyer("nobody") });
        }
    }

    pub(crate) fn pass(&mut self, time: Duration) {
        self.now = self.now + time;
    }

    /// Ends what is overdue.
    pub(crate) fn tick(&mut self) {
        self.occupy_lane();
        self.door.tick(self.now);
        assert_eq!(self.carry_out(), None, "the lane is occupied");
    }

    /// Everything decided since the last time, as one batch, stamped as it is sent.
    pub(crate) fn gather(&mut self, office: &BoxOffice) -> Option<Batch> {
        if let Some(check) = self.on_its_way.take() {
            assert!(check.is_check() && self.committed(&check));
        }
        let mut batch = self.carry_out()?;
        batch.now = batch.now.max(office.clock.now());
        Some(batch)
    }

    /// Does what the door wants, up to a batch that is to be sent.
    fn carry_out(&mut self) -> Option<Batch> {
        while let Some(effect) = self.door.poll() {
            match effect {
                Effect::Tell(section, message) => {
                    let (door, now) = (&mut self.door, self.now);
                    let window = &mut self.sections[usize::from(section.0)];
                    window.handle(message, now, |decided| door.decided(now, decided));
                }
                Effect::Reply(asked, answer) => {
                    self.answers.insert(asked, answer.expect("nothing here is turned away"));
                }
                Effect::Publish(_) | Effect::OrdersChanged(_) => {}
                Effect::Append(batch) => return Some(batch),
            }
        }
        None
    }

    /// Commits everything decided since the last time, as one batch, and lets the answers out.
    pub(crate) async fn commit(&mut self, office: &BoxOffice) -> Batch {
        let batch = self.gather(office).expect("something has gathered");
        office.append(&batch).await.expect("a batch that was decided rightly");
        assert!(self.committed(&batch), "the one on its way");
        assert_eq!(self.carry_out(), None, "all of it was one batch");
        batch
    }

    /// The batch has committed; whether it was the one on its way.
    pub(crate) fn committed(&mut self, batch: &Batch) -> bool {
        self.door.committed(self.now, batch.epoch, batch.sequence)
    }

    /// What memory answers, whether or not it is anybody's still.
    pub(crate) fn tell(&mut self, office: &BoxOffice, command: Command) -> Outcome {
        let asked = self.ask(command);
        let batch = self.gather(office).expect("an answer waits for the head");
        assert!(self.committed(&batch));
        assert_eq!(self.carry_out(), None);
        self.outcome(asked).clone()
    }

    pub(crate) fn outcome(&self, asked: u32) -> &Outcome {
        &self.answers[&asked].outcome
    }
}

pub(crate) fn buyer(name: &str) -> BuyerId {
    BuyerId::parse(name).expect("a short name")
}

pub(crate) fn keyed(key: &str) -> Keyed {
    Keyed { key: key.into(), fingerprint: [7; 32] }
}

pub(crate) fn place(who: &str, key: &str, claim: Claim) -> Command {
    let wish = Wish::Claim { claim, accept_fewer: false };
    Command::PlaceHold { buyer: buyer(who), keyed: keyed(key), wish, admission: None }
}

pub(crate) fn place_seats(who: &str, key: &str, at: &[u32]) -> Command {
    place(who, key, Claim::of_seats(seats(at)))
}

pub(crate) fn release(who: &str, hold: HoldId) -> Command {
    Command::ReleaseHold { buyer: buyer(who), hold }
}

pub(crate) fn order(who: &str, key: &str, hold: HoldId) -> Command {
    Command::PlaceOrder {
        buyer: buyer(who),
        keyed: keyed(key),
        hold,
        admission: Some(Admission::ALWAYS),
    }
}
