//! What an event's batches tell, as messages.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use taquilla_engine::id::{SeatIndex, SectionIndex};
use taquilla_engine::moment::Moment;
use taquilla_engine::money::{Currency, Money};
use taquilla_persistence::HistoryBatch;
use taquilla_persistence::codec::{HoldEnding, OrderState, Record, Taken, TakenInSection};
use taquilla_persistence::relay::{EventOfBus, Names};
use uuid::Uuid;

use super::message::{Message, Told};
use crate::instant::Instant;
use crate::views::MoneyView;

/// A message stays small, whatever an operator blocks at once: 20 KB or so.
const SEATS_MAX: usize = 1_000;

/// The messages of a batch that `wants` them. Their places in the batch count those that are left out too.
pub(super) fn of_batch(
    event: &EventOfBus,
    names: &Names,
    batch: &HistoryBatch,
    wants: impl Fn(&str) -> bool,
) -> Vec<Message> {
    let teller = Teller { currency: event.currency, names, at: batch.at };
    let told = batch.records.iter().flat_map(|record| teller.tell(record));
    let wanted = (0_u32..).zip(told).filter(|(_, told)| wants(told.kind));
    let message = |(place, told): (u32, Told)| {
        let sequence = batch.sequence.0;
        let id = format!("{}.{sequence}.{place}", event.id.uuid());
        let source = format!("/events/{}", event.id.uuid());
        Message::new(id, event.id, source, format!("{sequence:012}.{place:06}"), &told)
    };
    wanted.map(message).collect()
}

/// The seats that these batches name.
pub(super) fn seats_of(batches: &[HistoryBatch]) -> BTreeSet<u32> {
    let mut named = BTreeSet::new();
    for record in batches.iter().flat_map(|batch| &batch.records) {
        match record {
            Record::HoldPlaced { taken, .. }
            | Record::HoldReduced { given_back: taken, .. }
            | Record::TicketsReturned { given_back: taken, .. } => named.extend(&taken.seats),
            Record::HoldPlacedInSection { taken: TakenInSection::Seats(seats), .. }
            | Record::SeatsBlocked { seats, .. }
            | Record::SeatsUnblocked { seats, .. } => named.extend(seats),
            Record::TicketIssued { seat, .. } => named.extend(seat),
            Record::HoldPlacedInSection { taken: TakenInSection::Places(_), .. }
            | Record::HoldEnded { .. }
            | Record::OrderPlaced { .. }
            | Record::OrderEnded { .. }
            | Record::AttemptDecided { .. }
            | Record::CapacitySet { .. }
            | Record::TermsAmended { .. }
            | Record::Operated { .. }
            | Record::HoldExtended { .. } => {}
        }
    }
    named
}

struct Teller<'a> {
    currency: Currency,
    names: &'a Names,
    /// When the batch was written: for records that do not say when.
    at: Moment,
}

