//! A TCP proxy that breaks the network between a client and a private Postgres, on demand.
//!
//! It reads the protocol just far enough to count: a *statement* is a message that the server
//! answers with one ReadyForQuery (`Query` or `Sync`). Plain text only; it forwards to one server.

mod count;
mod frames;
mod link;

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use secrecy::ExposeSecret;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio_util::task::AbortOnDropHandle;

use crate::settings::DatabaseSettings;

/// What the proxy does to the traffic.
#[derive(Debug, Clone, Copy)]
struct Faults {
    answers_held: bool,
    requests_held: bool,
    connections_refused: bool,
    /// Connections opened under a lower number are closed.
    cut: u64,
}

/// Statements on the connections that are open now.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Traffic {
    /// Read from clients, not forwarded.
    pub requests_held: usize,
    /// Forwarded to the server whose answer no client has been sent in full.
    pub unanswered: usize,
    /// Of these, the ones whose answer has arrived from the server and is held back.
    pub answers_held: usize,
    /// The most that were ever unanswered at once, on all connections, closed ones included.
    pub unanswered_peak: usize,
    /// Forwarded since the proxy started, closed connections included.
    pub forwarded: usize,
    /// Connections that are open.
    pub connections: usize,
}

/// A running proxy. Dropping it closes everything.
#[derive(Debug)]
pub struct Proxy {
    server: SocketAddr,
    own: SocketAddr,
    faults: watch::Sender<Faults>,
    traffic: Arc<watch::Sender<Traffic>>,
    _accepting: AbortOnDropHandle<()>,
}

impl Proxy {
    /// A proxy on a free loopback port before the server on the given one.
    ///
    /// # Errors
    /// No port is to be had.
    pub async fn start(server_port: u16) -> std::io::Result<Proxy> {
        let server = SocketAddr::from((Ipv4Addr::LOCALHOST, server_port));
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let own = listener.local_addr()?;
        let (faults, seen) = watch::channel(Faults {
            answers_held: false,
            requests_held: false,
            connections_refused: false,
            cut: 0,
        });
        let traffic = Arc::new(watch::Sender::new(Traffic::default()));
        let accepting = link::accept(listener, server, seen, Arc::clone(&traffic));
        let accepting = AbortOnDropHandle::new(tokio::spawn(accepting));
        Ok(Proxy { server, own, faults, traffic, _accepting: accepting })
    }

    /// The same database, reached through the proxy.
    pub fn before(&self, settings: &DatabaseSettings) -> DatabaseSettings {
        let url = settings.url.expose_secret();
        let through = url.replace(&format!("@{}/", self.server), &format!("@{}/", self.own));
        assert!(through != url, "the settings must lead to the proxy's own server");
        DatabaseSettings { url: through.into(), ..settings.clone() }
    }

    /// Holds back what the server sends, from now on.
    pub fn hold_answers(&self) {
        self.faults.send_modify(|faults| faults.answers_held = true);
    }

    /// Holds back what clients send, from now on.
    pub fn hold_requests(&self) {
        self.faults.send_modify(|faults| faults.requests_held = true);
    }

    /// Lets everything flow again, what was held first.
    pub fn release(&self) {
        self.faults.send_modify(|faults| {
            faults.answers_held = false;
            faults.requests_held = false;
        });
    }

    /// Closes every open connection. What was held is lost.
    pub fn cut(&self) {
        self.faults.send_modify(|faults| faults.cut += 1);
    }

    /// Closes new connections as soon as they are made, until told otherwise.
    pub fn refuse_connections(&self, refused: bool) {
        self.faults.send_modify(|faults| faults.connections_refused = refused);
    }

    /// The counts at this moment.
    pub fn traffic(&self) -> Traffic {
        *self.traffic.borrow()
    }

    /// Waits until the counts satisfy the condition. The caller sets the deadline.
    pub async fn until(&self, condition: impl FnMut(&Traffic) -> bool) -> Traffic {
        let mut seen = self.traffic.subscribe();
        // The sender lives in `self`, so the wait cannot fail.
        *seen.wait_for(condition).await.expect("the proxy outlives the wait")
    }
}
