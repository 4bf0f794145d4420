//! A Postgres that stands still: it keeps its connections, and answers nothing.

use std::io;

use crate::server::{Signal, children_of, send};

/// Every process of a Postgres under SIGSTOP, until this is dropped, by a panic too: a stopped
/// process does not even end when it is told to.
#[derive(Debug)]
pub struct Frozen {
    pids: Vec<u32>,
}

impl Frozen {
    /// The postmaster first, so that no child is born meanwhile.
    pub(super) fn postgres(postmaster: u32) -> io::Result<Self> {
        let mut frozen = Self { pids: vec![postmaster] };
        send(Signal::Stop, &frozen.pids)?;
        let children = children_of(postmaster)?;
        frozen.pids.extend(&children);
        send(Signal::Stop, &children)?;
        Ok(frozen)
    }
}

impl Drop for Frozen {
    fn drop(&mut self) {
        // Nothing can be done about a failure; the drill that waits for the database will say so.
        let _ = send(Signal::Continue, &self.pids);
    }
}
