//! The outbox's format: old bytes decode for ever, and hostile ones take nothing.

use taquilla_engine::buyer::BuyerId;
use taquilla_engine::event::{Fact, Places, Ticket};
use taquilla_engine::hold::{Claim, Hold, HoldStatus};
use taquilla_engine::id::{
    AttemptId, EventNumber, HoldId, OrderId, RefundId, SeatIndex, SectionIndex, TicketId,
};
use taquilla_engine::moment::Moment;
use taquilla_engine::operation::Deed;
use taquilla_engine::order::{Order, OrderStatus, Verdict};
use taquilla_engine::pricing::Quote;
use taquilla_engine::refund::{Cause, Refund};
use taquilla_persistence::codec::{
    self, DecodeError, HoldEnding, OrderState, Record, ReturnCause, Taken,
};
use uuid::Uuid;

fn ann() -> BuyerId {
    BuyerId::parse("ann").expect("a short name")
}

fn hold() -> Hold {
    Hold {
        id: HoldId::derive(EventNumber(1), &ann(), "k"),
        buyer: ann(),
        fingerprint: [7; 32],
        claim: Claim::of_seats(vec![SeatIndex(300), SeatIndex(4)]),
        unit_prices: vec![1_000, 1_000],
        quote: Quote { fees: vec![100], total: 2_100 },
        status: HoldStatus::Active,
        created_at: Moment(1_700_000_000_000_000),
        expires_at: Moment(1_700_000_060_000_000),
        extended: false,
        order: None,
        remarks: None,
    }
}

/// One of every kind.
fn history() -> Vec<Fact> {
    let (hold, at) = (hold(), Moment(1_700_000_000_000_001));
    let order = OrderId::of(hold.id);
    let attempt = AttemptId::derive(EventNumber(1), &ann(), "p");
    let placed = Order {
        id: order,
        hold: hold.id,
        buyer: ann(),
        status: OrderStatus::Open,
        total: 2_100,
        created_at: at,
        verdicts: vec![],
        refunds: vec![],
    };
    let ticket = |place, seat| {
        let (id, section) = (TicketId::of(order, place), SectionIndex(3));
        Fact::TicketIssued(Ticket { id, order, section, seat })
    };
    let decided = |verdict| Fact::AttemptDecided { attempt, order, verdict };
    let ended = |status| Fact::HoldEnded { hold: hold.id, status, at };
    let order_ended = |status| Fact::OrderEnded { order, status, at };
    vec![
        Fact::HoldPlaced(hold.clone()),
        Fact::HoldPlaced(Hold { claim: Claim::of_places(SectionIndex(3), 2), ..hold.clone() }),
        ended(HoldStatus::Released),
        ended(HoldStatus::Expired),
        ended(HoldStatus::Converted),
        Fact::OrderPlaced(placed.clone()),
        Fact::OrderPlaced(Order { status: OrderStatus::Confirmed, ..placed }),
        order_ended(OrderStatus::Confirmed),
        order_ended(OrderStatus::Cancelled),
        order_ended(OrderStatus::Expired),
        ticket(0, Some(SeatIndex(300))),
        ticket(1, None),
        decided(Verdict::Confirmed),
        decided(Verdict::VoidDue),
    ]
}

/// The same as records.
fn records() -> Vec<Record> {
    let hold = hold();
    let (id, order, at) = (hold.id.uuid(), OrderId::of(hold.id).uuid(), 1_700_000_000_000_001);
    let ticket = |place| TicketId::of(OrderId::of(hold.id), place).uuid();
    let attempt = AttemptId::derive(EventNumber(1), &ann(), "p").uuid();
    let placed = |taken| Record::HoldPlaced {
        hold: id,
        buyer: "ann".into(),
        taken,
        total: 2_100,
        created_at: hold.created_at.0,
        expires_at: hold.expires_at.0,
    };
    let ordered = |status| Record::OrderPlaced {
        order,
        hold: id,
        buyer: "ann".into(),
        status,
        total: 2_100,
        created_at: at,
    };
    vec![
        placed(Taken { seats: vec![300, 4], places: vec![] }),
        placed(Taken { seats: vec![], places: vec![(3, 2)] }),
        Record::HoldEnded { hold: id, ending: HoldEnding::Released, at },
        Record::HoldEnded { hold: id, ending: HoldEnding::Expired, at },
        Record::HoldEnded { hold: id, ending: HoldEnding::Converted, at },
        ordered(OrderState::Open),
        ordered(OrderState::Confirmed),
        Record::OrderEnded { order, status: OrderState::Confirmed, at },
        Record::OrderEnded { order, status: OrderState::Cancelled, at },
        Record::OrderEnded { order, status: OrderState::Expired, at },
        Record::TicketIssued { ticket: ticket(0), order, section: 3, seat: Some(300) },
        Record::TicketIssued { ticket: ticket(1), order, section: 3, seat: None },
        Record::AttemptDecided { attempt, order, confirmed: true },
        Record::AttemptDecided { attempt, order, confirmed: false },
    ]
}

