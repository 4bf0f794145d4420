//! What a buyer is told of his place: how long it may take and why longer, whether anything will be left, and when
//! to ask again.

use std::time::Duration;

use serde_json::{Value, json};
use taquilla_api::views::{NowServingView, QueueTicketView, Told};
use taquilla_engine::buyer::BuyerId;
use taquilla_engine::id::{EventId, EventNumber};
use taquilla_engine::moment::Moment;
use taquilla_engine::runtime::Regulated;
use taquilla_engine::waiting_room::control::Control;
use taquilla_engine::waiting_room::draw::Secret;
use taquilla_engine::waiting_room::line::Patience;
use taquilla_engine::waiting_room::rate::{Decided, LimitedBy, SaleSignals, Signals};
use taquilla_engine::waiting_room::room::{Room, RoomTerms};
use taquilla_engine::waiting_room::snapshot::QueueSnapshot;
use uuid::Uuid;

const OPENS_AT: Moment = Moment(1_000_000_000_000);
const PEOPLE: u32 = 1_000;

/// Seconds from the opening.
fn at(seconds: i64) -> Moment {
    Moment(OPENS_AT.0 + seconds * 1_000_000)
}

struct Hall(Room<()>);

/// As shipped.
const PATIENCE: Patience =
    Patience { grace: Duration::from_secs(120), admission: Duration::from_secs(600) };

impl Hall {
    fn full() -> Self {
        Self::full_of(PATIENCE)
    }

    fn full_of(patience: Patience) -> Self {
        let rows = QueueSnapshot::empty([5; 32], Secret::new([6; 32]));
        let event = EventId::new(EventNumber(7), [1; 11]);
        let terms = RoomTerms { event, opens_at: OPENS_AT, members_max: PEOPLE };
        let mut hall = Self(Room::new(terms, patience, rows));
        for nth in 0..PEOPLE {
            hall.0.join(&buyer(nth), at(-60), ()).expect("there is room");
        }
        hall.commit(at(-60));
        hall
    }

    /// Open, and ten a second called since, for so many seconds.
    fn open_for(seconds: i64) -> Self {
        Self::full().opened(seconds)
    }

    fn opened(mut self, seconds: i64) -> Self {
        self.0.open_in_time(at(0));
        self.commit(at(0));
        for second in 0..seconds {
            self.0.call(10, at(second));
            self.commit(at(second));
        }
        self.0.line().tidy(at(seconds), Duration::from_secs(60));
        self
    }

    fn commit(&mut self, now: Moment) {
        if self.0.send(now).is_some() {
            self.0.committed();
        }
    }

    /// What the buyer in this position is told, spread as said.
    fn told(&self, position: u32, now: Moment, admission: Regulated, spread: f64) -> Value {
        let line = self.0.line();
        let number = line.draw().map_or(position, |draw| draw.index_at(position));
        let told =
            Told { line, admission: Some(admission), opens_at: OPENS_AT, is_over: false, now };
        let (ticket, standing) = (line.ticket(&buyer(number)), line.standing(number, now));
        let view = QueueTicketView::of(ticket, number, standing, &told, spread);
        serde_json::to_value(view).expect("a view is JSON")
    }
}

fn buyer(nth: u32) -> BuyerId {
    BuyerId::parse(&format!("buyer-{nth}")).expect("a buyer")
}

fn regulated(limited_by: LimitedBy, stock: u32) -> Regulated {
    let sale = SaleSignals { may_go_on: true, stock, ..SaleSignals::default() };
    let signals =
        Signals { sale, paused: false, active: 0, coming: 0, somebody_waits: true, let_in: 10 };
    let stops = matches!(limited_by, LimitedBy::Stopped | LimitedBy::Paused | LimitedBy::Stock);
    let rate = if stops { 0.0 } else { 10.0 };
    Regulated {
        decided: Decided { rate, limited_by },
        signals,
        control: Control::default(),
        at: at(0),
    }
}

const PLENTY: u32 = 60_000;

#[test]
fn an_estimate_is_a_range_around_what_the_lines_pace_says() {
    let hall = Hall::open_for(30);
    let told = hall.told(800, at(30), regulated(LimitedBy::Growth, PLENTY), 0.5);
    assert_eq!((&told["state"], &told["ahead"]), (&json!("waiting"), &json!(500)));
    let (low, high) = (&told["eta_seconds"]["low"], &told["eta_seconds"]["high"]);
    assert!(low.as_u64() < Some(50) && high.as_u64() > Some(50), "50 s at ten a second: {told}");
    assert!(low.as_u64() >= Some(25) && high.as_u64() <= Some(100), "{told}");
    assert_eq!(told.get("eta_reason"), None);
}

