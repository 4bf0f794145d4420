//! The event's memory of holds and orders, and the facts that follow when one begins or ends. What moves
//! with them is in its [`Stock`](super::stock::Stock) and [`Ledger`](super::ledger::Ledger).

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use super::fact::{Fact, Ticket};
use super::ledger::Ledger;
use super::stock::Stock;
use crate::buyer::BuyerId;
use crate::hold::{Claim, Hold, HoldStatus};
use crate::id::{AttemptId, HoldId, OrderId, RefundId, TicketId};
use crate::moment::Moment;
use crate::order::{Order, OrderStatus, Verdict};
use crate::plan::Plan;
use crate::pricing::Quote;
use crate::refund::{Refund, SoldOrder};
use crate::section::SeatState;

/// What a claim costs.
#[derive(Debug)]
pub(super) struct Bill {
    pub(super) unit_prices: Vec<i64>,
    pub(super) quote: Quote,
}

#[derive(Debug)]
pub(super) struct Book {
    plan: Arc<Plan>,
    /// Each by itself: when the table grows it moves them all at once, and with half a million holds of a
    /// quarter of a kilobyte in it that stopped the sale for 0.3 s.
    holds: HashMap<HoldId, Box<Hold>>,
    orders: HashMap<OrderId, Order>,
    /// Whose tickets came back by which refund.
    refunds: HashMap<RefundId, OrderId>,
    stock: Stock,
    ledger: Ledger,
    /// Active holds, soonest end first.
    ends: BTreeSet<(Moment, HoldId)>,
    /// Holds that were forgotten once and asked for again: they stay.
    kept: HashSet<HoldId>,
}

impl Book {
    pub(super) fn new(plan: Arc<Plan>) -> Self {
        Self {
            stock: Stock::new(Arc::clone(&plan)),
            plan,
            holds: HashMap::new(),
            orders: HashMap::new(),
            refunds: HashMap::new(),
            ledger: Ledger::default(),
            ends: BTreeSet::new(),
            kept: HashSet::new(),
        }
    }

    /// Seats and places, and who has them.
    pub(super) fn stock(&self) -> &Stock {
        &self.stock
    }

    /// To be restored while the event is rebuilt; or, by an operator, blocked and unblocked.
    pub(super) fn stock_mut(&mut self) -> &mut Stock {
        &mut self.stock
    }

    /// A frozen hold stays as it is, even once its time has come.
    pub(super) fn restore_hold(&mut self, hold: Hold, frozen: bool) {
        if hold.status == HoldStatus::Active {
            self.ledger.hold(&hold.buyer, hold.id, hold.claim.quantity());
            if !frozen {
                self.ends.insert((hold.expires_at, hold.id));
            }
        }
        self.holds.insert(hold.id, Box::new(hold));
    }

    pub(super) fn restore_order(&mut self, order: Order) {
        if let Some(hold) = self.holds.get_mut(&order.hold) {
            hold.order = Some(order.id);
        }
        self.refunds.extend(order.refunds.iter().map(|refund| (refund.id, order.id)));
        self.orders.insert(order.id, order);
    }

    /// An order that was forgotten is remembered from now on.
    pub(super) fn recall(&mut self, rows: SoldOrder) {
        let SoldOrder { hold, order } = rows;
        self.kept.insert(hold.id);
        self.restore_hold(hold, false);
        self.restore_order(order);
    }

    pub(super) fn restore_owned(&mut self, buyer: &BuyerId, quantity: u32) {
        self.ledger.own(buyer, quantity);
    }

    /// How many seats are held and how many are sold, in this order. Walks everything.
    pub(super) fn taken(&self, now: Moment) -> (u32, u32) {
        let (mut counted, mut held) = (0, 0);
        for hold in self.holds.values().filter(|hold| hold.status == HoldStatus::Active) {
            counted += hold.claim.quantity();
            if hold.status_at(now) == HoldStatus::Active {
                held += hold.claim.quantity();
            }
        }
        (held, self.ledger.total() - counted)
    }

    pub(super) fn len(&self) -> usize {
        self.holds.len()
    }

    /// Holds that are active, some perhaps overdue.
    pub(super) fn open_holds(&self) -> usize {
        self.ends.len()
    }

    pub(super) fn hold(&self, id: HoldId) -> Option<&Hold> {
        self.holds.get(&id).map(Box::as_ref)
    }

