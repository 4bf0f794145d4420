//! A waiting room's owner at work: simulated time, rows in memory, and a journal that has its moods.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use taquilla_engine::buyer::BuyerId;
use taquilla_engine::clock::{Clock, ManualClock};
use taquilla_engine::id::{EventId, EventNumber, QueueTicketId};
use taquilla_engine::journal::{AppendError, TakeFrom, TakeOverError};
use taquilla_engine::later::Later;
use taquilla_engine::moment::Moment;
use taquilla_engine::operation::Deed;
use taquilla_engine::runtime::{QueueError, RoomHandle, RoomSettings, RoomWorld, SaleGauge};
use taquilla_engine::waiting_room::batch::QueueBatch;
use taquilla_engine::waiting_room::control::ControlPatch;
use taquilla_engine::waiting_room::journal::QueueJournal;
use taquilla_engine::waiting_room::journal::memory::MemoryQueueJournal;
use taquilla_engine::waiting_room::line::{Patience, Standing};
use taquilla_engine::waiting_room::rate::{LimitedBy, RateBounds, SaleSignals};
use taquilla_engine::waiting_room::room::{Joined, RoomTerms};
use taquilla_engine::waiting_room::snapshot::QueueSnapshot;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use uuid::Uuid;

const PATIENCE: Duration = Duration::from_secs(3);
const OPENS_AT: Moment = Moment(1_000_000_000);
const EVENT: EventNumber = EventNumber(7);

/// Passes, or does once with a batch what it is told to.
#[derive(Default)]
struct Moody {
    rows: MemoryQueueJournal,
    next: Mutex<Option<Mood>>,
}

#[derive(Clone, Copy, Debug)]
enum Mood {
    /// Writes, and says that it does not know.
    WrittenAndUnknown,
    /// Does not write, and says that it does not know.
    LostAndUnknown,
    /// Never answers.
    Silent,
}

impl QueueJournal for Moody {
    fn append<'a>(&'a self, batch: &'a QueueBatch) -> Later<'a, Result<(), AppendError>> {
        Box::pin(async move {
            let unknown = || AppendError::Unknown("a mood".into());
            // Only a batch that tells something meets a mood.
            let mood = if batch.is_empty() { None } else { self.next.lock().take() };
            match mood {
                None => self.rows.write(batch),
                Some(Mood::WrittenAndUnknown) => {
                    self.rows.write(batch).and_then(|()| Err(unknown()))
                }
                Some(Mood::LostAndUnknown) => Err(unknown()),
                Some(Mood::Silent) => std::future::pending().await,
            }
        })
    }

    fn take_over(
        &self,
        event: EventNumber,
        from: TakeFrom,
    ) -> Later<'_, Result<QueueSnapshot, TakeOverError>> {
        self.rows.take_over(event, from)
    }
}

/// A sale that says what it is told to.
struct Sale(Mutex<SaleSignals>, Mutex<Vec<BuyerId>>);

impl SaleGauge for Sale {
    fn measure(&self) -> SaleSignals {
        *self.0.lock()
    }

    fn opens_at(&self) -> Moment {
        OPENS_AT
    }

    fn bought(&self) -> Vec<BuyerId> {
        std::mem::take(&mut *self.1.lock())
    }
}

struct Hall {
    journal: Arc<Moody>,
    clock: Arc<ManualClock>,
    sale: Arc<Sale>,
    room: RoomHandle,
    tasks: TaskTracker,
    stopping: CancellationToken,
}

impl Hall {
    fn open(journal: Moody) -> Self {
        let journal = Arc::new(journal);
        let clock = Arc::new(ManualClock::new(OPENS_AT - Duration::from_secs(60)));
        let signals = SaleSignals { may_go_on: true, stock: 60_000, ..SaleSignals::default() };
        let sale = Arc::new(Sale(Mutex::new(signals), Mutex::default()));
        let (tasks, stopping) = (TaskTracker::new(), CancellationToken::new());
        let world =
            RoomWorld { journal: journal.clone(), clock: clock.clone(), sale: sale.clone() };
        let event = EventId::new(EVENT, [1; 11]);
        let terms = RoomTerms { event, opens_at: OPENS_AT, members_max: 10_000 };
        let rate = RateBounds {
            ceiling: 100.0,
            floor: 1.0,
            start: 10.0,
            active_max: 1_000,
            payments_max: 100,
            open_holds_max: 1_000,
            commit_max: Duration::from_millis(100),
            wait_max: Duration::from_millis(250),
        };
        let patience =
            Patience { grace: Duration::from_secs(120), admission: Duration::from_secs(600) };
        let settings = RoomSettings { patience, rate };
        let room = RoomHandle::open(world, terms, settings, &tasks, stopping.clone());
        Self { journal, clock, sale, room, tasks, stopping }
    }

