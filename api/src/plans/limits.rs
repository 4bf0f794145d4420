//! How large a plan may be.

use crate::forms::text::NAME_CHARS_MAX;

/// Sections are numbered by 16 bits, and each has an actor; stadiums have a hundred.
pub(super) const SECTIONS_MAX: usize = 2_000;
/// Of one section of a plan by rows.
pub(super) const ROWS_MAX: usize = 1_000;
/// Of one row of a plan by rows.
pub(super) const ROW_SEATS_MAX: u32 = 1_000;
/// Of a seat's label in a plan by rows: as many as of a seat's id in a layout. With a section's name of
/// that length a ticket's code still fits a QR code.
pub(super) const LABEL_CHARS_MAX: usize = NAME_CHARS_MAX;
/// Of one general area. With all sections this large a venue's capacity still fits 32 bits.
pub(crate) const PLACES_MAX: u32 = 1_000_000;
/// As many tiers as an event may have.
pub(super) const CATEGORIES_MAX: usize = 500;
/// To either side of the origin: beyond it neighbours a unit apart are hard to tell apart in 32 bits.
pub(super) const COORDINATE_MAX: f64 = 1_000_000.0;
