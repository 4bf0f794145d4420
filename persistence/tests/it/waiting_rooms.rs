//! A waiting room's rows: written as a whole or not at all, by its owner alone, and read back as they were.

use std::sync::Arc;
use std::time::Duration;

use taquilla_engine::buyer::BuyerId;
use taquilla_engine::clock::Clock;
use taquilla_engine::id::{EventNumber, QueueTicketId};
use taquilla_engine::journal::{AppendError, TakeFrom, TakeOverError};
use taquilla_engine::moment::Moment;
use taquilla_engine::operation::Deed;
use taquilla_engine::waiting_room::batch::{NewPlace, Opening, QueueBatch, Turn};
use taquilla_engine::waiting_room::calls::Call;
use taquilla_engine::waiting_room::control::Control;
use taquilla_engine::waiting_room::draw::PublicValue;
use taquilla_engine::waiting_room::journal::QueueJournal;
use taquilla_engine::waiting_room::snapshot::{Kept, QueueSnapshot};
use taquilla_persistence::database_clock::DatabaseClock;
use taquilla_persistence::pool::Pool;
use taquilla_persistence::waiting_room::PostgresQueueJournal;

use uuid::Uuid;

use crate::box_office::BoxOffice;

struct Hall {
    office: BoxOffice,
    clock: Arc<DatabaseClock>,
    journal: PostgresQueueJournal,
    event: EventNumber,
}

impl Hall {
    async fn open(name: &str) -> Self {
        let office = BoxOffice::open(name).await;
        let pool = Pool::new(&office.settings).expect("a good URL");
        let clock = Arc::new(DatabaseClock::connect(&pool).await.expect("a clock"));
        let journal = PostgresQueueJournal::new(office.settings.clone(), Arc::clone(&clock));
        let event = office.event.event();
        Self { office, clock, journal, event }
    }

    fn another_process(&self) -> PostgresQueueJournal {
        PostgresQueueJournal::new(self.office.settings.clone(), Arc::clone(&self.clock))
    }

    async fn take_over(&self) -> QueueSnapshot {
        self.journal.take_over(self.event, TakeFrom::Anyone).await.expect("its rows")
    }

    /// A batch behind these rows, with places for these buyers.
    fn batch(&self, rows: &QueueSnapshot, names: &[&str]) -> QueueBatch {
        let now = self.clock.now();
        let place = |(number, name): (u32, &&str)| {
            let buyer = BuyerId::parse(name).expect("a buyer");
            let ticket = QueueTicketId::derive(self.event, &rows.salt, &buyer);
            NewPlace { number, ticket, buyer, at: now, turn: None }
        };
        let first = u32::try_from(rows.places.len()).expect("few");
        QueueBatch { now, places: (first..).zip(names).map(place).collect(), ..self.nothing(rows) }
    }

    fn nothing(&self, rows: &QueueSnapshot) -> QueueBatch {
        QueueBatch {
            event: self.event,
            epoch: rows.epoch,
            sequence: rows.sequence,
            now: self.clock.now(),
            places: Vec::new(),
            turns: Default::default(),
            opening: None,
            call: None,
            round: None,
            control: None,
            deeds: Vec::new(),
        }
    }

    async fn append(&self, batch: &QueueBatch) -> Result<(), AppendError> {
        self.journal.append(batch).await
    }

    async fn count(&self, table: &str) -> i64 {
        self.office.one(&format!("SELECT count(*) FROM {table}")).await
    }
}

