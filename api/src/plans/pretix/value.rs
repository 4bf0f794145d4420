//! What stands where a file should say something, right or wrong.

use serde_json::value::RawValue;

use crate::strict::pieces::{self, Kind};

/// Where a name should stand.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::plans) enum Said {
    /// Nothing, or null.
    Nothing,
    /// A text, perhaps a blank one.
    Text(Box<str>),
    /// A number, as it is written.
    Number(Box<str>),
    /// Something else.
    Wrong(Kind),
}

impl Said {
    pub(super) fn read(piece: Option<&RawValue>) -> Self {
        let Some(piece) = piece else { return Self::Nothing };
        match Kind::of(piece) {
            Kind::Null => Self::Nothing,
            Kind::Number => Self::Number(piece.get().into()),
            Kind::Text => match pieces::text(piece) {
                Ok(text) => Self::Text(text.into()),
                Err(kind) => Self::Wrong(kind),
            },
            other => Self::Wrong(other),
        }
    }

    /// The text, if it has a character that is no white space: a blank name is no name.
    pub(in crate::plans) fn name(&self) -> Option<&str> {
        match self {
            Self::Text(text) if !text.trim().is_empty() => Some(text),
            Self::Text(_) | Self::Nothing | Self::Number(_) | Self::Wrong(_) => None,
        }
    }

    /// Whether it says nothing, or a blank.
    pub(in crate::plans) fn is_blank(&self) -> bool {
        match self {
            Self::Nothing => true,
            Self::Text(text) => text.trim().is_empty(),
            Self::Number(_) | Self::Wrong(_) => false,
        }
    }

    /// What stands there instead of a text.
    pub(super) fn wrong(&self) -> Option<Kind> {
        match self {
            Self::Wrong(kind) => Some(*kind),
            Self::Number(_) => Some(Kind::Number),
            Self::Text(_) | Self::Nothing => None,
        }
    }
}

/// Where a coordinate should stand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::plans) enum Coordinate {
    Nothing,
    At(f64),
    /// A number that is too large for any machine, such as 1e999.
    Endless,
    Wrong(Kind),
}

impl Coordinate {
    fn read(piece: Option<&RawValue>) -> Self {
        let Some(piece) = piece else { return Self::Nothing };
        match Kind::of(piece) {
            Kind::Null => Self::Nothing,
            Kind::Number => match piece.get().parse::<f64>() {
                Ok(number) if number.is_finite() => Self::At(number),
                Ok(_) | Err(_) => Self::Endless,
            },
            other => Self::Wrong(other),
        }
    }
}

/// Where a position should stand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::plans) enum Position {
    Nothing,
    At(Coordinate, Coordinate),
    Wrong(Kind),
}

impl Position {
    pub(super) fn read(piece: Option<&RawValue>) -> Self {
        let Some(piece) = piece else { return Self::Nothing };
        if Kind::of(piece) == Kind::Null {
            return Self::Nothing;
        }
        match pieces::pick(piece, ["x", "y"]) {
            Ok(picked) => {
                let [x, y] = picked.values.map(Coordinate::read);
                Self::At(x, y)
            }
            Err(kind) => Self::Wrong(kind),
        }
    }

    /// x and y, where both are numbers; the origin where they are not.
    pub(super) fn or_origin(self) -> (f64, f64) {
        match self {
            Self::At(Coordinate::At(x), Coordinate::At(y)) => (x, y),
            Self::At(..) | Self::Nothing | Self::Wrong(_) => (0.0, 0.0),
        }
    }
}

/// Which category a seat says that it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::plans) enum Reference {
    Nothing,
    /// The name of this number in the draft's list of names.
    Name(u32),
    Wrong(Kind),
}

/// Whether a seat says that a wheelchair fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::plans) enum Flag {
    Unset,
    Set,
    Wrong(Kind),
}

impl Flag {
    pub(super) fn read(piece: Option<&RawValue>) -> Self {
        let Some(piece) = piece else { return Self::Unset };
        match (Kind::of(piece), piece.get()) {
            (Kind::Boolean, "true") => Self::Set,
            (Kind::Boolean | Kind::Null, _) => Self::Unset,
            (other, _) => Self::Wrong(other),
        }
    }
}