/// What version 2 has beside those of version 1.
fn history_of_version_2() -> Vec<Fact> {
    let (hold, at) = (hold(), Moment(1_700_000_000_000_001));
    let part = Claim { seats: vec![SeatIndex(4)], places: vec![(SectionIndex(9), 1)] };
    [history(), vec![Fact::HoldReduced { hold, part, at }]].concat()
}

fn records_of_version_2() -> Vec<Record> {
    let hold = hold().id.uuid();
    let given_back = Taken { seats: vec![4], places: vec![(9, 1)] };
    let at = 1_700_000_000_000_001;
    [records(), vec![Record::HoldReduced { hold, given_back, total: 2_100, at }]].concat()
}

/// What version 3 has beside those of version 2.
fn history_of_version_3() -> Vec<Fact> {
    let at = Moment(1_700_000_000_000_001);
    let seats = vec![SeatIndex(300), SeatIndex(4)];
    let (amendment, listing) = (Box::default(), Box::default());
    let deed = Deed {
        id: Uuid::from_u128(0x0102_0304),
        who: "olga".into(),
        what: "block_seats",
        why: "a stage".into(),
        detail: "{}".into(),
    };
    let more = vec![
        Fact::SeatsBlocked { seats: seats.clone(), at },
        Fact::SeatsUnblocked { seats, at },
        Fact::CapacitySet { section: SectionIndex(9), was: 10, becomes: 300, at },
        Fact::TermsAmended { amendment, listing, at },
        Fact::Operated { deed, at },
    ];
    [history_of_version_2(), more].concat()
}

fn records_of_version_3() -> Vec<Record> {
    let at = 1_700_000_000_000_001;
    let action = Uuid::from_u128(0x0102_0304);
    let more = vec![
        Record::SeatsBlocked { seats: vec![300, 4], at },
        Record::SeatsUnblocked { seats: vec![300, 4], at },
        Record::CapacitySet { section: 9, was: 10, becomes: 300, at },
        Record::TermsAmended { at },
        Record::Operated { action, who: "olga".into(), what: "block_seats".into(), at },
    ];
    [records_of_version_2(), more].concat()
}

/// What version 4 has beside those of version 3.
fn history_of_version_4() -> Vec<Fact> {
    let order = OrderId::of(hold().id);
    let returned = |(cause, amount)| Fact::TicketsReturned {
        refund: Refund {
            id: RefundId::derive(EventNumber(1), "olga", "k"),
            fingerprint: [7; 32],
            order,
            cause,
            reason: "rain".into(),
            who: "olga".into(),
            amount,
            tickets: vec![TicketId::of(order, 0)],
            at: Moment(1_700_000_000_000_001),
        },
        part: Claim { seats: vec![SeatIndex(300)], places: vec![(SectionIndex(9), 1)] },
    };
    let causes =
        [Cause::Refund, Cause::Cancellation, Cause::CaptureFailed, Cause::Chargeback].into_iter();
    let more = causes.zip([1_050, 70_000, 0, 0]).map(returned).collect();
    let extended = Fact::HoldExtended {
        hold: hold().id,
        attempt: AttemptId::derive(EventNumber(1), &ann(), "p"),
        was: hold().expires_at,
        expires_at: Moment(1_700_000_090_000_000),
        at: Moment(1_700_000_000_000_001),
    };
    [history_of_version_3(), more, vec![extended]].concat()
}