impl Teller<'_> {
    fn tell(&self, record: &Record) -> Vec<Told> {
        match record {
            // As this program decodes it, it is the other one.
            Record::HoldPlacedInSection { .. } => Vec::new(),
            Record::HoldPlaced { hold, buyer, taken, total, created_at, expires_at } => {
                let mut data = json!({
                    "hold_id": hold, "buyer": buyer, "total": self.money(*total),
                    "created_at": time(*created_at), "expires_at": time(*expires_at),
                });
                self.add_taken(&mut data, taken);
                one("taquilla.hold.placed.v1", *hold, *created_at, data)
            }
            Record::HoldReduced { hold, given_back, total, at } => {
                let mut data = json!({"hold_id": hold, "total": self.money(*total)});
                self.add_taken(&mut data, given_back);
                one("taquilla.hold.reduced.v1", *hold, *at, data)
            }
            Record::HoldExtended { hold, attempt, expires_at, at } => {
                let data = json!({
                    "hold_id": hold, "attempt_id": attempt, "expires_at": time(*expires_at),
                });
                one("taquilla.hold.extended.v1", *hold, *at, data)
            }
            Record::HoldEnded { hold, ending, at } => {
                let status = match ending {
                    HoldEnding::Released => "released",
                    HoldEnding::Expired => "expired",
                    HoldEnding::Converted => "converted",
                };
                let data = json!({"hold_id": hold, "status": status});
                one("taquilla.hold.ended.v1", *hold, *at, data)
            }
            Record::OrderPlaced { order, hold, buyer, status, total, created_at } => {
                let data = json!({
                    "order_id": order, "hold_id": hold, "buyer": buyer, "status": state(*status),
                    "total": self.money(*total),
                });
                one("taquilla.order.placed.v1", *order, *created_at, data)
            }
            Record::OrderEnded { order, status, at } => {
                let data = json!({"order_id": order, "status": state(*status)});
                one("taquilla.order.ended.v1", *order, *at, data)
            }
            Record::TicketIssued { ticket, order, section, seat } => {
                let data = json!({
                    "ticket_id": ticket, "order_id": order,
                    "section": self.names.section(SectionIndex(*section)),
                    "seat": seat.map(|seat| self.names.seat(SeatIndex(seat))),
                });
                one("taquilla.ticket.issued.v1", *ticket, self.at.0, data)
            }
            Record::TicketsReturned {
                refund,
                order,
                tickets,
                given_back,
                cause,
                who,
                amount,
                at,
            } => {
                let tickets: Vec<Uuid> = tickets.iter().copied().map(Uuid::from_bytes).collect();
                let mut data = json!({
                    "refund_id": refund, "order_id": order, "tickets": tickets,
                    "cause": cause.code(), "who": who, "amount": self.money(*amount),
                });
                self.add_taken(&mut data, given_back);
                one("taquilla.ticket.returned.v1", *order, *at, data)
            }
            Record::AttemptDecided { attempt, order, confirmed } => {
                let data =
                    json!({"attempt_id": attempt, "order_id": order, "confirmed": confirmed});
                one("taquilla.attempt.decided.v1", *attempt, self.at.0, data)
            }
            Record::SeatsBlocked { seats, at } => {
                self.seats("taquilla.seats.blocked.v1", seats, *at)
            }
            Record::SeatsUnblocked { seats, at } => {
                self.seats("taquilla.seats.unblocked.v1", seats, *at)
            }
            Record::CapacitySet { section, was, becomes, at } => {
                let section = self.names.section(SectionIndex(*section));
                let data = json!({"section": section, "was": was, "becomes": becomes});
                vec![Told {
                    kind: "taquilla.capacity.set.v1",
                    subject: None,
                    at: Moment(*at),
                    data,
                }]
            }
            Record::TermsAmended { at } => {
                let (kind, data) = ("taquilla.terms.amended.v1", json!({}));
                vec![Told { kind, subject: None, at: Moment(*at), data }]
            }
            Record::Operated { action, who, what, at } => {
                let data = json!({"action_id": action, "who": who, "what": what});
                one("taquilla.operator.acted.v1", *action, *at, data)
            }
        }
    }

    /// In parts, if they are many.
    fn seats(&self, kind: &'static str, seats: &[u32], at: i64) -> Vec<Told> {
        let part = |part: &[u32]| {
            let data = json!({"seats": self.labels(part)});
            Told { kind, subject: None, at: Moment(at), data }
        };
        seats.chunks(SEATS_MAX).map(part).collect()
    }

    fn add_taken(&self, data: &mut Value, taken: &Taken) {
        let place = |(section, quantity): &(u16, u32)| json!({"section": self.names.section(SectionIndex(*section)), "quantity": quantity});
        data["seats"] = self.labels(&taken.seats).into();
        data["general"] = taken.places.iter().map(place).collect();
    }

    fn labels(&self, seats: &[u32]) -> Vec<String> {
        seats.iter().map(|seat| self.names.seat(SeatIndex(*seat))).collect()
    }

    fn money(&self, amount: i64) -> MoneyView {
        Money { amount, currency: self.currency }.into()
    }
}

fn one(kind: &'static str, about: Uuid, at: i64, data: Value) -> Vec<Told> {
    vec![Told { kind, subject: Some(about.to_string()), at: Moment(at), data }]
}

fn state(status: OrderState) -> &'static str {
    match status {
        OrderState::Open => "pending_payment",
        OrderState::Confirmed => "confirmed",
        OrderState::Cancelled => "cancelled",
        OrderState::Expired => "expired",
    }
}

