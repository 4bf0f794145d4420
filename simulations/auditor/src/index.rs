//! The rows by the names under which the other accounts speak of them. Looks things up, judges
//! nothing.

use std::collections::HashMap;

use serde_json::Value;
use uuid::Uuid;

use crate::rows::{Area, Attempt, Event, Hold, Order, Rows, Seat, Ticket};

/// A seat: the event's number and the seat's index.
pub(crate) type SeatName = (i32, i32);

/// The rows, found by name.
pub(crate) struct Index<'a> {
    pub(crate) rows: &'a Rows,
    pub(crate) holds: HashMap<Uuid, &'a Hold>,
    pub(crate) orders: HashMap<Uuid, &'a Order>,
    pub(crate) attempts: HashMap<Uuid, &'a Attempt>,
    pub(crate) seats: HashMap<SeatName, &'a Seat>,
    holds_by_seat: HashMap<SeatName, Vec<&'a Hold>>,
    holds_by_section: HashMap<(i32, i16), Vec<&'a Hold>>,
    holds_by_buyer: HashMap<(i32, &'a str), Vec<&'a Hold>>,
    orders_by_hold: HashMap<Uuid, Vec<&'a Order>>,
    tickets_by_order: HashMap<Uuid, Vec<&'a Ticket>>,
    attempts_by_order: HashMap<Uuid, Vec<&'a Attempt>>,
    seats_by_label: HashMap<(i32, &'a str), &'a Seat>,
}

impl<'a> Index<'a> {
    pub(crate) fn of(rows: &'a Rows) -> Self {
        let by_seat = rows
            .holds
            .iter()
            .flat_map(|hold| hold.seats.iter().map(move |seat| ((hold.event, *seat), hold)));
        let by_section = rows.holds.iter().flat_map(|hold| {
            hold.places.iter().map(move |(section, _)| ((hold.event, *section), hold))
        });
        Self {
            rows,
            holds: rows.holds.iter().map(|it| (it.id, it)).collect(),
            orders: rows.orders.iter().map(|it| (it.id, it)).collect(),
            attempts: rows.attempts.iter().map(|it| (it.id, it)).collect(),
            seats: rows.seats.iter().map(|it| ((it.event, it.index), it)).collect(),
            holds_by_seat: grouped(by_seat),
            holds_by_section: grouped(by_section),
            holds_by_buyer: grouped(rows.holds.iter().map(|it| ((it.event, &*it.buyer), it))),
            orders_by_hold: grouped(rows.orders.iter().map(|it| (it.hold, it))),
            tickets_by_order: grouped(rows.tickets.iter().map(|it| (it.order, it))),
            attempts_by_order: grouped(rows.attempts.iter().map(|it| (it.order, it))),
            seats_by_label: rows
                .seats
                .iter()
                .map(|it| ((it.event, it.label.as_str()), it))
                .collect(),
        }
    }

    /// Every hold that ever had the seat.
    pub(crate) fn holds_of_seat(&self, seat: SeatName) -> &[&'a Hold] {
        self.holds_by_seat.get(&seat).map_or(&[], Vec::as_slice)
    }

    /// Every hold that ever had places in the section.
    pub(crate) fn holds_of_section(&self, event: i32, section: i16) -> &[&'a Hold] {
        self.holds_by_section.get(&(event, section)).map_or(&[], Vec::as_slice)
    }

    /// Every hold that the buyer ever had in the event.
    pub(crate) fn holds_of_buyer<'s>(&'s self, event: i32, buyer: &'s str) -> &'s [&'s Hold] {
        self.holds_by_buyer.get(&(event, buyer)).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn seats_with_holds(&self) -> impl Iterator<Item = (SeatName, &[&'a Hold])> {
        self.holds_by_seat.iter().map(|(seat, holds)| (*seat, holds.as_slice()))
    }

    pub(crate) fn orders_of_hold(&self, hold: Uuid) -> &[&'a Order] {
        self.orders_by_hold.get(&hold).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn tickets_of(&self, order: Uuid) -> &[&'a Ticket] {
        self.tickets_by_order.get(&order).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn attempts_of(&self, order: Uuid) -> &[&'a Attempt] {
        self.attempts_by_order.get(&order).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn seat_called(&self, event: i32, label: &str) -> Option<&'a Seat> {
        self.seats_by_label.get(&(event, label)).copied()
    }

    pub(crate) fn area_called(&self, event: i32, name: &str) -> Option<&'a Area> {
        self.rows.areas.iter().find(|area| area.event == event && area.name == name)
    }

    pub(crate) fn event(&self, number: i32) -> Option<&'a Event> {
        self.rows.events.iter().find(|event| event.number == number)
    }

    /// The event that a request names, by id or slug.
    pub(crate) fn event_named(&self, name: &Value) -> Option<&'a Event> {
        let name = name.as_str()?;
        self.rows.events.iter().find(|event| event.slug == name || event.id.to_string() == name)
    }
}

fn grouped<K: Eq + std::hash::Hash, V>(pairs: impl Iterator<Item = (K, V)>) -> HashMap<K, Vec<V>> {
    let mut groups: HashMap<K, Vec<V>> = HashMap::new();
    for (key, value) in pairs {
        groups.entry(key).or_default().push(value);
    }
    groups
}
