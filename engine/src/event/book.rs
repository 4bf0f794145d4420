//! The event's memory of holds and orders, and the facts that follow when one begins or ends.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use super::fact::{Fact, Places, Ticket};
use super::ledger::Ledger;
use crate::buyer::BuyerId;
use crate::hold::{Claim, Hold, HoldStatus};
use crate::id::{AttemptId, HoldId, OrderId, SeatIndex, SectionIndex, TicketId};
use crate::moment::Moment;
use crate::order::{Order, OrderStatus, Verdict};
use crate::plan::Plan;
use crate::pricing::Quote;
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
    holds: HashMap<HoldId, Hold>,
    orders: HashMap<OrderId, Order>,
    places: Vec<Places>,
    /// Of each section, the seats that nobody has, overdue holds counted as holds.
    free_seats: Vec<u32>,
    blocked: u32,
    ledger: Ledger,
    /// Active holds, soonest end first.
    ends: BTreeSet<(Moment, HoldId)>,
}

impl Book {
    pub(super) fn new(plan: Arc<Plan>) -> Self {
        let places = vec![Places::default(); plan.sections().len()];
        let free_seats = plan.sections().iter().map(|section| section.capacity()).collect();
        Self {
            plan,
            holds: HashMap::new(),
            orders: HashMap::new(),
            places,
            free_seats,
            blocked: 0,
            ledger: Ledger::default(),
            ends: BTreeSet::new(),
        }
    }

    /// Puts stored things back while the event is rebuilt.
    pub(super) fn restore_places(&mut self, section: SectionIndex, places: Places) {
        self.places[usize::from(section.0)] = places;
    }

    pub(super) fn restore_seat(&mut self, seat: SeatIndex) {
        self.free_seats[usize::from(self.plan.seat(seat).section.0)] -= 1;
    }

    /// A frozen hold stays as it is, even once its time has come.
    pub(super) fn restore_hold(&mut self, hold: Hold, frozen: bool) {
        if hold.status == HoldStatus::Active {
            self.ledger.hold(&hold.buyer, hold.id, hold.claim.quantity());
            if !frozen {
                self.ends.insert((hold.expires_at, hold.id));
            }
        }
        self.holds.insert(hold.id, hold);
    }

    pub(super) fn restore_order(&mut self, order: Order) {
        if let Some(hold) = self.holds.get_mut(&order.hold) {
            hold.order = Some(order.id);
        }
        self.orders.insert(order.id, order);
    }

    pub(super) fn restore_owned(&mut self, buyer: &BuyerId, quantity: u32) {
        self.ledger.own(buyer, quantity);
    }

    pub(super) fn restore_blocked(&mut self, seats: u32) {
        self.blocked = seats;
    }

