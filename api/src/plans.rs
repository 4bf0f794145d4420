//! Seating plans as operators bring them: read, checked, mended. Pure: bytes go in, a plan or all of
//! its defects come out.
//!
//! Two formats are told apart by `format`: rows, which the server lays out, and pretix, which brings
//! its own map. What is wrong with the plan object itself is an error of the request's form; what is
//! wrong with what it describes is a defect of the plan. `docs/plans.md` lists both.

pub mod defect;
mod general;
pub(crate) mod limits;
mod names;
pub mod place;
mod pretix;
pub mod repair;
mod rows;
mod shape;
mod sheet;
pub mod succession;

use std::fmt;

use serde_json::value::RawValue;
use taquilla_persistence::catalogue::{NewSection, SectionRoom};

pub use self::defect::Defect;
pub use self::place::Base;
pub use self::repair::Repair;
pub use self::sheet::{Rejected, Sheet};
use crate::strict::{check_depth, pieces};

/// The most bytes of a plan's text. A seat takes 150 to 300 in the files of other systems.
pub const BYTES_MAX: usize = 32 * 1024 * 1024;

/// A plan without defects.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Kinds of seats that have prices of their own; none of a plan by rows.
    pub categories: Vec<String>,
    /// Sections in order, their seats inside.
    pub sections: Vec<NewSection>,
}

/// How large a plan is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// Seated or general.
    pub sections: usize,
    /// Numbered seats in all.
    pub seats: usize,
    /// Places without number in all.
    pub places: u64,
}

impl Size {
    /// Of these sections.
    #[must_use]
    pub fn of(sections: &[NewSection]) -> Self {
        let mut size = Self { sections: sections.len(), ..Self::default() };
        for section in sections {
            match &section.room {
                SectionRoom::Seated(seats) => size.seats += seats.len(),
                SectionRoom::General { capacity } => size.places += u64::from(*capacity),
            }
        }
        size
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { sections, seats, places } = self;
        write!(f, "{sections} sections, {seats} seats, {places} places without number")
    }
}

/// The plan of a whole text: a plan object as a venue has it, or a pretix layout alone.
///
/// # Errors
/// All that is wrong with it.
pub fn read(text: &[u8]) -> Result<Plan, Vec<Defect>> {
    let plan = Sheet::of(document(text)?).check();
    plan.map_err(|rejected| match rejected {
        Rejected::Form(defects) | Rejected::Plan(defects) => defects,
    })
}

/// The whole text as one piece of JSON, if it is one, and neither too long nor too deep.
///
/// # Errors
/// The one defect.
pub fn document(text: &[u8]) -> Result<&RawValue, Vec<Defect>> {
    let defect = |code, detail: String| vec![Defect { code, r#where: String::new(), detail }];
    if text.len() > BYTES_MAX {
        return Err(defect("too-large", format!("longer than {BYTES_MAX} bytes")));
    }
    check_depth(text).map_err(|error| defect("too-deep", error.detail))?;
    pieces::document(text).map_err(|error| defect("not-json", error.detail))
}
