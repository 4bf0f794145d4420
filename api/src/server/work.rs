//! What a server does beside answering: payments, notices, mail, cancellations, reconciliations, the catalogue
//! followed, metrics.

use std::sync::Arc;
use std::time::Duration;

use metrics_exporter_prometheus::PrometheusHandle;
use taquilla_engine::runtime::{Cancellations, Node, Payments};
use taquilla_persistence::mail::OrderMail;
use tokio::net::TcpListener;
use tokio::time::timeout;

use super::StartError;
use super::world::World;
use crate::app::App;
use crate::background::{Background, REST};
use crate::listings::Follower;
use crate::mail::{Mail, MailSettings, Post};
use crate::reconciliation::tell_whether_closed;
use crate::relay::{self, RelaySettings};
use crate::shedding::Shedding;
use crate::telemetry;
use crate::waiting_rooms::WaitingRooms;
use crate::webhooks::Webhooks;

/// How long a stop waits for the last batches, after the requests. A lane gives a batch up at 5 s.
const LAST_BATCHES: Duration = Duration::from_secs(6);

/// How long a stop waits for what else goes on in the background, such as a read of the metrics.
const BACKGROUND: Duration = Duration::from_secs(1);

/// All of it, at work.
pub(super) struct Work {
    payments: Arc<Payments>,
    webhooks: Arc<Webhooks>,
    cancellations: Arc<Cancellations>,
    rooms: Arc<WaitingRooms>,
    mail: Option<Mail>,
    pub(super) background: Background,
}

impl Work {
    /// Begins with what moves money and tickets.
    pub(super) fn start(world: &World, mail: Option<MailSettings>) -> Result<Self, StartError> {
        let World { app, rows, cancellations, .. } = world;
        app.payments.keep_up();
        app.webhooks.keep_up(&app.payments);
        let post = |settings| Post::new(app, OrderMail::new(rows.clone()), settings);
        let mail = mail.map(|settings| Mail::start(post(settings))).transpose()?;
        cancellations.keep_up();
        Ok(Self {
            payments: Arc::clone(&app.payments),
            webhooks: Arc::clone(&app.webhooks),
            cancellations: Arc::clone(cancellations),
            rooms: Arc::clone(&app.rooms),
            mail,
            background: Background::default(),
        })
    }

    /// Tells sinks what happens, and forgets what all have been told and is old.
    pub(super) fn tell_sinks(&self, world: &World, settings: &RelaySettings, mailed: bool) {
        let sinks = &world.app.sinks;
        relay::start_bell(&self.background, world.ringer.clone(), &world.listener);
        sinks.start(&self.background, &world.listener, relay::Pacing::default());
        let others: &[&str] = if mailed { &[OrderMail::READER_OF_EVENTS] } else { &[] };
        relay::start_retention(&self.background, settings, sinks, others);
    }

    /// Tells whoever collects metrics on this listener.
    pub(super) fn tell_metrics(&self, recorder: PrometheusHandle, listener: TcpListener) {
        telemetry::serve(recorder, listener, &self.background);
    }

    /// Forgets callers who have been away for long.
    pub(super) fn tidy_limits(&self, world: &World) {
        let limits = Arc::clone(&world.app.limits);
        let tidy = move || Arc::clone(&limits).keep_tidy();
        self.background.keep("what forgets callers", REST, tidy);
    }

    /// Keeps lists of events as the rows are.
    pub(super) fn follow_catalogue(&self, world: &World) {
        let App { listings, catalogue, clock, .. } = &world.app;
        let (listings, clock) = (Arc::clone(listings), Arc::clone(clock));
        let follower = Follower::new(listings, catalogue.clone(), clock);
        let keep_following = move || follower.clone().keep_following();
        self.background.keep("what follows the catalogue", REST, keep_following);
    }

    /// Moves the limit of requests at work.
    pub(super) fn measure(&self, shedding: Arc<Shedding>) {
        let keep_measuring = move || Arc::clone(&shedding).keep_measuring();
        self.background.keep("what measures requests", REST, keep_measuring);
    }

    /// Compares our payments with the provider's books so often.
    pub(super) fn reconcile(&self, world: &World, every: Duration) {
        let reconciler = world.reconciler.clone();
        let keep_up = move || reconciler.clone().keep_up(every);
        self.background.keep("what makes reconciliations", REST, keep_up);
        let (site, rooms) = (world.app.site.clone(), Arc::clone(&world.app.rooms));
        let tell = move || tell_whether_closed(site.clone(), Arc::clone(&rooms));
        self.background.keep("what tells whether payments are closed", REST, tell);
    }

    /// Ends it, and then the owners of events. Each wait is bounded; whatever is cut off is carried on by
    /// the next start.
    pub(super) async fn stop(self, node: &Node) {
        let ended = timeout(LAST_BATCHES, async {
            if let Some(mail) = &self.mail {
                mail.stop().await;
            }
            self.webhooks.stop().await;
            self.payments.stop().await;
            self.cancellations.stop().await;
            self.rooms.stop().await;
            node.stop().await;
        });
        if ended.await.is_err() {
            tracing::warn!("mail, notices, payments or batches were cut off");
        }
        if timeout(BACKGROUND, self.background.stop()).await.is_err() {
            tracing::warn!("something in the background was cut off");
        }
    }
}
