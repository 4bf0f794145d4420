//! One connection through the proxy: a loop for each direction, both in one task.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

use super::count::Count;
use super::frames::{Counted, Frames};
use super::{Faults, Traffic};

/// Room for a whole batch's answer in one read.
const CHUNK_BYTES: usize = 64 * 1024;

/// Accepts until it is dropped, which closes every link.
pub(super) async fn accept(
    listener: TcpListener,
    server: SocketAddr,
    faults: watch::Receiver<Faults>,
    traffic: Arc<watch::Sender<Traffic>>,
) {
    let mut links = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => {
                let Ok((client, _)) = accepted else { return };
                if !faults.borrow().connections_refused {
                    let link = Link::new(faults.clone(), Arc::clone(&traffic));
                    links.spawn(link.run(client, server));
                }
            }
            Some(_) = links.join_next() => {}
        }
    }
}

struct Link {
    opened_at_cut: u64,
    faults: watch::Receiver<Faults>,
    count: Count,
}

impl Link {
    fn new(faults: watch::Receiver<Faults>, traffic: Arc<watch::Sender<Traffic>>) -> Link {
        let opened_at_cut = faults.borrow().cut;
        Link { opened_at_cut, faults, count: Count::new(traffic) }
    }

    async fn run(self, client: TcpStream, server: SocketAddr) {
        let Ok(server) = TcpStream::connect(server).await else { return };
        // An error on either side ends the link, as on a real network; nobody is told more.
        let _ = client.set_nodelay(true).and(server.set_nodelay(true));
        let (from_client, to_client) = client.into_split();
        let (from_server, to_server) = server.into_split();
        let mut cuts = self.faults.clone();
        tokio::select! {
            _ = cuts.wait_for(|faults| faults.cut > self.opened_at_cut) => {}
            _ = self.requests(from_client, to_server) => {}
            _ = self.answers(from_server, to_client) => {}
        }
    }

    async fn requests(
        &self,
        client: impl AsyncRead + Unpin,
        server: impl AsyncWrite + Unpin,
    ) -> io::Result<()> {
        let mut frames = Frames::new(Counted::Requests);
        let arrived = |bytes: &[u8]| {
            let statements = frames.count(bytes);
            self.count.change(|own| own.requests_held += statements);
        };
        let forwarded = || {
            self.count.change(|own| {
                own.unanswered += own.requests_held;
                own.forwarded += own.requests_held;
                own.requests_held = 0;
            });
        };
        self.relay(client, server, |faults| faults.requests_held, arrived, forwarded).await
    }

    async fn answers(
        &self,
        server: impl AsyncRead + Unpin,
        client: impl AsyncWrite + Unpin,
    ) -> io::Result<()> {
        let mut frames = Frames::new(Counted::Answers);
        // The first ReadyForQuery ends the startup and answers no statement.
        let mut startup = 1;
        let arrived = |bytes: &[u8]| {
            let ready = frames.count(bytes);
            let answers = ready - startup.min(ready);
            startup -= startup.min(ready);
            self.count.change(|own| own.answers_held += answers);
        };
        let forwarded = || {
            self.count.change(|own| {
                own.unanswered -= own.answers_held;
                own.answers_held = 0;
            });
        };
        self.relay(server, client, |faults| faults.answers_held, arrived, forwarded).await
    }

    /// Moves bytes until either side ends. What is held is still read, so that the sender never
    /// notices; it is kept here, and is lost when the link ends.
    async fn relay(
        &self,
        mut from: impl AsyncRead + Unpin,
        mut to: impl AsyncWrite + Unpin,
        is_held: impl Fn(&Faults) -> bool,
        mut arrived: impl FnMut(&[u8]),
        forwarded: impl Fn(),
    ) -> io::Result<()> {
        let mut faults = self.faults.clone();
        let mut chunk = vec![0; CHUNK_BYTES];
        let mut pending = Vec::new();
        loop {
            tokio::select! {
                biased;
                released = released(&mut faults, &is_held), if !pending.is_empty() => {
                    released?;
                    // Counted before it is sent: who has an answer finds it counted.
                    forwarded();
                    to.write_all(&pending).await?;
                    pending.clear();
                }
                length = from.read(&mut chunk) => {
                    let bytes = &chunk[..length?];
                    if bytes.is_empty() {
                        return Ok(());
                    }
                    arrived(bytes);
                    pending.extend_from_slice(bytes);
                }
            }
        }
    }
}

async fn released(
    faults: &mut watch::Receiver<Faults>,
    is_held: impl Fn(&Faults) -> bool,
) -> io::Result<()> {
    faults.wait_for(|faults| !is_held(faults)).await.map(drop).map_err(io::Error::other)
}
