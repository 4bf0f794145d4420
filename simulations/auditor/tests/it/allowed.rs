//! What looks like a breach and is none.

use serde_json::{Value, json};
use taquilla_auditor::{
    AttemptStatus, Cause, EntryKind, Evidence, RefundStatus, SeatState, TicketStatus,
};
use uuid::Uuid;

use crate::called_off::{call_off, refuse_what_is_blocked_later};
use crate::history::{ANN, EVE, KIM, at, attempt_of, entry, order_of, posting, refund, ticket};
use crate::planted::{CAT_ROW, Change, floor_refused, look_at_cats, payment_refused};
use crate::told::{
    ANN_CAPTURED, ANN_HOLD, BOB_HOLD, CAT_HOLD, GUS_REFUSED, HAL_SEAT_BACK, JON_REFUSED, Telling,
    problem, wants,
};

/// What may happen, in words, and the change that makes it so.
pub(crate) const ALL: &[(&str, Change)] = &[
    ("seats that became free while they were chosen", |it| {
        it.rows.holds[CAT_ROW].is_chosen = true;
        it.rows.holds[CAT_ROW].created_at = at(4.9);
    }),
    ("an order seen captured that is seen twice", |it| {
        let again = it.recorded[ANN_CAPTURED].clone();
        it.recorded.push(again);
    }),
    ("a hold that is shown again with its order", |it| {
        let mut again = it.recorded[ANN_HOLD].clone();
        again.answer["order_id"] = json!(order_of(ANN));
        it.recorded.push(again);
    }),
    ("a payment that comes when the hold is over", |it| {
        it.recorded.push(payment_refused(EVE, "eve", 62.0));
    }),
    ("a hold that is shown as over once it is", |it| look_at_cats(it, "expired", 90.0)),
    ("a part that is asked for twice and found once", |it| {
        let mut again = it.recorded[HAL_SEAT_BACK].clone();
        (again.at_start, again.at_end) = (at(31.2), at(31.3));
        it.recorded.push(again.told(404, problem("not-found", json!({}))));
    }),
    ("a key that is used for another request", |it| {
        let mut other = it.recorded[CAT_HOLD].clone();
        other.request = wants(&["A-9"]);
        it.recorded.push(other.told(422, problem("idempotency-key-reused", json!({}))));
    }),
    ("a refused hold that is granted when it is asked for again", |it| {
        let mut earlier = it.recorded[CAT_HOLD].clone();
        earlier.request["seats"] = json!(["A-3"]);
        it.recorded[CAT_HOLD].request = earlier.request.clone();
        (earlier.at_start, earlier.at_end) = (at(4.0), at(4.1));
        it.recorded
            .push(earlier.told(409, problem("seats-unavailable", json!({"seats": ["A-3"]}))));
    }),
    ("a refusal learnt late, by the second try", |it| {
        let unanswered = it.recorded[GUS_REFUSED].clone();
        it.recorded.push(taquilla_auditor::Recorded {
            status: None,
            answer: Value::Null,
            ..unanswered
        });
        (it.recorded[GUS_REFUSED].at_start, it.recorded[GUS_REFUSED].at_end) = (at(7.0), at(7.1));
    }),
    ("a release without an answer", |it| {
        it.recorded[BOB_HOLD + 1].status = None;
    }),
    ("places refused because there are not enough", |it| it.recorded.push(floor_refused(9))),
    ("an authorisation of an attempt that is not over", |it| {
        it.rows.attempts[1].status = AttemptStatus::VoidDue;
        it.rows.ledger.truncate(it.rows.ledger.len() - 2);
        it.books.pop();
    }),
    ("a second authorised attempt that was voided", |it| {
        let mut second = it.rows.attempts[1].clone();
        second.id = Uuid::from_u128(1);
        let of_eve = it.rows.ledger.iter().filter(|it| it.attempt == attempt_of(EVE)).cloned();
        let of_the_second: Vec<_> =
            of_eve.map(|it| taquilla_auditor::Posting { attempt: second.id, ..it }).collect();
        it.rows.ledger.extend(of_the_second);
        it.rows.attempts.push(second);
        for kind in [EntryKind::Authorisation, EntryKind::Void] {
            let attempt_id = Uuid::from_u128(1);
            it.books.push(taquilla_auditor::Entry { attempt_id, ..entry(kind, EVE, 102) });
        }
    }),
    ("a refund that is on its way, and one that the provider has and the rows have not", |it| {
        it.rows.refunds[0].status = RefundStatus::Due;
        it.rows.ledger.retain(|posting| posting.name.is_empty());
    }),
    ("a refund that came back and was paid anew", |it| {
        let name = refund().to_string();
        let paid: Vec<_> = it.rows.ledger.iter().filter(|it| it.name == name).cloned().collect();
        for (sign, after) in [(1, "/1"), (-1, "/failed/1")] {
            it.rows.ledger.extend(paid.iter().map(|of| taquilla_auditor::Posting {
                name: format!("{name}{after}"),
                amount: sign * of.amount,
                ..of.clone()
            }));
        }
    }),
    ("a refund that came back and is due again", |it| {
        it.books.retain(|entry| entry.kind != EntryKind::Refund);
        it.rows.refunds[0].status = RefundStatus::Due;
        let name = refund().to_string();
        let paid: Vec<_> = it.rows.ledger.iter().filter(|it| it.name == name).cloned().collect();
        it.rows.ledger.extend(paid.into_iter().map(|of| taquilla_auditor::Posting {
            name: format!("{name}/failed/1"),
            amount: -of.amount,
            ..of
        }));
    }),
    ("a chargeback that the bank returned", |it| {
        for (name, sign) in [("n8", 1), ("n9", -1)] {
            for (account, amount) in [("provider", -202), ("chargebacks", 202)] {
                let posting = posting(ANN, "chargeback", account, sign * amount);
                it.rows.ledger.push(taquilla_auditor::Posting { name: name.into(), ..posting });
            }
        }
    }),
    ("a capture that is refused, the grace over", refuse_kims_capture),
    ("a capture that is refused once all tickets have come back", |it| {
        refuse_kims_capture(it);
        // Until then it was owed.
        let refund = &mut it.rows.refunds[0];
        (refund.cause, refund.amount) = (Cause::Refund, 202);
    }),
    ("an event that is called off", call_off),
    ("a refusal that leaves out what was sold, and blocked, later", refuse_what_is_blocked_later),
    ("money that was taken unasked and goes back", |it| {
        it.rows.attempts[1].status = AttemptStatus::Refunded;
        let eves = |posting: &taquilla_auditor::Posting| posting.attempt == attempt_of(EVE);
        it.rows.ledger.retain(|posting| !eves(posting));
        it.books.retain(|entry| entry.attempt_id != attempt_of(EVE));
        for (kind, account, amount) in [
            ("authorisation", "reserved", 102),
            ("authorisation", "pledged", -102),
            ("capture", "provider", 102),
            ("capture", "owed", -102),
            ("refund", "provider", -102),
            ("refund", "owed", 102),
        ] {
            it.rows.ledger.push(posting(EVE, kind, account, amount));
        }
        for kind in [EntryKind::Authorisation, EntryKind::Capture, EntryKind::Refund] {
            let idempotency_key = format!("{}-refund", attempt_of(EVE));
            it.books.push(taquilla_auditor::Entry { idempotency_key, ..entry(kind, EVE, 102) });
        }
    }),
    ("a notice of an attempt that there is not", |it| {
        it.rows.notices[0].attempt = Some(Uuid::from_u128(1));
        it.rows.notices[0].is_settled = false;
    }),
];

