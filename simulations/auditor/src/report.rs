//! What the auditor found: the rules by name, and each breach in words.

use std::fmt;

/// A rule that a run must have kept. The names are stable: scripts may look for them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Rule {
    /// One seat in two living holds, or under two tickets that are not void.
    SeatOwnedTwice,
    /// A seat's row and its hold's row say different things.
    SeatDisagrees,
    /// Seats of a section are not as many as its capacity.
    ConservationBroken,
    /// Places of a general area are not the sum of its holds, or more than there are.
    GeneralCountWrong,
    /// A buyer's count is not the sum of the buyer's holds.
    BuyerCountWrong,
    /// A buyer has more seats than the event allows.
    BuyerOverLimit,
    /// A hold's quantity is not the number of its seats and places, or of its prices.
    QuantityWrong,
    /// A hold's total is not the sum of its prices and fees.
    TotalWrong,
    /// An order's row and its hold's row say different things.
    OrderDisagrees,
    /// Two orders of one hold, in the rows or in what clients were told.
    OrderDoubled,
    /// The tickets of an order are not its hold's items, once each.
    TicketsDisagree,
    /// By their rows, two holds had one seat at the same time.
    LifetimesOverlap,
    /// An answer of success lacks what the contract says it has.
    AnswerBroken,
    /// A 4xx that nothing in the request, or in what was asked before, explains.
    AnswerUnexpected,
    /// A hold that a client was given is not there, or is another one.
    HoldLost,
    /// An order that a client was given is not there, or is another one.
    OrderLost,
    /// An order that a client was told is sold is not, or one that was told to be over is sold.
    SaleLost,
    /// A ticket that a client was shown is not there, not valid, or for another seat.
    TicketLost,
    /// A client was shown one set of tickets, and later another.
    TicketsReissued,
    /// A hold that a client was told has ended has not.
    ReleaseUndone,
    /// A part of a hold that a client was told is given back is not.
    PartUndone,
    /// What a hold has and what was declined is not what was asked for.
    GrantDiffers,
    /// Something was declined that nothing in the rows can have taken.
    DeclineUnjustified,
    /// A hold is shown as living that had ended, as ended that is not, or its owner's list leaves out one
    /// that lived.
    ShownWrong,
    /// A payment attempt that a client was given is not there.
    AttemptLost,
    /// One key and one request, and two resources or two codes of success.
    ReplayDiffers,
    /// One key and two requests, and both succeeded.
    KeyReuseUnnoticed,
    /// One key and one request, and a decided answer that turned into another.
    AnswerChanged,
    /// A hold says that it was made before it was asked for, or after the answer.
    GrantOutsideRequest,
    /// By what clients were told, two of them had one seat at the same time.
    GrantedWhileAlive,
    /// A refusal that nothing in the rows can have caused.
    RefusalUnjustified,
    /// A refusal that leaves out a seat which was taken all the while.
    RefusalIncomplete,
    /// A captured attempt without exactly one authorisation and one capture in the books.
    CaptureMissing,
    /// A capture in the books without a sale in the rows.
    CaptureUnfounded,
    /// A voided attempt without exactly one void in the books, or with a capture.
    VoidMissing,
    /// A refunded attempt without exactly one capture and a refund in the books, or a settled refund that is
    /// not there.
    RefundMissing,
    /// An authorisation neither captured nor voided, though its attempt is at its end.
    AuthorisationLeft,
    /// One attempt, several authorisations.
    AuthorisedTwice,
    /// One order, several captures.
    OrderCapturedTwice,
    /// Amount, currency, order or reference differ between hold, order, attempt and books.
    AmountDiffers,
    /// The books name an attempt that the rows do not have.
    MoneyWithoutAttempt,
    /// A sale that costs something, and no attempt that brought it.
    SaleUnpaid,
    /// A capture in the books of an attempt that is said to have brought none.
    CaptureUnnoticed,
    /// Tickets that are void without a refund or under several, or a refund of tickets that are not void or
    /// of another order.
    ReturnDisagrees,
    /// What is owed for tickets that came back is not what they cost.
    RefundAmountWrong,
    /// A refund in the books that nothing in the rows asks for, or the second of one.
    RefundUnfounded,
    /// More given back than was taken.
    RefundAboveCapture,
    /// A refund that an operator was told of is not there, or is another one.
    RefundLost,
    /// A booking of the ledger that does not sum to zero in each currency.
    LedgerUnbalanced,
    /// The ledger says that money moved, and the provider's books do not.
    PostingUnfounded,
    /// The provider's books say that money moved, and the ledger does not.
    PostingMissing,
    /// Something that the provider told of an attempt, and nobody looked into.
    NoticeUnsettled,
    /// An order was shown in a status that does not follow from the one shown before.
    StatusWentBack,
    /// Of a cancelled event a hold, an order, an attempt or a ticket that still lives.
    CancellationUnfinished,
    /// A hold, or a sale, of an event that was cancelled before.
    SoldThoughCancelled,
    /// Money that was taken for a cancelled event, and that went back neither to the buyer nor to the bank.
    CancelledMoneyKept,
    /// The progress of a cancellation was shown to go back, or contradicts itself or, at its end, the rows.
    CancellationShownWrong,
}

