//! A server put together from its configuration, run, and drained: `serve` and `dev` are this with
//! different surroundings.

mod entrance;
mod ready;
mod start_error;
mod work;
mod world;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use taquilla_engine::runtime::Node;
use taquilla_persistence::catalogue::Catalogue;

use self::entrance::Entrance;
use self::ready::Ready;
pub use self::start_error::StartError;
use self::work::Work;
use self::world::World;
use crate::config::Config;
use crate::connections::Bounds;
use crate::routes;
use crate::telemetry;

/// A running server.
pub struct Server {
    address: SocketAddr,
    metrics_address: SocketAddr,
    catalogue: Catalogue,
    node: Arc<Node>,
    drain: Duration,
    entrance: Entrance,
    work: Work,
}

impl Server {
    /// Starts everything; returns once requests are taken, which is when every event has its owner, or
    /// after five seconds; then `/readyz` tells why one has not.
    ///
    /// Events are opened last: that fences whoever owns them, and a start that fails must not have
    /// stopped another server's sale.
    ///
    /// # Errors
    /// [`StartError`], which names what is wrong.
    pub async fn start(config: &Config) -> Result<Self, StartError> {
        let Ready { means, announcement, mail, relay, http, metrics } = Ready::make(config).await?;
        // First, so that nothing is counted for nobody.
        let recorder = telemetry::recorder()?;
        let world = World::open(config, means, &relay).await?;
        let mailed = mail.is_some();
        let work = Work::start(&world, mail)?;
        work.tell_sinks(&world, &relay, mailed);
        work.tell_metrics(recorder, metrics.listener);
        work.tidy_limits(&world);
        work.follow_catalogue(&world);
        world.app.shedding.iter().cloned().for_each(|shedding| work.measure(shedding));
        if let Some(every) = config.reconciliation.every() {
            work.reconcile(&world, every);
        }
        if let Some(announcement) = announcement {
            work.background.spawn(announcement.until_heard(http.address));
        }
        let bounds = Bounds { open_max: config.http.connections_max, ..Bounds::default() };
        let (catalogue, node) = (world.app.catalogue.clone(), Arc::clone(&world.app.node));
        Ok(Self {
            address: http.address,
            metrics_address: metrics.address,
            catalogue,
            node,
            drain: config.http.drain(),
            entrance: Entrance::open(http.listener, routes::front(world.app), bounds),
            work,
        })
    }

    /// Where buyers and operators come in.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Where Prometheus comes in.
    #[must_use]
    pub fn metrics_address(&self) -> SocketAddr {
        self.metrics_address
    }

    /// Venues and events in rows.
    #[must_use]
    pub fn catalogue(&self) -> &Catalogue {
        &self.catalogue
    }

    /// Returns if a part that cannot be brought back here has ended by itself, and says which.
    pub async fn died(&self) -> &'static str {
        tokio::select! {
            () = self.node.died() => "the supervisor of events",
            () = self.entrance.ended() => "what takes connections",
        }
    }

    /// Takes no more requests, answers those that are there, then ends payments and owners. Each wait
    /// is bounded; whatever is cut off is carried on by the next start.
    pub async fn stop(self) {
        self.entrance.close(self.drain).await;
        self.work.stop(&self.node).await;
    }
}
