//! What was written, against what was decided: every seat, count and buyer that either side moved, and
//! now and then all of them.

use std::collections::{BTreeMap, BTreeSet};

use super::reply::Fate as Status;
use super::state::{Fate, Hold};
use super::{Difference, Hall, HoldName, HoldShown, Instant, Oracle, differ};

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
    pub ended: Vec<(HoldName, Status)>,
    /// Tickets: of which hold, in which section, for which seat.
    pub tickets: Vec<(HoldName, u16, Option<u32>)>,
}

/// All rows at one time.
#[derive(Debug, Clone, Default)]
pub struct Everything {
    /// Seats that are not free.
    pub seats: Vec<(u32, SeatRow)>,
    /// Held and sold places.
    pub areas: Vec<(u16, (u32, u32))>,
    /// Buyers' counts.
    pub buyers: Vec<(u32, u32)>,
    /// Every hold, as its row says it.
    pub holds: Vec<HoldShown>,
}

/// The rows as they were last written, and what has been decided since.
#[derive(Debug)]
pub(super) struct Mirror {
    seats: BTreeMap<u32, SeatRow>,
    areas: BTreeMap<u16, (u32, u32)>,
    buyers: BTreeMap<u32, u32>,
    touched: Touched,
}

#[derive(Debug, Default)]
struct Touched {
    seats: BTreeSet<u32>,
    areas: BTreeSet<u16>,
    buyers: BTreeSet<u32>,
}

impl Mirror {
    pub(super) fn new(_hall: &Hall) -> Self {
        let touched = Touched::default();
        Self { seats: BTreeMap::new(), areas: BTreeMap::new(), buyers: BTreeMap::new(), touched }
    }

    /// Something of the hold moves.
    pub(super) fn touch(&mut self, hold: &Hold) {
        self.touched.seats.extend(&hold.claim.seats);
        self.touched.areas.extend(hold.claim.places.iter().map(|(section, _)| *section));
        self.touched.buyers.insert(hold.name.buyer);
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
        status: Status,
        written: &Written,
    ) -> Result<(), Difference> {
        let due = self.state.due.remove(&name);
        let Some(hold) = self.state.holds.get_mut(&name) else {
            return differ(format!("nothing of an unknown hold {name:?}"), written);
        };
        self.rows.touch(hold);
        let is_over = written.at >= hold.expires_at;
        let fate = match (hold.fate, status) {
            (Fate::Living, Status::Expired) if is_over => Fate::Expired,
            (Fate::ReleasedOrExpired, Status::Released) if due => Fate::Released,
            (Fate::ReleasedOrExpired, Status::Expired) if due && is_over => Fate::Expired,
            (Fate::Released, Status::Released) if due => Fate::Released,
            (Fate::Expired, Status::Expired) if due && is_over => Fate::Expired,
            (Fate::Sold, Status::Converted) if due => Fate::Sold,
            (fate, status) => {
                let expected = format!("hold {name:?} ended once, as {fate:?}");
                return differ(expected, &status);
            }
        };
        hold.fate = fate;
        let mut tickets: Vec<_> = written.tickets.iter().filter(|it| it.0 == name).collect();
        let section = |seat: &u32| self.hall.seats[*seat as usize].section;
        let seats = hold.claim.seats.iter().map(|seat| (name, section(seat), Some(*seat)));
        let places = hold.claim.places.iter();
        let places = places.flat_map(|(it, n)| (0..*n).map(|_| (name, *it, None)));
        let mut expected: Vec<_> = seats.chain(places).filter(|_| fate == Fate::Sold).collect();
        expected.sort_unstable();
        tickets.sort_unstable();
        if !tickets.iter().copied().eq(expected.iter()) {
            return differ(format!("tickets {expected:?}"), &tickets);
        }
        Ok(())
    }

    /// Compares everything there is.
    ///
    /// # Errors
    /// [`Difference`].
    pub fn compare(&self, rows: &Everything) -> Result<(), Difference> {
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
        for (buyer, row) in &rows.buyers {
            same(&format_args!("buyer {buyer}"), self.buyer_row(*buyer), *row)?;
        }
        same(&"how many holds there are", self.state.holds.len(), rows.holds.len())?;
        for shown in &rows.holds {
            // At the beginning of time no hold is over by the clock, only by its row.
            let hold = self.state.holds.get(&shown.name).map(|hold| hold.shown(Instant::MIN));
            same(&"a hold's row", hold.as_ref(), Some(shown))?;
        }
        Ok(())
    }

    /// Whether no hold lives by its row any more: what is left is free or sold.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.state.holds.values().all(|hold| hold.fate != Fate::Living)
    }

    fn seat_row(&self, seat: u32) -> SeatRow {
        let Some(name) = self.state.tenures.holder(seat) else { return SeatRow::Free };
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
        self.state.holds_of(buyer).filter(counts).map(|hold| hold.claim.quantity()).sum()
    }
}

fn same<T: PartialEq + std::fmt::Debug>(
    what: &dyn std::fmt::Display,
    expected: T,
    row: T,
) -> Result<(), Difference> {
    if expected == row {
        return Ok(());
    }
    differ(format!("{what}: {expected:?}"), &row)
}
