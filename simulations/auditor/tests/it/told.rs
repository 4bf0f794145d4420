//! What the clients of the clean history asked and were told.

use serde_json::{Value, json};
use taquilla_auditor::Recorded;

use crate::history::{
    ANN, BOB, CAT, DAN, EVE, FAY, HAL, KIM, at, attempt_of, hold_of, order_of, refund, ticket,
};

/// Of the records below, those that plants change.
pub(crate) const ANN_HOLD: usize = 0;
pub(crate) const ANN_CAPTURED: usize = 3;
pub(crate) const ANN_ORDER_AGAIN: usize = 4;
pub(crate) const ANN_REFUSED: usize = 5;
pub(crate) const BOB_HOLD: usize = 6;
pub(crate) const BOB_REFUSED: usize = 8;
pub(crate) const CAT_HOLD: usize = 9;
pub(crate) const GUS_REFUSED: usize = 15;
pub(crate) const HAL_HOLD: usize = 16;
pub(crate) const HAL_SEAT_BACK: usize = 17;
pub(crate) const HAL_LIST: usize = 19;
pub(crate) const IDA_REFUSED: usize = 20;
pub(crate) const JON_REFUSED: usize = 21;
pub(crate) const KIM_REFUND: usize = 26;

pub(crate) fn everything() -> Vec<Recorded> {
    let a12 = json!([seat("A-1"), seat("A-2")]);
    let two_places = json!([floor(2)]);
    vec![
        placed(ANN, "ann", 1.0, a12, 202),
        asked("ann", "POST", "/orders", 1.6, json!({"hold_id": hold_of(ANN)}))
            .told(201, shown(ANN, "pending_payment", 202)),
        paid(ANN, "ann", 1.8, 202),
        asked("ann", "GET", &format!("/orders/{}?wait_seconds=5", order_of(ANN)), 3.5, Value::Null)
            .told(200, with_tickets(shown(ANN, "captured", 202), &[0, 1])),
        asked("ann", "POST", "/orders", 3.7, json!({"hold_id": hold_of(ANN)}))
            .told(201, with_tickets(shown(ANN, "captured", 202), &[0, 1])),
        asked("ann", "POST", "/holds", 4.0, wants(&["A-3", "A-4", "A-5", "A-6", "A-7"]))
            .keyed("more")
            .told(409, problem("buyer-limit-exceeded", json!({"limit": 6, "held": 2}))),
        placed(BOB, "bob", 2.0, json!([seat("A-3")]), 102),
        asked("bob", "DELETE", &format!("/holds/{}", hold_of(BOB)), 4.95, Value::Null)
            .told(204, Value::Null),
        asked("bob", "POST", "/orders", 6.0, json!({"hold_id": hold_of(BOB)}))
            .told(409, problem("hold-not-active", json!({"hold_status": "released"}))),
        placed(CAT, "cat", 10.0, json!([seat("A-3")]), 102),
        placed(DAN, "dan", 4.0, two_places, 202),
        placed(EVE, "eve", 1.0, json!([seat("A-4")]), 102),
        paid(EVE, "eve", 60.9, 102),
        placed(FAY, "fay", 20.0, json!([seat("A-5")]), 102),
        asked("fay", "POST", "/orders", 21.0, json!({"hold_id": hold_of(FAY)}))
            .told(201, shown(FAY, "pending_payment", 102)),
        asked("gus", "POST", "/holds", 3.0, wants(&["A-3", "A-4"]))
            .told(409, problem("seats-unavailable", json!({"seats": ["A-3", "A-4"]}))),
        granted_in_part(),
        asked("hal", "DELETE", &part("seat=A-8"), 31.0, Value::Null)
            .told(200, hold(HAL, 30.0, json!([seat("A-7"), floor(3)]), 402)),
        asked("hal", "DELETE", &part("section=FLOOR&quantity=2"), 32.0, Value::Null)
            .told(200, hold(HAL, 30.0, json!([seat("A-7"), floor(1)]), 202)),
        asked("hal", "GET", "/events/noche/holds", 33.0, Value::Null)
            .told(200, json!({"items": [hold(HAL, 30.0, json!([seat("A-7"), floor(1)]), 202)]})),
        asked("ida", "POST", "/holds", 30.5, wants(&["A-7", "A-8", "A-9"]))
            .told(409, problem("seats-unavailable", json!({"seats": ["A-7", "A-8"]}))),
        asked("jon", "POST", "/holds", 40.0, best(6, true))
            .told(409, problem("seats-unavailable", json!({"sections": ["A"]}))),
        placed(KIM, "kim", 12.0, json!([seat("A-10"), seat("A-11")]), 202),
        asked("kim", "POST", "/orders", 12.1, json!({"hold_id": hold_of(KIM)}))
            .told(201, shown(KIM, "pending_payment", 202)),
        paid(KIM, "kim", 12.3, 202),
        asked("kim", "GET", &format!("/orders/{}", order_of(KIM)), 14.0, Value::Null)
            .told(200, with_tickets(shown(KIM, "captured", 202), &[9, 10])),
        asked("operator", "POST", &refunds(), 19.95, json!({"tickets": [ticket(10)]})).told(
            202,
            json!({
                "refund_id": refund(), "order_id": order_of(KIM), "status": "pending",
                "amount": {"amount": 101, "currency": "EUR"}, "tickets": [ticket(10)],
            }),
        ),
    ]
}

