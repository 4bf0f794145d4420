//! One undecided command a buyer: the next ones of the same buyer wait here, in order.

use std::collections::{HashMap, VecDeque};

use crate::buyer::BuyerId;

/// How many commands of a buyer may wait behind the undecided one.
const WAITING_MAX: usize = 4;

/// The lines of all buyers who have an undecided command.
#[derive(Debug)]
pub(super) struct Lines<T> {
    lines: HashMap<BuyerId, VecDeque<T>>,
}

/// What became of a command that joined its buyer's line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Joined<T> {
    /// Nobody is before it: decide it now.
    First(T),
    /// It waits.
    Waits,
    /// The line is full.
    Full(T),
}

impl<T> Default for Lines<T> {
    fn default() -> Self {
        Self { lines: HashMap::new() }
    }
}

impl<T> Lines<T> {
    pub(super) fn join(&mut self, buyer: &BuyerId, command: T) -> Joined<T> {
        match self.lines.get_mut(buyer) {
            None => {
                self.lines.insert(buyer.clone(), VecDeque::new());
                Joined::First(command)
            }
            Some(line) if line.len() < WAITING_MAX => {
                line.push_back(command);
                Joined::Waits
            }
            Some(_) => Joined::Full(command),
        }
    }

    /// The buyer's undecided command is decided: the next one, which is undecided from now on.
    pub(super) fn next(&mut self, buyer: &BuyerId) -> Option<T> {
        let next = self.lines.get_mut(buyer).and_then(VecDeque::pop_front);
        if next.is_none() {
            self.lines.remove(buyer);
        }
        next
    }
}
