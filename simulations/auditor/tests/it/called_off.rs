//! The same run, and then its event is called off: what follows from that, and a breach of each of it.

use serde_json::{Value, json};
use taquilla_auditor::{
    AttemptStatus, Cause, Entry, EntryKind, Evidence, HoldStatus, OrderStatus, Posting, Recorded,
    Refund, RefundStatus, Rule, SeatState, TicketStatus,
};
use uuid::Uuid;

use crate::history::{ANN, EVENT, KIM, at, entry, order_of, posting, ticket};
use crate::planted::Change;
use crate::told::{Telling, asked, problem, wants};

/// Eve's hold is over by then, and dan's; cat, fay and hal still hold something.
const CANCELLED: f64 = 65.0;
/// Of the refunds: the first is kim's own.
const ANNS: usize = 1;
/// The last of the records.
const SHOWN_DONE: usize = 2;

/// What is right.
pub(crate) fn call_off(it: &mut Evidence) {
    it.rows.events[0].cancelled_at = Some(at(CANCELLED));
    for hold in it.rows.holds.iter_mut().filter(|hold| hold.status == HoldStatus::Active) {
        let is_over = hold.expires_at < at(CANCELLED);
        hold.status = if is_over { HoldStatus::Expired } else { HoldStatus::Released };
        hold.ended_at = Some(hold.expires_at.min(at(CANCELLED)));
    }
    for order in it.rows.orders.iter_mut().filter(|order| order.status == OrderStatus::Open) {
        order.status = OrderStatus::Cancelled;
    }
    for seat in it.rows.seats.iter_mut().filter(|seat| seat.hold.is_some()) {
        let was_sold = seat.state == SeatState::Sold;
        seat.state = if was_sold { SeatState::Blocked } else { SeatState::Available };
        seat.hold = None;
    }
    it.rows.areas[0].held = 0;
    it.rows.buyers.iter_mut().for_each(|buyer| buyer.seats = 0);
    it.rows.tickets.iter_mut().for_each(|ticket| ticket.status = TicketStatus::Void);
    give_back(it, ANN, &[0, 1], 202);
    give_back(it, KIM, &[9], 101);
    it.recorded.extend([progress(65.0, "running", 3, 0), progress(66.0, "done", 0, 2)]);
    let late = asked("gil", "POST", "/holds", 67.0, wants(&["A-9"]));
    it.recorded.push(late.told(409, problem("sale-not-open", json!({"sale_status": "cancelled"}))));
    it.recorded.push(progress(68.0, "done", 0, 2));
}

fn give_back(it: &mut Evidence, of: u128, tickets: &[u128], amount: i64) {
    let id = Uuid::from_u128(0x100 + of);
    it.rows.refunds.push(Refund {
        id,
        order: order_of(of),
        amount,
        currency: "EUR".into(),
        tickets: tickets.iter().map(|it| ticket(*it)).collect(),
        cause: Cause::Cancellation,
        status: RefundStatus::Settled,
        created_at: at(CANCELLED),
    });
    for (account, amount) in [("provider", -amount), ("sales", amount)] {
        let name = id.to_string();
        it.rows.ledger.push(Posting { name, ..posting(of, "refund", account, amount) });
    }
    let idempotency_key = format!("{id}-refund-0");
    it.books.push(Entry { idempotency_key, ..entry(EntryKind::Refund, of, amount) });
}

/// Of two orders that were sold.
fn progress(seconds: f64, status: &str, holds: u32, done: u32) -> Recorded {
    let path = format!("/admin/events/{}/cancellation", Uuid::from_u128(EVENT));
    let amount = json!({"amount": if done == 0 { 0 } else { 303 }, "currency": "EUR"});
    asked("operator", "GET", &path, seconds, Value::Null).told(
        200,
        json!({"status": status, "holds": holds, "orders": 2, "done": done, "amount": amount}),
    )
}

fn shown(it: &mut Evidence, from_the_end: usize) -> &mut Recorded {
    let last = it.recorded.len() - 1;
    &mut it.recorded[last - from_the_end]
}

