//! For each rule at least one breach, as small as it can be.

use serde_json::{Value, json};
use taquilla_auditor::{
    AttemptStatus, Evidence, HoldStatus, OrderStatus, Rule, SeatState, TicketStatus,
};
use uuid::Uuid;

use crate::history::{ANN, CAT, EVE, FAY, at, hold_of, order_of, ticket, ticket_row};
use crate::told::{
    ANN_HOLD, ANN_ORDER_AGAIN, ANN_REFUSED, BOB_HOLD, BOB_REFUSED, CAT_HOLD, GUS_REFUSED, HAL_HOLD,
    HAL_LIST, HAL_SEAT_BACK, IDA_REFUSED, JON_REFUSED, Telling, asked, best, placed, problem, seat,
    shown, wants, with_tickets,
};

pub(crate) type Change = fn(&mut Evidence);

/// The first of the rows of ann, bob, cat, dan, eve, fay is ann's, and so on.
const BOB_ROW: usize = 1;
pub(crate) const CAT_ROW: usize = 2;
const DAN_ROW: usize = 3;
const FAY_ROW: usize = 5;
const HAL_ROW: usize = 6;

pub(crate) const ALL: &[(Rule, Change)] = &[
    (Rule::SeatOwnedTwice, |it| {
        it.rows.holds[BOB_ROW].status = HoldStatus::Active;
    }),
    (Rule::SeatOwnedTwice, |it| {
        let second = taquilla_auditor::Ticket { id: ticket(9), ..ticket_row(0) };
        it.rows.tickets.push(second);
    }),
    (Rule::SeatDisagrees, |it| it.rows.seats[0].state = SeatState::Held),
    (Rule::SeatDisagrees, |it| it.rows.seats[0].hold = Some(hold_of(EVE))),
    (Rule::SeatDisagrees, |it| {
        it.rows.seats[2].state = SeatState::Available;
        it.rows.seats[2].hold = None;
    }),
    (Rule::ConservationBroken, |it| {
        it.rows.seats.pop();
    }),
    (Rule::GeneralCountWrong, |it| it.rows.areas[0].held = 1),
    (Rule::GeneralCountWrong, |it| it.rows.areas[0].sold = 1),
    (Rule::GeneralCountWrong, |it| it.rows.areas[0].capacity = 1),
    (Rule::BuyerCountWrong, |it| it.rows.buyers[0].seats = 3),
    (Rule::BuyerCountWrong, |it| {
        it.rows.buyers.remove(0);
    }),
    (Rule::BuyerOverLimit, |it| it.rows.events[0].buyer_seats_max = 1),
    (Rule::QuantityWrong, |it| it.rows.holds[DAN_ROW].places[0].1 = 1),
    (Rule::QuantityWrong, |it| {
        it.rows.holds[CAT_ROW].unit_prices = vec![];
    }),
    (Rule::TotalWrong, |it| it.rows.holds[0].fees[0] = 3),
    (Rule::OrderDisagrees, |it| it.rows.orders[0].status = OrderStatus::Open),
    (Rule::OrderDisagrees, |it| it.rows.orders[2].status = OrderStatus::Confirmed),
    (Rule::OrderDisagrees, |it| it.rows.orders[2].buyer = "ann".into()),
    (Rule::OrderDisagrees, |it| {
        it.rows.holds.remove(FAY_ROW);
    }),
    (Rule::OrderDisagrees, |it| {
        it.rows.orders.remove(0);
    }),
    (Rule::OrderDoubled, |it| {
        let mut second = it.rows.orders[0].clone();
        second.id = Uuid::from_u128(1);
        it.rows.orders.push(second);
    }),
    (Rule::OrderDoubled, |it| {
        it.recorded[ANN_ORDER_AGAIN].answer["order_id"] = json!(order_of(FAY));
    }),
    (Rule::TicketsDisagree, |it| {
        it.rows.tickets.pop();
    }),
    (Rule::TicketsDisagree, |it| it.rows.tickets[0].seat = Some(4)),
    (Rule::TicketsDisagree, |it| it.rows.tickets[0].order = order_of(FAY)),
    (Rule::LifetimesOverlap, |it| it.rows.holds[CAT_ROW].created_at = at(4.9)),
    (Rule::LifetimesOverlap, |it| {
        it.rows.holds[CAT_ROW].is_chosen = true;
        it.rows.holds[CAT_ROW].created_at = at(2.0);
    }),
    (Rule::LifetimesOverlap, |it| {
        it.rows.holds[BOB_ROW].status = HoldStatus::Converted;
    }),
    (Rule::AnswerBroken, |it| {
        it.recorded[ANN_HOLD].answer["hold_id"] = Value::Null;
    }),
    (Rule::AnswerUnexpected, |it| {
        let refused = asked("ann", "POST", "/holds", 50.0, wants(&["A-9"])).keyed("later");
        it.recorded.push(refused.told(400, problem("malformed-request", json!({}))));
    }),
    (Rule::AnswerUnexpected, |it| {
        let path = format!("/holds/{}", hold_of(CAT));
        let looked = asked("cat", "GET", &path, 12.0, Value::Null);
        it.recorded.push(looked.told(404, problem("not-found", json!({}))));
    }),
    (Rule::AnswerUnexpected, |it| {
        let refused = asked("ann", "POST", "/holds", 50.0, wants(&["A-9"])).keyed("later");
        it.recorded.push(refused.told(422, problem("idempotency-key-reused", json!({}))));
    }),
    (Rule::AnswerUnexpected, |it| {
        let path = format!("/orders/{}", order_of(FAY));
        let gone = asked("fay", "DELETE", &path, 23.0, Value::Null);
        it.recorded.push(gone.told(409, problem("order-not-cancellable", json!({}))));
    }),
    (Rule::AnswerUnexpected, |it| {
        let refused = asked("ann", "POST", "/holds", 50.0, wants(&["A-9"])).keyed("later");
        it.recorded.push(refused.told(409, problem("sale-not-open", json!({}))));
    }),
    (Rule::HoldLost, |it| {
        it.rows.holds.remove(DAN_ROW);
    }),
    (Rule::HoldLost, |it| it.rows.holds[CAT_ROW].seats = vec![3]),
    (Rule::HoldLost, |it| it.rows.holds[DAN_ROW].places = vec![(1, 3)]),
    (Rule::OrderLost, |it| {
        it.rows.orders.remove(2);
    }),
    (Rule::OrderLost, |it| it.rows.orders[2].hold = hold_of(CAT)),
    (Rule::SaleLost, |it| it.rows.orders[0].status = OrderStatus::Cancelled),
    (Rule::SaleLost, |it| it.rows.attempts[0].status = AttemptStatus::Confirmed),
    (Rule::TicketLost, |it| {
        it.rows.tickets.remove(1);
    }),
    (Rule::TicketLost, |it| it.rows.tickets[1].status = TicketStatus::Void),
    (Rule::TicketLost, |it| it.rows.tickets[1].seat = Some(4)),
    (Rule::TicketsReissued, |it| {
        it.recorded[ANN_ORDER_AGAIN].answer = with_tickets(shown(ANN, "captured", 202), &[0, 7]);
    }),
    (Rule::ReleaseUndone, |it| it.rows.holds[BOB_ROW].status = HoldStatus::Active),
    (Rule::ReleaseUndone, |it| it.rows.holds[BOB_ROW].ended_at = Some(at(20.0))),
    (Rule::PartUndone, |it| it.rows.holds[HAL_ROW].seats = vec![6, 7]),
    (Rule::PartUndone, |it| it.rows.holds[HAL_ROW].places = vec![(1, 2)]),
    (Rule::HoldLost, |it| it.rows.holds[HAL_ROW].places = vec![]),
    (Rule::HoldLost, |it| {
        it.recorded.remove(HAL_SEAT_BACK);
    }),
    (Rule::GrantDiffers, |it| it.recorded[HAL_HOLD].request["accept_fewer"] = json!(false)),
    (Rule::GrantDiffers, |it| it.recorded[HAL_HOLD].answer["declined"] = json!([])),
    (Rule::GrantDiffers, |it| it.recorded[CAT_HOLD].request["seats"] = json!(["A-3", "A-9"])),
    (Rule::DeclineUnjustified, |it| {
        it.recorded[HAL_HOLD].request["seats"][1] = json!("A-9");
        it.recorded[HAL_HOLD].answer["declined"] = json!(["A-9"]);
    }),
    (Rule::DeclineUnjustified, |it| {
        it.recorded[HAL_HOLD].request["general"][0]["quantity"] = json!(5);
        let declined = json!(["A-1", {"section": "FLOOR", "quantity": 2}]);
        it.recorded[HAL_HOLD].answer["declined"] = declined;
    }),
    (Rule::TotalWrong, |it| it.recorded[HAL_LIST].answer["items"][0]["fees"] = json!([])),
    (Rule::DeclineUnjustified, |it| {
        // The house chose cat's one seat, though were free side by side.
        let cat = &mut it.recorded[CAT_HOLD];
        cat.request = best(2, true);
        cat.request["accept_fewer"] = json!(true);
        cat.answer["declined"] = json!([{"section": "A", "quantity": 1}]);
    }),
    (Rule::ShownWrong, |it| it.recorded[HAL_LIST].answer["items"] = json!([])),
    (Rule::ShownWrong, |it| look_at_cats(it, "expired", 12.0)),
    (Rule::ShownWrong, |it| look_at_cats(it, "released", 90.0)),
    (Rule::ShownWrong, |it| look_at_cats(it, "converted", 12.0)),
    (Rule::SaleLost, |it| look_at_anns_order(it, "cancelled")),
    (Rule::SaleLost, |it| look_at_anns_order(it, "expired")),
    (Rule::SaleLost, |it| look_at_anns_order(it, "voided")),
    (Rule::SaleLost, |it| look_at_anns_order(it, "somehow")),
    (Rule::ShownWrong, |it| {
        let list = &mut it.recorded[HAL_LIST];
        (list.at_start, list.at_end) = (at(91.0), at(91.1));
    }),
    (Rule::RefusalUnjustified, |it| {
        // By then hal had given A-8 back.
        (it.recorded[IDA_REFUSED].at_start, it.recorded[IDA_REFUSED].at_end) = (at(40.0), at(40.1));
    }),
    (Rule::RefusalUnjustified, |it| {
        it.recorded[IDA_REFUSED].request["accept_fewer"] = json!(true);
    }),
    (Rule::RefusalIncomplete, |it| {
        it.recorded[IDA_REFUSED].answer["seats"] = json!(["A-7"]);
    }),
    (Rule::RefusalIncomplete, |it| {
        it.recorded[IDA_REFUSED].request["general"] = json!([{"section": "FLOOR", "quantity": 6}]);
    }),
    (Rule::AttemptLost, |it| {
        it.rows.attempts.pop();
    }),
    (Rule::ReplayDiffers, |it| it.recorded[ANN_ORDER_AGAIN].status = Some(200)),
    (Rule::ReplayDiffers, |it| {
        it.recorded[ANN_ORDER_AGAIN].answer["order_id"] = json!(order_of(FAY));
    }),
    (Rule::KeyReuseUnnoticed, |it| {
        it.recorded[ANN_ORDER_AGAIN].request = json!({"hold_id": hold_of(FAY)});
    }),
    (Rule::AnswerChanged, |it| {
        it.recorded[ANN_ORDER_AGAIN].status = Some(409);
        it.recorded[ANN_ORDER_AGAIN].answer = problem("hold-not-active", json!({}));
    }),
    (Rule::AnswerChanged, |it| {
        let again = asked("bob", "POST", "/orders", 7.0, json!({"hold_id": hold_of(2)}));
        it.recorded.push(again.told(201, shown(FAY, "pending_payment", 102)));
    }),
    (Rule::AnswerChanged, |it| {
        let mut again = it.recorded[ANN_HOLD].clone();
        (again.at_start, again.at_end) = (at(30.0), at(30.1));
        it.recorded.push(again.told(409, problem("seats-unavailable", json!({"seats": ["A-1"]}))));
    }),
    (Rule::GrantOutsideRequest, |it| it.recorded[CAT_HOLD].at_end = at(9.8)),
    (Rule::GrantOutsideRequest, |it| {
        it.recorded[CAT_HOLD].answer["created_at"] = json!(at(9.0));
    }),
    (Rule::GrantedWhileAlive, |it| {
        // Bob's release is forgotten, so his hold lived when cat was given the seat.
        it.recorded.remove(BOB_HOLD + 1);
    }),
    (Rule::GrantedWhileAlive, |it| {
        it.recorded.push(placed(9, "gil", 30.0, json!([seat("A-1")]), 102));
    }),
    (Rule::RefusalUnjustified, |it| {
        (it.recorded[GUS_REFUSED].at_start, it.recorded[GUS_REFUSED].at_end) = (at(7.0), at(7.1));
    }),
    (Rule::RefusalUnjustified, |it| {
        it.recorded[GUS_REFUSED].answer["seats"] = json!([]);
    }),
    (Rule::RefusalUnjustified, |it| {
        it.recorded[GUS_REFUSED].request = wants(&["A-3"]);
    }),
    (Rule::RefusalUnjustified, |it| it.recorded[ANN_REFUSED].request = wants(&["A-3"])),
    (Rule::RefusalUnjustified, |it| {
        it.recorded[BOB_REFUSED].request = json!({"hold_id": hold_of(CAT)});
    }),
    (Rule::RefusalUnjustified, |it| {
        it.recorded[BOB_REFUSED].answer["hold_status"] = json!("expired");
    }),
    (Rule::RefusalUnjustified, |it| it.recorded[ANN_REFUSED].answer["held"] = json!(3)),
    (Rule::RefusalUnjustified, |it| it.recorded[ANN_REFUSED].answer["limit"] = json!(7)),
    (Rule::RefusalUnjustified, |it| it.recorded[JON_REFUSED].request = best(2, true)),
    (Rule::RefusalUnjustified, |it| it.recorded[JON_REFUSED].request = best(2, false)),
    (Rule::RefusalUnjustified, |it| {
        it.recorded[JON_REFUSED].request["accept_fewer"] = json!(true);
    }),
    (Rule::RefusalUnjustified, |it| it.recorded[JON_REFUSED].answer["sections"] = json!([])),
    (Rule::RefusalUnjustified, |it| {
        let path = format!("/orders/{}/payments", order_of(FAY));
        let refused = asked("fay", "POST", &path, 22.0, json!({}));
        it.recorded.push(refused.told(409, problem("order-not-payable", json!({}))));
    }),
    (Rule::RefusalUnjustified, |it| it.recorded.push(payment_refused(FAY, "fay", 22.0))),
    (Rule::RefusalUnjustified, |it| it.recorded.push(floor_refused(8))),
    (Rule::RefusalIncomplete, |it| {
        it.recorded[GUS_REFUSED].answer["seats"] = json!(["A-3"]);
    }),
];

