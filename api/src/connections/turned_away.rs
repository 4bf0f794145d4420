//! Connections beyond the bound: told so, and closed.

use std::time::Duration;

use tokio::net::TcpStream;
use tokio::sync::Semaphore;

use super::wire::Wire;
use crate::problem::{over_the_wire, overloaded};

/// Told so at once; beyond this, closed without a word.
static TELLING: Semaphore = Semaphore::const_new(256);

/// A fresh connection has room for an answer; nobody waits for it.
const PATIENCE: Duration = Duration::from_secs(1);

/// Answers `overloaded`, whatever would be asked, and closes.
pub(super) fn turn_away(stream: TcpStream) {
    let Ok(place) = TELLING.try_acquire() else { return };
    let answer = over_the_wire(&overloaded());
    if !matches!(stream.try_write(&answer), Ok(written) if written == answer.len()) {
        return;
    }
    tokio::spawn(async move {
        Wire::new(stream, PATIENCE).hang_up(false).await;
        drop(place);
    });
}
