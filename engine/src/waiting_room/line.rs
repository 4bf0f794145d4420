//! What everybody may read of a waiting room at any moment, while its owner goes on.
//!
//! Only what is durable stands here: the owner writes it once a batch has committed. Whoever waits reads without
//! a lock; the lock on calls and admissions is for those who have been called.

use std::collections::HashMap;
use std::fmt;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicI32, AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::RwLock;

use super::admission::{Admission, admission_key};
use super::batch::Turn;
use super::calls::{Call, Calls};
use super::draw::Draw;
use super::members::{Members, MembersWriter};
use super::snapshot::Kept;
use super::states::{PlaceState, States};
use crate::buyer::BuyerId;
use crate::id::{EventNumber, QueueTicketId};
use crate::moment::Moment;

/// An admission that is over is forgotten so much later: a renewal that was decided before its end, and is on its
/// way, finds it there. Longer than a batch takes.
const KEPT_AFTER: Duration = Duration::from_secs(10);

/// Where somebody stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Nobody has a position before the draw.
    PreSale,
    /// So many are in front.
    Waiting {
        /// From 0, for ever.
        position: u32,
        /// Positions before this one that have not been called yet.
        ahead: u32,
    },
    /// It is this buyer's turn: until then, if he comes.
    Called {
        /// From 0, for ever.
        position: u32,
        /// When the place is lost.
        until: Moment,
    },
    /// He came, and may shop.
    Admitted {
        /// From 0, for ever.
        position: u32,
        /// Since when and until when, unless he is given longer.
        admission: Admission,
    },
    /// He was called and did not come, or his time is over.
    Expired {
        /// From 0, for ever.
        position: u32,
    },
    /// He gave his place up.
    Left {
        /// From 0, for ever; none before the draw.
        position: Option<u32>,
    },
}

/// How long those who are called have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// From the call until whoever does not come has lost his place.
    pub grace: Duration,
    /// From his coming, or its renewal, until his admission is over.
    pub admission: Duration,
}

/// The line of one event.
pub struct Line {
    event: EventNumber,
    /// What tickets' ids are derived with. Never told.
    salt: [u8; 32],
    patience: Patience,
    round: AtomicI32,
    members: Members,
    states: States,
    joined: AtomicU32,
    draw: OnceLock<Draw>,
    served: AtomicU32,
    calls: RwLock<Calls>,
    /// Of those who came.
    admissions: RwLock<HashMap<u32, Admission>>,
    /// Positions a second, as bits of an `f64`; none before the first call.
    pace: AtomicU64,
}

impl Line {
    /// An empty one.
    #[must_use]
    pub fn new(event: EventNumber, salt: [u8; 32], patience: Patience, round: i32) -> Self {
        Self {
            event,
            salt,
            patience,
            round: AtomicI32::new(round),
            members: Members::default(),
            states: States::default(),
            joined: AtomicU32::new(0),
            draw: OnceLock::new(),
            served: AtomicU32::new(0),
            calls: RwLock::default(),
            admissions: RwLock::default(),
            pace: AtomicU64::new(f64::NAN.to_bits()),
        }
    }

    /// How long those who are called have.
    #[must_use]
    pub fn patience(&self) -> Patience {
        self.patience
    }

    /// What this buyer's place is called in public, whether he has one or not.
    #[must_use]
    pub fn ticket(&self, buyer: &BuyerId) -> QueueTicketId {
        QueueTicketId::derive(self.event, &self.salt, buyer)
    }

    /// What signs admissions to this sale: of the room's own, and told to nobody.
    #[must_use]
    pub fn admission_key(&self) -> [u8; 32] {
        admission_key(&self.salt)
    }

    /// Admissions of earlier rounds are worth nothing.
    #[must_use]
    pub fn round(&self) -> i32 {
        self.round.load(Ordering::Acquire)
    }

    /// The number of this ticket, counted from 0 in the order of joining.
    #[must_use]
    pub fn number(&self, ticket: QueueTicketId) -> Option<u32> {
        self.members.number(ticket)
    }

    /// How many numbers there are.
    #[must_use]
    pub fn joined(&self) -> u32 {
        self.joined.load(Ordering::Acquire)
    }

    /// The draw, once the sale is open.
    #[must_use]
    pub fn draw(&self) -> Option<&Draw> {
        self.draw.get()
    }

    /// Positions below this have been called.
    #[must_use]
    pub fn served(&self) -> u32 {
        self.served.load(Ordering::Acquire)
    }

    /// How fast the line has moved of late, in positions a second; none before the first call.
    #[must_use]
    pub fn pace(&self) -> Option<f64> {
        let pace = f64::from_bits(self.pace.load(Ordering::Relaxed));
        (!pace.is_nan()).then_some(pace)
    }