#[tokio::test]
async fn a_room_is_read_back_as_it_was_written() {
    let hall = Hall::open("room_rows").await;
    let empty = hall.take_over().await;
    assert_eq!((empty.epoch.0, empty.sequence.0, empty.places.len()), (1, 0, 0));
    let mut first = hall.batch(&empty, &["ana", "bob", "eva", "ida"]);
    first.places[3].turn = Some(Turn::Left);
    hall.append(&first).await.expect("written");

    let joined = hall.take_over().await;
    assert_eq!((joined.epoch.0, joined.sequence.0, joined.round), (2, 1, 1));
    assert!((&joined.salt, &joined.secret) == (&empty.salt, &empty.secret), "drawn once");
    let tickets: Vec<_> = joined.places.iter().map(|place| place.ticket).collect();
    assert_eq!(tickets, first.places.iter().map(|place| place.ticket).collect::<Vec<_>>());
    let kept = |rows: &QueueSnapshot| rows.places.iter().map(|it| it.kept).collect::<Vec<_>>();
    assert_eq!(kept(&joined), [Kept::InLine, Kept::InLine, Kept::InLine, Kept::Left]);

    let now = hall.clock.now();
    let opening = Opening { present: 4, value: PublicValue([9; 32]), at: now };
    let mut second = hall.batch(&joined, &["late"]);
    second.turns = [(1, Turn::Left), (3, Turn::Returned)].into();
    second.opening = Some(opening);
    hall.append(&second).await.expect("written");
    let opened = hall.take_over().await;
    assert_eq!(opened.opening, Some(opening));
    let line = [Kept::InLine, Kept::Left, Kept::InLine, Kept::InLine, Kept::InLine];
    assert_eq!(kept(&opened), line);

    let call = Call { served: 2, at: now };
    let mut third = hall.nothing(&opened);
    (third.call, third.round) = (Some(call), Some(2));
    third.turns = [(0, Turn::Came(now)), (2, Turn::Came(now))].into();
    hall.append(&third).await.expect("written");
    let called = hall.take_over().await;
    assert_eq!((called.calls.as_slice(), called.round), ([call].as_slice(), 2));
    let came = Kept::Came { at: now, until: None, has_bought: false };
    assert_eq!(kept(&called)[0], came);

    let until = now + Duration::from_secs(900);
    let mut fourth = hall.nothing(&called);
    fourth.turns = [(0, Turn::Renewed(until)), (2, Turn::Bought)].into();
    hall.append(&fourth).await.expect("written");
    let mut fifth = hall.nothing(&hall.take_over().await);
    fifth.turns = [(0, Turn::Bought), (2, Turn::Renewed(until))].into();
    hall.append(&fifth).await.expect("written");
    let bought = hall.take_over().await;
    let shops = Kept::Came { at: now, until: Some(until), has_bought: true };
    assert_eq!((kept(&bought)[0], kept(&bought)[2]), (shops, shops), "in either order");
    let mut sixth = hall.nothing(&bought);
    sixth.turns = [(0, Turn::Left)].into();
    hall.append(&sixth).await.expect("written");
    assert_eq!(kept(&hall.take_over().await)[0], Kept::Left);
}