fn time(micros: i64) -> Instant {
    Instant(Moment(micros))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use taquilla_engine::id::{EventId, EventNumber, Sequence};
    use taquilla_persistence::codec::ReturnCause;

    use super::*;
    use crate::relay::KINDS;

    const AT: i64 = 1_000_000;

    /// One of each, but for what is decoded as another.
    fn records() -> Vec<Record> {
        let id = Uuid::from_u128(7);
        let taken = || Taken { seats: vec![0], places: vec![(1, 2)] };
        let ana = || "ana".to_owned();
        vec![
            Record::HoldPlaced {
                hold: id,
                buyer: ana(),
                taken: taken(),
                total: 9,
                created_at: AT,
                expires_at: AT,
            },
            Record::HoldReduced { hold: id, given_back: taken(), total: 9, at: AT },
            Record::HoldExtended { hold: id, attempt: id, expires_at: AT, at: AT },
            Record::HoldEnded { hold: id, ending: HoldEnding::Converted, at: AT },
            Record::OrderPlaced {
                order: id,
                hold: id,
                buyer: ana(),
                status: OrderState::Open,
                total: 9,
                created_at: AT,
            },
            Record::OrderEnded { order: id, status: OrderState::Confirmed, at: AT },
            Record::TicketIssued { ticket: id, order: id, section: 0, seat: Some(0) },
            Record::TicketsReturned {
                refund: id,
                order: id,
                tickets: vec![*id.as_bytes()],
                given_back: taken(),
                cause: ReturnCause::Refund,
                who: ana(),
                amount: 9,
                at: AT,
            },
            Record::AttemptDecided { attempt: id, order: id, confirmed: true },
            Record::SeatsBlocked { seats: (0..2_001).collect(), at: AT },
            Record::SeatsUnblocked { seats: vec![0], at: AT },
            Record::CapacitySet { section: 1, was: 1, becomes: 2, at: AT },
            Record::TermsAmended { at: AT },
            Record::Operated { action: id, who: ana(), what: "pause".into(), at: AT },
        ]
    }

    fn told(wants: impl Fn(&str) -> bool) -> Vec<(Message, Value)> {
        let id = EventId::new(EventNumber(1), [7; 11]);
        let currency = Currency::parse("EUR").expect("euros");
        let event = EventOfBus { number: EventNumber(1), id, currency };
        let batch = HistoryBatch { sequence: Sequence(5), at: Moment(AT), records: records() };
        let messages = of_batch(&event, &Names::default(), &batch, wants);
        let with_event = |it: Message| {
            let event = serde_json::from_slice(&it.body).expect("JSON");
            (it, event)
        };
        messages.into_iter().map(with_event).collect()
    }

    #[test]
    fn every_kind_that_is_documented_is_told_and_no_other() {
        let of_money = ["attempt.moved", "refund.moved", "chargeback."];
        let is_of_money = |kind: &&&str| of_money.iter().any(|it| kind.contains(it));
        let documented: BTreeSet<&str> =
            KINDS.iter().filter(|kind| !is_of_money(kind)).copied().collect();
        let all = told(|_| true);
        let kinds: BTreeSet<&str> = all.iter().map(|(it, _)| it.kind).collect();
        assert_eq!(kinds, documented);
        let page = include_str!("../../../docs/outbox.md");
        let missing: Vec<_> = KINDS.iter().filter(|kind| !page.contains(**kind)).collect();
        assert!(missing.is_empty(), "docs/outbox.md does not tell of {missing:?}");
    }

    #[test]
    fn many_seats_are_told_in_parts_and_what_is_not_wanted_leaves_its_place() {
        let all = told(|_| true);
        let ids: BTreeSet<_> = all.iter().map(|(it, _)| it.id.as_str()).collect();
        assert_eq!(ids.len(), all.len());
        let blocked = |it: &&(Message, Value)| it.0.kind == "taquilla.seats.blocked.v1";
        let parts = all.iter().filter(blocked);
        let seats = parts.map(|(_, event)| event["data"]["seats"].as_array().map_or(0, Vec::len));
        assert_eq!(seats.collect::<Vec<_>>(), [1_000, 1_000, 1]);
        let wanted = told(|kind| kind == "taquilla.terms.amended.v1");
        let [(only, event)] = wanted.as_slice() else { panic!("{wanted:?}") };
        let same = all.iter().find(|(it, _)| it.kind == only.kind).expect("it is told");
        assert_eq!(only, &same.0);
        assert_eq!(event["sequence"], "000000000005.000014");
    }
}
