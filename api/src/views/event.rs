//! An event as buyers see it: its listing, and from its live map how much is left.

mod summary;

use serde::Serialize;
use taquilla_engine::event::Availability;
use taquilla_engine::moment::Moment;
use taquilla_engine::money::Money;
use taquilla_engine::pricing::Fee;
use taquilla_persistence::catalogue::{EventRecord, EventSummary};
use utoipa::ToSchema;

pub use summary::EventSummaryView;

use self::summary::ListedEvent;
use super::MoneyView;
use super::seat_map::kind;
use crate::instant::{Instant, seconds_until};

/// An event with everything that its page shows.
#[derive(Serialize, ToSchema)]
#[schema(as = Event)]
pub struct EventView {
    #[serde(flatten)]
    listed: ListedEvent,
    description: String,
    /// The venue's IANA zone.
    timezone: String,
    conditions: String,
    fees: Vec<EventFeeView>,
    sale: SaleView,
    sections: Vec<EventSectionView>,
    price_tiers: Vec<TierView>,
    /// When this was known to be so: moments ago, or before the database went away. What is left is by the latest
    /// map, the sale's status by the server's time.
    as_of: Instant,
}

/// An event as those see it who run it.
#[derive(Serialize, ToSchema)]
#[schema(as = OperatorsEvent)]
pub struct OperatorsEventView {
    /// What everybody sees.
    #[serde(flatten)]
    event: EventView,
    /// Which hall of its venue.
    hall: String,
    /// Which version of the hall's plan.
    plan_version: u32,
}

impl OperatorsEventView {
    /// As [`EventView::of`].
    #[must_use]
    pub fn of(
        event: &EventRecord,
        map: Option<&Availability>,
        known_at: Moment,
        now: Moment,
    ) -> Self {
        let EventSummary { hall, plan_version, .. } = &event.summary;
        let (hall, plan_version) = (hall.clone(), *plan_version);
        Self { event: EventView::of(event, map, known_at, now), hall, plan_version }
    }
}

#[derive(Serialize, ToSchema)]
#[schema(as = Sale)]
struct SaleView {
    /// `scheduled`, `open`, `paused`, `closed` or `cancelled`.
    status: &'static str,
    opens_at: Instant,
    /// 0 once it has opened.
    opens_in_seconds: u64,
    closes_at: Instant,
    hold_ttl_seconds: u64,
    max_seats_per_buyer: u32,
    waiting_room: bool,
}

#[derive(Serialize, ToSchema)]
#[schema(as = EventFee)]
struct EventFeeView {
    name: String,
    /// Of each ticket's price, such as `5.00`.
    percent: String,
    /// For each ticket.
    fixed: MoneyView,
}

#[derive(Serialize, ToSchema)]
#[schema(as = EventSection)]
struct EventSectionView {
    section: String,
    /// `seated` or `general`.
    kind: &'static str,
    capacity: u32,
    /// By the latest published map.
    available: u32,
    price_from: MoneyView,
}

#[derive(Serialize, ToSchema)]
#[schema(as = PriceTier)]
struct TierView {
    tier: String,
    price: MoneyView,
}

impl EventView {
    /// The listing, which was known to be so then, at this instant, with the event's latest map.
    #[must_use]
    pub fn of(
        event: &EventRecord,
        map: Option<&Availability>,
        known_at: Moment,
        now: Moment,
    ) -> Self {
        let money = |amount| MoneyView::from(Money { amount, currency: event.summary.currency });
        let fees = event.fees.iter().map(|fee| EventFeeView {
            name: fee.name.clone(),
            percent: percent(fee.percent),
            fixed: money(fee.fixed),
        });
        let tiers = event.tiers.iter();
        Self {
            listed: ListedEvent::of(event, map),
            description: event.description.clone(),
            timezone: event.timezone.clone(),
            conditions: event.conditions.clone(),
            fees: fees.collect(),
            sale: SaleView::of(event, now),
            sections: sections(event, map),
            price_tiers: tiers
                .map(|tier| TierView { tier: tier.name.clone(), price: money(tier.price) })
                .collect(),
            as_of: Instant(known_at),
        }
    }
}

impl SaleView {
    fn of(event: &EventRecord, now: Moment) -> Self {
        let sale = &event.summary.sale;
        Self {
            status: sale.status(now).code(),
            opens_at: Instant(sale.opens_at),
            opens_in_seconds: seconds_until(sale.opens_at, now),
            closes_at: Instant(sale.closes_at),
            hold_ttl_seconds: sale.hold_ttl.as_secs(),
            max_seats_per_buyer: sale.buyer_seats_max,
            waiting_room: sale.waiting_room,
        }
    }
}

/// A map that no owner has published yet counts nothing: then all is shown as left.
fn sections(event: &EventRecord, map: Option<&Availability>) -> Vec<EventSectionView> {
    let counts = map.map_or(&[][..], |map| &map.sections);
    let counts = counts.iter().map(|count| Some(count.available));
    let sections = event.sections.iter().zip(counts.chain(std::iter::repeat(None)));
    // A section that the plan has dropped has no price.
    sections
        .filter_map(|(section, available)| {
            let capacity = section.capacity;
            Some(EventSectionView {
                section: section.name.clone(),
                kind: kind(section.kind),
                capacity,
                // A capacity that was lowered shows at once, the map moves in ticks.
                available: available.unwrap_or(capacity).min(capacity),
                price_from: section.price_from?.into(),
            })
        })
        .collect()
}

/// At least two decimals, at most four.
fn percent(units: i64) -> String {
    let (whole, rest) = (units / Fee::PERCENT_UNIT, units % Fee::PERCENT_UNIT);
    let decimals = format!("{rest:04}");
    let kept = decimals.trim_end_matches('0').len().max(2);
    format!("{whole}.{}", &decimals[..kept])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percents_have_two_to_four_decimals() {
        for (units, text) in
            [(50_000, "5.00"), (0, "0.00"), (1_000_000, "100.00"), (51_250, "5.125"), (1, "0.0001")]
        {
            assert_eq!(percent(units), text);
        }
    }
}