/// Words to build records with.
pub(crate) trait Telling {
    fn told(self, status: u16, answer: Value) -> Self;
    fn keyed(self, key: &str) -> Self;
}

impl Telling for Recorded {
    fn told(mut self, status: u16, answer: Value) -> Self {
        (self.status, self.answer) = (Some(status), answer);
        self
    }

    fn keyed(mut self, key: &str) -> Self {
        self.key = Some(key.into());
        self
    }
}

/// A request that took a tenth of a second and was not answered.
pub(crate) fn asked(
    buyer: &str,
    method: &str,
    path: &str,
    seconds: f64,
    request: Value,
) -> Recorded {
    Recorded {
        at_start: at(seconds),
        at_end: at(seconds + 0.1),
        buyer: buyer.into(),
        method: method.into(),
        path: path.into(),
        key: (method == "POST").then(|| "first".into()),
        request,
        status: None,
        answer: Value::Null,
    }
}

/// All of what was asked for.
pub(crate) fn placed(of: u128, buyer: &str, created: f64, items: Value, total: i64) -> Recorded {
    let list = items.as_array().expect("a list").iter();
    let seats: Vec<&Value> = list.clone().filter_map(|it| it.get("seat")).collect();
    let general: Vec<&Value> = list.filter(|it| it.get("seat").is_none()).collect();
    let mut request = json!({"event_id": "noche"});
    if !seats.is_empty() {
        request["seats"] = json!(seats);
    }
    if !general.is_empty() {
        request["general"] = json!(general);
    }
    asked(buyer, "POST", "/holds", created - 0.05, request)
        .told(201, hold(of, created, items, total))
}

/// Hal would have taken ann's A-1 too.
fn granted_in_part() -> Recorded {
    let mut answer = hold(HAL, 30.0, json!([seat("A-7"), seat("A-8"), floor(3)]), 502);
    answer["declined"] = json!(["A-1"]);
    let request = json!({
        "event_id": "noche", "seats": ["A-7", "A-1", "A-8"], "accept_fewer": true,
        "general": [{"section": "FLOOR", "quantity": 3}],
    });
    asked("hal", "POST", "/holds", 29.95, request).told(201, answer)
}

/// A hold as answers show it.
pub(crate) fn hold(of: u128, created: f64, items: Value, total: i64) -> Value {
    json!({
        "hold_id": hold_of(of), "status": "active", "items": items, "declined": [],
        "fees": [{"name": "service", "amount": {"amount": 2, "currency": "EUR"}}],
        "total": {"amount": total, "currency": "EUR"},
        "created_at": at(created), "expires_at": at(created + 60.0),
    })
}

fn refunds() -> String {
    format!("/admin/orders/{}/refunds", order_of(KIM))
}

fn part(query: &str) -> String {
    format!("/holds/{}/items?{query}", hold_of(HAL))
}

fn paid(of: u128, buyer: &str, seconds: f64, amount: i64) -> Recorded {
    let answer = json!({
        "attempt_id": attempt_of(of), "status": "pending",
        "amount": {"amount": amount, "currency": "EUR"},
    });
    let path = format!("/orders/{}/payments", order_of(of));
    asked(buyer, "POST", &path, seconds, json!({"payment_method": "sim_ok"})).told(202, answer)
}

pub(crate) fn shown(of: u128, status: &str, total: i64) -> Value {
    json!({
        "order_id": order_of(of), "hold_id": hold_of(of), "status": status,
        "total": {"amount": total, "currency": "EUR"}, "tickets": [],
    })
}

pub(crate) fn with_tickets(mut order: Value, seats: &[u128]) -> Value {
    let shown = |seat: &u128| json!({"ticket_id": ticket(*seat), "seat": format!("A-{}", seat + 1), "status": "valid"});
    order["tickets"] = seats.iter().map(shown).collect();
    order
}

pub(crate) fn problem(slug: &str, mut members: Value) -> Value {
    members["type"] = format!("/problems/{slug}").into();
    members
}

pub(crate) fn wants(seats: &[&str]) -> Value {
    json!({"event_id": "noche", "seats": seats})
}

/// Of the best there are in section A.
pub(crate) fn best(quantity: u32, adjacent: bool) -> Value {
    let best = json!({"quantity": quantity, "section": "A", "adjacent": adjacent});
    json!({"event_id": "noche", "best_available": best})
}

pub(crate) fn seat(label: &str) -> Value {
    json!({"seat": label, "section": "A", "amount": {"amount": 100, "currency": "EUR"}})
}

pub(crate) fn floor(quantity: i64) -> Value {
    let amount = json!({"amount": 100 * quantity, "currency": "EUR"});
    json!({"section": "FLOOR", "quantity": quantity, "amount": amount})
}