    /// The hold, if it is this buyer's.
    pub(super) fn hold_of(&self, buyer: &BuyerId, id: HoldId) -> Option<&Hold> {
        self.hold(id).filter(|hold| hold.buyer == *buyer)
    }

    pub(super) fn order(&self, id: OrderId) -> Option<&Order> {
        self.orders.get(&id)
    }

    /// The refund of this name.
    pub(super) fn refund(&self, id: RefundId) -> Option<&Refund> {
        let order = self.orders.get(self.refunds.get(&id)?)?;
        order.refunds.iter().find(|refund| refund.id == id)
    }

    /// Everybody who holds or owns something.
    pub(super) fn buyers(&self) -> impl Iterator<Item = &BuyerId> {
        self.ledger.buyers()
    }

    pub(super) fn seats(&self, buyer: &BuyerId) -> u32 {
        self.ledger.seats(buyer)
    }

    /// The buyer's active holds, oldest first, some perhaps overdue.
    pub(super) fn live(&self, buyer: &BuyerId) -> impl Iterator<Item = &Hold> {
        self.ledger.live(buyer).iter().map(|id| &*self.holds[id])
    }

    /// Active holds whose time has come, soonest end first.
    pub(super) fn overdue(&self, now: Moment) -> impl Iterator<Item = HoldId> {
        self.ends.iter().take_while(move |(end, _)| *end <= now).map(|(_, hold)| *hold)
    }

    /// Active holds whose time has not come, soonest end first.
    pub(super) fn ending(&self, now: Moment) -> impl Iterator<Item = HoldId> {
        self.ends.iter().skip_while(move |(end, _)| *end <= now).map(|(_, hold)| *hold)
    }

    /// A hold begins.
    pub(super) fn place(&mut self, hold: Hold, facts: &mut Vec<Fact>) {
        let was = self.ledger.seats(&hold.buyer);
        self.ledger.hold(&hold.buyer, hold.id, hold.claim.quantity());
        self.ends.insert((hold.expires_at, hold.id));
        self.count_buyer(&hold.buyer, was, facts);
        self.stock.move_claim(&hold.claim, SeatState::Available, SeatState::Held(hold.id), facts);
        facts.push(Fact::HoldPlaced(hold.clone()));
        self.holds.insert(hold.id, Box::new(hold));
    }

    /// An active hold ends, and an open order of it with it. A converted one brings its tickets.
    pub(super) fn end(
        &mut self,
        id: HoldId,
        status: HoldStatus,
        at: Moment,
        facts: &mut Vec<Fact>,
    ) {
        let hold = self.holds.get_mut(&id).expect("only a known hold ends");
        assert_eq!(hold.status, HoldStatus::Active, "{id:?} ends twice");
        hold.status = status;
        let hold = hold.clone();
        self.ends.remove(&(hold.expires_at, id));
        let sold = status == HoldStatus::Converted;
        let was = self.ledger.seats(&hold.buyer);
        self.ledger.end(&hold.buyer, id, hold.claim.quantity(), sold);
        self.count_buyer(&hold.buyer, was, facts);
        let becomes = if sold { SeatState::Sold(id) } else { SeatState::Available };
        self.stock.move_claim(&hold.claim, SeatState::Held(id), becomes, facts);
        facts.push(Fact::HoldEnded { hold: id, status, at });
        if let Some(order) = hold.order.and_then(|order| self.orders.get_mut(&order)) {
            order.status = match status {
                HoldStatus::Converted => OrderStatus::Confirmed,
                HoldStatus::Released => OrderStatus::Cancelled,
                HoldStatus::Expired => OrderStatus::Expired,
                HoldStatus::Active => unreachable!("a hold does not end as active"),
            };
            facts.push(Fact::OrderEnded { order: order.id, status: order.status, at });
        }
        if sold {
            facts.extend(tickets(&hold, &self.plan).map(Fact::TicketIssued));
        }
    }

    /// An active hold gives a part of what it took back; what is left of it is priced anew.
    pub(super) fn reduce(
        &mut self,
        id: HoldId,
        part: Claim,
        bill: Bill,
        at: Moment,
        facts: &mut Vec<Fact>,
    ) {
        let hold = self.holds.get_mut(&id).expect("only a known hold is reduced");
        hold.claim = hold.claim.without(&part);
        (hold.unit_prices, hold.quote) = (bill.unit_prices, bill.quote);
        let hold = Hold::clone(hold);
        let was = self.ledger.seats(&hold.buyer);
        self.ledger.reduce(&hold.buyer, part.quantity());
        self.count_buyer(&hold.buyer, was, facts);
        self.stock.move_claim(&part, SeatState::Held(id), SeatState::Available, facts);
        facts.push(Fact::HoldReduced { hold, part, at });
    }

