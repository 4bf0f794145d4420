//! The details of an entry. A member that has nothing to say is left out.

use serde::Serialize;
use serde_json::{Map, Value, json};
use taquilla_engine::event::Terms;
use taquilla_engine::id::SeatIndex;
use taquilla_engine::moment::Moment;
use taquilla_engine::money::Money;
use taquilla_persistence::chronicle::{BestWanted, RefusalRecord};
use taquilla_persistence::codec::{OrderState, Taken};
use taquilla_persistence::story::What;

use crate::instant::Instant;
use crate::views::{FailureView, MoneyView};

/// The words of one event.
pub(super) struct Words<'a> {
    pub(super) terms: &'a Terms,
}

impl Words<'_> {
    pub(super) fn detail(&self, what: What) -> Map<String, Value> {
        match what {
            What::HoldPlaced { hold, taken, total, expires_at } => Detail::default()
                .with("hold_id", hold)
                .taken(self, &taken)
                .with("total", self.money(total))
                .with("expires_at", Instant(expires_at)),
            What::SeatsDeclined { hold, declined } => {
                Detail::default().with("hold_id", hold).taken(self, &declined)
            }
            What::HoldReduced { hold, given_back, total } => Detail::default()
                .with("hold_id", hold)
                .taken(self, &given_back)
                .with("total", self.money(total)),
            What::HoldExtended { hold, attempt, expires_at } => Detail::default()
                .with("hold_id", hold)
                .with("attempt_id", attempt)
                .with("expires_at", Instant(expires_at)),
            What::HoldEnded { hold, .. } => Detail::default().with("hold_id", hold),
            What::OrderPlaced { order, hold, total, status } => Detail::default()
                .with("order_id", order)
                .with("hold_id", hold)
                .with("total", self.money(total))
                .with("status", public_status(status)),
            What::OrderEnded { order, .. } => Detail::default().with("order_id", order),
            What::TicketIssued { ticket, order, section, seat } => Detail::default()
                .with("ticket_id", ticket)
                .with("order_id", order)
                .with("section", self.section(section))
                .maybe("seat", seat.map(|seat| self.seat(seat))),
            What::TicketsReturned { refund, order, tickets, given_back, cause, amount } => {
                Detail::default()
                    .with("refund_id", refund)
                    .with("order_id", order)
                    .with("tickets", tickets)
                    .taken(self, &given_back)
                    .with("cause", cause.code())
                    .with("amount", self.money(amount))
            }
            What::AttemptOpened { attempt, order, provider, money, status } => Detail::default()
                .with("attempt_id", attempt)
                .with("order_id", order)
                .with("provider", provider)
                .with("amount", MoneyView::from(money))
                .with("status", status.shown()),
            What::AttemptDecided { attempt, order, .. } => {
                Detail::default().with("attempt_id", attempt).with("order_id", order)
            }
            What::AttemptResolved { attempt, order, reference, failure, .. } => Detail::default()
                .with("attempt_id", attempt)
                .with("order_id", order)
                .maybe("provider_reference", reference)
                .maybe(
                    "failure",
                    failure.map(|it| FailureView { code: it.code, detail: it.detail }),
                ),
            What::RefundSettled { refund, attempt, order, money }
            | What::RefundFailed { refund, attempt, order, money } => Detail::default()
                .with("refund_id", refund)
                .with("attempt_id", attempt)
                .with("order_id", order)
                .with("amount", MoneyView::from(money)),
            What::ChargedBack { notice, attempt, order, money }
            | What::ChargebackReturned { notice, attempt, order, money } => Detail::default()
                .with("notice_id", notice)
                .with("attempt_id", attempt)
                .with("order_id", order)
                .with("amount", MoneyView::from(money)),
            What::QueueJoined { ticket, number } => {
                Detail::default().with("ticket_id", ticket).with("index", number)
            }
            What::QueueCalled { ticket, position } => {
                Detail::default().with("ticket_id", ticket).with("position", position)
            }
            What::QueueAdmitted { ticket, until, has_bought } => Detail::default()
                .with("ticket_id", ticket)
                .with("has_bought", has_bought)
                .maybe("renewed_until", until.map(Instant)),
            What::QueueLeft { ticket } => Detail::default().with("ticket_id", ticket),
            What::TicketScanned { ticket, order, scan, result } => Detail::default()
                .with("ticket_id", ticket)
                .with("order_id", order)
                .with("scan_id", scan)
                .with("result", result.code()),
            What::SeatBlocked { seat, action } | What::SeatUnblocked { seat, action } => {
                Detail::default().with("seat", self.seat(seat)).maybe("action_id", action)
            }
            What::CapacitySet { section, was, becomes, action } => Detail::default()
                .with("section", self.section(section))
                .with("was", was)
                .with("capacity", becomes)
                .maybe("action_id", action),
            What::Refused(refusal) => self.refused(*refusal),
            What::Operated { action, deed, why, detail } => Detail::default()
                .with("action_id", action)
                .with("action", deed)
                .with("why", why)
                .with("asked", detail),
        }
        .0
    }

    fn refused(&self, refusal: RefusalRecord) -> Detail {
        // What a refused request would have made never was.
        let hold = refusal.hold.filter(|_| refusal.asked != "place_hold");
        let sections: Vec<_> = refusal.no_sections.iter().map(|it| self.section(*it)).collect();
        let taken = Taken { seats: refusal.seats, places: refusal.places };
        Detail::default()
            .with("asked", operation(&refusal.asked))
            .with("problem", refusal.why)
            .maybe("hold_id", hold)
            .maybe("order_id", refusal.order)
            .taken(self, &taken)
            .maybe("best_available", refusal.best.map(|best| self.best(&best)))
            .list("unavailable_seats", self.seats(&refusal.no_seats))
            .list("unavailable_sections", sections)
            .maybe("limit", refusal.limit)
            .maybe("held", refusal.held)
            .maybe("hold_status", refusal.hold_status)
            .maybe("sale_status", refusal.sale_status)
            .maybe("opens_at", refusal.opens_at.map(|at| Instant(Moment(at))))
    }

    fn best(&self, best: &BestWanted) -> Value {
        let tier = best.tier.map(|tier| self.terms.plan.tiers().get(usize::from(tier)));
        let wish = Detail::default()
            .with("quantity", best.quantity)
            .maybe("section", best.section.map(|section| self.section(section)))
            .maybe("tier", tier.flatten().map(|tier| &tier.name))
            .with("adjacent", best.adjacent)
            .with("accessible", best.accessible);
        Value::Object(wish.0)
    }

    fn money(&self, amount: i64) -> MoneyView {
        Money { amount, currency: self.terms.currency }.into()
    }

    fn seats(&self, seats: &[u32]) -> Vec<String> {
        seats.iter().map(|seat| self.seat(*seat)).collect()
    }

    /// A seat of rows that the plan no longer knows is named by its index.
    fn seat(&self, index: u32) -> String {
        let plan = &self.terms.plan;
        if (index as usize) < plan.seats().len() {
            plan.seat(SeatIndex(index)).label().into()
        } else {
            format!("#{index}")
        }
    }

    fn section(&self, index: u16) -> String {
        let section = self.terms.plan.sections().get(usize::from(index));
        section.map_or_else(|| format!("#{index}"), |section| section.name.clone())
    }
}

