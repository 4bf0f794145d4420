//! What is examined, one kind of contradiction a module.

mod cancellations;
mod grants;
mod holds;
mod inventory;
mod keys;
mod ledger;
pub(crate) mod lifetime;
mod money;
mod orders;
mod promises;
mod refunds;
mod refusals;
mod statuses;
mod supply;
mod unexpected;

pub use lifetime::CLOCK_LEEWAY;

use crate::Evidence;
use crate::answers::Answers;
use crate::index::Index;
use crate::report::Report;
use crate::tenures::Tenures;

pub(crate) fn run(
    evidence: &Evidence,
    index: &Index<'_>,
    answers: &Answers<'_>,
    report: &mut Report,
) {
    inventory::check(index, report);
    orders::check(index, report);
    lifetime::check(index, report);
    promises::check(index, answers, report);
    keys::check(&evidence.recorded, report);
    unexpected::check(index, &evidence.recorded, report);
    grants::check(index, answers, report);
    let tenures = Tenures::of(index, answers);
    holds::check(index, answers, &tenures, report);
    refusals::check(index, answers, &tenures, report);
    money::check(index, &evidence.books, report);
    refunds::check(index, &evidence.books, report);
    ledger::check(index, &evidence.books, report);
    cancellations::check(index, &evidence.books, answers, report);
    statuses::check(answers, report);
}