#[tokio::test]
async fn what_an_operator_sets_is_kept_with_the_row_that_says_who_did_it() {
    let hall = Hall::open("room_control").await;
    let mut rows = hall.take_over().await;
    assert_eq!(rows.control, Control::default());
    let settings = [
        Control { paused: true, ceiling: Some(2.5) },
        Control { paused: true, ceiling: Some(0.0) },
        Control { paused: false, ceiling: None },
    ];
    for (nth, control) in (0..).zip(settings) {
        let (who, why, detail) = ("op".into(), "slow".into(), r#"{"paused": true}"#.into());
        let deed = Deed { id: Uuid::from_u128(nth), who, what: "admission", why, detail };
        let mut batch = hall.nothing(&rows);
        (batch.control, batch.deeds) = (Some(control), vec![deed]);
        hall.append(&batch).await.expect("written");
        rows = hall.take_over().await;
        assert_eq!(rows.control, control);
    }
    let deeds = "SELECT count(*) FROM operator_actions WHERE who = 'op' AND why = 'slow' \
                 AND what = 'admission' AND detail = '{\"paused\": true}'";
    assert_eq!(hall.office.one::<i64>(deeds).await, 3);
}

#[tokio::test]
async fn a_stale_owner_and_one_of_another_sequence_write_nothing() {
    let hall = Hall::open("room_fence").await;
    let rows = hall.take_over().await;
    let stale = hall.batch(&rows, &["ana"]);
    let other = hall.another_process();
    other.take_over(hall.event, TakeFrom::Anyone).await.expect("taken");
    assert_eq!(hall.append(&stale).await, Err(AppendError::Fenced));
    let back = hall.journal.take_over(hall.event, TakeFrom::OnlySelf).await;
    assert_eq!(back.err(), Some(TakeOverError::Overtaken));
    let rows = other.take_over(hall.event, TakeFrom::OnlySelf).await.expect("its own");
    let batch = hall.batch(&rows, &["ana"]);
    other.append(&batch).await.expect("written");
    assert_eq!(other.append(&batch).await, Err(AppendError::Fenced), "the same again");
    assert_eq!(hall.count("queue_tickets").await, 1);
}

/// Makes a batch one that the rows contradict.
type Breach = fn(&mut QueueBatch);

#[tokio::test]
async fn of_a_batch_that_the_rows_contradict_nothing_is_written() {
    let hall = Hall::open("room_breaches").await;
    let rows = hall.take_over().await;
    let mut both = hall.batch(&rows, &["ana", "bob"]);
    both.places[1].turn = Some(Turn::Left);
    hall.append(&both).await.expect("written");
    let breaches: [(&str, Breach); 9] = [
        ("queue_heads", |it| it.places[0].number = 3),
        ("queue_heads", |it| it.places[0].number = 1),
        ("queue_tickets", |it| it.turns = [(7, Turn::Left)].into()),
        ("queue_tickets", |it| it.turns = [(0, Turn::Bought)].into()),
        ("queue_tickets", |it| it.turns = [(1, Turn::Came(it.now))].into()),
        ("queue_tickets", |it| it.turns = [(1, Turn::Bought)].into()),
        ("queue_tickets", |it| it.turns = [(0, Turn::Renewed(Moment(0)))].into()),
        ("queue_heads_present_have_joined", |it| {
            it.opening = Some(Opening { present: 4, value: PublicValue([1; 32]), at: it.now });
        }),
        ("queue_heads_served_once_open", |it| {
            it.call = Some(Call { served: 1, at: Moment(0) });
        }),
    ];
    for (what, breach) in breaches {
        let rows = hall.take_over().await;
        assert_eq!((rows.sequence.0, rows.places.len()), (1, 2), "{what}");
        let mut batch = hall.batch(&rows, &["eva"]);
        breach(&mut batch);
        let Err(AppendError::Refused(why)) = hall.append(&batch).await else {
            panic!("{what} is not refused");
        };
        assert!(why.contains(what), "{what}: {why}");
    }
    assert_eq!(hall.count("queue_tickets").await, 2);
    assert_eq!(hall.count("queue_calls").await, 0);
}

#[tokio::test]
async fn a_batch_from_another_time_is_refused() {
    let hall = Hall::open("room_clock").await;
    let rows = hall.take_over().await;
    let mut batch = hall.batch(&rows, &["ana"]);
    batch.now = batch.now + Duration::from_secs(10);
    assert_eq!(hall.append(&batch).await, Err(AppendError::ClockUncertain));
    assert_eq!(hall.count("queue_tickets").await, 0);
}

#[tokio::test]
async fn a_room_of_no_event_is_nobodys_and_a_gap_is_a_broken_row() {
    let hall = Hall::open("room_gap").await;
    let nobody = hall.journal.take_over(EventNumber(4_711), TakeFrom::Anyone).await;
    assert_eq!(nobody.err(), Some(TakeOverError::NoSuchEvent));
    let rows = hall.take_over().await;
    hall.append(&hall.batch(&rows, &["ana", "bob"])).await.expect("written");
    for spoil in ["DELETE FROM queue_tickets WHERE number = 1", "DELETE FROM queue_tickets"] {
        hall.office.call(spoil, &[]).await;
        let read = hall.journal.take_over(hall.event, TakeFrom::Anyone).await;
        assert!(matches!(read, Err(TakeOverError::Broken(_))), "{spoil}: {read:?}");
    }
}
