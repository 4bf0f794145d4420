//! What a hold or an order takes, and what it costs.

use serde::Serialize;
use taquilla_engine::event::Terms;
use taquilla_engine::hold::{Claim, Hold};
use taquilla_engine::money::Money;
use taquilla_persistence::orders::{Bill, FeeCharged, Item};
use utoipa::ToSchema;

use super::MoneyView;

/// Items, fees, total.
#[derive(Serialize, ToSchema)]
#[schema(as = Bill)]
pub struct BillView {
    /// In the order asked for.
    pub items: Vec<ItemView>,
    /// Each fee of the event over all tickets.
    pub fees: Vec<FeeView>,
    /// Prices and fees.
    pub total: MoneyView,
}

/// A seat, or places of a general section.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
#[schema(as = Item)]
pub enum ItemView {
    /// A numbered seat.
    Seat {
        /// Its label.
        seat: String,
        /// Where it lies.
        section: String,
        /// Its price class.
        tier: String,
        /// Of this seat.
        unit_price: MoneyView,
        /// The same.
        amount: MoneyView,
    },
    /// Places without number.
    Places {
        /// Where.
        section: String,
        /// How many.
        quantity: u32,
        /// Of each.
        unit_price: MoneyView,
        /// Of all.
        amount: MoneyView,
    },
}

/// One fee.
#[derive(Serialize, ToSchema)]
#[schema(as = FeeCharged)]
pub struct FeeView {
    /// Such as `service`.
    pub name: String,
    /// Over all tickets.
    pub amount: MoneyView,
}

impl From<Bill> for BillView {
    fn from(bill: Bill) -> Self {
        Self {
            items: bill.items.into_iter().map(ItemView::from).collect(),
            fees: bill
                .fees
                .into_iter()
                .map(|FeeCharged { name, amount }| FeeView { name, amount: amount.into() })
                .collect(),
            total: bill.total.into(),
        }
    }
}

impl From<Item> for ItemView {
    fn from(item: Item) -> Self {
        let amount = item.amount().into();
        match item {
            Item::Seat { label, section, tier, unit_price } => {
                Self::Seat { seat: label, section, tier, unit_price: unit_price.into(), amount }
            }
            Item::Places { section, quantity, unit_price } => {
                Self::Places { section, quantity, unit_price: unit_price.into(), amount }
            }
        }
    }
}

/// The bill of a hold as the engine knows it, in the words of its event.
#[must_use]
pub fn bill_of(hold: &Hold, terms: &Terms) -> Bill {
    let money = |amount: i64| Money { amount, currency: terms.currency };
    let section = &terms.plan.section(hold.section).name;
    let items = match &hold.claim {
        Claim::Seats(seats) => seats
            .iter()
            .zip(&hold.unit_prices)
            .map(|(seat, price)| Item::Seat {
                label: terms.plan.seat(*seat).label.to_string(),
                section: section.clone(),
                tier: terms.plan.seat_tier(*seat).name.clone(),
                unit_price: money(*price),
            })
            .collect(),
        Claim::Places(quantity) => vec![Item::Places {
            section: section.clone(),
            quantity: *quantity,
            unit_price: money(hold.unit_prices.first().copied().unwrap_or_default()),
        }],
    };
    let fees = terms.fees.iter().zip(&hold.quote.fees);
    Bill {
        items,
        fees: fees
            .map(|(fee, amount)| FeeCharged { name: fee.name.clone(), amount: money(*amount) })
            .collect(),
        total: money(hold.quote.total),
    }
}