    /// An active hold lives until then, if its end was not put off before.
    pub(super) fn extend(
        &mut self,
        id: HoldId,
        attempt: AttemptId,
        expires_at: Moment,
        at: Moment,
        facts: &mut Vec<Fact>,
    ) {
        let hold = self.holds.get_mut(&id).expect("only a known hold is extended");
        if hold.extended {
            return;
        }
        let was = std::mem::replace(&mut hold.expires_at, expires_at);
        hold.extended = true;
        self.ends.remove(&(was, id));
        self.ends.insert((expires_at, id));
        facts.push(Fact::HoldExtended { hold: id, attempt, was, expires_at, at });
    }

    /// An order is made for a hold that it does not end.
    pub(super) fn order_hold(&mut self, order: Order, facts: &mut Vec<Fact>) {
        self.holds.get_mut(&order.hold).expect("an order has a hold").order = Some(order.id);
        facts.push(Fact::OrderPlaced(order.clone()));
        self.orders.insert(order.id, order);
    }

    /// Sold tickets come back; their seats are free, or blocked.
    pub(super) fn take_back(
        &mut self,
        refund: Refund,
        part: Claim,
        becomes: SeatState,
        facts: &mut Vec<Fact>,
    ) {
        let order = self.orders.get_mut(&refund.order).expect("what comes back has an order");
        order.refunds.push(refund.clone());
        let (hold, buyer) = (order.hold, order.buyer.clone());
        self.refunds.insert(refund.id, refund.order);
        // It may be older than holds are remembered for: whoever asks again is to find it.
        self.kept.insert(hold);
        let was = self.ledger.seats(&buyer);
        self.ledger.give_back(&buyer, part.quantity());
        self.count_buyer(&buyer, was, facts);
        self.stock.move_claim(&part, SeatState::Sold(hold), becomes, facts);
        facts.push(Fact::TicketsReturned { refund, part });
    }

    /// An authorised attempt is decided.
    pub(super) fn decide_attempt(
        &mut self,
        id: OrderId,
        attempt: AttemptId,
        verdict: Verdict,
        facts: &mut Vec<Fact>,
    ) {
        let order = self.orders.get_mut(&id).expect("an attempt has an order");
        order.verdicts.push((attempt, verdict));
        facts.push(Fact::AttemptDecided { attempt, order: id, verdict });
    }

    /// These are not forgotten, however old.
    pub(super) fn keep(&mut self, holds: &[HoldId]) {
        self.kept.extend(holds);
    }

    /// Forgets ended holds that began before this instant, and their orders, to make room for new
    /// keys; but none whose order a remembered key stands for. Their rows stay. An attempt that is
    /// still undecided then is told the same of a forgotten order as of an ended one.
    pub(super) fn forget_before(&mut self, instant: Moment, answers: impl Fn(OrderId) -> bool) {
        let (orders, refunds, named) = (&mut self.orders, &mut self.refunds, &self.kept);
        self.holds.retain(|id, hold| {
            let young = hold.created_at > instant || hold.status == HoldStatus::Active;
            let kept = young || named.contains(id) || hold.order.is_some_and(&answers);
            if !kept && let Some(order) = hold.order {
                let order = orders.remove(&order);
                order.iter().flat_map(|it| &it.refunds).for_each(|it| _ = refunds.remove(&it.id));
            }
            kept
        });
    }

    fn count_buyer(&self, buyer: &BuyerId, was: u32, facts: &mut Vec<Fact>) {
        let becomes = self.ledger.seats(buyer);
        if was != becomes {
            facts.push(Fact::Buyer { buyer: buyer.clone(), was, becomes });
        }
    }
}

/// The tickets of a sold hold: one a seat or place, numbered in the claim's order.
fn tickets(hold: &Hold, plan: &Plan) -> impl Iterator<Item = Ticket> {
    let order = OrderId::of(hold.id);
    let seats = hold.claim.seats.iter().map(|seat| (plan.seat(*seat).section, Some(*seat)));
    let places = hold.claim.places.iter();
    let places = places.flat_map(|(section, n)| std::iter::repeat_n((*section, None), *n as usize));
    (0..).zip(seats.chain(places)).map(move |(place, (section, seat))| Ticket {
        id: TicketId::of(order, place),
        order,
        section,
        seat,
    })
}
