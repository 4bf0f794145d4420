//! Whether new terms make sense as things stand, and what becomes of the sale by an operator's word.

use std::collections::BTreeMap;
use std::time::Duration;

use super::super::Door;
use crate::event::terms::Amendment;
use crate::id::{SeatIndex, SectionIndex};
use crate::operation::{SaleAction, TermsPatch};
use crate::plan::{Plan, SectionKind};
use crate::pricing::quote;
use crate::refusal::{Refusal, SalesConflict, TermsDefect};
use crate::sale::{Sale, SaleStatus};

impl<R> Door<R> {
    /// The sale after the action. What is so already is granted again, but for a pause that is to end
    /// and is none.
    pub(super) fn act_on_sale(&self, action: SaleAction) -> Result<Sale, Refusal> {
        let (sale, now) = (self.terms.sale.clone(), self.now);
        let status = sale.status(now);
        let not_open = Err(Refusal::SaleNotOpen { opens_at: sale.opens_at, status });
        match (action, status) {
            (SaleAction::Cancel, _) => Ok(Sale { cancelled: true, ..sale }),
            (
                SaleAction::Pause | SaleAction::Resume | SaleAction::Open | SaleAction::Close,
                SaleStatus::Cancelled,
            ) => not_open,
            (SaleAction::Pause, _) => Ok(Sale { paused: true, ..sale }),
            (SaleAction::Resume, _) if sale.paused => Ok(Sale { paused: false, ..sale }),
            (SaleAction::Resume, _) => {
                Err(Refusal::TermsInvalid(vec![TermsDefect::NotPaused(status)]))
            }
            (SaleAction::Open, SaleStatus::Scheduled) => Ok(Sale { opens_at: now, ..sale }),
            (SaleAction::Open, SaleStatus::Open) | (SaleAction::Close, SaleStatus::Closed) => {
                Ok(sale)
            }
            (SaleAction::Open, SaleStatus::Paused | SaleStatus::Closed)
            | (SaleAction::Close, SaleStatus::Scheduled) => not_open,
            (SaleAction::Close, SaleStatus::Paused) if sale.opens_at > now => not_open,
            (SaleAction::Close, SaleStatus::Open | SaleStatus::Paused) => {
                // A sale closes after it has opened, if only by the shortest time that there is.
                let closes_at = now.max(sale.opens_at + Duration::from_micros(1));
                Ok(Sale { closes_at, ..sale })
            }
        }
    }

    /// What changes by the patch, or all that is wrong with it as things stand.
    pub(super) fn check_terms(&self, patch: &TermsPatch) -> Result<Amendment, Refusal> {
        let sale = patch.sale.apply(&self.terms.sale);
        let mut defects = Vec::new();
        if sale.opens_at >= sale.closes_at {
            let (opens_at, closes_at) = (sale.opens_at, sale.closes_at);
            defects.push(TermsDefect::ClosesFirst { opens_at, closes_at });
        }
        let prices = self.new_prices(&patch.prices, &mut defects);
        self.check_totals(&sale, &prices, &mut defects);
        let plan = &self.terms.plan;
        let mut capacities = patch.capacities.clone();
        let kind = |section: &SectionIndex| plan.section(*section).kind;
        let seated = |(section, _): &&(SectionIndex, u32)| {
            matches!(kind(section), SectionKind::Seated { .. })
        };
        defects.extend(capacities.iter().filter(seated).map(|(s, _)| TermsDefect::NotGeneral(*s)));
        if !defects.is_empty() {
            return Err(Refusal::TermsInvalid(defects));
        }
        self.check_opening(&sale)?;
        capacities.retain(|(section, capacity)| plan.section(*section).capacity() != *capacity);
        capacities.sort_unstable();
        let changes = |(tier, price): &(u16, i64)| plan.tiers()[usize::from(*tier)].price != *price;
        let prices = prices.into_iter().filter(changes).collect();
        let sale = (sale != self.terms.sale).then_some(sale);
        Ok(Amendment { sale, prices, capacities })
    }

    /// What the plan has dropped stays blocked.
    pub(super) fn check_unblock(&self, seats: &[SeatIndex]) -> Result<(), Refusal> {
        let dropped = seats.iter().filter(|seat| self.terms.plan.is_dropped(**seat));
        let defects: Vec<_> = dropped.map(|seat| TermsDefect::SeatDropped(*seat)).collect();
        if defects.is_empty() { Ok(()) } else { Err(Refusal::TermsInvalid(defects)) }
    }

    /// A sale that has opened is not put off while somebody has something of it.
    fn check_opening(&self, sale: &Sale) -> Result<(), Refusal> {
        if self.terms.sale.opens_at > self.now || sale.opens_at <= self.now {
            return Ok(());
        }
        let (held, sold) = self.book.taken(self.now);
        if held + sold == 0 {
            return Ok(());
        }
        let conflict = SalesConflict { sold, held, ..SalesConflict::default() };
        Err(Refusal::ConflictsWithSales(Box::new(conflict)))
    }

    /// Tiers by their index. All are named or none is: a tier that sections are sold at never goes.
    fn new_prices(
        &self,
        named: &[(Box<str>, i64)],
        defects: &mut Vec<TermsDefect>,
    ) -> Vec<(u16, i64)> {
        if named.is_empty() {
            return Vec::new();
        }
        let plan = &self.terms.plan;
        let mut new = BTreeMap::new();
        for (tier, price) in named {
            match plan.tier_of(tier) {
                Some(index) => _ = new.insert(index, *price),
                None => defects.push(TermsDefect::UnknownTier(tier.clone())),
            }
        }
        let mut prices = Vec::with_capacity(plan.tiers().len());
        for (index, tier) in (0..).zip(plan.tiers()) {
            match new.get(&index) {
                Some(price) => prices.push((index, *price)),
                None => defects.push(TermsDefect::TierMissing {
                    tier: tier.name.as_str().into(),
                    used_by: user_of(plan, index),
                }),
            }
        }
        prices
    }

    /// What one buyer may take at any price, with its fees, is an amount.
    fn check_totals(&self, sale: &Sale, prices: &[(u16, i64)], defects: &mut Vec<TermsDefect>) {
        for (index, tier) in (0_u16..).zip(self.terms.plan.tiers()) {
            let new = prices.iter().find(|(of, _)| *of == index);
            let price = new.map_or(tier.price, |(_, price)| *price);
            if quote(&self.terms.fees, std::iter::once((price, sale.buyer_seats_max))).is_none() {
                defects.push(TermsDefect::TotalTooLarge { tier: tier.name.as_str().into() });
            }
        }
    }
}

/// A section or seat that is sold at this tier.
fn user_of(plan: &Plan, tier: u16) -> Option<Box<str>> {
    let general = plan.sections().iter().find(|section| section.tier == tier);
    let section = general.map(|section| section.name.as_str().into());
    section.or_else(|| plan.seats().find(|seat| seat.tier == tier).map(|seat| seat.label().into()))
}
