//! What looks like a breach and is none.

use serde_json::{Value, json};
use taquilla_auditor::{AttemptStatus, EntryKind};
use uuid::Uuid;

use crate::history::{ANN, EVE, at, entry, order_of};
use crate::planted::{CAT_ROW, Change, floor_refused, look_at_cats, payment_refused};
use crate::told::{
    ANN_CAPTURED, ANN_HOLD, BOB_HOLD, CAT_HOLD, GUS_REFUSED, HAL_SEAT_BACK, Telling, problem, wants,
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
        it.books.pop();
    }),
    ("a second authorised attempt that was voided", |it| {
        let mut second = it.rows.attempts[1].clone();
        second.id = Uuid::from_u128(1);
        it.rows.attempts.push(second);
        for kind in [EntryKind::Authorisation, EntryKind::Void] {
            let attempt_id = Uuid::from_u128(1);
            it.books.push(taquilla_auditor::Entry { attempt_id, ..entry(kind, EVE, 102) });
        }
    }),
];