    /// Where the one with this number stands now.
    #[must_use]
    pub fn standing(&self, number: u32, now: Moment) -> Standing {
        let position = self.draw.get().map(|draw| draw.position(number));
        let state = self.states.of(number);
        if state == PlaceState::Left {
            return Standing::Left { position };
        }
        let Some(position) = position else { return Standing::PreSale };
        let served = self.served();
        if position >= served {
            return Standing::Waiting { position, ahead: position - served };
        }
        match state {
            PlaceState::Came | PlaceState::Bought => match self.admissions.read().get(&number) {
                Some(&admission) if now < admission.until => {
                    Standing::Admitted { position, admission }
                }
                Some(_) | None => Standing::Expired { position },
            },
            PlaceState::InLine | PlaceState::Left => {
                let called_at = self.calls.read().called_at(position);
                match called_at.map(|at| at + self.patience.grace) {
                    Some(until) if now < until => Standing::Called { position, until },
                    Some(_) | None => Standing::Expired { position },
                }
            }
        }
    }

    /// How many positions were called within this time before now.
    #[must_use]
    pub fn called_within(&self, now: Moment, within: Duration) -> u32 {
        self.calls.read().called_after(now - within)
    }

    /// Admissions that are alive of buyers who have not bought yet, and calls that may still be followed.
    #[must_use]
    pub fn active(&self, now: Moment) -> u32 {
        let shops = |number: &u32, admission: &Admission| {
            now < admission.until && self.states.of(*number) == PlaceState::Came
        };
        let admissions = self.admissions.read();
        let alive = admissions.iter().filter(|(number, it)| shops(number, it)).count();
        drop(admissions);
        let (called, from) = {
            let calls = self.calls.read();
            (calls.called_after(now - self.patience.grace), self.served())
        };
        let not_come = (from - called..from).filter(|position| {
            let number = self.draw.get().map_or(*position, |draw| draw.index_at(*position));
            self.states.of(number) == PlaceState::InLine
        });
        u32::try_from(alive + not_come.count()).unwrap_or(u32::MAX)
    }

    pub(super) fn add(&self, writer: &mut MembersWriter, ticket: QueueTicketId, number: u32) {
        self.members.insert(writer, ticket, number);
        self.joined.store(number + 1, Ordering::Release);
    }

    /// What rows say of a place.
    pub(super) fn restore(&self, number: u32, kept: Kept) {
        match kept {
            Kept::InLine => {}
            Kept::Left => self.turn(number, Turn::Left),
            Kept::Came { at, until, has_bought } => {
                self.turn(number, Turn::Came(at));
                until.into_iter().for_each(|until| self.turn(number, Turn::Renewed(until)));
                if has_bought {
                    self.turn(number, Turn::Bought);
                }
            }
        }
    }

    pub(super) fn state(&self, number: u32) -> PlaceState {
        self.states.of(number)
    }

    pub(super) fn turn(&self, number: u32, turn: Turn) {
        match turn {
            Turn::Came(at) => {
                let admission = Admission { from: at, until: at + self.patience.admission };
                self.admissions.write().insert(number, admission);
                self.states.set(number, PlaceState::Came);
            }
            Turn::Renewed(until) => {
                if let Some(it) = self.admissions.write().get_mut(&number) {
                    it.until = until.max(it.until);
                }
            }
            Turn::Bought => self.states.set(number, PlaceState::Bought),
            Turn::Left => {
                self.states.set(number, PlaceState::Left);
                self.admissions.write().remove(&number);
            }
            Turn::Returned => self.states.set(number, PlaceState::InLine),
        }
    }

    pub(super) fn raise_round(&self, round: i32) {
        self.round.store(round, Ordering::Release);
    }

    pub(super) fn open(&self, draw: Draw) {
        // Opened once: an owner that opens it again has read the same rows.
        let _ = self.draw.set(draw);
    }

    pub(super) fn call(&self, call: Call) {
        self.calls.write().push(call);
        self.served.store(call.served, Ordering::Release);
    }

    /// Forgets admissions that have been over for a while, and measures how fast the line has moved in the time
    /// before now.
    pub fn tidy(&self, now: Moment, over: Duration) {
        self.admissions.write().retain(|_, it| now < it.until + KEPT_AFTER);
        let pace = self.calls.read().pace(now, over).unwrap_or(f64::NAN);
        self.pace.store(pace.to_bits(), Ordering::Relaxed);
    }
}

impl fmt::Debug for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (joined, served) = (self.joined(), self.served());
        let mut it = f.debug_struct("Line");
        it.field("event", &self.event).field("joined", &joined).field("served", &served);
        it.finish_non_exhaustive()
    }
}
