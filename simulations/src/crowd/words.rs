//! From the oracle's words into the product's, and back.

use std::collections::HashMap;

use taquilla_auditor::oracle::{
    Asked, Claim, HoldName, HoldShown, HoldState, OrderShown, OrderState, Question, Refund as Back,
    RefundShown, Reply, Told, Wish,
};
use taquilla_engine::answer::{Answer, Outcome};
use taquilla_engine::buyer::BuyerId;
use taquilla_engine::command::{BestWish, Command, Keyed, Wish as Wanted};
use taquilla_engine::hold::{self, Hold, HoldStatus};
use taquilla_engine::id::{
    AttemptId, HoldId, OrderId, ReceiptId, RefundId, SeatIndex, SectionIndex, TicketId,
};
use taquilla_engine::moment::Moment;
use taquilla_engine::order::{Order, OrderStatus, Verdict};
use taquilla_engine::refund::{Cause, Refund, TicketReturn};
use taquilla_engine::waiting_room::admission::Admission;

use super::operations;
use super::refusals;
use super::venue::EVENT;

/// The place of a ticket that no order has: no hold takes so many.
pub(super) const UNKNOWN: u32 = 100;

/// What ids stand for. The product derives them; they are learnt as they are used.
#[derive(Debug, Default)]
pub(super) struct Names {
    holds: HashMap<HoldId, HoldName>,
    orders: HashMap<OrderId, HoldName>,
    attempts: HashMap<AttemptId, u32>,
    receipts: HashMap<ReceiptId, (u32, u32)>,
    refunds: HashMap<RefundId, u32>,
    /// By their place in the order, of all orders of which somebody asked some back.
    tickets: HashMap<TicketId, u32>,
}

pub(super) fn buyer(number: u32) -> BuyerId {
    BuyerId::parse(&format!("buyer-{number}")).expect("a short name")
}

pub(super) fn buyer_number(buyer: &BuyerId) -> u32 {
    let number = buyer.as_str().strip_prefix("buyer-").and_then(|number| number.parse().ok());
    number.expect("buyers are numbered")
}

fn keyed(key: u32, body: u64) -> Keyed {
    let mut fingerprint = [0; 32];
    fingerprint[..8].copy_from_slice(&body.to_be_bytes());
    Keyed { key: key.to_string().into(), fingerprint }
}

impl Names {
    fn hold_id(&mut self, name: HoldName) -> HoldId {
        let id = HoldId::derive(EVENT, &buyer(name.buyer), &name.key.to_string());
        self.holds.insert(id, name);
        self.orders.insert(OrderId::of(id), name);
        id
    }

    /// A hold that somebody asked for or about.
    pub(super) fn hold(&self, id: HoldId) -> HoldName {
        self.holds[&id]
    }

    /// The hold of an order.
    pub(super) fn order(&self, id: OrderId) -> HoldName {
        self.orders[&id]
    }

    pub(super) fn attempt(&self, id: AttemptId) -> u32 {
        self.attempts[&id]
    }

    /// Who asked for an order, and with which key.
    pub(super) fn receipt(&self, id: ReceiptId) -> (u32, u32) {
        self.receipts[&id]
    }

    pub(super) fn command(&mut self, question: &Question) -> Command {
        let who = buyer(question.buyer);
        match &question.asked {
            Asked::Place { key, body, wish, admitted } => {
                self.hold_id(HoldName { buyer: question.buyer, key: *key });
                let (keyed, wish) = (keyed(*key, *body), wanted(wish));
                Command::PlaceHold {
                    buyer: who,
                    keyed,
                    wish,
                    admission: admitted.then_some(Admission::ALWAYS),
                }
            }
            Asked::Release { hold } => {
                Command::ReleaseHold { buyer: who, hold: self.hold_id(*hold) }
            }
            Asked::GiveBack { hold, part } => {
                let part = part.as_ref().map(claimed).map_err(Clone::clone);
                Command::GiveBack { buyer: who, hold: self.hold_id(*hold), part }
            }
            Asked::Order { key, body, hold } => {
                let receipt = ReceiptId::derive(EVENT, "orders", &who, &key.to_string());
                self.receipts.insert(receipt, (question.buyer, *key));
                let (keyed, hold) = (keyed(*key, *body), self.hold_id(*hold));
                Command::PlaceOrder { buyer: who, keyed, hold, admission: Some(Admission::ALWAYS) }
            }
            Asked::Cancel { order_of } => {
                let order = OrderId::of(self.hold_id(*order_of));
                Command::CancelOrder { buyer: who, order }
            }
            Asked::Confirm { order_of, attempt } => {
                let order = OrderId::of(self.hold_id(*order_of));
                let key = format!("{}-{attempt}", order_of.key);
                let id = AttemptId::derive(EVENT, &buyer(order_of.buyer), &key);
                self.attempts.insert(id, *attempt);
                Command::ConfirmOrder { order, attempt: id }
            }
            Asked::Read { hold } => Command::ReadHold { buyer: who, hold: self.hold_id(*hold) },
            Asked::List => Command::ReadHolds { buyer: who },
            Asked::Refund(asked) => self.ticket_return(asked),
            Asked::Operate { deed, change } => {
                Command::Operate(Box::new(operations::operation(*deed, change)))
            }
        }
    }

