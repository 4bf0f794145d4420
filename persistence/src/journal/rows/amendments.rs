//! What few batches do, as the one document that the function `amend` takes.

use serde_json::{Map, Value, json};
use taquilla_engine::event::{Batch, Reduction};
use taquilla_engine::id::SectionIndex;

use crate::codes;

/// `None` for a batch that does nothing of the kind.
pub(super) fn of(batch: &Batch) -> Option<Value> {
    let mut amendments = Map::new();
    if !batch.holds_reduced.is_empty() {
        let reduced = || batch.holds_reduced.values();
        amendments.insert("reduced_holds".into(), reduced().map(reduced_hold).collect());
        amendments.insert("reduced_places".into(), reduced().flat_map(reduced_places).collect());
    }
    (!amendments.is_empty()).then_some(Value::Object(amendments))
}

fn reduced_hold(Reduction { was, hold, ended_at }: &Reduction) -> Value {
    json!({
        "hold_id": hold.id.uuid(),
        "was": was,
        "seats": hold.claim.seats.iter().map(|seat| seat.0).collect::<Vec<_>>(),
        "quantity": hold.claim.quantity(),
        "unit_prices": hold.unit_prices,
        "fees": hold.quote.fees,
        "total": hold.quote.total,
        "status": codes::of_hold_status(hold.status),
        "ended_at": ended_at.map(|at| at.0),
    })
}

/// What it still has of general sections.
fn reduced_places(reduction: &Reduction) -> Vec<Value> {
    let Reduction { hold, .. } = reduction;
    let place = |(place, (section, quantity)): (usize, &(SectionIndex, u32))| {
        json!({
            "hold_id": hold.id.uuid(), "section_no": section.0, "place": place, "quantity": quantity,
        })
    };
    hold.claim.places.iter().enumerate().map(place).collect()
}
