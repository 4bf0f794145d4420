//! Sold tickets that come back: each for its price and its share of the fees, and never twice.

use super::state::{Fate, Hold};
use super::{Claim, Difference, Oracle, Refund, RefundShown, Refusal, Reply, Told, expect};

/// What a key of a refund stands for.
#[derive(Debug, Clone)]
pub(super) struct KeyedRefund {
    pub(super) body: u64,
    pub(super) shown: RefundShown,
}

impl Oracle {
    pub(super) fn hear_refund(&mut self, reply: &Reply, asked: &Refund) -> Result<(), Difference> {
        let Refund { key, body, order_of: name, tickets } = asked;
        if let Some(first) = self.state.refunds.get(key) {
            if first.body == *body {
                return expect(Told::Refunded(first.shown.clone()), true, reply);
            }
            return expect(Told::Refused(Refusal::KeyReused), false, reply);
        }
        let hold = self.state.holds.get(name).filter(|hold| hold.order.is_some());
        let Some(hold) = hold else {
            return expect(Told::Refused(Refusal::NotFound), false, reply);
        };
        let shown = match refund(hold, *key, tickets.as_deref()) {
            Ok(shown) => shown,
            Err(refusal) => return expect(Told::Refused(refusal), false, reply),
        };
        expect(Told::Refunded(shown.clone()), false, reply)?;
        self.rows.touch(hold);
        let part = hold.part(&shown.tickets);
        self.state.tenures.end(*name, &part, reply.as_of);
        if let Some(hold) = self.state.holds.get_mut(name) {
            hold.returned.extend(&shown.tickets);
        }
        self.rows.refunds.push(*key);
        self.state.refunds.insert(*key, KeyedRefund { body: *body, shown });
        Ok(())
    }
}

/// What is owed for these tickets; for all that are left, if none is named.
fn refund(hold: &Hold, key: u32, tickets: Option<&[u32]>) -> Result<RefundShown, Refusal> {
    let all = 0..hold.claim.quantity();
    let unknown = |ticket: &u32| !all.contains(ticket);
    if let Some(unknown) = tickets.map(|named| named.iter().copied().filter(unknown))
        && unknown.clone().count() > 0
    {
        return Err(Refusal::UnknownTickets(unknown.collect()));
    }
    let is_back = |ticket: &u32| hold.returned.contains(ticket);
    let mut tickets: Vec<u32> = match tickets {
        Some(named) => named.to_vec(),
        None => all.filter(|ticket| !is_back(ticket)).collect(),
    };
    tickets.sort_unstable();
    if hold.fate != Fate::Sold || tickets.is_empty() || tickets.iter().any(is_back) {
        return Err(Refusal::RefundNotPossible);
    }
    let prices = &hold.bill.unit_prices;
    let mut amount: i64 = tickets.iter().map(|ticket| prices[*ticket as usize]).sum();
    for fee in &hold.bill.fees {
        let parts = parts_of_fee(*fee, prices);
        amount += tickets.iter().map(|ticket| parts[*ticket as usize]).sum::<i64>();
    }
    Ok(RefundShown { key, order_of: hold.name, tickets, amount })
}

/// Unit by unit: each goes to the ticket that lacks most of its exact part, the first where several do.
fn parts_of_fee(fee: i64, prices: &[i64]) -> Vec<i64> {
    let sum: i128 = prices.iter().map(|price| i128::from(*price)).sum();
    if sum == 0 {
        return vec![0; prices.len()];
    }
    let exact = |price: &i64| i128::from(fee) * i128::from(*price);
    let mut parts: Vec<i64> = prices.iter().map(|price| (exact(price) / sum) as i64).collect();
    while parts.iter().sum::<i64>() < fee {
        let lacks = |at: &usize| exact(&prices[*at]) - i128::from(parts[*at]) * sum;
        let most = (0..prices.len()).map(|at| lacks(&at)).max();
        let first = (0..prices.len()).find(|at| Some(lacks(at)) == most);
        parts[first.unwrap_or(0)] += 1;
    }
    parts
}

impl Hold {
    /// What the tickets at these places of the claim are for.
    fn part(&self, tickets: &[u32]) -> Claim {
        let is_in = |place: &usize| tickets.iter().any(|ticket| *ticket as usize == *place);
        let seats = self.claim.seats.iter().enumerate().filter(|(place, _)| is_in(place));
        let seats = seats.map(|(_, seat)| *seat).collect();
        let (mut place, mut places) = (self.claim.seats.len(), Vec::new());
        for (section, quantity) in &self.claim.places {
            let of_section = place..place + *quantity as usize;
            place = of_section.end;
            let back = of_section.filter(is_in).count() as u32;
            if back > 0 {
                places.push((*section, back));
            }
        }
        Claim { seats, places }
    }

    /// How many seats and places it still has of what it took.
    pub(super) fn left(&self) -> u32 {
        self.claim.quantity() - self.returned.len() as u32
    }
}