#[test]
fn a_wait_that_may_grow_has_its_reason() {
    let hall = Hall::open_for(30);
    let reasons = [
        (LimitedBy::Growth, None),
        (LimitedBy::Ceiling, None),
        (LimitedBy::Stopped, Some("nobody is let in at the moment")),
        (LimitedBy::Paused, Some("nobody is let in at the moment")),
        (LimitedBy::Payments, Some("payments take longer than usual")),
        (LimitedBy::ProviderErrors, Some("payments take longer than usual")),
    ];
    for (limited_by, reason) in reasons {
        let told = hall.told(800, at(30), regulated(limited_by, PLENTY), 0.5);
        assert_eq!(told.get("eta_reason").and_then(Value::as_str), reason, "{limited_by:?}");
    }
    for limited_by in [LimitedBy::CommitLatency, LimitedBy::Active, LimitedBy::TurnedAway] {
        let told = hall.told(800, at(30), regulated(limited_by, PLENTY), 0.5);
        assert!(told["eta_reason"].is_string(), "{limited_by:?}");
    }
    // A minute in which nobody was called leaves the rate to reckon with; and while nobody is let in, nothing.
    hall.0.line().tidy(at(100), Duration::from_secs(60));
    let told = hall.told(800, at(100), regulated(LimitedBy::Growth, PLENTY), 0.5);
    assert!(told["eta_seconds"]["high"].as_u64() > Some(50), "{told}");
    for limited_by in [LimitedBy::Stopped, LimitedBy::Paused, LimitedBy::Stock] {
        let told = hall.told(800, at(30), regulated(limited_by, PLENTY), 0.5);
        assert_eq!(told["eta_seconds"], Value::Null, "{limited_by:?}");
    }
}

#[test]
fn whoever_cannot_be_served_any_more_is_told_so() {
    let hall = Hall::open_for(30);
    let outlook = |position, stock| {
        let limited_by = if stock == 0 { LimitedBy::Stock } else { LimitedBy::Growth };
        let told = hall.told(position, at(30), regulated(limited_by, stock), 0.5);
        (told["outlook"].clone(), told["eta_reason"].clone())
    };
    assert_eq!(outlook(800, PLENTY).0, "good");
    assert_eq!(outlook(800, 700).0, "uncertain", "500 before him take 1,000");
    let likely_sold_out = (json!("unlikely"), json!("sold out is likely"));
    assert_eq!(outlook(800, 499), likely_sold_out);
    assert_eq!(outlook(300, 0), likely_sold_out, "the next one");
    let told = Told {
        line: hall.0.line(),
        admission: Some(regulated(LimitedBy::Stock, 0)),
        opens_at: OPENS_AT,
        is_over: false,
        now: at(30),
    };
    let serving = NowServingView::of(Uuid::nil(), &told);
    let serving = serde_json::to_value(serving).expect("a view is JSON");
    assert_eq!((&serving["state"], &serving["served"]), (&json!("sold_out"), &json!(300)));

    // Before the draw anybody may be the first.
    let waits = Hall::full();
    let told = waits.told(999, at(-30), regulated(LimitedBy::Stopped, 600), 0.5);
    assert_eq!((&told["state"], &told["outlook"]), (&json!("pre_sale"), &json!("uncertain")));
}

#[test]
fn who_stands_far_behind_asks_seldom_and_nobody_at_the_same_instant() {
    let hall = Hall::open_for(30);
    let poll = |position, spread| {
        let told = hall.told(position, at(30), regulated(LimitedBy::Growth, PLENTY), spread);
        told["poll_after_ms"].as_u64().expect("milliseconds")
    };
    assert!((1_800..=2_200).contains(&poll(310, 0.5)), "soon his turn");
    assert!(poll(999, 0.5) > 2 * poll(310, 0.5));
    let (early, late) = (poll(999, 0.0), poll(999, 1.0));
    assert!(late - early >= early / 10, "{early} to {late}");
    // While nobody is let in, who is next asks often: they may be, any second.
    let stopped = |position| {
        let told = hall.told(position, at(30), regulated(LimitedBy::Stopped, PLENTY), 0.5);
        told["poll_after_ms"].as_u64().expect("milliseconds")
    };
    assert!((1_800..=2_200).contains(&stopped(310)) && stopped(999) > 6_000, "{}", stopped(999));
}

#[test]
fn whoever_asks_when_he_is_told_to_loses_neither_his_place_nor_his_admission() {
    // Whether the line stands still, as far as anybody can tell, or nobody knows when it moves.
    let still = || regulated(LimitedBy::Stopped, PLENTY);
    for (grace, admission) in [(1, 1), (5, 8), (30, 60), (120, 600), (3_600, 86_400)] {
        let seconds = Duration::from_secs;
        let patience = Patience { grace: seconds(grace), admission: seconds(admission) };
        let mut hall = Hall::full_of(patience).opened(30);
        hall.0.call(10, at(30));
        hall.commit(at(30));
        let first = hall.0.line().draw().expect("it is open").index_at(300);
        hall.0.come(&buyer(first), at(30), ()).expect("he has a place");
        hall.commit(at(30));
        let before = Hall::full_of(patience);
        for spread in [0.0, 0.5, 1.0] {
            let told = [
                (before.told(0, at(-100_000), still(), spread), "pre_sale", grace * 1_000 / 3),
                (hall.told(999, at(30), still(), spread), "waiting", grace * 1_000 / 3),
                (hall.told(301, at(30), still(), spread), "waiting", grace * 1_000 / 3),
                (hall.told(300, at(30), still(), spread), "admitted", admission * 1_000 / 4),
            ];
            for (told, state, most) in told {
                assert_eq!(told["state"], state);
                let poll = told["poll_after_ms"].as_u64().expect("milliseconds");
                let bounds = 1_000..=most.clamp(1_000, 66_000);
                assert!(bounds.contains(&poll), "{poll} {state} {patience:?}");
            }
        }
    }
}
