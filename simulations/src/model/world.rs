//! One state of the model. Small and plain: what is large stands in the machine's shelves, by number.

use super::owner::OwnerId;
use super::rows::RowsId;

/// How many processes may own the event.
pub(super) const PROCESSES: u8 = 2;

/// Statements that a stale primary still runs: a bump, a batch and one more.
pub(super) const STRAYS: u8 = 3;

/// Marks what a killed process has left under way.
pub(super) const DEAD: u8 = 0x80;

/// A batch on the machine's shelf.
pub(super) type BatchId = u32;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct World {
    pub(super) faults_left: u8,
    pub(super) time: u8,
    /// The primary; after a promotion the stale one and the new one.
    pub(super) servers: Vec<Server>,
    /// On their way, or with a word on its way back. Sorted, so that their order does not show.
    pub(super) statements: Vec<Statement>,
    pub(super) processes: [Process; PROCESSES as usize],
    pub(super) asks: Vec<Asked>,
}

/// A Postgres that takes itself for the primary.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Server {
    /// What it has flushed, in WAL order, each entry as the rows after it. The last one may still
    /// wait for the standby: then it is not visible, and the head is locked.
    pub(super) log: Vec<RowsId>,
    /// How much of the log the standby has.
    pub(super) replicated: u8,
    /// A stale primary has lost its standby.
    pub(super) standby: bool,
    /// How many statements still find their way to a stale primary. Without a bound an owner could be
    /// fenced there, take over at the new primary and go back, for ever.
    pub(super) strays_left: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Statement {
    /// A killed process's number has [`DEAD`] in it: whoever starts again is another.
    pub(super) process: u8,
    pub(super) what: What,
    pub(super) phase: Phase,
    /// Whether its process still waits for the word.
    pub(super) awaited: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum What {
    Append(BatchId),
    /// Raises the epoch: from anybody, or only from the process itself.
    Bump {
        from_anyone: bool,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Phase {
    /// Not at any server yet.
    Sent,
    /// Only in a protocol without a locked fence: it has read the head and not yet written.
    Checked(u8),
    /// It has executed at this server, holds the head's lock and waits for the standby.
    Waiting { server: u8, wrote: bool, epoch: i64 },
    /// Its word is on its way back.
    Done(Word),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Word {
    /// Durable. `epoch` is the one that a bump has made.
    Yes {
        server: u8,
        epoch: i64,
    },
    Fenced,
    ClockUncertain,
    /// A rule of the database says no: memory and rows differ.
    Refused,
    /// A circumstance says no; nothing was written.
    Turned,
    /// Committed here, the wait for the standby was cancelled: only a warning says so.
    Cancelled,
    /// The connection broke.
    Broken,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Process {
    /// How far its clock is behind.
    pub(super) lag: u8,
    pub(super) life: Life,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Life {
    /// Not started, or killed.
    Down,
    /// Its bump is on its way.
    Claiming { from_anyone: bool },
    /// Its bump is acknowledged; it will read there, next. `None`: whatever epoch is there.
    Raised { server: u8, epoch: Option<i64> },
    Serving {
        owner: OwnerId,
        /// Whether it has swept since the clock moved.
        swept: bool,
    },
    /// Another process has the event; this one does not take it back.
    Overtaken,
}

/// What became of one of the scenario's asks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Asked {
    pub(super) sent: u8,
    pub(super) waiting: Vec<Waiting>,
    /// When it was first sent: how many entries were durable, and the clock.
    pub(super) first: Option<(u8, u8)>,
    /// What the key stands for, as somebody was told.
    pub(super) result: Option<Told>,
    /// How many calls were told that nothing was decided.
    pub(super) turned_away: u8,
    /// For a place: somebody was told that its hold is over.
    pub(super) over: bool,
}

/// What may never be told differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Told {
    Granted { until: u8 },
    Ordered { created: bool },
    Judged { sold: bool },
    Returned,
    Refused,
    Other,
}

/// A call that has no answer yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Waiting {
    pub(super) nth: u8,
    pub(super) process: u8,
    /// How many entries were durable when it was sent.
    pub(super) since: u8,
    /// Its process's clock then.
    pub(super) asked_at: u8,
    /// Somebody had been told by then that the hold it is about is over.
    pub(super) knew_over: bool,
}

impl World {
    /// The entries that survive whatever may happen to one server.
    pub(super) fn durable(&self) -> &[RowsId] {
        let authority = self.servers.last().expect("there is a primary");
        &authority.log[..usize::from(authority.replicated)]
    }

    /// The statement that holds this server's head.
    pub(super) fn waiting_at(&self, server: u8) -> Option<usize> {
        let here =
            |it: &Statement| matches!(it.phase, Phase::Waiting { server: s, .. } if s == server);
        self.statements.iter().position(here)
    }

    pub(super) fn clock(&self, process: u8) -> u8 {
        self.time.saturating_sub(self.processes[usize::from(process)].lag)
    }
}
