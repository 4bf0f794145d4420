//! What a hold or an order takes, and what it costs.

use serde::Serialize;
use taquilla_engine::event::Terms;
use taquilla_engine::hold::Hold;
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
    let plan = &terms.plan;
    let mut prices = hold.unit_prices.iter().copied();
    let mut price = |tickets: usize| {
        money(prices.nth(tickets - 1).expect("a hold has a price for each seat and place"))
    };
    let mut items = Vec::with_capacity(hold.claim.seats.len() + hold.claim.places.len());
    for seat in &hold.claim.seats {
        let planned = plan.seat(*seat);
        items.push(Item::Seat {
            label: planned.label().into(),
            section: plan.section(planned.section).name.clone(),
            tier: plan.seat_tier(*seat).name.clone(),
            unit_price: price(1),
        });
    }
    for (section, quantity) in &hold.claim.places {
        items.push(Item::Places {
            section: plan.section(*section).name.clone(),
            quantity: *quantity,
            unit_price: price(*quantity as usize),
        });
    }
    let fees = terms.fees.iter().zip(&hold.quote.fees);
    Bill {
        items,
        fees: fees
            .map(|(fee, amount)| FeeCharged { name: fee.name.clone(), amount: money(*amount) })
            .collect(),
        total: money(hold.quote.total),
    }
}