pub(crate) fn look_at_cats(it: &mut Evidence, status: &str, seconds: f64) {
    let mut answer = it.recorded[CAT_HOLD].answer.clone();
    answer["status"] = json!(status);
    let path = format!("/holds/{}", hold_of(CAT));
    it.recorded.push(asked("cat", "GET", &path, seconds, Value::Null).told(200, answer));
}

fn look_at_anns_order(it: &mut Evidence, status: &str) {
    let path = format!("/orders/{}", order_of(ANN));
    let seen = asked("ann", "GET", &path, 3.6, Value::Null);
    it.recorded.push(seen.told(200, shown(ANN, status, 202)));
}

/// Because the order's hold is over.
pub(crate) fn payment_refused(of: u128, buyer: &str, seconds: f64) -> taquilla_auditor::Recorded {
    let path = format!("/orders/{}/payments", order_of(of));
    let refused = asked(buyer, "POST", &path, seconds, json!({"payment_method": "sim_ok"}));
    let problem = problem("hold-not-active", json!({"hold_status": "expired"}));
    refused.keyed("late").told(409, problem)
}

/// Dan has two of ten places.
pub(crate) fn floor_refused(quantity: u32) -> taquilla_auditor::Recorded {
    let request = json!({
        "event_id": "noche", "general": [{"section": "FLOOR", "quantity": quantity}],
    });
    asked("gil", "POST", "/holds", 8.0, request)
        .told(409, problem("seats-unavailable", json!({"sections": ["FLOOR"]})))
}