    /// As an operator asks; what the door knows of the order it knows without its rows.
    fn ticket_return(&mut self, asked: &Back) -> Command {
        let Back { key, body, order_of, tickets } = asked;
        let order = OrderId::of(self.hold_id(*order_of));
        let Keyed { key: word, fingerprint } = keyed(*key, *body);
        let refund = RefundId::derive(EVENT, "olga", &word);
        self.refunds.insert(refund, *key);
        let ticket = |place: &u32| TicketId::of(order, *place);
        if !self.tickets.contains_key(&ticket(&UNKNOWN)) {
            self.tickets.extend((0..=UNKNOWN).map(|place| (ticket(&place), place)));
        }
        Command::ReturnTickets(Box::new(TicketReturn {
            refund,
            fingerprint,
            order,
            buyer: buyer(order_of.buyer),
            tickets: tickets.as_ref().map(|places| places.iter().map(ticket).collect()),
            cause: Cause::Refund,
            reason: "".into(),
            who: "olga".into(),
            deed: None,
            rows: None,
        }))
    }

    pub(super) fn ticket(&self, id: TicketId) -> u32 {
        self.tickets[&id]
    }

    pub(super) fn refund(&self, id: RefundId) -> u32 {
        self.refunds[&id]
    }

    pub(super) fn refund_shown(&self, refund: &Refund) -> RefundShown {
        RefundShown {
            key: self.refund(refund.id),
            order_of: self.order(refund.order),
            tickets: refund.tickets.iter().map(|it| self.ticket(*it)).collect(),
            amount: refund.amount,
        }
    }

    pub(super) fn reply(&self, answer: &Answer) -> Reply {
        let told = match &answer.outcome {
            Outcome::Hold(hold) => Told::Hold(Box::new(self.shown(hold, hold.order.is_some()))),
            Outcome::Holds(holds) => {
                Told::Holds(holds.iter().map(|it| self.shown(it, it.order.is_some())).collect())
            }
            Outcome::Released => Told::Released,
            Outcome::Order { order, hold, created } => {
                Told::Order(Box::new(self.order_shown(order, hold, *created)))
            }
            Outcome::Verdict(verdict) => Told::Verdict(*verdict == Verdict::Confirmed),
            Outcome::Refunded(refund) => Told::Refunded(self.refund_shown(refund)),
            Outcome::Extension(_) => unreachable!("nobody of the crowd asks for longer"),
            Outcome::Operated(operated) => Told::Operated(operated.blocked),
            Outcome::Refused(refusal) => Told::Refused(refusals::told(refusal, self)),
        };
        Reply { told, replayed: answer.replayed, as_of: answer.as_of.0 }
    }

    /// The hold as it says it is, whatever the time.
    pub(super) fn shown(&self, hold: &Hold, ordered: bool) -> HoldShown {
        let remarks = hold.remarks.as_deref();
        HoldShown {
            name: self.hold(hold.id),
            status: state(hold.status),
            claim: told(&hold.claim),
            unit_prices: hold.unit_prices.clone(),
            fees: hold.quote.fees.clone(),
            total: hold.quote.total,
            declined: remarks.map(|remarks| told(&remarks.declined)).unwrap_or_default(),
            split: remarks.and_then(|remarks| remarks.choice.as_ref()).map(|choice| choice.split),
            created_at: hold.created_at.0,
            expires_at: hold.expires_at.0,
            ordered,
        }
    }

    /// Attempts that were decided, in that order, and whether each was confirmed.
    pub(super) fn verdicts(&self, order: &Order) -> Vec<(u32, bool)> {
        let verdicts = order.verdicts.iter();
        verdicts.map(|(id, verdict)| (self.attempt(*id), *verdict == Verdict::Confirmed)).collect()
    }

    pub(super) fn order_shown(&self, order: &Order, hold: &Hold, created: bool) -> OrderShown {
        let status = match (order.status, hold.status) {
            (OrderStatus::Open, HoldStatus::Expired) | (OrderStatus::Expired, _) => {
                OrderState::Expired
            }
            (OrderStatus::Open, _) => OrderState::Open,
            (OrderStatus::Confirmed, _) => OrderState::Confirmed,
            (OrderStatus::Cancelled, _) => OrderState::Cancelled,
        };
        OrderShown {
            hold: self.shown(hold, true),
            status,
            total: order.total,
            created_at: order.created_at.0,
            verdicts: self.verdicts(order),
            created,
        }
    }
}

/// The hold as its readers see it at this instant.
pub(super) fn seen(hold: &Hold, at: Moment) -> Hold {
    Hold { status: hold.status_at(at), ..hold.clone() }
}

fn wanted(wish: &Wish) -> Wanted {
    match wish {
        Wish::Claim { claim, fewer } => {
            Wanted::Claim { claim: claimed(claim), accept_fewer: *fewer }
        }
        Wish::Best { best, fewer } => {
            let wish = BestWish {
                quantity: best.quantity,
                section: best.section.map(SectionIndex),
                tier: best.tier,
                adjacent: best.adjacent,
                accessible: best.accessible,
            };
            Wanted::Best { wish, accept_fewer: *fewer }
        }
        Wish::Unknown(names) => Wanted::Unknown(names.clone()),
    }
}

pub(super) fn claimed(claim: &Claim) -> hold::Claim {
    let places = claim.places.iter().map(|(section, quantity)| (SectionIndex(*section), *quantity));
    hold::Claim {
        seats: claim.seats.iter().copied().map(SeatIndex).collect(),
        places: places.collect(),
    }
}

fn told(claim: &hold::Claim) -> Claim {
    let places = claim.places.iter().map(|(section, quantity)| (section.0, *quantity));
    Claim { seats: claim.seats.iter().map(|seat| seat.0).collect(), places: places.collect() }
}

pub(super) fn state(status: HoldStatus) -> HoldState {
    match status {
        HoldStatus::Active => HoldState::Active,
        HoldStatus::Released => HoldState::Released,
        HoldStatus::Expired => HoldState::Expired,
        HoldStatus::Converted => HoldState::Converted,
    }
}