/// Kim's tickets are void, and nothing is paid back.
fn refuse_kims_capture(it: &mut Evidence) {
    it.rows.attempts[2].status = AttemptStatus::Voided;
    it.rows.ledger.retain(|posting| posting.attempt != attempt_of(KIM));
    it.books.retain(|entry| entry.attempt_id != attempt_of(KIM));
    for kind in [EntryKind::Authorisation, EntryKind::Void] {
        it.books.push(entry(kind, KIM, 202));
    }
    for (kind, amount) in [("authorisation", 202), ("void", -202)] {
        it.rows.ledger.push(posting(KIM, kind, "reserved", amount));
        it.rows.ledger.push(posting(KIM, kind, "pledged", -amount));
    }
    it.rows.tickets[2].status = TicketStatus::Void;
    (it.rows.seats[9].state, it.rows.seats[9].hold) = (SeatState::Available, None);
    it.rows.buyers[7].seats = 0;
    it.rows.refunds[0] = taquilla_auditor::Refund {
        amount: 0,
        tickets: vec![ticket(9), ticket(10)],
        cause: Cause::CaptureFailed,
        status: RefundStatus::Nothing,
        ..it.rows.refunds[0].clone()
    };
    // Nobody was told of it.
    it.recorded.truncate(JON_REFUSED + 1);
}