fn records_of_version_4() -> Vec<Record> {
    let order = OrderId::of(hold().id);
    let returned = |(cause, amount)| Record::TicketsReturned {
        refund: RefundId::derive(EventNumber(1), "olga", "k").uuid(),
        order: order.uuid(),
        tickets: vec![TicketId::of(order, 0).uuid().into_bytes()],
        given_back: Taken { seats: vec![300], places: vec![(9, 1)] },
        cause,
        who: "olga".into(),
        amount,
        at: 1_700_000_000_000_001,
    };
    let causes = [
        ReturnCause::Refund,
        ReturnCause::Cancellation,
        ReturnCause::CaptureFailed,
        ReturnCause::Chargeback,
    ];
    let more = causes.into_iter().zip([1_050, 70_000, 0, 0]).map(returned).collect();
    let extended = Record::HoldExtended {
        hold: hold().id.uuid(),
        attempt: AttemptId::derive(EventNumber(1), &ann(), "p").uuid(),
        expires_at: 1_700_000_090_000_000,
        at: 1_700_000_000_000_001,
    };
    [records_of_version_3(), more, vec![extended]].concat()
}

/// As version 1 wrote them, and as no later program may stop reading them.
const GOLDEN: &str = concat!(
    "010e00000000010286874a8adf64e66e72df7003616e6e030002fb2c0104fb6810fd00803c3048140c00fd00",
    "8e633748140c0000000000010286874a8adf64e66e72df7003616e6e030102fb6810fd00803c3048140c00fd",
    "008e633748140c0001000000010286874a8adf64e66e72df7000fd02803c3048140c0001000000010286874a",
    "8adf64e66e72df7001fd02803c3048140c0001000000010286874a8adf64e66e72df7002fd02803c3048140c",
    "00020000000103dd8e3c8f1cba5b56487067000000010286874a8adf64e66e72df7003616e6e00fb6810fd02",
    "803c3048140c00020000000103dd8e3c8f1cba5b56487067000000010286874a8adf64e66e72df7003616e6e",
    "01fb6810fd02803c3048140c00030000000103dd8e3c8f1cba5b5648706701fd02803c3048140c0003000000",
    "0103dd8e3c8f1cba5b5648706702fd02803c3048140c00030000000103dd8e3c8f1cba5b5648706703fd0280",
    "3c3048140c000400000001052c8b18a6eeca6f80f3831b0000000103dd8e3c8f1cba5b564870670301fb2c01",
    "04000000010565835fa6f777d467a3a5b50000000103dd8e3c8f1cba5b564870670300050000000104528fa0",
    "bfd6fc243b6cfb0f0000000103dd8e3c8f1cba5b5648706701050000000104528fa0bfd6fc243b6cfb0f0000",
    "000103dd8e3c8f1cba5b5648706700",
);

/// As version 2 wrote them.
const GOLDEN_2: &str = concat!(
    "020f06000000010286874a8adf64e66e72df7003616e6e02fb2c010400fb6810fd00803c3048140c00fd008e",
    "633748140c0006000000010286874a8adf64e66e72df7003616e6e00010302fb6810fd00803c3048140c00fd",
    "008e633748140c0001000000010286874a8adf64e66e72df7000fd02803c3048140c0001000000010286874a",
    "8adf64e66e72df7001fd02803c3048140c0001000000010286874a8adf64e66e72df7002fd02803c3048140c",
    "00020000000103dd8e3c8f1cba5b56487067000000010286874a8adf64e66e72df7003616e6e00fb6810fd02",
    "803c3048140c00020000000103dd8e3c8f1cba5b56487067000000010286874a8adf64e66e72df7003616e6e",
    "01fb6810fd02803c3048140c00030000000103dd8e3c8f1cba5b5648706701fd02803c3048140c0003000000",
    "0103dd8e3c8f1cba5b5648706702fd02803c3048140c00030000000103dd8e3c8f1cba5b5648706703fd0280",
    "3c3048140c000400000001052c8b18a6eeca6f80f3831b0000000103dd8e3c8f1cba5b564870670301fb2c01",
    "04000000010565835fa6f777d467a3a5b50000000103dd8e3c8f1cba5b564870670300050000000104528fa0",
    "bfd6fc243b6cfb0f0000000103dd8e3c8f1cba5b5648706701050000000104528fa0bfd6fc243b6cfb0f0000",
    "000103dd8e3c8f1cba5b564870670007000000010286874a8adf64e66e72df700104010901fb6810fd02803c",
    "3048140c00",
);

/// As version 3 wrote what it has beside those of version 2, which stand before it.
const GOLDEN_3: &str = concat!(
    "0802fb2c0104fd02803c3048140c000902fb2c0104fd02803c3048140c000a090afb2c01fd02803c3048140c",
    "000bfd02803c3048140c000c00000000000000000000000001020304046f6c67610b626c6f636b5f73656174",
    "73fd02803c3048140c00",
);

