//! What an event is and how it sells. Only an operator's command changes terms.

use std::sync::Arc;

use crate::id::{EventNumber, PlanId, SectionIndex};
use crate::money::Currency;
use crate::plan::Plan;
use crate::pricing::Fee;
use crate::sale::Sale;

/// What an event is and how it sells.
#[derive(Clone, Debug)]
pub struct Terms {
    /// The event.
    pub event: EventNumber,
    /// Which seating plan it has.
    pub plan_id: PlanId,
    /// Its seats, sections and tiers. With every price, `buyer_seats_max` tickets and their fees stay
    /// under [`crate::money::AMOUNT_MAX`].
    pub plan: Arc<Plan>,
    /// Of all its prices.
    pub currency: Currency,
    /// In the order in which buyers see them.
    pub fees: Arc<[Fee]>,
    /// When and on what terms.
    pub sale: Sale,
}

/// What an operator has changed of an event's terms. Empty, it changes nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Amendment {
    /// When and on what terms.
    pub sale: Option<Sale>,
    /// Tiers by their index, with their prices.
    pub prices: Vec<(u16, i64)>,
    /// General sections, with their capacities.
    pub capacities: Vec<(SectionIndex, u32)>,
}

impl Terms {
    /// The terms after this change.
    ///
    /// # Panics
    /// If a tier or general section is named that is not there.
    #[must_use]
    pub fn amended(&self, amendment: &Amendment) -> Self {
        let Amendment { sale, prices, capacities } = amendment;
        let plan = if prices.is_empty() && capacities.is_empty() {
            Arc::clone(&self.plan)
        } else {
            Arc::new(self.plan.amended(prices, capacities))
        };
        let sale = sale.clone().unwrap_or_else(|| self.sale.clone());
        Self { plan, sale, ..self.clone() }
    }
}
