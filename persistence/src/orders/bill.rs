//! What a hold takes and costs, in the words of its event: labels, names, money.

use taquilla_engine::money::{Currency, Money};
use tokio_postgres::Row;

use crate::rows::{self, BrokenRow};

/// The columns of a bill, from `holds h JOIN events e`.
macro_rules! bill_columns {
    () => {
        "e.currency, h.quantity, h.unit_prices, h.fees, h.total, \
         ARRAY(SELECT v.label FROM unnest(h.seats) WITH ORDINALITY AS s (seat_index, place) \
                 JOIN venue_seats v USING (seat_index) WHERE v.venue_id = e.venue_id \
                ORDER BY place) AS labels, \
         ARRAY(SELECT f.name FROM event_fees f WHERE f.event_no = h.event_no \
                ORDER BY place) AS fee_names, \
         (SELECT s.name FROM venue_sections s \
           WHERE s.venue_id = e.venue_id AND s.section_no = h.section_no) AS section, \
         ARRAY(SELECT t.name FROM unnest(h.seats) WITH ORDINALITY AS s (seat_index, place) \
                 JOIN venue_seats v USING (seat_index) \
                 JOIN event_section_tiers p USING (section_no, category_no) \
                 JOIN event_tiers t USING (event_no, tier_no) \
                WHERE v.venue_id = e.venue_id AND p.event_no = h.event_no \
                ORDER BY s.place) AS tiers"
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
        let currency = rows::currency(row)?;
        let names: Vec<String> = rows::get(row, "fee_names")?;
        let amounts: Vec<i64> = rows::get(row, "fees")?;
        let fees = names.into_iter().zip(amounts);
        Ok(Bill {
            items: items(row, currency)?,
            fees: fees
                .map(|(name, amount)| FeeCharged { name, amount: Money { amount, currency } })
                .collect(),
            total: Money { amount: rows::get(row, "total")?, currency },
        })
    }
}

fn items(row: &Row, currency: Currency) -> Result<Vec<Item>, BrokenRow> {
    let section: String = rows::get(row, "section")?;
    let labels: Vec<String> = rows::get(row, "labels")?;
    let prices: Vec<i64> = rows::get(row, "unit_prices")?;
    if labels.is_empty() {
        let quantity = rows::count::<i32>(row, "quantity")?;
        let amount = prices.first().copied().unwrap_or_default();
        let unit_price = Money { amount, currency };
        return Ok(vec![Item::Places { section, quantity, unit_price }]);
    }
    let tiers: Vec<String> = rows::get(row, "tiers")?;
    let seats = labels.into_iter().zip(tiers).zip(prices);
    Ok(seats
        .map(|((label, tier), amount)| Item::Seat {
            label,
            section: section.clone(),
            tier,
            unit_price: Money { amount, currency },
        })
        .collect())
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
