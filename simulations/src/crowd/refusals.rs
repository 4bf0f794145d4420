//! Refusals, from the product's words into the oracle's.

use taquilla_auditor::oracle::{Conflict, Defect, Refusal, SaleState};
use taquilla_engine::refusal::{Refusal as No, SalesConflict, TermsDefect};
use taquilla_engine::sale::SaleStatus;

use super::words::{self, Names};

pub(super) fn told(refusal: &No, names: &Names) -> Refusal {
    match refusal {
        No::NotFound => Refusal::NotFound,
        No::KeyReused => Refusal::KeyReused,
        No::UnknownSeats(names) => Refusal::UnknownSeats(names.clone()),
        No::PartTooLarge { section, has } => {
            Refusal::PartTooLarge { section: section.0, has: *has }
        }
        No::UnknownTickets(tickets) => {
            Refusal::UnknownTickets(tickets.iter().map(|it| names.ticket(*it)).collect())
        }
        No::TermsInvalid(defects) => Refusal::TermsInvalid(defects.iter().map(defect).collect()),
        No::PurchasesPaused(_) => Refusal::PurchasesPaused,
        No::SaleNotOpen { opens_at, status } => {
            Refusal::SaleNotOpen { opens_at: opens_at.0, state: state(*status) }
        }
        No::AdmissionRequired => Refusal::AdmissionRequired,
        No::HoldsDropped { .. } => unreachable!("the crowd's sale has no churn budget"),
        No::ConflictsWithSales(it) => Refusal::ConflictsWithSales(conflict(it)),
        No::HoldNotActive(status) => Refusal::HoldNotActive(words::state(*status)),
        No::RefundNotPossible => Refusal::RefundNotPossible,
        No::OrderNotCancellable => Refusal::OrderNotCancellable,
        No::BuyerLimitExceeded { limit, held } => {
            Refusal::BuyerLimitExceeded { limit: *limit, held: *held }
        }
        No::SeatsUnavailable { seats, sections } => Refusal::SeatsUnavailable {
            seats: seats.iter().map(|seat| seat.0).collect(),
            sections: sections.iter().map(|section| section.0).collect(),
        },
    }
}

fn defect(defect: &TermsDefect) -> Defect {
    match defect {
        TermsDefect::ClosesFirst { opens_at, closes_at } => {
            Defect::ClosesFirst { opens_at: opens_at.0, closes_at: closes_at.0 }
        }
        TermsDefect::NotGeneral(section) => Defect::NotGeneral(section.0),
        TermsDefect::NotPaused(status) => Defect::NotPaused(state(*status)),
        TermsDefect::UnknownTier(_)
        | TermsDefect::TierMissing { .. }
        | TermsDefect::TotalTooLarge { .. }
        | TermsDefect::SeatDropped(_) => {
            unreachable!("operators name just the tiers there are, at prices that can be added up")
        }
    }
}

fn conflict(conflict: &SalesConflict) -> Conflict {
    let SalesConflict { sold, held, asked, seats, sections } = conflict;
    let section =
        |it: &taquilla_engine::refusal::SectionConflict| (it.section.0, it.sold, it.held, it.asked);
    Conflict {
        sold: *sold,
        held: *held,
        asked: *asked,
        seats: seats.iter().map(|seat| seat.0).collect(),
        sections: sections.iter().map(section).collect(),
    }
}

fn state(status: SaleStatus) -> SaleState {
    match status {
        SaleStatus::Scheduled => SaleState::Scheduled,
        SaleStatus::Open => SaleState::Open,
        SaleStatus::Paused => SaleState::Paused,
        SaleStatus::Closed => SaleState::Closed,
        SaleStatus::Cancelled => unreachable!("no event of the crowd's is cancelled"),
    }
}
