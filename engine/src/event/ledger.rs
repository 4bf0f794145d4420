//! How many seats each buyer holds and owns in this event, over all sections. Exact, since one
//! process owns the event; overdue holds count until whoever builds on their end has ended them.

use std::collections::HashMap;

use smallvec::SmallVec;

use crate::buyer::BuyerId;
use crate::id::HoldId;

/// One buyer's account.
#[derive(Debug, Default)]
struct Account {
    seats: u32,
    live: SmallVec<[HoldId; 2]>,
}

/// All buyers' accounts. Buyers with nothing have none.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    accounts: HashMap<BuyerId, Account>,
}

impl Ledger {
    /// Seats held and owned.
    pub(super) fn seats(&self, buyer: &BuyerId) -> u32 {
        self.accounts.get(buyer).map_or(0, |account| account.seats)
    }

    /// Everybody who has an account.
    pub(super) fn buyers(&self) -> impl Iterator<Item = &BuyerId> {
        self.accounts.keys()
    }

    /// What all buyers hold and own together.
    pub(super) fn total(&self) -> u32 {
        self.accounts.values().map(|account| account.seats).sum()
    }

    /// The buyer's active holds, oldest first, some perhaps overdue.
    pub(super) fn live(&self, buyer: &BuyerId) -> &[HoldId] {
        self.accounts.get(buyer).map_or(&[], |account| &account.live)
    }

    /// Counts a new hold.
    pub(super) fn hold(&mut self, buyer: &BuyerId, hold: HoldId, quantity: u32) {
        let account = self.accounts.entry(buyer.clone()).or_default();
        account.seats += quantity;
        account.live.push(hold);
    }

    /// Counts what a buyer owns already, while the event is rebuilt.
    pub(super) fn own(&mut self, buyer: &BuyerId, quantity: u32) {
        self.accounts.entry(buyer.clone()).or_default().seats += quantity;
    }

    /// A living hold gives so many seats back.
    pub(super) fn reduce(&mut self, buyer: &BuyerId, quantity: u32) {
        self.accounts.get_mut(buyer).expect("a living hold has an account").seats -= quantity;
    }

    /// What was bought comes back.
    pub(super) fn give_back(&mut self, buyer: &BuyerId, quantity: u32) {
        let account = self.accounts.get_mut(buyer).expect("whoever owns seats has an account");
        account.seats -= quantity;
        if account.seats == 0 {
            self.accounts.remove(buyer);
        }
    }

    /// The hold is alive no longer; its seats are given back unless they are `kept`.
    pub(super) fn end(&mut self, buyer: &BuyerId, hold: HoldId, quantity: u32, kept: bool) {
        let account = self.accounts.get_mut(buyer).expect("a living hold has an account");
        account.live.retain(|live| *live != hold);
        if !kept {
            account.seats -= quantity;
        }
        if account.seats == 0 {
            self.accounts.remove(buyer);
        }
    }
}
