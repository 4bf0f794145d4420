//! What a hold takes and costs, in the words of its event: labels, names, money.

use taquilla_engine::money::{Currency, Money};
use tokio_postgres::Row;

use crate::columns::{self, BrokenRow};

/// The columns of a bill, from `holds h JOIN events e`.
macro_rules! bill_columns {
    () => {
        "e.currency, h.unit_prices, h.fees, h.total, cardinality(h.seats) AS seat_count, \
         ARRAY(SELECT v.label FROM unnest(h.seats) WITH ORDINALITY AS s (seat_index, place) \
                 JOIN plan_seats v USING (seat_index) WHERE v.plan_id = e.plan_id \
                ORDER BY place) AS labels, \
         ARRAY(SELECT n.name FROM unnest(h.seats) WITH ORDINALITY AS s (seat_index, place) \
                 JOIN plan_seats v USING (seat_index) \
                 JOIN plan_sections n USING (plan_id, section_no) \
                WHERE v.plan_id = e.plan_id ORDER BY s.place) AS seat_sections, \
         ARRAY(SELECT t.name FROM unnest(h.seats) WITH ORDINALITY AS s (seat_index, place) \
                 JOIN plan_seats v USING (seat_index) \
                 JOIN event_section_tiers p USING (section_no, category_no) \
                 JOIN event_tiers t USING (event_no, tier_no) \
                WHERE v.plan_id = e.plan_id AND p.event_no = h.event_no \
                ORDER BY s.place) AS tiers, \
         ARRAY(SELECT n.name FROM hold_places p \
                 JOIN plan_sections n ON n.section_no = p.section_no \
                WHERE p.hold_id = h.hold_id AND n.plan_id = e.plan_id \
                ORDER BY p.place) AS areas, \
         ARRAY(SELECT p.quantity FROM hold_places p WHERE p.hold_id = h.hold_id \
                ORDER BY p.place) AS quantities, \
         ARRAY(SELECT f.name FROM event_fees f WHERE f.event_no = h.event_no \
                ORDER BY place) AS fee_names"
    };
}
pub(super) use bill_columns;

/// What is taken, and what it costs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bill {
    /// In the order asked for.
    pub items: Vec<Item>,
    /// In the event's order.
    pub fees: Vec<FeeCharged>,
    /// Prices and fees.
    pub total: Money,
}

/// One line of a bill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// A numbered seat.
    Seat {
        /// Its label.
        label: String,
        /// Its section's name.
        section: String,
        /// Its price class.
        tier: String,
        /// Its price.
        unit_price: Money,
    },
    /// Places of a general section.
    Places {
        /// Its name.
        section: String,
        /// How many.
        quantity: u32,
        /// The price of one.
        unit_price: Money,
    },
}

/// One fee over all tickets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FeeCharged {
    /// As buyers see it.
    pub name: String,
    /// What it comes to.
    pub amount: Money,
}

impl Bill {
    pub(super) fn read(row: &Row) -> Result<Bill, BrokenRow> {
        let currency = columns::currency(row)?;
        let names: Vec<String> = columns::get(row, "fee_names")?;
        let amounts: Vec<i64> = columns::get(row, "fees")?;
        columns::same_length("fees", [names.len(), amounts.len()])?;
        let fees = names.into_iter().zip(amounts);
        Ok(Bill {
            items: items(row, currency)?,
            fees: fees
                .map(|(name, amount)| FeeCharged { name, amount: Money { amount, currency } })
                .collect(),
            total: Money { amount: columns::get(row, "total")?, currency },
        })
    }
}

/// Seats come first, then general sections, as the prices do.
fn items(row: &Row, currency: Currency) -> Result<Vec<Item>, BrokenRow> {
    let labels: Vec<String> = columns::get(row, "labels")?;
    let sections: Vec<String> = columns::get(row, "seat_sections")?;
    let tiers: Vec<String> = columns::get(row, "tiers")?;
    let areas: Vec<String> = columns::get(row, "areas")?;
    let quantities: Vec<i32> = columns::get(row, "quantities")?;
    let seats = columns::count::<i32>(row, "seat_count")? as usize;
    columns::same_length("seats", [seats, labels.len(), sections.len(), tiers.len()])?;
    columns::same_length("quantities", [areas.len(), quantities.len()])?;
    let mut prices =
        Prices { left: columns::get::<Vec<i64>>(row, "unit_prices")?.into_iter(), currency };
    let mut items = Vec::with_capacity(labels.len() + areas.len());
    for ((label, section), tier) in labels.into_iter().zip(sections).zip(tiers) {
        items.push(Item::Seat { label, section, tier, unit_price: prices.of(1)? });
    }
    for (section, quantity) in areas.into_iter().zip(quantities) {
        let quantity =
            u32::try_from(quantity).map_err(|error| BrokenRow::new("quantities", error))?;
        items.push(Item::Places { section, quantity, unit_price: prices.of(quantity)? });
    }
    columns::same_length("unit_prices", [prices.left.len(), 0])?;
    Ok(items)
}

/// One for each ticket, in the order of the items.
struct Prices {
    left: std::vec::IntoIter<i64>,
    currency: Currency,
}

impl Prices {
    /// What each of the next so many tickets costs: places of a section all cost the same.
    fn of(&mut self, tickets: u32) -> Result<Money, BrokenRow> {
        let prices: Vec<i64> = self.left.by_ref().take(tickets as usize).collect();
        columns::same_length("unit_prices", [tickets as usize, prices.len()])?;
        let amount = prices.first().ok_or_else(|| BrokenRow::new("quantities", "no ticket"))?;
        Ok(Money { amount: *amount, currency: self.currency })
    }
}

impl Item {
    /// The line's amount.
    #[must_use]
    pub fn amount(&self) -> Money {
        match self {
            Item::Seat { unit_price, .. } => *unit_price,
            Item::Places { quantity, unit_price, .. } => {
                Money { amount: unit_price.amount * i64::from(*quantity), ..*unit_price }
            }
        }
    }
}
