//! What was written, against what was decided: every seat, count and buyer that either side moved, and
//! now and then all of them.

use std::collections::{BTreeMap, BTreeSet};

use super::seats::Holder;
use super::state::{Fate, Hold};
use super::{
    Difference, HoldName, HoldShown, HoldState, Instant, Kind, Oracle, OrderState, RefundShown,
    Terms, differ,
};

/// Whose a seat is, by its row.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SeatRow {
    /// Nobody's.
    #[default]
    Free,
    /// This hold's.
    Held(HoldName),
    /// Sold with this hold.
    Sold(HoldName),
    /// Off sale.
    Blocked,
}

/// A ticket: of which hold, in which section, for which seat.
pub type TicketRow = (HoldName, u16, Option<u32>);

/// A ticket that is void: whose, and its place in the order.
pub type VoidRow = (HoldName, u32);

/// An order's row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrderRow {
    /// Whose it is.
    pub name: HoldName,
    /// How it stands, by its own row.
    pub status: OrderState,
    /// What it costs.
    pub total: i64,
    /// When it was made.
    pub created_at: Instant,
    /// Attempts that were decided, in that order, and whether each was confirmed.
    pub verdicts: Vec<(u32, bool)>,
}

/// What the key of a request for an order stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReceiptRow {
    /// Who asked.
    pub buyer: u32,
    /// With which key.
    pub key: u32,
    /// The order, and whether the request made it; or how the hold stood.
    pub result: Result<(HoldName, bool), HoldState>,
}

/// What one batch wrote.
#[derive(Debug, Clone, Default)]
pub struct Written {
    /// When it was sent.
    pub at: Instant,
    /// Seats that changed.
    pub seats: Vec<(u32, SeatRow)>,
    /// Sections of places that changed: held and sold.
    pub areas: Vec<(u16, (u32, u32))>,
    /// Buyers' counts that changed.
    pub buyers: Vec<(u32, u32)>,
    /// Holds that ended, new ones included.
    pub ended: Vec<(HoldName, HoldState)>,
    /// New tickets.
    pub tickets: Vec<TicketRow>,
    /// Tickets that came back.
    pub refunds: Vec<RefundShown>,
    /// New rows of the operators' trail.
    pub deeds: Vec<u32>,
}

/// All rows at one time.
#[derive(Debug, Clone)]
pub struct Everything {
    /// On what terms the event sells.
    pub terms: Terms,
    /// How many places each section has that has places.
    pub capacities: Vec<(u16, u32)>,
    /// Seats that are not free.
    pub seats: Vec<(u32, SeatRow)>,
    /// Held and sold places.
    pub areas: Vec<(u16, (u32, u32))>,
    /// Buyers' counts.
    pub buyers: Vec<(u32, u32)>,
    /// Every hold, as its row says it.
    pub holds: Vec<HoldShown>,
    /// Every order.
    pub orders: Vec<OrderRow>,
    /// Every key of a request for an order.
    pub receipts: Vec<ReceiptRow>,
    /// Every ticket.
    pub tickets: Vec<TicketRow>,
    /// Those of them that are void.
    pub void: Vec<VoidRow>,
    /// Every refund.
    pub refunds: Vec<RefundShown>,
    /// What operators did, in order.
    pub deeds: Vec<u32>,
}

/// The rows as they were last written, and what has been decided since.
#[derive(Debug, Default)]
pub(super) struct Mirror {
    seats: BTreeMap<u32, SeatRow>,
    areas: BTreeMap<u16, (u32, u32)>,
    buyers: BTreeMap<u32, u32>,
    touched: Touched,
    /// What operators did, in the order of decisions, and how much of it is written.
    pub(super) deeds: Vec<u32>,
    deeds_written: usize,
    /// The same of refunds, by their keys.
    pub(super) refunds: Vec<u32>,
    refunds_written: usize,
}

#[derive(Debug, Default)]
struct Touched {
    seats: BTreeSet<u32>,
    areas: BTreeSet<u16>,
    buyers: BTreeSet<u32>,
}

impl Mirror {
    /// Something of the hold moves.
    pub(super) fn touch(&mut self, hold: &Hold) {
        self.touched.seats.extend(&hold.claim.seats);
        self.touched.areas.extend(hold.claim.places.iter().map(|(section, _)| *section));
        self.touched.buyers.insert(hold.name.buyer);
    }

    /// These seats go off sale, or on.
    pub(super) fn moved(&mut self, seats: &[u32]) {
        self.touched.seats.extend(seats);
    }

    /// The section has another number of places.
    pub(super) fn resized(&mut self, section: u16) {
        self.touched.areas.insert(section);
    }
}