impl Rule {
    /// Every rule.
    pub const ALL: &[Rule] = &[
        Rule::SeatOwnedTwice,
        Rule::SeatDisagrees,
        Rule::ConservationBroken,
        Rule::GeneralCountWrong,
        Rule::BuyerCountWrong,
        Rule::BuyerOverLimit,
        Rule::QuantityWrong,
        Rule::TotalWrong,
        Rule::OrderDisagrees,
        Rule::OrderDoubled,
        Rule::TicketsDisagree,
        Rule::LifetimesOverlap,
        Rule::AnswerBroken,
        Rule::AnswerUnexpected,
        Rule::HoldLost,
        Rule::OrderLost,
        Rule::SaleLost,
        Rule::TicketLost,
        Rule::TicketsReissued,
        Rule::ReleaseUndone,
        Rule::PartUndone,
        Rule::GrantDiffers,
        Rule::DeclineUnjustified,
        Rule::ShownWrong,
        Rule::AttemptLost,
        Rule::ReplayDiffers,
        Rule::KeyReuseUnnoticed,
        Rule::AnswerChanged,
        Rule::GrantOutsideRequest,
        Rule::GrantedWhileAlive,
        Rule::RefusalUnjustified,
        Rule::RefusalIncomplete,
        Rule::CaptureMissing,
        Rule::CaptureUnfounded,
        Rule::VoidMissing,
        Rule::RefundMissing,
        Rule::AuthorisationLeft,
        Rule::AuthorisedTwice,
        Rule::OrderCapturedTwice,
        Rule::AmountDiffers,
        Rule::MoneyWithoutAttempt,
        Rule::SaleUnpaid,
        Rule::CaptureUnnoticed,
        Rule::ReturnDisagrees,
        Rule::RefundAmountWrong,
        Rule::RefundUnfounded,
        Rule::RefundAboveCapture,
        Rule::RefundLost,
        Rule::LedgerUnbalanced,
        Rule::PostingUnfounded,
        Rule::PostingMissing,
        Rule::NoticeUnsettled,
        Rule::StatusWentBack,
        Rule::CancellationUnfinished,
        Rule::SoldThoughCancelled,
        Rule::CancelledMoneyKept,
        Rule::CancellationShownWrong,
    ];
}

impl fmt::Display for Rule {
    /// `SeatOwnedTwice` is `seat-owned-twice`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, letter) in format!("{self:?}").chars().enumerate() {
            if place > 0 && letter.is_ascii_uppercase() {
                f.write_str("-")?;
            }
            write!(f, "{}", letter.to_ascii_lowercase())?;
        }
        Ok(())
    }
}

/// One breach of a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Which rule.
    pub rule: Rule,
    /// What contradicts what, with the ids to look for.
    pub detail: String,
}

/// Everything that was found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// In the order of examination.
    pub findings: Vec<Finding>,
}

impl Report {
    /// Whether there is nothing to report.
    #[must_use]
    pub fn is_ok(&self) -> bool {
        self.findings.is_empty()
    }

    pub(crate) fn find(&mut self, rule: Rule, detail: impl fmt::Display) {
        self.findings.push(Finding { rule, detail: detail.to_string() });
    }
}

/// Lines shown of a report; a broken run may have a finding for each request.
const SHOWN_MAX: usize = 50;

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_ok() {
            return f.write_str("ok");
        }
        for finding in self.findings.iter().take(SHOWN_MAX) {
            writeln!(f, "{}: {}", finding.rule, finding.detail)?;
        }
        write!(f, "{} findings", self.findings.len())
    }
}
