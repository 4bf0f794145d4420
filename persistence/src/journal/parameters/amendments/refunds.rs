//! Tickets that come back, as the function `take_back` takes them.

use std::collections::BTreeSet;
use std::fmt::Write;

use serde_json::{Map, Value, json};
use taquilla_engine::event::Batch;
use taquilla_engine::hold::Fingerprint;
use taquilla_engine::id::TicketId;
use taquilla_engine::refund::Refund;

pub(super) fn of(batch: &Batch, amendments: &mut Map<String, Value>) {
    let issued: BTreeSet<TicketId> = batch.tickets.iter().map(|ticket| ticket.id).collect();
    let older = |refund: &Refund| -> Vec<Value> {
        let order = refund.order.uuid();
        let tickets = refund.tickets.iter().filter(|ticket| !issued.contains(ticket));
        tickets.map(|it| json!({"ticket_id": it.uuid(), "order_id": order})).collect()
    };
    amendments.insert("returned_tickets".into(), batch.refunds.iter().flat_map(older).collect());
    amendments.insert("refunds".into(), batch.refunds.iter().map(refund).collect());
}

fn refund(refund: &Refund) -> Value {
    json!({
        "refund_id": refund.id.uuid(),
        "order_id": refund.order.uuid(),
        "fingerprint": hex(&refund.fingerprint),
        "cause": refund.cause.code(),
        "reason": refund.reason,
        "who": refund.who,
        "amount": refund.amount,
        "tickets": refund.tickets.iter().map(|it| it.uuid()).collect::<Vec<_>>(),
        "at": refund.at.0,
    })
}

fn hex(bytes: &Fingerprint) -> String {
    bytes.iter().fold(String::with_capacity(64), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}
