//! What is true: the event's history, folded by rules written here once more, in plain numbers. It
//! knows nothing of the engine; a hold is called by the ask that places it.

use std::collections::BTreeMap;

/// What a hold is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::model) enum Condition {
    Alive,
    Released,
    Expired,
    Sold,
}

/// What an order is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::model) enum Standing {
    Open,
    Confirmed,
    Cancelled,
    Expired,
}

/// One line of the outbox.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::model) enum Happened {
    Placed { hold: u8, buyer: &'static str, seats: Vec<u32>, at: u8, until: u8 },
    Reduced { hold: u8, seats: Vec<u32> },
    Ended { hold: u8, condition: Condition, at: u8 },
    Ordered { hold: u8 },
    OrderEnded { hold: u8, standing: Standing },
    Ticket { hold: u8, seat: u32 },
    Judged { attempt: u8, hold: u8, sold: bool },
    Returned { hold: u8, seats: Vec<u32> },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::model) struct Held {
    pub(in crate::model) buyer: &'static str,
    pub(in crate::model) seats: Vec<u32>,
    pub(in crate::model) until: u8,
    pub(in crate::model) condition: Condition,
    pub(in crate::model) order: Option<Standing>,
    /// Of its seats, those that were sold and came back.
    pub(in crate::model) returned: Vec<u32>,
}

impl Held {
    /// The hold at this instant, whatever has been written.
    pub(in crate::model) fn condition_at(&self, time: u8) -> Condition {
        match self.condition {
            Condition::Alive if time >= self.until => Condition::Expired,
            condition => condition,
        }
    }

    /// The seats that are its own, as long as it is not over.
    fn left(&self) -> impl Iterator<Item = u32> {
        self.seats.iter().copied().filter(|seat| !self.returned.contains(seat))
    }

    fn has(&self, seat: u32) -> bool {
        self.left().any(|it| it == seat)
    }

    fn counts(&self) -> bool {
        matches!(self.condition, Condition::Alive | Condition::Sold)
    }
}

/// All that has happened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::model) struct History {
    pub(in crate::model) holds: BTreeMap<u8, Held>,
    pub(in crate::model) verdicts: BTreeMap<u8, bool>,
    /// By seat and hold, and whether they came back.
    tickets: BTreeMap<(u32, u8), bool>,
}

/// What the rows must say, if they are the fold of the history.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::model) struct Tables {
    /// The hold in each taken seat, and whether it is sold.
    pub(in crate::model) seats: BTreeMap<u32, (u8, bool)>,
    pub(in crate::model) buyers: BTreeMap<&'static str, u32>,
    pub(in crate::model) holds: BTreeMap<u8, (Condition, u8, Vec<u32>)>,
    pub(in crate::model) orders: BTreeMap<u8, Standing>,
    pub(in crate::model) tickets: BTreeMap<(u32, u8), bool>,
    pub(in crate::model) verdicts: BTreeMap<u8, bool>,
}

impl History {
    /// Takes the next line in; an error says which rule it breaks.
    pub(in crate::model) fn add(&mut self, line: Happened, seats_max: u32) -> Result<(), String> {
        match line {
            Happened::Placed { hold, buyer, seats, at, until } => {
                if self.seats(buyer) + seats.len() as u32 > seats_max {
                    return Err(format!("{buyer} gets more than {seats_max} seats"));
                }
                if until <= at {
                    return Err(format!("hold {hold} is over as it begins"));
                }
                let condition = Condition::Alive;
                let returned = Vec::new();
                self.place(hold, Held { buyer, seats, until, condition, order: None, returned })
            }
            Happened::Reduced { hold, seats } => self.reduce(hold, &seats),
            Happened::Ended { hold, condition, at } => {
                let held = self.held(hold)?;
                let over = at >= held.until;
                let before = std::mem::replace(&mut held.condition, condition);
                check(
                    before == Condition::Alive && over == (condition == Condition::Expired),
                    || format!("hold {hold}, {before:?}, becomes {condition:?} at {at}"),
                )
            }
            Happened::Ordered { hold } => {
                let held = self.held(hold)?;
                let is_first = held.order.replace(Standing::Open).is_none();
                check(held.condition == Condition::Alive && is_first, || {
                    format!("hold {hold} gets an order it cannot have")
                })
            }
            Happened::OrderEnded { hold, standing } => {
                let before = self.held(hold)?.order.replace(standing);
                check(before == Some(Standing::Open), || {
                    format!("the order of hold {hold} ends twice")
                })
            }
            Happened::Ticket { hold, seat } => {
                let held = self.held(hold)?;
                let sold = held.condition == Condition::Sold && held.seats.contains(&seat);
                let in_force = |(ticket, void): (&(u32, u8), &bool)| ticket.0 == seat && !void;
                let is_first = !self.tickets.iter().any(in_force);
                self.tickets.insert((seat, hold), false);
                check(sold && is_first, || format!("seat {seat} gets a ticket of hold {hold}"))
            }
            Happened::Returned { hold, seats } => self.take_back(hold, &seats),
            Happened::Judged { attempt, hold, sold } => {
                if sold && self.held(hold)?.condition != Condition::Sold {
                    return Err(format!(
                        "attempt {attempt} pays for hold {hold}, which is not sold"
                    ));
                }
                let is_first = self.verdicts.insert(attempt, sold).is_none();
                check(is_first, || format!("attempt {attempt} is judged twice"))
            }
        }
    }