impl Oracle {
    /// A batch was written; its answers, if anybody is left to hear them, have all been heard.
    ///
    /// # Errors
    /// [`Difference`].
    pub fn learn(&mut self, written: &Written) -> Result<(), Difference> {
        for (name, status) in &written.ended {
            self.end_by_row(*name, *status, written)?;
        }
        if let Some(name) = self.state.due.first() {
            return differ(format!("the end of hold {name:?}"), &written.ended);
        }
        let sold = |name: HoldName| written.ended.contains(&(name, HoldState::Converted));
        if let Some(ticket) = written.tickets.iter().find(|(name, _, _)| !sold(*name)) {
            return differ("tickets of what is sold just now", ticket);
        }
        same(&"deeds", &self.rows.deeds[self.rows.deeds_written..], &written.deeds)?;
        self.rows.deeds_written = self.rows.deeds.len();
        let refunds = &self.rows.refunds[self.rows.refunds_written..];
        same(&"refunds", self.refunds_of(refunds), written.refunds.clone())?;
        self.rows.refunds_written = self.rows.refunds.len();
        self.rows.touched.seats.extend(written.seats.iter().map(|(seat, _)| *seat));
        self.rows.touched.areas.extend(written.areas.iter().map(|(section, _)| *section));
        self.rows.touched.buyers.extend(written.buyers.iter().map(|(buyer, _)| *buyer));
        self.rows.seats.extend(written.seats.iter().copied());
        self.rows.areas.extend(written.areas.iter().copied());
        self.rows.buyers.extend(written.buyers.iter().copied());
        let Touched { seats, areas, buyers } = std::mem::take(&mut self.rows.touched);
        for seat in seats {
            let row = self.rows.seats.get(&seat).copied().unwrap_or_default();
            same(&format_args!("seat {seat}"), self.seat_row(seat), row)?;
        }
        for section in areas {
            let row = self.rows.areas.get(&section).copied().unwrap_or_default();
            same(&format_args!("section {section}"), self.area_row(section), row)?;
            let capacity = self.hall.capacity(section);
            if row.0 + row.1 > capacity {
                return differ(format!("{capacity} places of section {section} at most"), &row);
            }
        }
        for buyer in buyers {
            let row = self.rows.buyers.get(&buyer).copied().unwrap_or_default();
            same(&format_args!("buyer {buyer}"), self.buyer_row(buyer), row)?;
        }
        Ok(())
    }

    /// A row says that a hold has ended: as was decided, or because its time has run out.
    fn end_by_row(
        &mut self,
        name: HoldName,
        status: HoldState,
        written: &Written,
    ) -> Result<(), Difference> {
        let due = self.state.due.remove(&name);
        let Some(hold) = self.state.holds.get_mut(&name) else {
            return differ(format!("nothing of an unknown hold {name:?}"), written);
        };
        self.rows.touch(hold);
        let is_over = written.at >= hold.expires_at;
        let fate = match (hold.fate, status) {
            (Fate::Living, HoldState::Expired) if is_over => Fate::Expired,
            (Fate::ReleasedOrExpired, HoldState::Released) if due => Fate::Released,
            (Fate::ReleasedOrExpired, HoldState::Expired) if due && is_over => Fate::Expired,
            (Fate::Released, HoldState::Released) if due => Fate::Released,
            (Fate::Expired, HoldState::Expired) if due && is_over => Fate::Expired,
            (Fate::Sold, HoldState::Converted) if due => Fate::Sold,
            (fate, status) => {
                let expected = format!("hold {name:?} ended once, as {fate:?}");
                return differ(expected, &status);
            }
        };
        hold.fate = fate;
        let tickets: Vec<TicketRow> =
            written.tickets.iter().filter(|it| it.0 == name).copied().collect();
        let expected: Vec<TicketRow> = self.tickets_of(&self.state.holds[&name]);
        same(&"tickets", sorted(expected), sorted(tickets))
    }

    /// Compares everything there is, once nothing is under way.
    ///
    /// # Errors
    /// [`Difference`].
    pub fn compare(&self, rows: &Everything) -> Result<(), Difference> {
        same(&"terms", &self.hall.terms, &rows.terms)?;
        let general = (0_u16..).zip(&self.hall.sections);
        let general = general.filter(|(_, section)| section.kind != Kind::Seated);
        let capacities: Vec<_> =
            general.map(|(index, _)| (index, self.hall.capacity(index))).collect();
        same(&"capacities", capacities, sorted(rows.capacities.clone()))?;
        self.compare_stock(rows)?;
        same(&"how many holds there are", self.state.holds.len(), rows.holds.len())?;
        for shown in &rows.holds {
            // At the beginning of time no hold is over by the clock, only by its row.
            let hold = self.state.holds.get(&shown.name).map(|hold| hold.shown(Instant::MIN));
            same(&"a hold's row", hold.as_ref(), Some(shown))?;
        }
        self.compare_orders(rows)?;
        let tickets: Vec<TicketRow> =
            self.state.holds.values().flat_map(|hold| self.tickets_of(hold)).collect();
        same(&"tickets", sorted(tickets), sorted(rows.tickets.clone()))?;
        let back =
            |hold: &Hold| hold.returned.iter().map(|it| (hold.name, *it)).collect::<Vec<_>>();
        let void: Vec<VoidRow> = self.state.holds.values().flat_map(back).collect();
        same(&"void tickets", sorted(void), sorted(rows.void.clone()))?;
        let mut refunds = rows.refunds.clone();
        refunds.sort_unstable_by_key(|refund| refund.key);
        let keys = sorted(self.rows.refunds.clone());
        same(&"refunds", self.refunds_of(&keys), refunds)?;
        same(&"deeds", &self.rows.deeds, &rows.deeds)
    }

