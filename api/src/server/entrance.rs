//! Where requests come in: the task that takes connections, and how it ends.

use std::time::Duration;

use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::connections::{self, Bounds};
use crate::routes::Front;

/// An open one.
pub(super) struct Entrance {
    task: JoinHandle<()>,
    ended: CancellationToken,
    stopping: CancellationToken,
}

impl Entrance {
    pub(super) fn open(listener: TcpListener, front: Front, bounds: Bounds) -> Self {
        let stopping = CancellationToken::new();
        let serve = connections::serve(listener, front, bounds, stopping.clone());
        let ended = CancellationToken::new();
        let ends = ended.clone().drop_guard();
        let task = tokio::spawn(async move {
            // However it ends, the guard tells.
            let _ends = ends;
            serve.await;
        });
        Self { task, ended, stopping }
    }

    /// Returns once it takes no more connections, however that came.
    pub(super) async fn ended(&self) {
        self.ended.cancelled().await;
    }

    /// Takes no more requests, and answers those that are there: so long at the most.
    pub(super) async fn close(self, drain: Duration) {
        self.stopping.cancel();
        if timeout(drain, self.task).await.is_err() {
            tracing::warn!("some requests were still unanswered at the end of the drain");
        }
    }
}
