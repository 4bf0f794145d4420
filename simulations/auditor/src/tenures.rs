//! Who had which seat or place, and for how long; what is blocked, the house has. A row tells what a hold has at its end; what was given
//! back before is known from those who gave it back.

use std::collections::HashMap;

use chrono::{DateTime, Utc};

use crate::answers::{Answers, Asked, Item, PartGiven};
use crate::checks::lifetime::Lifetime;
use crate::index::{Index, SeatName};
use crate::rows::{Hold, SeatState};

/// A seat's, or some places', time with a hold.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tenure {
    pub(crate) quantity: i64,
    /// From when to when at most.
    longest: Lifetime,
    /// From when to when at least.
    surely: Lifetime,
}

impl Tenure {
    /// Whether it may have been so at some instant between question and answer.
    pub(crate) fn may_touch(&self, asked: Asked) -> bool {
        self.longest.may_touch(asked.from, asked.to)
    }

    /// Whether it was so all the while.
    pub(crate) fn surely_covers(&self, asked: Asked) -> bool {
        self.surely.surely_covers(asked.from, asked.to)
    }
}

/// All tenures.
#[derive(Debug, Default)]
pub(crate) struct Tenures<'a> {
    seats: HashMap<SeatName, Vec<Tenure>>,
    areas: HashMap<(i32, i16), Vec<Tenure>>,
    buyers: HashMap<(i32, &'a str), Vec<Tenure>>,
}

impl<'a> Tenures<'a> {
    pub(crate) fn of(index: &Index<'a>, answers: &Answers<'_>) -> Self {
        let mut parts: HashMap<_, Vec<&PartGiven>> = HashMap::new();
        for part in &answers.parts {
            parts.entry((part.hold, part.item.name())).or_default().push(part);
        }
        let mut granted: HashMap<_, i64> = HashMap::new();
        for grant in answers.grants.iter() {
            for item in &grant.items {
                let most = granted.entry((grant.hold, item.name())).or_default();
                *most = item.quantity().max(*most);
            }
        }
        let mut tenures = Self::default();
        for seat in index.rows.seats.iter().filter(|it| it.state == SeatState::Blocked) {
            let blocked = Lifetime { from: index.blocked_since(seat), until: None };
            let tenure = Tenure { quantity: 1, longest: blocked, surely: blocked };
            tenures.seats.entry((seat.event, seat.index)).or_default().push(tenure);
        }
        for hold in &index.rows.holds {
            tenures.add_row(index, hold);
        }
        for ((hold, name), parts) in parts {
            let Some(hold) = index.holds.get(&hold) else { continue };
            let granted = granted.get(&(hold.id, name)).copied().unwrap_or(0);
            tenures.add_gone(index, hold, granted, &parts);
        }
        tenures
    }

    pub(crate) fn of_seat(&self, seat: SeatName) -> &[Tenure] {
        self.seats.get(&seat).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn of_section(&self, event: i32, section: i16) -> &[Tenure] {
        self.areas.get(&(event, section)).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn of_buyer(&self, event: i32, buyer: &'a str) -> &[Tenure] {
        self.buyers.get(&(event, buyer)).map_or(&[], Vec::as_slice)
    }

    fn add_row(&mut self, index: &Index<'a>, hold: &'a Hold) {
        let lifetime = Lifetime::of(hold);
        let tenure = |quantity| Tenure { quantity, longest: lifetime, surely: lifetime };
        for seat in &hold.seats {
            let lifetime = Lifetime::of_seat(index, hold, *seat);
            let tenure = Tenure { quantity: 1, longest: lifetime, surely: lifetime };
            self.seats.entry((hold.event, *seat)).or_default().push(tenure);
        }
        for (section, quantity) in &hold.places {
            let kept = i64::from(*quantity) - index.places_returned(hold.id, *section);
            self.areas.entry((hold.event, *section)).or_default().push(tenure(kept));
        }
        let mut kept = i64::from(hold.quantity);
        for (ticket, at) in index.returned_of(hold.id) {
            let lifetime = Lifetime { until: Some(at), ..lifetime };
            let tenure = Tenure { quantity: 1, longest: lifetime, surely: lifetime };
            if ticket.seat.is_none() {
                self.areas.entry((hold.event, ticket.section)).or_default().push(tenure);
            }
            self.buyers.entry((hold.event, &hold.buyer)).or_default().push(tenure);
            kept -= 1;
        }
        let buyer = self.buyers.entry((hold.event, &hold.buyer)).or_default();
        buyer.push(tenure(kept));
    }

    /// What was granted and the row has no longer, by what was asked to be given back of it.
    fn add_gone(&mut self, index: &Index<'_>, hold: &'a Hold, granted: i64, parts: &[&PartGiven]) {
        let lifetime = Lifetime::of(hold);
        let end = |at: Option<DateTime<Utc>>| {
            let until = lifetime.until.into_iter().chain(at).min();
            Lifetime { until, ..lifetime }
        };
        let done = parts.iter().map(|part| part.done_at).collect::<Option<Vec<_>>>();
        let longest = end(done.and_then(|done| done.into_iter().max()));
        let surely = end(parts.iter().map(|part| part.sent_at).min());
        let tenure = |quantity| Tenure { quantity, longest, surely };
        let gone = match &parts[0].item {
            Item::Seat(label) => {
                let seat = index.seat_called(hold.event, label);
                let seat = seat.filter(|seat| !hold.seats.contains(&seat.index));
                let Some(seat) = seat else { return };
                self.seats.entry((hold.event, seat.index)).or_default().push(tenure(1));
                tenure(1)
            }
            Item::Places(name, _) => {
                let Some(area) = index.area_called(hold.event, name) else { return };
                let gone = tenure(granted - hold.places_in(area.section));
                self.areas.entry((hold.event, area.section)).or_default().push(gone);
                gone
            }
        };
        self.buyers.entry((hold.event, &hold.buyer)).or_default().push(gone);
    }
}
