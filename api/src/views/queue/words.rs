//! The words for where somebody stands and what he may expect.

use serde::{Serialize, Serializer};
use taquilla_engine::waiting_room::line::Standing;

/// Where somebody stands, as he is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlaceState {
    /// Nobody has a position.
    PreSale,
    /// In the line, or at its head.
    Waiting,
    /// He may shop.
    Admitted,
    /// He was called and did not come, or his time is over.
    Expired,
    /// He gave his place up.
    Left,
}

/// Whether something is likely to be left for him.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outlook {
    /// For all before him, and for him.
    Good,
    /// If they take less than most do.
    Uncertain,
    /// Not if each before him takes one.
    Unlikely,
}

impl PlaceState {
    /// As it leaves.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::PreSale => "pre_sale",
            Self::Waiting => "waiting",
            Self::Admitted => "admitted",
            Self::Expired => "expired",
            Self::Left => "left",
        }
    }
}

impl From<Standing> for PlaceState {
    fn from(standing: Standing) -> Self {
        match standing {
            Standing::PreSale => Self::PreSale,
            // Once he asks he is in.
            Standing::Waiting { .. } | Standing::Called { .. } => Self::Waiting,
            Standing::Admitted { .. } => Self::Admitted,
            Standing::Expired { .. } => Self::Expired,
            Standing::Left { .. } => Self::Left,
        }
    }
}

impl Outlook {
    /// As it leaves.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Uncertain => "uncertain",
            Self::Unlikely => "unlikely",
        }
    }
}

impl Serialize for PlaceState {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.code())
    }
}

impl Serialize for Outlook {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.code())
    }
}
