//! The rows by the names under which the other accounts speak of them. Looks things up, judges
//! nothing.

use std::collections::{BTreeSet, HashMap};

use chrono::{DateTime, Utc};
use serde_json::Value;
use uuid::Uuid;

use crate::rows::{Area, Attempt, Event, Hold, Order, Refund, Rows, Seat, Ticket};

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
    refunds_by_order: HashMap<Uuid, Vec<&'a Refund>>,
    refunds_by_ticket: HashMap<Uuid, Vec<&'a Refund>>,
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
            refunds_by_order: grouped(rows.refunds.iter().map(|it| (it.order, it))),
            refunds_by_ticket: grouped(
                rows.refunds.iter().flat_map(|it| it.tickets.iter().map(move |id| (*id, it))),
            ),
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

    pub(crate) fn refunds_of(&self, order: Uuid) -> &[&'a Refund] {
        self.refunds_by_order.get(&order).map_or(&[], Vec::as_slice)
    }

    /// Every refund that has the ticket; there should be one at most.
    pub(crate) fn refunds_of_ticket(&self, ticket: Uuid) -> &[&'a Refund] {
        self.refunds_by_ticket.get(&ticket).map_or(&[], Vec::as_slice)
    }

    /// What was sold of the hold and has come back: the tickets, and since when they are void.
    pub(crate) fn returned_of<'s>(
        &'s self,
        hold: Uuid,
    ) -> impl Iterator<Item = (&'a Ticket, DateTime<Utc>)> + 's {
        let orders = self.orders_of_hold(hold).iter();
        let tickets = orders.flat_map(|order| self.tickets_of(order.id).iter().copied());
        tickets.filter_map(|ticket| {
            let refund = self.refunds_of_ticket(ticket.id).first()?;
            Some((ticket, refund.created_at))
        })
    }

    /// Since when the seat, which was sold by the hold, is not its buyer's any more.
    pub(crate) fn returned_at(&self, hold: Uuid, seat: i32) -> Option<DateTime<Utc>> {
        self.returned_of(hold).find(|(ticket, _)| ticket.seat == Some(seat)).map(|(_, at)| at)
    }

    /// Since when at the latest the seat, which is blocked, was nobody's to have: since it came back last,
    /// as in a cancelled event; one that was never sold is taken to have been blocked all the while.
    pub(crate) fn blocked_since(&self, seat: &Seat) -> DateTime<Utc> {
        let holds = self.holds_of_seat((seat.event, seat.index)).iter();
        let back = holds.filter_map(|hold| self.returned_at(hold.id, seat.index));
        back.max().unwrap_or(DateTime::UNIX_EPOCH)
    }

    /// How many places of the section have come back of those that the hold sold.
    pub(crate) fn places_returned(&self, hold: Uuid, section: i16) -> i64 {
        let back = self.returned_of(hold);
        let back = back.filter(|(it, _)| it.seat.is_none() && it.section == section).count();
        i64::try_from(back).unwrap_or(i64::MAX)
    }

    pub(crate) fn seat_called(&self, event: i32, label: &str) -> Option<&'a Seat> {
        self.seats_by_label.get(&(event, label)).copied()
    }

    /// Labels begin with their section's name, and go on with their row and their number.
    pub(crate) fn seated_sections(&self, event: i32) -> BTreeSet<&'a str> {
        let labels = self.rows.seats.iter().filter(|seat| seat.event == event).map(|seat| {
            let (row, _) = seat.label.rsplit_once('-').unwrap_or((&seat.label, ""));
            row.strip_suffix(&*seat.row).map_or(row, |section| section.trim_end_matches('-'))
        });
        labels.collect()
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
