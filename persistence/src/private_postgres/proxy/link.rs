//! One connection through the proxy: a loop for each direction, both in one task.

use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

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
        traffic.send_modify(|all| all.connections += 1);
        Link { opened_at_cut, faults, count: Count { traffic, own: Mutex::default() } }
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
        mut client: impl AsyncRead + Unpin,
        mut server: impl AsyncWrite + Unpin,
    ) -> io::Result<()> {
        let mut faults = self.faults.clone();
        let mut frames = Frames::new(Counted::Requests);
        let mut chunk = vec![0; CHUNK_BYTES];
        loop {
            let length = client.read(&mut chunk).await?;
            if length == 0 {
                return Ok(());
            }
            let statements = frames.count(&chunk[..length]);
            self.count.change(|own| own.requests_held += statements);
            faults.wait_for(|faults| !faults.requests_held).await.map_err(io::Error::other)?;
            self.count.change(|own| {
                own.requests_held -= statements;
                own.unanswered += statements;
                own.forwarded += statements;
            });
            server.write_all(&chunk[..length]).await?;
        }
    }

    async fn answers(
        &self,
        mut server: impl AsyncRead + Unpin,
        mut client: impl AsyncWrite + Unpin,
    ) -> io::Result<()> {
        let mut faults = self.faults.clone();
        let mut frames = Frames::new(Counted::Answers);
        let mut chunk = vec![0; CHUNK_BYTES];
        // The first ReadyForQuery ends the startup and answers no statement.
        let mut startup = 1;
        loop {
            let length = server.read(&mut chunk).await?;
            if length == 0 {
                return Ok(());
            }
            let ready = frames.count(&chunk[..length]);
            let answers = ready - startup.min(ready);
            startup -= startup.min(ready);
            self.count.change(|own| own.answers_held += answers);
            faults.wait_for(|faults| !faults.answers_held).await.map_err(io::Error::other)?;
            // Counted before it is sent: who has an answer finds it counted.
            self.count.change(|own| {
                own.answers_held -= answers;
                own.unanswered -= answers;
            });
            client.write_all(&chunk[..length]).await?;
        }
    }
}

/// One link's share of the counts, taken back when the link ends.
struct Count {
    traffic: Arc<watch::Sender<Traffic>>,
    own: Mutex<Traffic>,
}

impl Count {
    fn change(&self, change: impl Fn(&mut Traffic)) {
        change(&mut self.own.lock().expect("no change panics"));
        self.traffic.send_modify(|all| {
            change(all);
            all.unanswered_peak = all.unanswered_peak.max(all.unanswered);
        });
    }
}

impl Drop for Count {
    fn drop(&mut self) {
        let own = *self.own.lock().expect("no change panics");
        self.traffic.send_modify(|all| {
            all.requests_held -= own.requests_held;
            all.unanswered -= own.unanswered;
            all.answers_held -= own.answers_held;
            all.connections -= 1;
        });
    }
}
