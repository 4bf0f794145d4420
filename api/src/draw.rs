//! The draw as it is published: what is told before it, and after it all that anybody needs to compute
//! every position again. docs/draw.md says how; `taquilla verify-draw` does it.

mod check;

pub use check::{Checked, Fault};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde::{Deserialize, Serialize};
use taquilla_engine::id::EventId;
use taquilla_persistence::waiting_room::PublishedDraw;
use utoipa::ToSchema;
use uuid::Uuid;

/// The algorithm, by name. Another one has another name.
pub const ALGORITHM: &str = "taquilla-draw-1";

/// What is published of an event's draw.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DrawProof {
    /// Of which event.
    pub event_id: Uuid,
    /// How positions follow from what is revealed.
    pub algorithm: String,
    /// SHA-256 of the secret, in hexadecimal; there before anybody can join.
    pub commitment: String,
    /// What the draw was made from; null until the sale opens.
    pub drawn: Option<Drawn>,
}

/// A draw that has been made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Drawn {
    /// How many took part.
    pub present: u32,
    /// What the commitment is of, in hexadecimal.
    pub secret: String,
    /// SHA-256 of the tickets' ids, in hexadecimal.
    pub public_value: String,
    /// The ids of those who took part, sixteen bytes each in the order of joining, in Base64.
    pub tickets: String,
}

impl DrawProof {
    /// What may be known of this event's draw.
    #[must_use]
    pub fn of(event: EventId, draw: PublishedDraw) -> Self {
        let drawn = draw.drawn.map(|it| {
            let ids: Vec<u8> = it.tickets.iter().flat_map(|id| *id.uuid().as_bytes()).collect();
            Drawn {
                present: u32::try_from(it.tickets.len()).unwrap_or(u32::MAX),
                secret: hex::encode(it.secret.reveal()),
                public_value: hex::encode(it.value.0),
                tickets: BASE64_STANDARD.encode(ids),
            }
        });
        let commitment = hex::encode(draw.commitment.0);
        Self { event_id: event.uuid(), algorithm: ALGORITHM.into(), commitment, drawn }
    }
}
