//! A hold that lives longer while its payment is being verified: by the sale's own length, once, and only
//! when its end is near, so that nobody's seats are kept for longer than a bank takes.

use std::time::Duration;

use super::Door;
use super::errands::Errand;
use crate::answer::Outcome;
use crate::event::fact::Fact;
use crate::hold::{Extension, HoldStatus};
use crate::id::{AttemptId, HoldId, OrderId};
use crate::moment::Moment;
use crate::refusal::Refusal;
use crate::section::SectionAction;

/// How near its end is when it may be put off.
const LAST: Duration = Duration::from_secs(60);

impl<R> Door<R> {
    /// An attempt of this order is being verified.
    pub(super) fn extend(&mut self, id: OrderId, attempt: AttemptId, by: Moment, reply: R) {
        let Some(order) = self.book.order(id) else {
            return self.answer(reply, Outcome::Refused(Refusal::NotFound));
        };
        let hold = self.book.hold(order.hold).expect("an order's hold is in the book");
        let (ends, by_terms) = (hold.expires_at, self.terms.sale.verifying_extension);
        let extension = match hold.status_at(self.now) {
            HoldStatus::Active if hold.extended => Extension::Until(ends),
            HoldStatus::Active
                if by_terms.is_zero() || self.terms.sale.cancelled || self.now < ends - LAST =>
            {
                Extension::NotGiven
            }
            HoldStatus::Active => {
                let (hold, expires_at) = (hold.id, ends + by_terms);
                let errand = Errand::Extend { hold, attempt, expires_at, reply };
                let action = |hold| SectionAction::Extend { hold, expires_at };
                return self.send(hold, action, Some(by), errand);
            }
            ended @ (HoldStatus::Released | HoldStatus::Expired | HoldStatus::Converted) => {
                return self.answer(reply, Outcome::Refused(Refusal::HoldNotActive(ended)));
            }
        };
        self.answer(reply, Outcome::Extension(extension));
    }

    /// Sections have said whether the hold still lived. Asked for twice at once, it is put off once.
    pub(super) fn extended(
        &mut self,
        id: HoldId,
        attempt: AttemptId,
        until: Option<Moment>,
        mut facts: Vec<Fact>,
        reply: R,
    ) {
        let outcome = match until {
            Some(expires_at) => {
                self.book.extend(id, attempt, expires_at, self.now, &mut facts);
                Outcome::Extension(Extension::Until(expires_at))
            }
            None => self.not_active(id),
        };
        self.answer_with(facts, reply, outcome);
    }
}
