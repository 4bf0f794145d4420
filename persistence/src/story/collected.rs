//! The entries of one answer: the earliest after a position. Whatever comes in which order, memory is
//! that of two answers.

use super::Subject;
use super::entry::{Entry, Position, What};
use crate::page::Page;

pub(super) struct Collected {
    after: Option<Position>,
    limit: u16,
    entries: Vec<Entry>,
    /// Whether anything was told that is not of the whole event, before or after the position.
    heard_of: bool,
}

impl Collected {
    pub(super) fn new(after: Option<Position>, limit: u16) -> Self {
        Self { after, limit, entries: Vec::new(), heard_of: false }
    }

    pub(super) fn add(&mut self, entry: Entry) {
        self.heard_of |= !matches!(entry.what, What::Operated { .. });
        if self.after.is_some_and(|after| entry.position <= after) {
            return;
        }
        self.entries.push(entry);
        if self.entries.len() > 2 * (usize::from(self.limit) + 1) {
            self.keep_earliest();
        }
    }

    /// One more than the answer has tells that there are more.
    fn keep_earliest(&mut self) {
        self.entries.sort_unstable_by_key(|entry| entry.position);
        self.entries.truncate(usize::from(self.limit) + 1);
    }

    /// `None` for a buyer of whom nothing was heard. Seats, holds and orders are there, whether or not
    /// anything happened to them.
    pub(super) fn into_page(mut self, subject: &Subject) -> Option<Page<Entry, Position>> {
        self.keep_earliest();
        let there = match subject {
            Subject::Buyer(_) => self.heard_of,
            Subject::Seat { .. } | Subject::Hold(_) | Subject::Order(_) => true,
        };
        there.then(|| Page::cut(self.entries, self.limit, |last| last.position))
    }
}