    /// Seats that are not for sale.
    pub(super) fn blocked(&self) -> u32 {
        self.blocked
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

    pub(super) fn hold(&self, id: HoldId) -> Option<&Hold> {
        self.holds.get(&id)
    }

    /// The hold, if it is this buyer's.
    pub(super) fn hold_of(&self, buyer: &BuyerId, id: HoldId) -> Option<&Hold> {
        self.holds.get(&id).filter(|hold| hold.buyer == *buyer)
    }

    pub(super) fn order(&self, id: OrderId) -> Option<&Order> {
        self.orders.get(&id)
    }

    pub(super) fn seats(&self, buyer: &BuyerId) -> u32 {
        self.ledger.seats(buyer)
    }

    /// The buyer's active holds, oldest first, some perhaps overdue.
    pub(super) fn live(&self, buyer: &BuyerId) -> impl Iterator<Item = &Hold> {
        self.ledger.live(buyer).iter().map(|id| &self.holds[id])
    }

    /// How many seats of the section nobody has; those of overdue holds are not among them.
    pub(super) fn free_seats(&self, section: SectionIndex) -> u32 {
        self.free_seats[usize::from(section.0)]
    }

    /// Active holds whose time has come, soonest end first.
    pub(super) fn overdue(&self, now: Moment) -> impl Iterator<Item = HoldId> {
        self.ends.iter().take_while(move |(end, _)| *end <= now).map(|(_, hold)| *hold)
    }

    /// A hold begins.
    pub(super) fn place(&mut self, hold: Hold, facts: &mut Vec<Fact>) {
        let was = self.ledger.seats(&hold.buyer);
        self.ledger.hold(&hold.buyer, hold.id, hold.claim.quantity());
        self.ends.insert((hold.expires_at, hold.id));
        self.count_buyer(&hold.buyer, was, facts);
        self.move_claim(&hold.claim, SeatState::Available, SeatState::Held(hold.id), facts);
        facts.push(Fact::HoldPlaced(hold.clone()));
        self.holds.insert(hold.id, hold);
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
        self.move_claim(&hold.claim, SeatState::Held(id), becomes, facts);
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
        let hold = hold.clone();
        let was = self.ledger.seats(&hold.buyer);
        self.ledger.reduce(&hold.buyer, part.quantity());
        self.count_buyer(&hold.buyer, was, facts);
        self.move_claim(&part, SeatState::Held(id), SeatState::Available, facts);
        facts.push(Fact::HoldReduced { hold, part, at });
    }

    /// An order is made for a hold that it does not end.
    pub(super) fn order_hold(&mut self, order: Order, facts: &mut Vec<Fact>) {
        self.holds.get_mut(&order.hold).expect("an order has a hold").order = Some(order.id);
        facts.push(Fact::OrderPlaced(order.clone()));
        self.orders.insert(order.id, order);
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

    /// Forgets ended holds that began before this instant, and their orders, to make room for new
    /// keys. Their rows stay.
    pub(super) fn forget_before(&mut self, instant: Moment) {
        let orders = &mut self.orders;
        self.holds.retain(|_, hold| {
            let kept = hold.created_at >= instant || hold.status == HoldStatus::Active;
            if !kept && let Some(order) = hold.order {
                orders.remove(&order);
            }
            kept
        });
    }

    /// Free seats are taken off sale.
    pub(super) fn block(&mut self, seats: &[SeatIndex], at: Moment, facts: &mut Vec<Fact>) {
        self.blocked += u32::try_from(seats.len()).expect("a plan's seats fit");
        self.move_seats(seats, SeatState::Available, SeatState::Blocked, facts);
        facts.push(Fact::SeatsBlocked { seats: seats.to_vec(), at });
    }

    /// Blocked seats are put back on sale.
    pub(super) fn unblock(&mut self, seats: &[SeatIndex], at: Moment, facts: &mut Vec<Fact>) {
        self.blocked -= u32::try_from(seats.len()).expect("a plan's seats fit");
        self.move_seats(seats, SeatState::Blocked, SeatState::Available, facts);
        facts.push(Fact::SeatsUnblocked { seats: seats.to_vec(), at });
    }

    fn count_buyer(&self, buyer: &BuyerId, was: u32, facts: &mut Vec<Fact>) {
        let becomes = self.ledger.seats(buyer);
        if was != becomes {
            facts.push(Fact::Buyer { buyer: buyer.clone(), was, becomes });
        }
    }

    fn move_seats(
        &mut self,
        seats: &[SeatIndex],
        was: SeatState,
        becomes: SeatState,
        facts: &mut Vec<Fact>,
    ) {
        for seat in seats {
            let free = &mut self.free_seats[usize::from(self.plan.seat(*seat).section.0)];
            *free -= u32::from(was == SeatState::Available);
            *free += u32::from(becomes == SeatState::Available);
            facts.push(Fact::Seat { seat: *seat, was, becomes });
        }
    }

    fn move_claim(
        &mut self,
        claim: &Claim,
        was: SeatState,
        becomes: SeatState,
        facts: &mut Vec<Fact>,
    ) {
        self.move_seats(&claim.seats, was, becomes, facts);
        for (section, quantity) in &claim.places {
            let counts = &mut self.places[usize::from(section.0)];
            let before = *counts;
            match was {
                SeatState::Held(_) => counts.held -= quantity,
                SeatState::Sold(_) => counts.sold -= quantity,
                SeatState::Available | SeatState::Blocked => {}
            }
            match becomes {
                SeatState::Held(_) => counts.held += quantity,
                SeatState::Sold(_) => counts.sold += quantity,
                SeatState::Available | SeatState::Blocked => {}
            }
            facts.push(Fact::Places { section: *section, was: before, becomes: *counts });
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