    async fn join(&self, name: &str) -> Result<Joined, QueueError> {
        self.room.join(&buyer(name), PATIENCE).await
    }

    /// So many seconds pass, for the clock and for everybody's timers.
    async fn pass(&self, seconds: u32) {
        for _ in 0..seconds {
            self.clock.advance(Duration::from_secs(1));
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
    }

    fn standing(&self, name: &str) -> Option<Standing> {
        let line = self.room.line()?;
        let number = line.number(QueueTicketId::derive(EVENT, &[1; 32], &buyer(name)))?;
        Some(line.standing(number, self.clock.now()))
    }

    async fn stop(self) {
        self.stopping.cancel();
        self.tasks.close();
        self.tasks.wait().await;
    }
}

fn buyer(name: &str) -> BuyerId {
    BuyerId::parse(name).expect("a buyer")
}

#[tokio::test(start_paused = true)]
async fn whatever_becomes_of_a_batch_a_buyer_who_asks_again_has_one_place() {
    for mood in [Mood::WrittenAndUnknown, Mood::LostAndUnknown, Mood::Silent] {
        let hall = Hall::open(Moody::default());
        assert_eq!(hall.join("ana").await, Ok(Joined { number: 0, is_new: true }));
        *hall.journal.next.lock() = Some(mood);
        assert_eq!(hall.join("bob").await, Err(QueueError::OutcomeUnknown), "{mood:?}");
        hall.pass(6).await;
        let again = hall.join("bob").await.expect("another owner answers");
        assert_eq!(again.number, 1, "{mood:?}");
        assert_eq!(again.is_new, !matches!(mood, Mood::WrittenAndUnknown), "{mood:?}");
        assert_eq!(hall.join("ana").await, Ok(Joined { number: 0, is_new: false }));
        assert_eq!(hall.journal.rows.peek(EVENT).places.len(), 2, "{mood:?}");
        hall.stop().await;
    }
}

#[tokio::test(start_paused = true)]
async fn the_sale_opens_by_itself_and_lets_in_as_many_a_second_as_it_bears() {
    let hall = Hall::open(Moody::default());
    for nth in 0..500 {
        hall.join(&format!("b{nth}")).await.expect("a place");
    }
    hall.pass(30).await;
    assert_eq!(hall.standing("b7"), Some(Standing::PreSale));
    assert_eq!(hall.room.line().expect("a line").served(), 0);
    hall.pass(32).await;
    let line = hall.room.line().expect("a line");
    assert_eq!(line.draw().map(|draw| draw.present()), Some(500));
    let served = line.served();
    assert!((10..=40).contains(&served), "some ten in the first second: {served}");
    hall.pass(5).await;
    let more = line.served();
    assert!(more - served >= 50 && line.pace().is_some_and(|pace| pace > 5.0), "{served} {more}");

    // The database falls to a fifth, and the sale stops.
    hall.sale.0.lock().commit = Duration::from_secs(1);
    hall.pass(4).await;
    let admission = hall.room.admission().expect("decided");
    assert_eq!(admission.decided.limited_by, LimitedBy::CommitLatency);
    assert!(admission.decided.rate <= 2.0, "{admission:?}");
    hall.sale.0.lock().may_go_on = false;
    hall.pass(1).await;
    let served = line.served();
    hall.pass(10).await;
    assert_eq!(line.served(), served, "nobody new is let in");
    hall.stop().await;
}

#[tokio::test(start_paused = true)]
async fn who_comes_when_called_is_admitted_and_stays_so_under_another_owner() {
    let hall = Hall::open(Moody::default());
    hall.join("ana").await.expect("a place");
    hall.pass(62).await;
    let Some(Standing::Called { position: 0, .. }) = hall.standing("ana") else {
        panic!("{:?}", hall.standing("ana"));
    };
    hall.room.come(&buyer("ana"), PATIENCE).await.expect("durable");
    let admitted = hall.standing("ana");
    assert!(matches!(admitted, Some(Standing::Admitted { .. })), "{admitted:?}");
    *hall.journal.next.lock() = Some(Mood::LostAndUnknown);
    assert_eq!(hall.join("bob").await, Err(QueueError::OutcomeUnknown));
    assert_eq!(hall.standing("ana"), admitted, "the line is read while nobody owns it");
    hall.join("bob").await.expect("another owner answers");
    assert_eq!(hall.standing("ana"), admitted);
    hall.stop().await;
}

#[tokio::test(start_paused = true)]
async fn an_operators_word_is_durable_when_he_hears_it_and_holds_for_the_next_owner() {
    let hall = Hall::open(Moody::default());
    for nth in 0..100 {
        hall.join(&format!("b{nth}")).await.expect("a place");
    }
    let deed = |what| {
        let (who, why, detail) = ("op".into(), "slow provider".into(), "{}".into());
        Deed { id: Uuid::from_u128(1), who, what, why, detail }
    };
    let ceiling = ControlPatch { ceiling: Some(Some(2.0)), ..ControlPatch::default() };
    hall.room.control(ceiling, deed("admission"), PATIENCE).await.expect("durable");
    assert_eq!(hall.journal.rows.peek(EVENT).control.ceiling, Some(2.0));
    hall.pass(70).await;
    let line = hall.room.line().expect("a line");
    assert!((2..=24).contains(&line.served()), "two a second: {}", line.served());

    let pause = ControlPatch { paused: Some(true), revokes: true, ..ControlPatch::default() };
    *hall.journal.next.lock() = Some(Mood::LostAndUnknown);
    let lost = hall.room.control(pause, deed("admission"), PATIENCE).await;
    assert_eq!(lost, Err(QueueError::OutcomeUnknown));
    hall.pass(2).await;
    hall.room.control(pause, deed("admission"), PATIENCE).await.expect("durable");
    let rows = hall.journal.rows.peek(EVENT);
    assert_eq!((rows.control.paused, rows.control.ceiling, rows.round), (true, Some(2.0), 2));
    hall.pass(2).await;
    let line = hall.room.line().expect("a line");
    let served = line.served();
    hall.pass(20).await;
    assert_eq!((line.served(), line.round()), (served, 2));
    let admission = hall.room.admission().expect("decided");
    assert_eq!(admission.decided.limited_by, LimitedBy::Paused);
    hall.stop().await;
}

#[tokio::test(start_paused = true)]
async fn who_has_bought_makes_room_for_another() {
    let hall = Hall::open(Moody::default());
    hall.join("ana").await.expect("a place");
    hall.pass(62).await;
    hall.room.come(&buyer("ana"), PATIENCE).await.expect("durable");
    let active = || hall.room.line().expect("a line").active(hall.clock.now());
    assert_eq!(active(), 1);
    *hall.sale.1.lock() = vec![buyer("nobody"), buyer("ana")];
    hall.pass(2).await;
    assert_eq!(active(), 0);
    assert!(matches!(hall.standing("ana"), Some(Standing::Admitted { .. })), "he may go on");
    hall.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_room_that_another_process_has_taken_answers_nobody_here() {
    let rows = MemoryQueueJournal::default();
    let other = rows.of_another_process();
    let hall = Hall::open(Moody { rows, ..Moody::default() });
    hall.join("ana").await.expect("a place");
    other.take_over(EVENT, TakeFrom::Anyone).await.expect("taken");
    assert_eq!(hall.join("bob").await, Err(QueueError::OutcomeUnknown));
    hall.pass(10).await;
    assert_eq!(hall.join("bob").await, Err(QueueError::OutcomeUnknown));
    assert_eq!(other.peek(EVENT).places.len(), 1);
    hall.stop().await;
}