/// Each beside [`call_off`].
pub(crate) const ALL: &[(Rule, Change)] = &[
    (Rule::CancellationUnfinished, |it| it.rows.tickets[0].status = TicketStatus::Valid),
    (Rule::CancellationUnfinished, |it| it.rows.tickets[0].status = TicketStatus::Used),
    (Rule::CancellationUnfinished, |it| it.rows.holds[2].status = HoldStatus::Active),
    (Rule::CancellationUnfinished, |it| it.rows.orders[2].status = OrderStatus::Open),
    (Rule::CancellationUnfinished, |it| {
        it.rows.attempts[0].status = AttemptStatus::CaptureFailed;
    }),
    (Rule::SoldThoughCancelled, |it| it.rows.holds[2].created_at = at(CANCELLED + 1.0)),
    (Rule::SoldThoughCancelled, |it| it.rows.holds[0].ended_at = Some(at(CANCELLED + 1.0))),
    (Rule::CancelledMoneyKept, |it| {
        // Said to be the bank's doing, which the bank never did.
        let ann = order_of(ANN);
        it.books.retain(|entry| entry.kind != EntryKind::Refund || entry.order_id != ann);
        it.rows.ledger.retain(|posting| posting.kind != "refund" || posting.order != ann);
        let refund = &mut it.rows.refunds[ANNS];
        refund.cause = Cause::Chargeback;
        (refund.amount, refund.status) = (0, RefundStatus::Nothing);
    }),
    (Rule::CancelledMoneyKept, |it| it.books.push(entry(EntryKind::Chargeback, ANN, 202))),
    (Rule::CancellationShownWrong, |it| shown(it, 0).answer["amount"]["amount"] = json!(404)),
    (Rule::CancellationShownWrong, |it| {
        // Not owed any more.
        it.rows.refunds[ANNS].status = RefundStatus::Nothing;
    }),
    (Rule::CancellationShownWrong, |it| shown(it, 0).answer["orders"] = json!(3)),
    (Rule::CancellationShownWrong, |it| shown(it, 0).answer["done"] = json!(1)),
    (Rule::CancellationShownWrong, |it| shown(it, SHOWN_DONE).answer["holds"] = json!(1)),
    (Rule::CancellationShownWrong, |it| {
        let back = progress(70.0, "running", 0, 1);
        it.recorded.push(back);
    }),
    (Rule::AnswerBroken, |it| shown(it, 0).answer["holds"] = Value::Null),
    (Rule::AnswerUnexpected, |it| {
        let early = asked("gil", "POST", "/holds", 64.0, wants(&["A-9"])).keyed("early");
        let problem = problem("sale-not-open", json!({"sale_status": "cancelled"}));
        it.recorded.push(early.told(409, problem));
    }),
    (Rule::RefundMissing, |it| {
        it.books.pop();
    }),
    (Rule::RefundUnfounded, |it| {
        let again = it.books[it.books.len() - 1].clone();
        it.books.push(again);
    }),
    (Rule::RefundAmountWrong, |it| it.rows.refunds[ANNS].amount = 201),
    (Rule::ReturnDisagrees, |it| {
        it.rows.refunds.pop();
    }),
    (Rule::PostingMissing, |it| it.rows.ledger.truncate(it.rows.ledger.len() - 2)),
    (Rule::SeatDisagrees, |it| it.rows.seats[0].state = SeatState::Sold),
    (Rule::RefusalUnjustified, |it| {
        // Kim had not come yet, and the seat was not blocked.
        let refused = asked("gil", "POST", "/holds", 8.0, wants(&["A-10"])).keyed("early");
        it.recorded
            .push(refused.told(409, problem("seats-unavailable", json!({"seats": ["A-10"]}))));
    }),
];

/// Eve had the one; the other, which is blocked now, was free then.
pub(crate) fn refuse_what_is_blocked_later(it: &mut Evidence) {
    call_off(it);
    let refused = asked("gil", "POST", "/holds", 8.0, wants(&["A-4", "A-10"])).keyed("early");
    it.recorded.push(refused.told(409, problem("seats-unavailable", json!({"seats": ["A-4"]}))));
}
