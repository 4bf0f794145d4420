//! Places in a plan's file, small enough to be kept for each seat, written as JSON pointers.

use std::fmt;

/// Where the plan stands in what was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// It is the member `plan` of a venue.
    Venue,
    /// It is the whole text.
    Plan,
    /// The whole text is a pretix layout.
    Layout,
}

/// A place: numbers are 0-based, the text is the member in question, such as `seat_guid` or
/// `position/x`, or empty for the whole thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Of the plan itself.
    Plan(&'static str),
    /// Of a section of a plan by rows.
    Section(u32, &'static str),
    /// Of a row of it.
    SectionRow(u32, u32, &'static str),
    /// Of a general area beside a layout.
    General(u32, &'static str),
    /// Of a pretix layout.
    Layout(&'static str),
    /// Of a category of it.
    Category(u32, &'static str),
    /// Of a zone of it.
    Zone(u32, &'static str),
    /// Of a row of a zone.
    Row(u32, u32, &'static str),
    /// Of a seat of a row of a zone.
    Seat(u32, u32, u32, &'static str),
}

impl Place {
    /// The JSON pointer into what was sent.
    #[must_use]
    pub fn pointer(self, base: Base) -> String {
        let (plan, layout) = match base {
            Base::Venue => ("/plan", "/plan/layout"),
            Base::Plan => ("", "/layout"),
            Base::Layout => ("", ""),
        };
        match self {
            Self::Plan(_) | Self::Section(..) | Self::SectionRow(..) | Self::General(..) => {
                format!("{plan}{self}")
            }
            Self::Layout(_)
            | Self::Category(..)
            | Self::Zone(..)
            | Self::Row(..)
            | Self::Seat(..) => format!("{layout}{self}"),
        }
    }

    fn member(self) -> &'static str {
        match self {
            Self::Plan(member)
            | Self::Section(_, member)
            | Self::SectionRow(_, _, member)
            | Self::General(_, member)
            | Self::Layout(member)
            | Self::Category(_, member)
            | Self::Zone(_, member)
            | Self::Row(_, _, member)
            | Self::Seat(_, _, _, member) => member,
        }
    }

    /// This member of the same thing.
    #[must_use]
    pub fn at(self, member: &'static str) -> Self {
        match self {
            Self::Plan(_) => Self::Plan(member),
            Self::Section(section, _) => Self::Section(section, member),
            Self::SectionRow(section, row, _) => Self::SectionRow(section, row, member),
            Self::General(area, _) => Self::General(area, member),
            Self::Layout(_) => Self::Layout(member),
            Self::Category(category, _) => Self::Category(category, member),
            Self::Zone(zone, _) => Self::Zone(zone, member),
            Self::Row(zone, row, _) => Self::Row(zone, row, member),
            Self::Seat(zone, row, seat, _) => Self::Seat(zone, row, seat, member),
        }
    }
}

/// Within the plan or the layout.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Plan(_) | Self::Layout(_) => Ok(()),
            Self::Section(section, _) => write!(f, "/sections/{section}"),
            Self::SectionRow(section, row, _) => write!(f, "/sections/{section}/rows/{row}"),
            Self::General(area, _) => write!(f, "/general/{area}"),
            Self::Category(category, _) => write!(f, "/categories/{category}"),
            Self::Zone(zone, _) => write!(f, "/zones/{zone}"),
            Self::Row(zone, row, _) => write!(f, "/zones/{zone}/rows/{row}"),
            Self::Seat(zone, row, seat, _) => write!(f, "/zones/{zone}/rows/{row}/seats/{seat}"),
        }?;
        match self.member() {
            "" => Ok(()),
            member => write!(f, "/{member}"),
        }
    }
}
