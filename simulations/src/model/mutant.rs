//! The protocol with one rule left out. Each of them must be caught by a violation; one that is not
//! means that the model does not see what the rule is for.
//!
//! The engine is not changed for any of them: they change what the model does around it (the
//! database's fence, the words that reach an owner, the way an owner dies, what passes between a door
//! and its sections). Where an answer leaves too early, the lane is not asked: the model feeds the commit
//! to a second owner of the same state, looks which answers that would set free, and lets those go at
//! once.

mod table;

pub use table::{Row, TABLE};

/// What is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mutant {
    /// The database compares neither epoch nor sequence.
    NoFence,
    /// The fence compares the sequence alone.
    EpochNotCompared,
    /// The fence compares the epoch alone.
    SequenceNotCompared,
    /// The fence is a plain read before the write.
    PlainFence,
    /// Answers leave when their batch is sent.
    ReplyBeforeDurable,
    /// Refusals wait for the batch in flight, not for the one they were gathered into.
    RefusalsNotGated,
    /// Refusals wait for nothing.
    RefusalsAtOnce,
    /// A repeated key is answered from memory at once.
    ReplaysAtOnce,
    /// Reads of what is durable do not ride on a commit: a zombie answers them too.
    ReadsAtOnce,
    /// A process that restarts its own owner keeps its epoch.
    NoBump,
    /// A bump whose outcome is unknown counts as an epoch.
    UnknownBump,
    /// Who finds another owner's head never looks again, though it may be stale, or his own late bump's.
    NeverAsksAgain,
    /// Nobody waits for the standby.
    NoStandby,
    /// Checks, on which refusals and reads ride, do not wait for the standby.
    ChecksWithoutStandby,
    /// A new owner's bump does not wait for the standby.
    BumpWithoutStandby,
    /// A cancelled wait counts as a yes.
    CancelledIsYes,
    /// A cancelled wait counts as a no: memory goes back, callers hear that nothing was decided.
    CancelledIsNo,
    /// Whatever is not a yes rolls memory back, and the owner lives on.
    RolledBack,
    /// Those who wait for an owner that dies are not answered.
    NotAnswered,
    /// Who takes an overdue hold's seat does not write its end.
    ExpiryNotWritten,
    /// What has gathered is sent while a batch is on its way.
    TwoAtOnce,
    /// Any word of a commit is taken for that of the batch on its way.
    AnyWord,
    /// The head does not keep the latest decision's time.
    TimeRunsBack,
    /// The database does not compare a batch's time with its own.
    TimeNotCompared,
    /// A new owner reads its rows in two snapshots.
    TornRead,
    /// Of a repeated request for an order it is not said that it made the order.
    RepeatTakenForNew,
    /// Sections never hear what becomes of what they have prepared.
    SettlementLost,
    /// Of several sections one hears that it is granted, the others that it is not.
    OneSectionSettled,
    /// What a section has prepared for somebody counts as taken.
    RefusedByThePrepared,
    /// A buyer may have more than the terms say.
    LimitNotKept,
    /// A section's decision reaches the door twice.
    DecidedTwice,
    /// A granted hold is answered twice.
    AnsweredTwice,
    /// The door says of a decision that its outcome is unknown.
    UnknownFromTheDoor,
}

impl Mutant {
    /// Every one, in the order in which they are declared.
    pub const ALL: &'static [Self] = &[
        Self::NoFence,
        Self::EpochNotCompared,
        Self::SequenceNotCompared,
        Self::PlainFence,
        Self::ReplyBeforeDurable,
        Self::RefusalsNotGated,
        Self::RefusalsAtOnce,
        Self::ReplaysAtOnce,
        Self::ReadsAtOnce,
        Self::NoBump,
        Self::UnknownBump,
        Self::NeverAsksAgain,
        Self::NoStandby,
        Self::ChecksWithoutStandby,
        Self::BumpWithoutStandby,
        Self::CancelledIsYes,
        Self::CancelledIsNo,
        Self::RolledBack,
        Self::NotAnswered,
        Self::ExpiryNotWritten,
        Self::TwoAtOnce,
        Self::AnyWord,
        Self::TimeRunsBack,
        Self::TimeNotCompared,
        Self::TornRead,
        Self::RepeatTakenForNew,
        Self::SettlementLost,
        Self::OneSectionSettled,
        Self::RefusedByThePrepared,
        Self::LimitNotKept,
        Self::DecidedTwice,
        Self::AnsweredTwice,
        Self::UnknownFromTheDoor,
    ];

    /// Whether the lane's own answer may find that somebody was answered before it.
    pub(super) fn answers_early(self) -> bool {
        matches!(
            self,
            Self::ReplyBeforeDurable
                | Self::RefusalsNotGated
                | Self::RefusalsAtOnce
                | Self::ReplaysAtOnce
                | Self::ReadsAtOnce
        )
    }
}
