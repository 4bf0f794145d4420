//! Who had which seat or place from when to when. Nothing is forgotten: what several sections decide
//! is judged by all that was so while they did.

use super::state::Hold;
use super::{Claim, Hall, HoldName, Instant};

/// A seat's, or some places', time with a hold.
#[derive(Debug, Clone)]
pub(super) struct Tenure {
    pub(super) hold: HoldName,
    quantity: u32,
    from: Instant,
    expires_at: Instant,
    /// When somebody's word ended it.
    until: Option<Instant>,
    /// From here on it may have been over, unless the clock ended it.
    doubted_from: Option<Instant>,
    is_sold: bool,
}

/// From question to answer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Span {
    pub(super) from: Instant,
    pub(super) to: Instant,
}

impl Tenure {
    fn may_be_alive(&self, at: Instant) -> bool {
        self.until.is_none() && (self.is_sold || at < self.expires_at)
    }

    fn is_alive(&self, at: Instant) -> bool {
        self.may_be_alive(at) && self.doubted_from.is_none()
    }

    fn end(&self) -> Instant {
        let by_clock = if self.is_sold { Instant::MAX } else { self.expires_at };
        self.until.map_or(by_clock, |until| until.min(by_clock))
    }

    fn sure_end(&self) -> Instant {
        self.doubted_from.map_or(self.end(), |doubted| doubted.min(self.end()))
    }

    fn may_touch(&self, span: Span) -> bool {
        self.from <= span.to && self.end() > span.from
    }

    fn surely_covers(&self, span: Span) -> bool {
        self.from <= span.from && self.sure_end() > span.to
    }
}

/// All tenures, the latest last.
#[derive(Debug)]
pub(super) struct Tenures {
    seats: Vec<Vec<Tenure>>,
    areas: Vec<Vec<Tenure>>,
}

impl Tenures {
    pub(super) fn new(hall: &Hall) -> Self {
        Self {
            seats: vec![Vec::new(); hall.seats.len()],
            areas: vec![Vec::new(); hall.sections.len()],
        }
    }

    /// Whose the seat is at this instant, by all that was decided.
    pub(super) fn owner(&self, seat: u32, at: Instant) -> Option<HoldName> {
        self.last(seat).filter(|tenure| tenure.is_alive(at)).map(|tenure| tenure.hold)
    }

    pub(super) fn may_be_owned(&self, seat: u32, at: Instant) -> bool {
        self.last(seat).is_some_and(|tenure| tenure.may_be_alive(at))
    }

    /// The latest hold that has the seat unless its time has run out.
    pub(super) fn holder(&self, seat: u32) -> Option<HoldName> {
        self.last(seat).filter(|tenure| tenure.until.is_none()).map(|tenure| tenure.hold)
    }

    fn last(&self, seat: u32) -> Option<&Tenure> {
        self.seats[seat as usize].last()
    }

    pub(super) fn may_be_taken(&self, seat: u32, span: Span) -> bool {
        self.seats[seat as usize].iter().any(|tenure| tenure.may_touch(span))
    }

    pub(super) fn is_surely_taken(&self, seat: u32, span: Span) -> bool {
        self.seats[seat as usize].iter().any(|tenure| tenure.surely_covers(span))
    }

    /// The least and the most places that are taken at this instant, by all that was decided.
    pub(super) fn taken(&self, section: u16, at: Instant) -> (u32, u32) {
        let least = self.places(section, |tenure| tenure.is_alive(at));
        (least, self.places(section, |tenure| tenure.may_be_alive(at)))
    }

    /// The least and the most places that may have been taken.
    pub(super) fn taken_during(&self, section: u16, span: Span) -> (u32, u32) {
        let least = self.places(section, |tenure| tenure.surely_covers(span));
        (least, self.places(section, |tenure| tenure.may_touch(span)))
    }

    fn places(&self, section: u16, counts: impl Fn(&Tenure) -> bool) -> u32 {
        let tenures = self.areas[usize::from(section)].iter();
        tenures.filter(|tenure| counts(tenure)).map(|tenure| tenure.quantity).sum()
    }

    /// Holds that have places here unless their time has run out, and how many.
    pub(super) fn holders(&self, section: u16) -> impl Iterator<Item = (HoldName, u32)> {
        let open = self.areas[usize::from(section)].iter().filter(|it| it.until.is_none());
        open.map(|tenure| (tenure.hold, tenure.quantity))
    }

    /// The holds that had the seats until now.
    pub(super) fn begin(&mut self, hold: &Hold, at: Instant) -> Vec<HoldName> {
        let tenure = |quantity| Tenure {
            hold: hold.name,
            quantity,
            from: at,
            expires_at: hold.expires_at,
            until: None,
            doubted_from: None,
            is_sold: false,
        };
        let mut displaced = Vec::new();
        for seat in &hold.claim.seats {
            let tenures = &mut self.seats[*seat as usize];
            if let Some(last) = tenures.last_mut().filter(|last| last.until.is_none()) {
                last.until = Some(at);
                displaced.push(last.hold);
            }
            tenures.push(tenure(1));
        }
        for (section, quantity) in &hold.claim.places {
            self.areas[usize::from(*section)].push(tenure(*quantity));
        }
        displaced
    }

    /// The hold has this part no longer.
    pub(super) fn end(&mut self, hold: HoldName, part: &Claim, at: Instant) {
        for seat in &part.seats {
            if let Some(open) = open_of(&mut self.seats[*seat as usize], hold) {
                open.until = Some(at);
            }
        }
        for (section, quantity) in &part.places {
            let tenures = &mut self.areas[usize::from(*section)];
            let Some(open) = open_of(tenures, hold) else { continue };
            let ended = Tenure { quantity: *quantity, until: Some(at), ..open.clone() };
            open.quantity -= quantity;
            tenures.push(ended);
        }
    }

    /// The hold has this no longer, or had it until its time ran out.
    pub(super) fn doubt(&mut self, hold: HoldName, claim: &Claim, at: Instant) {
        self.each_open(hold, claim, |tenure| tenure.doubted_from = Some(at));
    }

    pub(super) fn sell(&mut self, hold: HoldName, claim: &Claim) {
        self.each_open(hold, claim, |tenure| tenure.is_sold = true);
    }

    fn each_open(&mut self, hold: HoldName, claim: &Claim, change: impl Fn(&mut Tenure)) {
        for seat in &claim.seats {
            open_of(&mut self.seats[*seat as usize], hold).into_iter().for_each(&change);
        }
        for (section, _) in &claim.places {
            open_of(&mut self.areas[usize::from(*section)], hold).into_iter().for_each(&change);
        }
    }
}

fn open_of(tenures: &mut [Tenure], hold: HoldName) -> Option<&mut Tenure> {
    tenures.iter_mut().find(|tenure| tenure.hold == hold && tenure.until.is_none())
}