    fn compare_stock(&self, rows: &Everything) -> Result<(), Difference> {
        let seats: BTreeMap<u32, SeatRow> = rows.seats.iter().copied().collect();
        for seat in 0..self.hall.seats.len() as u32 {
            let row = seats.get(&seat).copied().unwrap_or_default();
            same(&format_args!("seat {seat}"), self.seat_row(seat), row)?;
        }
        let areas: BTreeMap<u16, (u32, u32)> = rows.areas.iter().copied().collect();
        for section in 0..self.hall.sections.len() as u16 {
            let row = areas.get(&section).copied().unwrap_or_default();
            same(&format_args!("section {section}"), self.area_row(section), row)?;
        }
        let counts: BTreeMap<u32, u32> = rows.buyers.iter().copied().collect();
        let holders = self.state.holds.keys().map(|name| name.buyer);
        let buyers: BTreeSet<u32> = holders.chain(counts.keys().copied()).collect();
        for buyer in buyers {
            let row = counts.get(&buyer).copied().unwrap_or_default();
            same(&format_args!("buyer {buyer}"), self.buyer_row(buyer), row)?;
        }
        Ok(())
    }

    fn compare_orders(&self, rows: &Everything) -> Result<(), Difference> {
        let ordered = self.state.holds.values().filter(|hold| hold.order.is_some()).count();
        same(&"how many orders there are", ordered, rows.orders.len())?;
        for row in &rows.orders {
            let hold = self.state.holds.get(&row.name);
            let order = hold.and_then(Hold::order_row);
            same(&"an order's row", order.as_ref(), Some(row))?;
        }
        same(&"how many keys there are", self.state.receipts.len(), rows.receipts.len())?;
        for row in &rows.receipts {
            let receipt = self.state.receipts.get(&(row.buyer, row.key));
            let said = format_args!("key {} of buyer {}", row.key, row.buyer);
            same(&said, receipt.map(|receipt| receipt.result), Some(row.result))?;
        }
        Ok(())
    }

    fn refunds_of(&self, keys: &[u32]) -> Vec<RefundShown> {
        keys.iter().map(|key| self.state.refunds[key].shown.clone()).collect()
    }

    fn tickets_of(&self, hold: &Hold) -> Vec<TicketRow> {
        match hold.fate {
            Fate::Sold => {}
            Fate::Living | Fate::Released | Fate::Expired | Fate::ReleasedOrExpired => {
                return Vec::new();
            }
        }
        let section = |seat: &u32| self.hall.seats[*seat as usize].section;
        let seats = hold.claim.seats.iter().map(|seat| (hold.name, section(seat), Some(*seat)));
        let places = hold.claim.places.iter();
        let places = places.flat_map(|(it, n)| (0..*n).map(|_| (hold.name, *it, None)));
        seats.chain(places).collect()
    }

    /// Whether no hold lives by its row any more: what is left is free or sold.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.state.holds.values().all(|hold| hold.fate != Fate::Living)
    }

    fn seat_row(&self, seat: u32) -> SeatRow {
        let name = match self.state.tenures.holder(seat) {
            None => return SeatRow::Free,
            Some(Holder::House) => return SeatRow::Blocked,
            Some(Holder::Hold(name)) => name,
        };
        match self.state.holds[&name].fate {
            Fate::Living => SeatRow::Held(name),
            Fate::Sold => SeatRow::Sold(name),
            Fate::Released | Fate::Expired | Fate::ReleasedOrExpired => SeatRow::Free,
        }
    }

    fn area_row(&self, section: u16) -> (u32, u32) {
        let of = |wanted: Fate| {
            let holders = self.state.tenures.holders(section);
            let so = holders.filter(|(name, _)| self.state.holds[name].fate == wanted);
            so.map(|(_, quantity)| quantity).sum()
        };
        (of(Fate::Living), of(Fate::Sold))
    }

    fn buyer_row(&self, buyer: u32) -> u32 {
        let counts = |hold: &&Hold| matches!(hold.fate, Fate::Living | Fate::Sold);
        self.state.holds_of(buyer).filter(counts).map(Hold::left).sum()
    }
}

fn same<T: PartialEq<U> + std::fmt::Debug, U: std::fmt::Debug>(
    what: &dyn std::fmt::Display,
    expected: T,
    row: U,
) -> Result<(), Difference> {
    if expected == row {
        return Ok(());
    }
    differ(format!("{what}: {expected:?}"), &row)
}

fn sorted<T: Ord>(mut rows: Vec<T>) -> Vec<T> {
    rows.sort_unstable();
    rows
}
