//! One thing that happened, as it leaves: a CloudEvent 1.0 in JSON, with a name that is the same each time.

use bytes::Bytes;
use serde::Serialize;
use serde_json::Value;
use taquilla_engine::id::EventId;
use taquilla_engine::moment::Moment;

use crate::instant::Instant;

/// What is told, by the `type` of its CloudEvent. Its number is raised with what cannot be read as before.
pub const KINDS: &[&str] = &[
    "taquilla.hold.placed.v1",
    "taquilla.hold.reduced.v1",
    "taquilla.hold.extended.v1",
    "taquilla.hold.ended.v1",
    "taquilla.order.placed.v1",
    "taquilla.order.ended.v1",
    "taquilla.ticket.issued.v1",
    "taquilla.ticket.returned.v1",
    "taquilla.attempt.decided.v1",
    "taquilla.attempt.moved.v1",
    "taquilla.refund.moved.v1",
    "taquilla.chargeback.booked.v1",
    "taquilla.chargeback.returned.v1",
    "taquilla.seats.blocked.v1",
    "taquilla.seats.unblocked.v1",
    "taquilla.capacity.set.v1",
    "taquilla.terms.amended.v1",
    "taquilla.operator.acted.v1",
];

/// A message for a sink.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// The same whenever the same is told: `<event>.<batch>.<place in it>`, or `<order>.<version>`.
    pub id: String,
    /// One of [`KINDS`].
    pub kind: &'static str,
    /// The event that it is of.
    pub event: EventId,
    /// The CloudEvent.
    pub body: Bytes,
}

/// What a message tells.
pub(super) struct Told {
    pub(super) kind: &'static str,
    /// What it is about, by its id.
    pub(super) subject: Option<String>,
    pub(super) at: Moment,
    pub(super) data: Value,
}

/// In the order in which readers meet them in the specification.
#[derive(Serialize)]
struct CloudEvent<'a> {
    specversion: &'static str,
    id: &'a str,
    source: String,
    r#type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    subject: Option<&'a str>,
    time: String,
    datacontenttype: &'static str,
    sequence: String,
    data: &'a Value,
}

impl Message {
    /// `sequence` orders the messages of one source, as text.
    pub(super) fn new(
        id: String,
        event: EventId,
        source: String,
        sequence: String,
        told: &Told,
    ) -> Self {
        let envelope = CloudEvent {
            specversion: "1.0",
            id: &id,
            source,
            r#type: told.kind,
            subject: told.subject.as_deref(),
            time: Instant(told.at).to_text(),
            datacontenttype: "application/json",
            sequence,
            data: &told.data,
        };
        let body = serde_json::to_vec(&envelope).expect("strings and numbers are JSON");
        Self { id, kind: told.kind, event, body: body.into() }
    }

    /// The bus's subject: `taquilla.<event>.<what>.<became>`, without the version. The event stands first, so
    /// that `taquilla.<event>.>` is all of it, and `taquilla.*.ticket.issued` one thing of all.
    #[must_use]
    pub fn subject(&self) -> String {
        let mut words = self.kind.split('.').skip(1);
        let (what, became) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        format!("taquilla.{}.{what}.{became}", self.event.uuid())
    }
}
