//! What few batches do, as the one document that the function `amend` takes.

mod refunds;

use serde_json::{Map, Value, json};
use taquilla_engine::event::{Amendment, Batch, Change, Reduction};
use taquilla_engine::id::{HoldId, SectionIndex};
use taquilla_engine::moment::Moment;
use taquilla_engine::operation::{Deed, ListedArtist, Listing};

use crate::codes;
use crate::operator_action::detail;

/// `None` for a batch that does nothing of the kind.
pub(super) fn of(batch: &Batch) -> Option<Value> {
    let mut amendments = Map::new();
    if !batch.holds_reduced.is_empty() {
        let reduced = || batch.holds_reduced.values();
        amendments.insert("reduced_holds".into(), reduced().map(reduced_hold).collect());
        amendments.insert("reduced_places".into(), reduced().flat_map(reduced_places).collect());
    }
    if !batch.holds_extended.is_empty() {
        let extended = |(hold, change): (&HoldId, &Change<Moment>)| json!({"hold_id": hold.uuid(), "was": change.was.0, "expires_at": change.becomes.0});
        amendments
            .insert("extended_holds".into(), batch.holds_extended.iter().map(extended).collect());
    }
    if !batch.refunds.is_empty() {
        refunds::of(batch, &mut amendments);
    }
    if !batch.deeds.is_empty() {
        operations(batch, &mut amendments);
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

/// What operators did in this batch.
fn operations(batch: &Batch, amendments: &mut Map<String, Value>) {
    amendments.insert("actions".into(), batch.deeds.iter().map(action).collect());
    let capacity = |(section, change): (&SectionIndex, &Change<u32>)| json!({"section_no": section.0, "was": change.was, "capacity": change.becomes});
    amendments.insert("capacities".into(), batch.capacities.iter().map(capacity).collect());
    let Some((amendment, listing)) = &batch.terms else { return };
    amendments.insert("event".into(), event(amendment, listing));
    let price = |(tier, price): &(u16, i64)| json!({"tier_no": tier, "price": price});
    amendments.insert("prices".into(), amendment.prices.iter().map(price).collect());
    if let Some(artists) = &listing.artists {
        let artists = artists.iter().enumerate().map(artist);
        amendments.insert("artists".into(), artists.collect());
    }
}

fn action((deed, at): &(Deed, Moment)) -> Value {
    // The edge's own JSON; were it none, it would still say what was asked.
    json!({
        "action_id": deed.id, "at": at.0, "who": deed.who, "what": deed.what, "why": deed.why,
        "detail": detail(deed),
    })
}

/// Null: the column stays as it is.
fn event(amendment: &Amendment, listing: &Listing) -> Value {
    let sale = amendment.sale.as_ref();
    json!({
        "name": listing.name,
        "description": listing.description,
        "category": listing.category,
        "conditions": listing.conditions,
        "starts_at": listing.starts_at.map(|at| at.0),
        "opens_at": sale.map(|sale| sale.opens_at.0),
        "closes_at": sale.map(|sale| sale.closes_at.0),
        "hold_ttl_seconds": sale.map(|sale| sale.hold_ttl.as_secs()),
        "buyer_seats_max": sale.map(|sale| sale.buyer_seats_max),
        "waiting_room": sale.map(|sale| sale.waiting_room),
        "paused": sale.map(|sale| sale.paused),
        "verifying_extension_seconds": sale.map(|sale| sale.verifying_extension.as_secs()),
        "cancelled": sale.map(|sale| sale.cancelled),
    })
}

fn artist((place, artist): (usize, &ListedArtist)) -> Value {
    json!({"place": place, "artist_id": artist.id, "slug": artist.slug, "name": artist.name})
}
