//! New terms and what waits for them. A hold is decided by the terms that it was begun by: a change waits
//! until sections have answered all holds that were begun before it, and holds that come meanwhile wait
//! for the change.

use std::collections::VecDeque;

use super::Door;
use crate::buyer::BuyerId;
use crate::command::{Command, Request};

/// Who waits for whom.
#[derive(Debug)]
pub(super) struct TermsGate<R> {
    /// Changes of terms that wait for what was begun by the present ones.
    operations: VecDeque<(Request, R)>,
    /// Sections are deciding on a change of terms.
    amending: bool,
    /// Holds that wait for the new terms.
    parked: VecDeque<(BuyerId, Request, R)>,
}

impl<R> Default for TermsGate<R> {
    fn default() -> Self {
        Self { operations: VecDeque::new(), amending: false, parked: VecDeque::new() }
    }
}

impl<R> TermsGate<R> {
    pub(super) fn park(&mut self, buyer: &BuyerId, request: Request, reply: R) {
        self.parked.push_back((buyer.clone(), request, reply));
    }

    /// A change comes in.
    pub(super) fn queue(&mut self, operation: Request, reply: R) {
        self.operations.push_back((operation, reply));
    }

    /// Sections have been asked about a change; or it is decided.
    pub(super) fn set_amending(&mut self, amending: bool) {
        self.amending = amending;
    }

    /// Whether a change waits for nothing but what was begun before it.
    fn is_next_due(&self) -> bool {
        !self.amending && !self.operations.is_empty()
    }

    /// Whether new terms are on their way.
    fn is_shut(&self) -> bool {
        self.amending || !self.operations.is_empty()
    }
}

impl<R> Door<R> {
    /// Whether this is to be decided by terms that are about to change.
    pub(super) fn waits_for_terms(&self, command: &Command) -> bool {
        match command {
            Command::PlaceHold { .. } => self.terms_gate.is_shut(),
            Command::ReleaseHold { .. }
            | Command::GiveBack { .. }
            | Command::PlaceOrder { .. }
            | Command::CancelOrder { .. }
            | Command::ConfirmOrder { .. }
            | Command::ExtendHold { .. }
            | Command::ReadHold { .. }
            | Command::ReadHolds { .. }
            | Command::ReturnTickets(_)
            | Command::Operate(_) => false,
        }
    }

    /// Changes terms as far as nothing stands in the way; then what waited for that goes on.
    pub(super) fn operate_next(&mut self) {
        while self.terms_gate.is_next_due() && !self.errands.some_rest_on_terms() {
            let Some((request, reply)) = self.terms_gate.operations.pop_front() else { break };
            self.change_terms(request, reply);
        }
        while !self.terms_gate.is_shut() {
            let Some((buyer, request, reply)) = self.terms_gate.parked.pop_front() else { break };
            self.begin(&buyer, request, reply);
        }
    }
}
