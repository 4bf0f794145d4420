//! The server's own ledger: in itself, and against the provider's books.

use std::collections::HashMap;

use uuid::Uuid;

use super::refunds;
use crate::books::{Entry, EntryKind};
use crate::index::Index;
use crate::report::{Report, Rule};
use crate::rows::{Attempt, Posting, RefundStatus};

/// One movement as both sides have it: its kind, its name where it has one, and how much.
type Movement<'a> = (&'static str, String, i64, &'a str);

pub(crate) fn check(index: &Index<'_>, books: &[Entry], report: &mut Report) {
    sums_to_zero(index, report);
    let mut told: HashMap<Uuid, Vec<Movement<'_>>> = HashMap::new();
    for entry in books {
        told.entry(entry.attempt_id).or_default().push(by_provider(entry));
    }
    let mut posted: HashMap<Uuid, Vec<Movement<'_>>> = HashMap::new();
    for posting in &index.rows.ledger {
        posted.entry(posting.attempt).or_default().extend(by_ledger(posting));
    }
    for posted in posted.values_mut() {
        *posted = without_undone(posted);
    }
    for attempt in &index.rows.attempts {
        let told = told.remove(&attempt.id).unwrap_or_default();
        let posted = posted.remove(&attempt.id).unwrap_or_default();
        agree(index, attempt, &told, &posted, report);
    }
    for (attempt, posted) in posted {
        report.find(Rule::PostingUnfounded, format!("no attempt {attempt}: {posted:?}"));
    }
    for notice in &index.rows.notices {
        // One of nobody's may wait for ever.
        let is_ours = notice.attempt.is_some_and(|id| index.attempts.contains_key(&id));
        if is_ours && !notice.is_settled {
            report.find(Rule::NoticeUnsettled, format!("{notice:?}"));
        }
    }
}

/// Each booking by itself, and so each currency.
fn sums_to_zero(index: &Index<'_>, report: &mut Report) {
    let mut bookings: HashMap<_, i64> = HashMap::new();
    for it in &index.rows.ledger {
        let booking = (it.order, it.attempt, &it.kind, &it.name, &it.currency);
        *bookings.entry(booking).or_default() += it.amount;
    }
    for (booking, sum) in bookings.into_iter().filter(|(_, sum)| *sum != 0) {
        report.find(Rule::LedgerUnbalanced, format!("{booking:?} sums to {sum}"));
    }
}

/// Everything that the ledger has is in the books; and everything in the books is in the ledger once
/// nothing is under way.
fn agree(
    index: &Index<'_>,
    attempt: &Attempt,
    told: &[Movement<'_>],
    posted: &[Movement<'_>],
    report: &mut Report,
) {
    let (unfounded, missing) = (without(posted, told), without(told, posted));
    let wrong_order =
        index.rows.ledger.iter().any(|it| it.attempt == attempt.id && it.order != attempt.order);
    if !unfounded.is_empty() || wrong_order {
        report.find(Rule::PostingUnfounded, format!("{attempt:?}: {unfounded:?}"));
    }
    let due = |status| status == RefundStatus::Due;
    let owes = index.refunds_of(attempt.order).iter().any(|refund| due(refund.status));
    if !missing.is_empty() && attempt.is_at_rest() && !owes {
        report.find(Rule::PostingMissing, format!("{attempt:?}: {missing:?}"));
    }
}

/// What the one list has more often than the other.
fn without<'a>(list: &[Movement<'a>], other: &[Movement<'a>]) -> Vec<Movement<'a>> {
    let mut other = other.to_vec();
    let mut left = Vec::new();
    for movement in list {
        match other.iter().position(|it| it == movement) {
            Some(place) => drop(other.swap_remove(place)),
            None => left.push(movement.clone()),
        }
    }
    left
}

fn by_provider(entry: &Entry) -> Movement<'_> {
    let (kind, name) = match entry.kind {
        EntryKind::Authorisation => ("authorisation", ""),
        EntryKind::Capture => ("capture", ""),
        EntryKind::Void => ("void", ""),
        EntryKind::Chargeback => ("chargeback", ""),
        EntryKind::Refund => ("refund", refunds::name(entry)),
    };
    // What was taken unasked goes back under the attempt's name, and is booked without one.
    let name = if name == entry.attempt_id.to_string() { "" } else { name };
    (kind, name.to_owned(), entry.amount, &entry.currency)
}

/// What came back is in no books, nor is what it undoes: of the same name, with the other sign. Where that is
/// not there, what came back stays, and is found.
fn without_undone<'a>(posted: &[Movement<'a>]) -> Vec<Movement<'a>> {
    let came_back = |it: &Movement<'_>| matches!(it.0, "refund" | "chargeback") && it.2 < 0;
    let (came_back, moved): (Vec<_>, Vec<_>) = posted.iter().cloned().partition(came_back);
    let undoes =
        |(kind, name, amount, currency): &Movement<'a>| (*kind, name.clone(), -amount, *currency);
    let undone: Vec<_> = came_back.iter().map(undoes).collect();
    let mut left = without(&moved, &undone);
    left.extend(without(&undone, &moved).iter().map(undoes));
    left
}

/// The account of a movement that the provider sees, and its sign there.
fn by_ledger(posting: &Posting) -> Option<Movement<'_>> {
    let (kind, name, sign) = match (posting.kind.as_str(), posting.account.as_str()) {
        ("authorisation", "reserved") => ("authorisation", "", 1),
        ("capture", "provider") => ("capture", "", 1),
        ("void", "reserved") => ("void", "", -1),
        // A refund that came back, and one that was paid anew, have more behind the refund's name.
        ("refund", "provider") => ("refund", posting.name.split('/').next()?, -1),
        // Named by the notice, which the books do not know.
        ("chargeback", "provider") => ("chargeback", "", -1),
        _ => return None,
    };
    Some((kind, name.to_owned(), sign * posting.amount, &posting.currency))
}