/// Members in the making.
#[derive(Default)]
struct Detail(Map<String, Value>);

impl Detail {
    fn with(mut self, member: &str, value: impl Serialize) -> Self {
        self.0.insert(member.into(), json!(value));
        self
    }

    fn maybe(self, member: &str, value: Option<impl Serialize>) -> Self {
        match value {
            Some(value) => self.with(member, value),
            None => self,
        }
    }

    fn list(self, member: &str, values: Vec<String>) -> Self {
        if values.is_empty() { self } else { self.with(member, values) }
    }

    fn taken(self, words: &Words<'_>, taken: &Taken) -> Self {
        let place = |(section, quantity): &(u16, u32)| json!({"section": words.section(*section), "quantity": quantity});
        let general: Vec<Value> = taken.places.iter().map(place).collect();
        let general = (!general.is_empty()).then_some(general);
        self.list("seats", words.seats(&taken.seats)).maybe("general", general)
    }
}

/// As the order's buyer first saw it: with nothing to pay it comes back captured.
fn public_status(status: OrderState) -> &'static str {
    match status {
        OrderState::Open => "pending_payment",
        OrderState::Confirmed => "captured",
        OrderState::Cancelled => "cancelled",
        OrderState::Expired => "expired",
    }
}

/// The request behind a command's code.
fn operation(command: &str) -> &str {
    match command {
        "place_hold" => "POST /holds",
        "release_hold" => "DELETE /holds/{hold_id}",
        "give_back" => "DELETE /holds/{hold_id}/items",
        "place_order" => "POST /orders",
        "cancel_order" => "DELETE /orders/{order_id}",
        other => other,
    }
}
