//! Errands: what the door has asked of sections, and what it will do with their word. One that goes to
//! a single section is decided there; one that goes to several is prepared by each, and settled once
//! all have been heard.

use std::collections::HashMap;

use smallvec::SmallVec;

use super::best::Search;
use super::returns::Returning;
use super::{Door, Effect};
use crate::buyer::BuyerId;
use crate::command::Keyed;
use crate::event::terms::Amendment;
use crate::hold::{Claim, Hold};
use crate::id::{AttemptId, HoldId, OrderId, SectionIndex};
use crate::moment::Moment;
use crate::operation::Operation;
use crate::order::Order;
use crate::refund::TicketReturn;
use crate::refusal::Refusal;
use crate::section::{
    Decided, Decision, Denial, ErrandId, SectionAction, SectionCommand, SectionMessage, Settlement,
};

/// A command that sections are deciding, with what is to be done with the decision.
#[derive(Debug)]
pub(super) enum Errand<R> {
    /// The hold claims all that was asked for.
    Place {
        hold: Box<Hold>,
        accept_fewer: bool,
        reply: R,
    },
    /// One step of a search for the best seats.
    Search {
        search: Search,
        section: SectionIndex,
        reply: R,
    },
    /// A party put together from offers of several sections.
    PlaceGathered {
        hold: Box<Hold>,
        search: Search,
        tries: u32,
        reply: R,
    },
    GiveBack {
        buyer: BuyerId,
        hold: HoldId,
        part: Claim,
        reply: R,
    },
    /// `sold` is the refusal of a hold that a confirmation was faster with.
    Release {
        buyer: BuyerId,
        hold: HoldId,
        sold: Refusal,
        reply: R,
    },
    PlaceFreeOrder {
        order: Box<Order>,
        keyed: Keyed,
        reply: R,
    },
    Confirm {
        order: OrderId,
        hold: HoldId,
        attempt: AttemptId,
        reply: R,
    },
    Extend {
        hold: HoldId,
        attempt: AttemptId,
        expires_at: Moment,
        reply: R,
    },
    Return {
        asked: Box<TicketReturn>,
        returning: Returning,
        reply: R,
    },
    /// Ends an overdue hold before its buyer's next hold is decided.
    MakeRoom {
        buyer: BuyerId,
    },
    Sweep {
        hold: HoldId,
    },
    /// Ends a living hold of a cancelled event.
    Withdraw {
        hold: HoldId,
    },
    Operate {
        operation: Box<Operation>,
        /// What of the event's terms changes with it.
        amendment: Amendment,
        reply: R,
    },
}

/// An errand under way.
#[derive(Debug)]
struct Pending<R> {
    errand: Errand<R>,
    settlement: Settlement,
    /// The instant at which its sections decide.
    now: Moment,
    /// Sections that have not answered yet.
    left: usize,
    heard: Heard,
}

/// What sections said to an errand, in the order in which they did.
pub(super) type Heard = SmallVec<[(SectionIndex, Decision); 1]>;

/// All errands under way.
#[derive(Debug)]
pub(super) struct Errands<R> {
    pending: HashMap<ErrandId, Pending<R>>,
    sent: u64,
}

impl<R> Default for Errands<R> {
    fn default() -> Self {
        Self { pending: HashMap::new(), sent: 0 }
    }
}

/// An errand that all its sections have answered.
pub(super) struct Concluded<R> {
    id: ErrandId,
    pub(super) errand: Errand<R>,
    settlement: Settlement,
    /// The instant at which it was decided; the last word may have come later.
    pub(super) decided_at: Moment,
    pub(super) heard: Heard,
}

impl<R> Concluded<R> {
    /// Whether all sections said yes; or, to a buyer who takes fewer, any of them.
    pub(super) fn is_granted(&self) -> bool {
        let mut said = self.heard.iter().map(|(_, decision)| decision.outcome.is_ok());
        match &self.errand {
            Errand::Place { accept_fewer: true, .. } => said.any(|yes| yes),
            Errand::Place { accept_fewer: false, .. }
            | Errand::Search { .. }
            | Errand::PlaceGathered { .. }
            | Errand::GiveBack { .. }
            | Errand::Release { .. }
            | Errand::PlaceFreeOrder { .. }
            | Errand::Confirm { .. }
            | Errand::Extend { .. }
            | Errand::Return { .. }
            | Errand::MakeRoom { .. }
            | Errand::Sweep { .. }
            | Errand::Withdraw { .. }
            | Errand::Operate { .. } => said.all(|yes| yes),
        }
    }

    /// Whether the caller had gone when one of them came to it.
    pub(super) fn is_late(&self) -> bool {
        self.heard.iter().any(|(_, decision)| decision.outcome == Err(Denial::TooLate))
    }
}

impl<R> Errands<R> {
    fn start(
        &mut self,
        errand: Errand<R>,
        settlement: Settlement,
        now: Moment,
        sections: usize,
    ) -> ErrandId {
        let id = ErrandId(self.sent);
        self.sent += 1;
        let pending = Pending { errand, settlement, now, left: sections, heard: Heard::new() };
        self.pending.insert(id, pending);
        id
    }

