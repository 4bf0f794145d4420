//! One page of a list. Positions are typed here; how a cursor spells one is the API's affair.

/// What fits a page, and where the next one begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page<Item, Position> {
    /// In the list's order.
    pub items: Vec<Item>,
    /// The position of the last item, if there are more after it.
    pub next: Option<Position>,
}

impl<Item, Position> Page<Item, Position> {
    /// Cuts what was read with [`one_more_than`] down to the page.
    pub(crate) fn cut(
        mut items: Vec<Item>,
        limit: u16,
        position: impl FnOnce(&Item) -> Position,
    ) -> Page<Item, Position> {
        let more = items.len() > usize::from(limit);
        items.truncate(usize::from(limit));
        let next = if more { items.last().map(position) } else { None };
        Page { items, next }
    }
}

/// The number of rows to ask for: one more than the page shows tells whether there is a next one.
pub(crate) fn one_more_than(limit: u16) -> i64 {
    i64::from(limit) + 1
}
