//! An event as it is made.

use taquilla_engine::moment::Moment;
use taquilla_engine::money::Currency;
use taquilla_engine::plan::Tier;
use taquilla_engine::pricing::Fee;
use taquilla_engine::sale::Sale;

use super::artist::Artist;

/// What becomes an event at a venue. Checked by the caller: tier names are unique, and the sale
/// opens before it closes.
#[derive(Clone, Debug)]
pub struct NewEvent {
    /// The part of the event's id that is not its number, drawn by the caller.
    pub random: [u8; 11],
    /// Unique among events.
    pub slug: String,
    /// As printed.
    pub name: String,
    /// As printed.
    pub description: String,
    /// One word for lists, such as `rock`.
    pub category: String,
    /// Small print; may be empty.
    pub conditions: String,
    /// Who plays, in order, no slug twice. Those whose slug exists are found, the others made.
    pub artists: Vec<Artist>,
    /// When the doors matter.
    pub starts_at: Moment,
    /// Of all its prices.
    pub currency: Currency,
    /// Price classes, at least one.
    pub tiers: Vec<Tier>,
    /// For each section of the plan, in index order, places in `tiers`: one for each category that
    /// the section has, in their order, or a single one if it has none; none for a dropped section.
    pub section_tiers: Vec<Vec<u16>>,
    /// In the order in which buyers see them.
    pub fees: Vec<Fee>,
    /// When and on what terms.
    pub sale: Sale,
}