    fn place(&mut self, hold: u8, held: Held) -> Result<(), String> {
        for seat in &held.seats {
            if let Some(other) = self.owner(*seat) {
                return Err(format!("seat {seat} goes to hold {hold}, but hold {other} has it"));
            }
        }
        let is_first = self.holds.insert(hold, held).is_none();
        check(is_first, || format!("hold {hold} is placed twice"))
    }

    fn take_back(&mut self, hold: u8, seats: &[u32]) -> Result<(), String> {
        for seat in seats {
            let before = self.tickets.insert((*seat, hold), true);
            check(before == Some(false), || format!("seat {seat} of hold {hold} comes back"))?;
        }
        let held = self.held(hold)?;
        held.returned.extend(seats);
        let sold = held.condition == Condition::Sold && !seats.is_empty();
        check(sold, || format!("{seats:?} of hold {hold}, which is not sold, come back"))
    }

    fn reduce(&mut self, hold: u8, seats: &[u32]) -> Result<(), String> {
        let held = self.held(hold)?;
        let before = held.seats.len();
        held.seats.retain(|seat| !seats.contains(seat));
        let had = held.seats.len() + seats.len() == before && !held.seats.is_empty();
        let may = held.condition == Condition::Alive && held.order.is_none();
        check(had && may, || format!("hold {hold} gives {seats:?} back, which it cannot"))
    }

    /// The seats that the buyer holds or has bought, overdue holds left out.
    pub(in crate::model) fn living_seats(&self, buyer: &str, time: u8) -> u32 {
        let lives = |held: &&Held| {
            held.buyer == buyer
                && matches!(held.condition_at(time), Condition::Alive | Condition::Sold)
        };
        self.holds.values().filter(lives).map(|held| held.left().count() as u32).sum()
    }

    /// Whether the seat cannot be had at this instant.
    pub(in crate::model) fn taken(&self, seat: u32, time: u8) -> bool {
        let lives =
            |held: &Held| matches!(held.condition_at(time), Condition::Alive | Condition::Sold);
        self.holds.values().any(|held| held.has(seat) && lives(held))
    }

    pub(in crate::model) fn tables(&self) -> Tables {
        let mut tables = Tables { verdicts: self.verdicts.clone(), ..Tables::default() };
        for (hold, held) in &self.holds {
            tables.holds.insert(*hold, (held.condition, held.until, held.seats.clone()));
            tables.orders.extend(held.order.map(|standing| (*hold, standing)));
            if held.counts() {
                *tables.buyers.entry(held.buyer).or_default() += held.left().count() as u32;
                let sold = held.condition == Condition::Sold;
                tables.seats.extend(held.left().map(|seat| (seat, (*hold, sold))));
            }
        }
        tables.buyers.retain(|_, seats| *seats > 0);
        tables.tickets = self.tickets.clone();
        tables
    }

    fn owner(&self, seat: u32) -> Option<u8> {
        let has = |(_, held): &(&u8, &Held)| held.counts() && held.has(seat);
        self.holds.iter().find(has).map(|(hold, _)| *hold)
    }

    fn seats(&self, buyer: &str) -> u32 {
        let his = |held: &&Held| held.buyer == buyer && held.counts();
        self.holds.values().filter(his).map(|held| held.left().count() as u32).sum()
    }

    fn held(&mut self, hold: u8) -> Result<&mut Held, String> {
        self.holds.get_mut(&hold).ok_or_else(|| format!("there is no hold {hold}"))
    }
}

fn check(holds: bool, breach: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(breach()) }
}
