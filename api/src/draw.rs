//! The draw as it is published: what is told before it, and after it all that anybody needs to compute
//! every position again. docs/draw.md says how; `taquilla verify-draw` does it.

mod check;

pub use check::{Checked, Fault};

use serde::{Deserialize, Serialize};
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
