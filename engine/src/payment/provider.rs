//! A payment provider, as the workflow asks for one.
//!
//! A provider is asked, never believed: what counts is its own record, found by our name for the
//! attempt. *No answer* ([`ProviderAnswer::Unknown`]) and *an answer that says that the provider itself
//! failed* ([`ProviderAnswer::Erred`]) are two things: after the first the same question is safe under the
//! same key, after the second the provider would repeat the same error for it.

use std::time::Duration;

use uuid::Uuid;

use super::attempt::{Attempt, Failure, NextAction};
use crate::id::{AttemptId, OrderId};
use crate::later::Later;
use crate::moment::Moment;
use crate::money::Money;

/// What the provider's own record of an authorisation says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Authorisation {
    /// The provider's name for it.
    pub reference: String,
    /// The order in its metadata.
    pub order: OrderId,
    /// How much.
    pub money: Money,
    /// When the provider lets it go by itself, if it says so.
    pub lapses_at: Option<Moment>,
}

/// What a provider answered to a question about an authorisation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProviderAnswer {
    /// There is a record of it; the money has not been asked for under it yet.
    Opened {
        /// The provider's name for it.
        reference: String,
    },
    /// The buyer has to do something first.
    ActionRequired {
        /// The provider's name for it.
        reference: String,
        /// What.
        action: NextAction,
    },
    /// Money is reserved, and nothing else became of it.
    Authorised(Authorisation),
    /// Money is taken.
    Captured(Authorisation),
    /// Nothing is reserved any more: it was voided, or lapsed.
    Cancelled {
        /// What had been reserved before, if anything had and the record still says so.
        reserved: Option<Authorisation>,
    },
    /// Definitely no.
    Declined(Failure),
    /// The provider works on it.
    InProgress,
    /// The provider has never heard of it.
    NoSuchKey,
    /// The provider says that it failed. The next try needs another key.
    Erred(String),
    /// No telling: a time-out, a broken connection.
    Unknown(String),
}

/// What a provider answered to a capture, a void or a refund.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MoneyMoved {
    /// Done, now or before.
    Done,
    /// Not done, and why. Its record says what is so instead.
    Refused(Failure),
    /// The provider says that it failed. The next try needs another key.
    Erred(String),
    /// No telling; ask again.
    Unknown(String),
}

/// What the provider's own record says of money that was given back under one name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GivenBack {
    /// So much is with the buyer, or on its way to him.
    Stands(Money),
    /// It came back to us, and why: the buyer does not have it.
    Failed(Failure),
    /// There is no record of it.
    Absent,
    /// No telling; ask again.
    Unknown(String),
}

/// Money to be given back of what an attempt took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GiveBack {
    /// Its name; the same one is given back once. The key at the provider, or a part of one.
    pub id: Uuid,
    /// How much. Another amount is asked for under another key, since it may have been cut down.
    pub money: Money,
    /// How often the provider has answered with an error of its own, or the money has come back to us.
    pub errors: u32,
}

/// What the provider's own books have under one reference, for comparing them with ours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProviderRecord {
    /// The provider's name for it.
    pub reference: String,
    /// The attempt in its metadata; none if what stands there is no name that we give.
    pub attempt: Option<AttemptId>,
    /// The order in its metadata.
    pub order: Option<OrderId>,
    /// How much was asked for.
    pub money: Money,
    /// Whether that is set aside: neither taken nor let go. The provider may not say when it lapses.
    pub is_reserved: bool,
    /// When the provider lets reserved money go by itself, if it says so.
    pub lapses_at: Option<Moment>,
    /// What was taken, in minor units; refunds do not lessen it.
    pub captured: i64,
    /// What was given back of it.
    pub refunded: i64,
    /// What the buyer's bank took back of it and has not returned; none where these books do not say.
    pub charged_back: Option<i64>,
    /// When the record was made, or money first set aside; none where it never was, and the provider
    /// says nothing else.
    pub created_at: Option<Moment>,
}

/// What the provider's books have under one reference, in no money that we know: another currency, or less
/// than nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreadableRecord {
    /// The provider's name for it.
    pub reference: String,
    /// The attempt in its metadata.
    pub attempt: Option<AttemptId>,
    /// The order in its metadata.
    pub order: Option<OrderId>,
    /// Whether money may have been taken under it.
    pub may_be_taken: bool,
    /// When the record was made.
    pub created_at: Option<Moment>,
    /// What stands there, in words.
    pub says: String,
}

/// A part of the provider's books.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordPage {
    /// In the provider's own order.
    pub records: Vec<ProviderRecord>,
    /// Those whose money cannot be read.
    pub unreadable: Vec<UnreadableRecord>,
    /// Where the next part begins; none behind the last.
    pub next: Option<String>,
}

/// Somebody who moves money. Every call may be repeated: what is sent is derived from the attempt, and
/// keyed by its id, the step and the number of errors so far.
pub trait PaymentProvider: Send + Sync + 'static {
    /// The provider's name, as attempts record it.
    fn name(&self) -> &'static str;
    /// How long after the intent an attempt may stay unknown. Then its record is looked for once more,
    /// and where that shows no money, it has come to nothing.
    fn unknown_max(&self) -> Duration;
    /// Reserves the attempt's amount. May take two calls: the first answers
    /// [`ProviderAnswer::Opened`], and the second comes with the reference recorded.
    fn authorise<'a>(&'a self, attempt: &'a Attempt) -> Later<'a, ProviderAnswer>;
    /// What became of the attempt, from the provider's own record.
    fn find<'a>(&'a self, attempt: &'a Attempt) -> Later<'a, ProviderAnswer>;
    /// Takes the reserved amount.
    fn capture<'a>(&'a self, attempt: &'a Attempt) -> Later<'a, MoneyMoved>;
    /// Gives the reserved amount free, or withdraws what still waits for its buyer.
    fn void<'a>(&'a self, attempt: &'a Attempt) -> Later<'a, MoneyMoved>;
    /// Gives back some of what was taken. What was given back under this name and came to nothing is given
    /// back anew.
    fn refund<'a>(&'a self, attempt: &'a Attempt, give_back: &'a GiveBack)
    -> Later<'a, MoneyMoved>;
    /// What became of money that was given back, from the provider's own record.
    fn find_refund<'a>(
        &'a self,
        attempt: &'a Attempt,
        give_back: &'a GiveBack,
    ) -> Later<'a, GivenBack>;
    /// A part of the provider's books, a few hundred records at the most: everything of ours that was made
    /// since then, and as much else as the provider cannot leave out. From the beginning, or from where
    /// a page's `next` says. What is made or moved meanwhile may be in it or not, but nothing that stood
    /// before the first page was asked for is passed over.
    ///
    /// # Errors
    /// Why it cannot be had or read, in words.
    fn list<'a>(
        &'a self,
        since: Moment,
        after: Option<&'a str>,
    ) -> Later<'a, Result<RecordPage, String>>;
}
