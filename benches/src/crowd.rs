//! A crowd before a sale: a waiting room that is asked in this process, as the server's routes ask it, and
//! the same room without its journal.
//!
//! Members join in an order in which no name follows its neighbour's, or an index of names would grow at its
//! end only.

use std::sync::Arc;
use std::time::{Duration, Instant};

use taquilla_api::config::{Config, settings};
use taquilla_engine::buyer::BuyerId;
use taquilla_engine::clock::Clock;
use taquilla_engine::id::{EventId, EventNumber};
use taquilla_engine::moment::Moment;
use taquilla_engine::runtime::{RoomHandle, RoomSettings, RoomWorld, SaleGauge};
use taquilla_engine::waiting_room::draw::Secret;
use taquilla_engine::waiting_room::rate::SaleSignals;
use taquilla_engine::waiting_room::room::{Joined, Room, RoomTerms};
use taquilla_engine::waiting_room::snapshot::QueueSnapshot;
use taquilla_persistence::database_clock::DatabaseClock;
use taquilla_persistence::pool::Pool;
use taquilla_persistence::waiting_room::PostgresQueueJournal;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::load::{Slice, micros};
use crate::scale::Scale;
use crate::stage::Stage;

/// Longer than anything here takes.
const PATIENCE: Duration = Duration::from_secs(30);
/// The year 2100.
const NEVER: Moment = Moment(4_102_444_800_000_000);
/// Members are thrown about by the golden section of their number, and this is prime to all sizes.
const STRIDE: u64 = 309_017;

/// The one who joins with this number.
#[must_use]
pub fn member(scale: &Scale, number: u32) -> BuyerId {
    let thrown = u64::from(number) * STRIDE % u64::from(scale.waiting);
    BuyerId::parse(&format!("buyer-{thrown:06}")).expect("a short name")
}

/// A room as its event has it, whose sale opens then.
#[must_use]
pub fn terms(event: EventId, opens_at: Moment) -> RoomTerms {
    RoomTerms { event, opens_at, members_max: u32::MAX }
}

/// What rooms do as shipped.
#[must_use]
pub fn room_settings() -> RoomSettings {
    settings::rooms(&Config::load(None, std::iter::empty()).expect("the shipped file"))
}

/// A room's rows before anybody has joined.
#[must_use]
pub fn empty_room() -> QueueSnapshot {
    QueueSnapshot::empty([1; 32], Secret::new([2; 32]))
}

/// A room of no journal in which the first so many are present; every batch of so many was a yes.
#[must_use]
pub fn room_of(scale: &Scale, present: u32, batch: u32) -> Room<()> {
    let event = EventId::new(EventNumber(1), [1; 11]);
    let mut room = Room::new(terms(event, NEVER), room_settings().patience, empty_room());
    for first in (0..present).step_by(batch as usize) {
        join_batch(scale, &mut room, first..present.min(first + batch));
    }
    room
}

/// These join in one batch, at the beginning of time.
pub fn join_batch(scale: &Scale, room: &mut Room<()>, numbers: std::ops::Range<u32>) {
    for number in numbers {
        let joined = room.join(&member(scale, number), Moment(0), ());
        joined.expect("the room takes all");
    }
    commit(room, Moment(0));
}

/// What has gathered is sent, and a yes.
pub fn commit(room: &mut Room<()>, now: Moment) {
    assert!(room.send(now).is_some(), "something has gathered");
    room.committed();
}

/// A room at work: its owner, its journal in the stage's database.
pub struct CrowdedRoom {
    /// The way to it.
    pub room: RoomHandle,
    tasks: TaskTracker,
    stopping: CancellationToken,
}

/// A sale that has not opened and lets nobody in.
struct ClosedSale;

impl SaleGauge for ClosedSale {
    fn measure(&self) -> SaleSignals {
        SaleSignals::default()
    }

    fn opens_at(&self) -> Moment {
        NEVER
    }

    fn bought(&self) -> Vec<BuyerId> {
        Vec::new()
    }
}

/// What a room of a new process works with.
pub async fn journal(stage: &Stage) -> (Arc<PostgresQueueJournal>, Arc<dyn Clock>) {
    let pool = Pool::new(&stage.settings).expect("a URL of our own");
    let clock = Arc::new(DatabaseClock::connect(&pool).await.expect("a near database"));
    (Arc::new(PostgresQueueJournal::new(stage.settings.clone(), Arc::clone(&clock))), clock)
}

impl CrowdedRoom {
    /// A new process, as far as the database can tell, takes the room of the first event over. How long
    /// until its line can be read and then until an answer that rests on a commit under the new epoch:
    /// of the first member, who has joined before if anybody has.
    pub async fn open(stage: &Stage, scale: &Scale) -> (Self, [Duration; 2]) {
        let (journal, clock) = journal(stage).await;
        let world = RoomWorld { journal, clock, sale: Arc::new(ClosedSale) };
        let (tasks, stopping) = (TaskTracker::new(), CancellationToken::new());
        let started = Instant::now();
        let terms = terms(stage.ids[0], NEVER);
        let room = RoomHandle::open(world, terms, room_settings(), &tasks, stopping.clone());
        room.started(PATIENCE).await.expect("the room is taken over");
        let readable = started.elapsed();
        let crowded = Self { room, tasks, stopping };
        assert_eq!(crowded.join(&member(scale, 0)).await.number, 0, "who comes first is first");
        (crowded, [readable, started.elapsed()])
    }

    async fn join(&self, buyer: &BuyerId) -> Joined {
        self.room.join(buyer, PATIENCE).await.expect("the room takes all")
    }

    /// All who are missing join, so many at once, each of whom waits until his place is durable.
    pub async fn fill(self: &Arc<Self>, scale: &Scale, at_once: u32) -> Slice {
        let started = Instant::now();
        let mut clients = JoinSet::new();
        let first = self.room.line().expect("it has been taken over").joined();
        for client in first..first + at_once {
            let (room, scale) = (Arc::clone(self), *scale);
            clients.spawn(async move {
                let numbers = (client..scale.waiting).step_by(at_once as usize);
                let mut latencies = Vec::with_capacity(numbers.len());
                for number in numbers {
                    let buyer = member(&scale, number);
                    let asked = Instant::now();
                    assert!(room.join(&buyer).await.is_new, "{buyer} joins once");
                    latencies.push(micros(asked.elapsed()));
                }
                latencies
            });
        }
        let mut slice = Slice::default();
        while let Some(client) = clients.join_next().await {
            let latencies = client.expect("a client does not panic");
            slice.granted += latencies.len() as u64;
            slice.latencies.extend(latencies);
        }
        slice.elapsed = started.elapsed();
        slice
    }

    /// Its owner ends.
    pub async fn stop(&self) {
        self.stopping.cancel();
        self.tasks.close();
        self.tasks.wait().await;
    }
}
