//! What the oracle remembers: every hold there ever was, what keys stand for, and who had what when.

use super::hall::Bill;
use super::returns::KeyedRefund;
use super::seats::Tenures;
use super::{
    BTreeSet, Claim, Hall, HashMap, HoldName, HoldShown, HoldState, Instant, OrderRow, OrderShown,
    OrderState, Refusal,
};

/// How a hold stands, by what was decided. One that is `Living` may be over by the clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    Living,
    Released,
    Expired,
    /// Given back while its time ran out: nobody has said yet which came first.
    ReleasedOrExpired,
    Sold,
}

/// A hold and its order.
#[derive(Debug, Clone)]
pub(super) struct Hold {
    pub(super) name: HoldName,
    pub(super) body: u64,
    pub(super) claim: Claim,
    pub(super) bill: Bill,
    pub(super) declined: Claim,
    pub(super) split: Option<bool>,
    pub(super) created_at: Instant,
    pub(super) expires_at: Instant,
    pub(super) fate: Fate,
    pub(super) order: Option<Order>,
    /// Tickets that came back, by their place in the claim.
    pub(super) returned: Vec<u32>,
}

#[derive(Debug, Clone)]
pub(super) struct Order {
    pub(super) total: i64,
    pub(super) created_at: Instant,
    pub(super) verdicts: Vec<(u32, bool)>,
}

/// A refused hold's key stands for that for a minute.
#[derive(Debug)]
pub(super) struct Refused {
    pub(super) body: u64,
    pub(super) refusal: Refusal,
    pub(super) at: Instant,
}

/// What a key of an order's request stands for.
#[derive(Debug)]
pub(super) struct Receipt {
    pub(super) body: u64,
    pub(super) result: Result<(HoldName, bool), HoldState>,
}

#[derive(Debug)]
pub(super) struct State {
    pub(super) holds: HashMap<HoldName, Hold>,
    /// Of each buyer, in the order in which they were granted.
    by_buyer: HashMap<u32, Vec<HoldName>>,
    pub(super) refused: HashMap<HoldName, Refused>,
    /// By buyer and key.
    pub(super) receipts: HashMap<(u32, u32), Receipt>,
    /// By the operator's key.
    pub(super) refunds: HashMap<u32, KeyedRefund>,
    pub(super) tenures: Tenures,
    /// When each hold is over by the clock.
    pub(super) ends: BTreeSet<(Instant, HoldName)>,
    /// Holds that were decided to end, or that others built on the end of; the rows must say so next.
    pub(super) due: BTreeSet<HoldName>,
}

impl State {
    pub(super) fn new(hall: &Hall) -> Self {
        Self {
            holds: HashMap::new(),
            by_buyer: HashMap::new(),
            refused: HashMap::new(),
            receipts: HashMap::new(),
            refunds: HashMap::new(),
            tenures: Tenures::new(hall),
            ends: BTreeSet::new(),
            due: BTreeSet::new(),
        }
    }

    pub(super) fn hold_of(&self, buyer: u32, name: HoldName) -> Option<&Hold> {
        self.holds.get(&name).filter(|hold| hold.name.buyer == buyer)
    }

    pub(super) fn holds_of(&self, buyer: u32) -> impl Iterator<Item = &Hold> {
        self.by_buyer.get(&buyer).into_iter().flatten().map(|name| &self.holds[name])
    }

    /// Seats that count for the buyer's limit at this instant.
    pub(super) fn held_by(&self, buyer: u32, at: Instant) -> u32 {
        let counts =
            |hold: &&Hold| matches!(hold.status(at), HoldState::Active | HoldState::Converted);
        self.holds_of(buyer).filter(counts).map(Hold::left).sum()
    }

    /// How many seats and places are held and how many are sold at this instant.
    pub(super) fn taken(&self, at: Instant) -> (u32, u32) {
        let of = |status: HoldState| {
            let so = self.holds.values().filter(|hold| hold.status(at) == status);
            so.map(Hold::left).sum()
        };
        (of(HoldState::Active), of(HoldState::Converted))
    }

    /// A hold begins; whoever had one of its seats is over.
    pub(super) fn begin(&mut self, hold: Hold, at: Instant) {
        let displaced = self.tenures.begin(&hold, at);
        self.over(displaced);
        let over: Vec<HoldName> = self
            .holds_of(hold.name.buyer)
            .filter(|it| it.fate == Fate::Living && it.expires_at <= hold.created_at)
            .map(|it| it.name)
            .collect();
        self.due.extend(over);
        self.ends.insert((hold.expires_at, hold.name));
        self.by_buyer.entry(hold.name.buyer).or_default().push(hold.name);
        self.holds.insert(hold.name, hold);
    }

    /// Somebody builds on the end of these.
    pub(super) fn over(&mut self, displaced: impl IntoIterator<Item = HoldName>) {
        let living = |it: &HoldName| self.holds[it].fate == Fate::Living;
        self.due.extend(displaced.into_iter().filter(living));
    }

    /// A hold ends by somebody's word.
    pub(super) fn end(&mut self, name: HoldName, fate: Fate, at: Instant) {
        let hold = self.holds.get_mut(&name).expect("the caller has just seen it");
        hold.fate = fate;
        match fate {
            Fate::Sold => self.tenures.sell(name, &hold.claim, at),
            Fate::Released => self.tenures.end(name, &hold.claim, at),
            Fate::ReleasedOrExpired => self.tenures.doubt(name, &hold.claim, at),
            // The clock has ended it already.
            Fate::Living | Fate::Expired => {}
        }
        self.due.insert(name);
    }
}

impl Hold {
    /// What it is at this instant.
    pub(super) fn status(&self, at: Instant) -> HoldState {
        match self.fate {
            Fate::Living if at >= self.expires_at => HoldState::Expired,
            Fate::Living => HoldState::Active,
            Fate::Released | Fate::ReleasedOrExpired => HoldState::Released,
            Fate::Expired => HoldState::Expired,
            Fate::Sold => HoldState::Converted,
        }
    }

    pub(super) fn shown(&self, at: Instant) -> HoldShown {
        let Bill { unit_prices, fees, total } = self.bill.clone();
        HoldShown {
            name: self.name,
            status: self.status(at),
            claim: self.claim.clone(),
            unit_prices,
            fees,
            total,
            declined: self.declined.clone(),
            split: self.split,
            created_at: self.created_at,
            expires_at: self.expires_at,
            ordered: self.order.is_some(),
        }
    }

    /// The order's row once its hold's end is written.
    pub(super) fn order_row(&self) -> Option<OrderRow> {
        let Order { total, created_at, verdicts } = self.order.clone()?;
        let status = match self.fate {
            Fate::Living => OrderState::Open,
            Fate::Released | Fate::ReleasedOrExpired => OrderState::Cancelled,
            Fate::Expired => OrderState::Expired,
            Fate::Sold => OrderState::Confirmed,
        };
        Some(OrderRow { name: self.name, status, total, created_at, verdicts })
    }

    pub(super) fn order_shown(&self, created: bool, at: Instant) -> Option<OrderShown> {
        let Order { total, created_at, verdicts } = self.order.clone()?;
        let hold = self.shown(at);
        let status = match hold.status {
            HoldState::Active => OrderState::Open,
            HoldState::Released => OrderState::Cancelled,
            HoldState::Expired => OrderState::Expired,
            HoldState::Converted => OrderState::Confirmed,
        };
        Some(OrderShown { hold, status, total, created_at, verdicts, created })
    }
}
