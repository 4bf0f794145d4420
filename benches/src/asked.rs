//! What a row-lock way needs to know of a request: prices and fees come with the call, as the engine
//! has them in memory.

use taquilla_engine::event::Terms;
use taquilla_engine::hold::Fingerprint;
use taquilla_engine::id::HoldId;
use taquilla_engine::pricing::quote;
use uuid::Uuid;

use crate::workload::Wanted;

/// A request in numbers of the database.
#[derive(Debug)]
pub struct Asked {
    /// The event's number.
    pub event: i32,
    /// The hold's id, which follows from buyer and key.
    pub hold: Uuid,
    /// Who asks.
    pub buyer: String,
    /// Of the request.
    pub fingerprint: Fingerprint,
    /// Ascending.
    pub seat_keys: Vec<i64>,
    /// Of each seat.
    pub prices: Vec<i64>,
    /// Over all seats.
    pub fees: Vec<i64>,
    /// Prices and fees.
    pub total: i64,
    /// How long the hold lives.
    pub ttl_micros: i64,
    /// Seats that a buyer may have.
    pub limit: i32,
}

impl Asked {
    /// Reckons what the request costs.
    #[must_use]
    pub fn new(terms: &Terms, wanted: &Wanted) -> Self {
        let Terms { event, plan, fees, sale, .. } = terms;
        let prices: Vec<i64> =
            wanted.seats.iter().map(|seat| plan.seat_tier(*seat).price).collect();
        let quote = quote(fees, prices.iter().map(|price| (*price, 1))).expect("small amounts");
        let first = i64::from(event.0) << 20;
        Self {
            event: event.0,
            hold: HoldId::derive(*event, &wanted.buyer, &wanted.key).uuid(),
            buyer: wanted.buyer.as_str().to_owned(),
            fingerprint: wanted.fingerprint,
            seat_keys: wanted.seats.iter().map(|seat| first + i64::from(seat.0)).collect(),
            prices,
            fees: quote.fees,
            total: quote.total,
            ttl_micros: i64::try_from(sale.hold_ttl.as_micros()).expect("a short life"),
            limit: i32::try_from(sale.buyer_seats_max).expect("a few"),
        }
    }
}