    /// Whether the errand itself asks all sections of the holds that it ends.
    pub(super) fn ends_whole_holds(&self, id: ErrandId) -> bool {
        match self.pending.get(&id).map(|pending| &pending.errand) {
            Some(Errand::MakeRoom { .. } | Errand::Sweep { .. }) => true,
            Some(
                Errand::Place { .. }
                | Errand::Search { .. }
                | Errand::PlaceGathered { .. }
                | Errand::GiveBack { .. }
                | Errand::Release { .. }
                | Errand::PlaceFreeOrder { .. }
                | Errand::Confirm { .. }
                | Errand::Extend { .. }
                | Errand::Return { .. }
                | Errand::Withdraw { .. }
                | Errand::Operate { .. },
            )
            | None => false,
        }
    }

    /// Whether sections still decide what was begun by the event's present terms.
    pub(super) fn some_rest_on_terms(&self) -> bool {
        self.pending.values().any(|pending| match &pending.errand {
            Errand::Place { .. } | Errand::Search { .. } | Errand::PlaceGathered { .. } => true,
            Errand::GiveBack { .. }
            | Errand::Release { .. }
            | Errand::PlaceFreeOrder { .. }
            | Errand::Confirm { .. }
            | Errand::Extend { .. }
            | Errand::Return { .. }
            | Errand::MakeRoom { .. }
            | Errand::Sweep { .. }
            | Errand::Withdraw { .. }
            | Errand::Operate { .. } => false,
        })
    }

    /// Takes a section's word in; the errand comes out with the last one.
    ///
    /// # Panics
    /// If the errand is not under way: a bug, of which the owner must die.
    pub(super) fn hear(&mut self, decided: Decided) -> Option<Concluded<R>> {
        let id = decided.errand;
        let pending = self.pending.get_mut(&id).expect("a section answers its own door");
        pending.heard.push((decided.section, decided.decision));
        pending.left -= 1;
        if pending.left > 0 {
            return None;
        }
        let Pending { errand, settlement, now, heard, .. } = self.pending.remove(&id)?;
        Some(Concluded { id, errand, settlement, decided_at: now, heard })
    }
}

impl<R> Door<R> {
    /// Asks each of these sections, all of them in this order, if they come to it by the deadline. What
    /// several have a say in is prepared.
    pub(super) fn ask(
        &mut self,
        actions: impl ExactSizeIterator<Item = (SectionIndex, SectionAction)>,
        deadline: Option<Moment>,
        errand: Errand<R>,
    ) {
        let settlement = match actions.len() {
            1 => Settlement::Final,
            _ => Settlement::Prepared,
        };
        self.ask_to(settlement, actions, deadline, errand);
    }

    fn ask_to(
        &mut self,
        settlement: Settlement,
        actions: impl ExactSizeIterator<Item = (SectionIndex, SectionAction)>,
        deadline: Option<Moment>,
        errand: Errand<R>,
    ) {
        let (now, sections) = (self.now, actions.len());
        let errand = self.errands.start(errand, settlement, now, sections);
        for (section, action) in actions {
            let command = SectionCommand { errand, now, deadline, action, settlement };
            self.effects.push_back(Effect::Tell(section, SectionMessage::Decide(command)));
        }
    }

    /// Asks the sections of a known hold.
    pub(super) fn send(
        &mut self,
        hold: HoldId,
        action: impl Fn(HoldId) -> SectionAction,
        deadline: Option<Moment>,
        errand: Errand<R>,
    ) {
        let sections = self.sections(hold);
        let actions = sections.into_iter().map(|section| (section, action(hold)));
        self.ask(actions, deadline, errand);
    }

    /// Has the sections of an overdue hold end it. Time alone decides that, so each may at once.
    pub(super) fn expire(&mut self, hold: HoldId, errand: Errand<R>) {
        let sections = self.sections(hold).into_iter();
        let actions = sections.map(|section| (section, SectionAction::Expire(hold)));
        self.ask_to(Settlement::Final, actions, None, errand);
    }

    /// One section has ended an overdue hold of several: the others are told.
    pub(super) fn expire_elsewhere(&mut self, hold: HoldId, ended_by: SectionIndex) {
        let mut sections = self.sections(hold);
        sections.retain(|section| *section != ended_by);
        if !sections.is_empty() {
            let actions =
                sections.into_iter().map(|section| (section, SectionAction::Expire(hold)));
            self.ask_to(Settlement::Final, actions, None, Errand::Sweep { hold });
        }
    }

    /// Tells the sections that prepared an errand what becomes of it.
    pub(super) fn settle(&mut self, concluded: &Concluded<R>, granted: bool) {
        match concluded.settlement {
            Settlement::Final => return,
            Settlement::Prepared => {}
        }
        for (section, decision) in &concluded.heard {
            if decision.outcome.is_ok() {
                let message = SectionMessage::Settle { errand: concluded.id, granted };
                self.effects.push_back(Effect::Tell(*section, message));
            }
        }
    }

    fn sections(&self, hold: HoldId) -> SmallVec<[SectionIndex; 2]> {
        let hold = self.book.hold(hold).expect("the caller has just seen the hold");
        hold.claim.sections(&self.terms.plan)
    }
}
