//! Who had which seat or place from when to when. Nothing is forgotten: what several sections decide
//! is judged by all that was so while they did.

use super::state::Hold;
use super::{Claim, Hall, HoldName, Instant};

/// Who has a seat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Holder {
    Hold(HoldName),
    /// It is blocked.
    House,
}

/// A seat's, or some places', time with a hold, or off sale.
#[derive(Debug, Clone)]
pub(super) struct Tenure {
    holder: Holder,
    quantity: u32,
    from: Instant,
    expires_at: Instant,
    /// When somebody's word ended it.
    until: Option<Instant>,
    /// From here on it may have been over, unless the clock ended it.
    doubted_from: Option<Instant>,
    sold_at: Option<Instant>,
}

/// From question to answer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Span {
    pub(super) from: Instant,
    pub(super) to: Instant,
}

impl Tenure {
    fn of(holder: Holder, quantity: u32, from: Instant, expires_at: Instant) -> Self {
        let (until, doubted_from, sold_at) = (None, None, None);
        Self { holder, quantity, from, expires_at, until, doubted_from, sold_at }
    }

    fn may_be_alive(&self, at: Instant) -> bool {
        self.until.is_none() && (self.sold_at.is_some() || at < self.expires_at)
    }

    fn is_alive(&self, at: Instant) -> bool {
        self.may_be_alive(at) && self.doubted_from.is_none()
    }

    fn was_sold(&self, at: Instant) -> bool {
        self.until.is_none() && self.sold_at.is_some_and(|sold_at| sold_at <= at)
    }

    fn end(&self) -> Instant {
        let by_clock = if self.sold_at.is_some() { Instant::MAX } else { self.expires_at };
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
    pub(super) fn owner(&self, seat: u32, at: Instant) -> Option<Holder> {
        self.last(seat).filter(|tenure| tenure.is_alive(at)).map(|tenure| tenure.holder)
    }

    pub(super) fn may_be_owned(&self, seat: u32, at: Instant) -> bool {
        self.last(seat).is_some_and(|tenure| tenure.may_be_alive(at))
    }

    /// Who has the seat, unless a hold's time has run out.
    pub(super) fn holder(&self, seat: u32) -> Option<Holder> {
        self.last(seat).filter(|tenure| tenure.until.is_none()).map(|tenure| tenure.holder)
    }

    /// When its latest tenure began.
    pub(super) fn began(&self, seat: u32) -> Option<Instant> {
        self.last(seat).map(|tenure| tenure.from)
    }

    /// Whether the seat was sold by this instant.
    pub(super) fn was_sold(&self, seat: u32, at: Instant) -> bool {
        self.last(seat).is_some_and(|tenure| tenure.was_sold(at))
    }

    /// Whether some hold may have had the seat.
    pub(super) fn may_be_held(&self, seat: u32, span: Span) -> bool {
        let holds = self.seats[seat as usize].iter().filter(|it| it.holder != Holder::House);
        holds.into_iter().any(|tenure| tenure.may_touch(span))
    }

    /// Whether one hold had the seat all the while.
    pub(super) fn is_surely_held(&self, seat: u32, span: Span) -> bool {
        let holds = self.seats[seat as usize].iter().filter(|it| it.holder != Holder::House);
        holds.into_iter().any(|tenure| tenure.surely_covers(span))
    }

    /// How many places were sold by this instant.
    pub(super) fn sold_places(&self, section: u16, at: Instant) -> u32 {
        self.places(section, |tenure| tenure.was_sold(at))
    }

    /// How many seats are blocked.
    pub(super) fn blocked(&self) -> u32 {
        let last = self.seats.iter().filter_map(|tenures| tenures.last());
        let blocked = last.filter(|it| it.until.is_none() && it.holder == Holder::House);
        u32::try_from(blocked.count()).unwrap_or(u32::MAX)
    }

    /// A seat goes off sale; an overdue hold that had it until now is over.
    pub(super) fn block(&mut self, seat: u32, at: Instant) -> Option<HoldName> {
        let displaced = self.displace(seat, at);
        self.seats[seat as usize].push(Tenure::of(Holder::House, 1, at, Instant::MAX));
        displaced
    }

    /// A blocked seat goes on sale.
    pub(super) fn unblock(&mut self, seat: u32, at: Instant) {
        let last = self.seats[seat as usize].last_mut();
        if let Some(last) = last.filter(|it| it.holder == Holder::House) {
            last.until.get_or_insert(at);
        }
    }

    fn displace(&mut self, seat: u32, at: Instant) -> Option<HoldName> {
        let last = self.seats[seat as usize].last_mut().filter(|last| last.until.is_none())?;
        last.until = Some(at);
        match last.holder {
            Holder::Hold(name) => Some(name),
            Holder::House => None,
        }
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
        open.filter_map(|tenure| match tenure.holder {
            Holder::Hold(name) => Some((name, tenure.quantity)),
            Holder::House => None,
        })
    }

    /// The holds that had the seats until now.
    pub(super) fn begin(&mut self, hold: &Hold, at: Instant) -> Vec<HoldName> {
        let tenure = |quantity| Tenure::of(Holder::Hold(hold.name), quantity, at, hold.expires_at);
        let mut displaced = Vec::new();
        for seat in &hold.claim.seats {
            displaced.extend(self.displace(*seat, at));
            self.seats[*seat as usize].push(tenure(1));
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

    pub(super) fn sell(&mut self, hold: HoldName, claim: &Claim, at: Instant) {
        self.each_open(hold, claim, |tenure| tenure.sold_at = Some(at));
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
    let holder = Holder::Hold(hold);
    tenures.iter_mut().find(|tenure| tenure.holder == holder && tenure.until.is_none())
}
