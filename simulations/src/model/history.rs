//! What is true: the event's history, folded by rules written here once more, in plain numbers. It
//! knows nothing of the engine; a hold is called by the ask that places it.

use std::collections::{BTreeMap, BTreeSet};

/// What a hold is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fate {
    Alive,
    Released,
    Expired,
    Sold,
}

/// What an order is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Standing {
    Open,
    Confirmed,
    Cancelled,
    Expired,
}

/// One line of the outbox.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Happened {
    Placed { hold: u8, buyer: &'static str, seats: Vec<u32>, at: u8, until: u8 },
    Reduced { hold: u8, seats: Vec<u32> },
    Ended { hold: u8, fate: Fate, at: u8 },
    Ordered { hold: u8 },
    OrderEnded { hold: u8, standing: Standing },
    Ticket { hold: u8, seat: u32 },
    Judged { attempt: u8, hold: u8, sold: bool },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Held {
    pub(super) buyer: &'static str,
    pub(super) seats: Vec<u32>,
    pub(super) until: u8,
    pub(super) fate: Fate,
    pub(super) order: Option<Standing>,
}

impl Held {
    /// The hold at this instant, whatever has been written.
    pub(super) fn fate_at(&self, time: u8) -> Fate {
        match self.fate {
            Fate::Alive if time >= self.until => Fate::Expired,
            fate => fate,
        }
    }

    fn counts(&self) -> bool {
        matches!(self.fate, Fate::Alive | Fate::Sold)
    }
}

/// All that has happened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct History {
    pub(super) holds: BTreeMap<u8, Held>,
    pub(super) verdicts: BTreeMap<u8, bool>,
    tickets: BTreeMap<u32, u8>,
}

/// What the rows must say, if they are the fold of the history.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Tables {
    /// The hold in each taken seat, and whether it is sold.
    pub(super) seats: BTreeMap<u32, (u8, bool)>,
    pub(super) buyers: BTreeMap<&'static str, u32>,
    pub(super) holds: BTreeMap<u8, (Fate, u8, Vec<u32>)>,
    pub(super) orders: BTreeMap<u8, Standing>,
    pub(super) tickets: BTreeSet<u32>,
    pub(super) verdicts: BTreeMap<u8, bool>,
}

impl History {
    /// Takes the next line in; an error says which rule it breaks.
    pub(super) fn add(&mut self, line: Happened, seats_max: u32) -> Result<(), String> {
        match line {
            Happened::Placed { hold, buyer, seats, at, until } => {
                for seat in &seats {
                    if let Some(other) = self.owner(*seat) {
                        return Err(format!(
                            "seat {seat} goes to hold {hold}, but hold {other} has it"
                        ));
                    }
                }
                if self.seats(buyer) + seats.len() as u32 > seats_max {
                    return Err(format!("{buyer} gets more than {seats_max} seats"));
                }
                if until <= at {
                    return Err(format!("hold {hold} is over as it begins"));
                }
                let held = Held { buyer, seats, until, fate: Fate::Alive, order: None };
                if self.holds.insert(hold, held).is_some() {
                    return Err(format!("hold {hold} is placed twice"));
                }
            }
            Happened::Reduced { hold, seats } => {
                let held = self.held(hold)?;
                let before = held.seats.len();
                held.seats.retain(|seat| !seats.contains(seat));
                let had = held.seats.len() + seats.len() == before && !held.seats.is_empty();
                if held.fate != Fate::Alive || held.order.is_some() || !had {
                    return Err(format!("hold {hold} gives {seats:?} back, which it cannot"));
                }
            }
            Happened::Ended { hold, fate, at } => {
                let held = self.held(hold)?;
                let over = at >= held.until;
                if held.fate != Fate::Alive || over != (fate == Fate::Expired) {
                    return Err(format!("hold {hold}, {:?}, becomes {fate:?} at {at}", held.fate));
                }
                held.fate = fate;
            }
            Happened::Ordered { hold } => {
                let held = self.held(hold)?;
                if held.fate != Fate::Alive || held.order.replace(Standing::Open).is_some() {
                    return Err(format!("hold {hold} gets an order it cannot have"));
                }
            }
            Happened::OrderEnded { hold, standing } => {
                let held = self.held(hold)?;
                if held.order.replace(standing) != Some(Standing::Open) {
                    return Err(format!("the order of hold {hold} ends twice"));
                }
            }
            Happened::Ticket { hold, seat } => {
                let held = self.held(hold)?;
                let sold = held.fate == Fate::Sold && held.seats.contains(&seat);
                if !sold || self.tickets.insert(seat, hold).is_some() {
                    return Err(format!("seat {seat} gets a ticket of hold {hold}"));
                }
            }
            Happened::Judged { attempt, hold, sold } => {
                if sold && self.held(hold)?.fate != Fate::Sold {
                    return Err(format!(
                        "attempt {attempt} pays for hold {hold}, which is not sold"
                    ));
                }
                if self.verdicts.insert(attempt, sold).is_some() {
                    return Err(format!("attempt {attempt} is judged twice"));
                }
            }
        }
        Ok(())
    }

    /// The seats that the buyer holds or has bought, overdue holds left out.
    pub(super) fn living_seats(&self, buyer: &str, time: u8) -> u32 {
        let lives = |held: &&Held| {
            held.buyer == buyer && matches!(held.fate_at(time), Fate::Alive | Fate::Sold)
        };
        self.holds.values().filter(lives).map(|held| held.seats.len() as u32).sum()
    }

    /// Whether the seat cannot be had at this instant.
    pub(super) fn taken(&self, seat: u32, time: u8) -> bool {
        let lives = |held: &Held| matches!(held.fate_at(time), Fate::Alive | Fate::Sold);
        self.holds.values().any(|held| held.seats.contains(&seat) && lives(held))
    }

    pub(super) fn tables(&self) -> Tables {
        let mut tables = Tables { verdicts: self.verdicts.clone(), ..Tables::default() };
        for (hold, held) in &self.holds {
            tables.holds.insert(*hold, (held.fate, held.until, held.seats.clone()));
            tables.orders.extend(held.order.map(|standing| (*hold, standing)));
            if held.counts() {
                *tables.buyers.entry(held.buyer).or_default() += held.seats.len() as u32;
                let sold = held.fate == Fate::Sold;
                tables.seats.extend(held.seats.iter().map(|seat| (*seat, (*hold, sold))));
            }
        }
        tables.tickets = self.tickets.keys().copied().collect();
        tables
    }

    fn owner(&self, seat: u32) -> Option<u8> {
        let has = |(_, held): &(&u8, &Held)| held.counts() && held.seats.contains(&seat);
        self.holds.iter().find(has).map(|(hold, _)| *hold)
    }

    fn seats(&self, buyer: &str) -> u32 {
        let his = |held: &&Held| held.buyer == buyer && held.counts();
        self.holds.values().filter(his).map(|held| held.seats.len() as u32).sum()
    }

    fn held(&mut self, hold: u8) -> Result<&mut Held, String> {
        self.holds.get_mut(&hold).ok_or_else(|| format!("there is no hold {hold}"))
    }
}