/// As version 4 writes what it has beside those of version 3, which stand before it.
const GOLDEN_4: &str = concat!(
    "0d0000000107978cb7917817437270b3520000000103dd8e3c8f1cba5b564870670100000001052c8b18a6ee",
    "ca6f80f3831b01fb2c0101090100046f6c6761fb3408fd02803c3048140c000d0000000107978cb791781743",
    "7270b3520000000103dd8e3c8f1cba5b564870670100000001052c8b18a6eeca6f80f3831b01fb2c01010901",
    "01046f6c6761fce0220200fd02803c3048140c000d0000000107978cb7917817437270b3520000000103dd8e",
    "3c8f1cba5b564870670100000001052c8b18a6eeca6f80f3831b01fb2c0101090102046f6c676100fd02803c",
    "3048140c000d0000000107978cb7917817437270b3520000000103dd8e3c8f1cba5b56487067010000000105",
    "2c8b18a6eeca6f80f3831b01fb2c0101090103046f6c676100fd02803c3048140c00",
    "0e000000010286874a8adf64e66e72df700000000104528fa0bfd6fc243b6cfb0ffd0015f73a48140c00fd02",
    "803c3048140c00",
);

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&hex[at..at + 2], 16).expect("hexadecimal"))
        .collect()
}

#[test]
fn bytes_of_every_version_decode_for_ever() {
    assert_eq!(codec::decode(&bytes(GOLDEN)).expect("version 1"), records());
    assert_eq!(codec::decode(&bytes(GOLDEN_2)).expect("version 2"), records_of_version_2());
    let golden = ["0314", &GOLDEN_2[4..], GOLDEN_3].concat();
    assert_eq!(codec::decode(&bytes(&golden)).expect("version 3"), records_of_version_3());
    let golden = ["0419", &GOLDEN_2[4..], GOLDEN_3, GOLDEN_4].concat();
    assert_eq!(codec::decode(&bytes(&golden)).expect("version 4"), records_of_version_4());
}

#[test]
fn a_change_of_format_needs_a_new_version() {
    let written = codec::encode(&history_of_version_4());
    let hex: String = written.iter().map(|it| format!("{it:02x}")).collect();
    assert_eq!(hex, ["0419", &GOLDEN_2[4..], GOLDEN_3, GOLDEN_4].concat());
}

#[test]
fn every_kind_of_fact_comes_back_as_it_was() {
    let written = codec::encode(&history_of_version_4());
    assert_eq!(codec::decode(&written).expect("our own bytes"), records_of_version_4());
}

#[test]
fn facts_that_are_no_history_leave_no_record() {
    let (was, becomes) = (Places::default(), Places { held: 1, sold: 0 });
    let row = Fact::Places { section: SectionIndex(0), was, becomes };
    assert_eq!(codec::decode(&codec::encode(&[row])).expect("our own bytes"), []);
}

#[test]
fn a_payload_cut_short_anywhere_or_with_more_behind_it_is_malformed() {
    let whole = codec::encode(&history());
    for length in 1..whole.len() {
        let cut = codec::decode(&whole[..length]);
        assert!(matches!(cut, Err(DecodeError::Malformed(_))), "{length} bytes: {cut:?}");
    }
    let longer = [whole.as_slice(), &[0]].concat();
    assert!(matches!(codec::decode(&longer), Err(DecodeError::Trailing(1))));
}

#[test]
fn lengths_that_claim_the_world_are_refused_before_memory_is_taken() {
    // 0xfd: a number of eight bytes follows.
    let count = [&[1, 0xfd][..], &u64::MAX.to_le_bytes()].concat();
    assert!(matches!(codec::decode(&count), Err(DecodeError::Malformed(_))));
    let hold = [&[1, 1, 0][..], &[0; 16], &[0xfc], &u32::MAX.to_le_bytes()].concat();
    assert!(matches!(codec::decode(&hold), Err(DecodeError::Malformed(_))));
}

#[test]
fn another_version_is_told_from_malformed_bytes() {
    assert!(matches!(codec::decode(&[]), Err(DecodeError::UnknownVersion(None))));
    assert!(matches!(codec::decode(&[5, 0]), Err(DecodeError::UnknownVersion(Some(5)))));
}
