//! Mail with the tickets of an order, once they are issued.
//!
//! Beside the sale, never in its way: a consumer of the outbox notes which mail is due, a sender sends it.
//! At least once: a mail that may have been sent before goes out again under the same `Message-ID`, by
//! which its reader's program sees one. While the server is away mail waits, and nothing else does.

mod contact;
mod letter;
mod send;
mod settings;

pub(crate) use contact::keep_contact;
pub use letter::Letter;
pub use settings::{MailSettings, Pacing, SmtpUrlError};

use std::sync::Arc;

use taquilla_engine::clock::Clock;
use taquilla_persistence::catalogue::Catalogue;
use taquilla_persistence::mail::TicketMail;
use taquilla_persistence::orders::Orders;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use self::send::Sender;
use self::settings::jittered;
use crate::app::App;
use crate::listings::Listings;
use crate::tickets::TicketSigner;

/// What mail is made from.
#[derive(Clone)]
pub struct Post {
    rows: TicketMail,
    orders: Orders,
    catalogue: Catalogue,
    listings: Arc<Listings>,
    signer: Arc<TicketSigner>,
    clock: Arc<dyn Clock>,
    settings: Arc<MailSettings>,
}

impl Post {
    /// Of what the edge works with.
    #[must_use]
    pub fn new(app: &App, rows: TicketMail, settings: MailSettings) -> Self {
        Self {
            rows,
            orders: app.orders.clone(),
            catalogue: app.catalogue.clone(),
            listings: Arc::clone(&app.listings),
            signer: Arc::clone(&app.tickets),
            clock: Arc::clone(&app.clock),
            settings: Arc::new(settings),
        }
    }
}

/// Mail that is being read up and sent.
pub struct Mail {
    stopping: CancellationToken,
    tasks: TaskTracker,
}

impl Mail {
    /// Starts both, until [`Mail::stop`].
    ///
    /// # Errors
    /// [`SmtpUrlError`].
    pub fn start(post: Post) -> Result<Self, SmtpUrlError> {
        let mail = Self { stopping: CancellationToken::new(), tasks: TaskTracker::new() };
        let sender = Sender::new(post.clone())?;
        mail.keep_up("reads the outbox", move || keep_reading(post.clone()));
        mail.keep_up("sends", move || sender.clone().keep_sending());
        Ok(mail)
    }

    /// Ends both, wherever they are. What was being sent may be sent again by the next start.
    pub async fn stop(&self) {
        self.stopping.cancel();
        self.tasks.close();
        self.tasks.wait().await;
    }

    /// Runs the work, again after a bug in it.
    fn keep_up<F>(&self, what: &'static str, work: impl Fn() -> F + Send + 'static)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let pause = Pacing::default().first_pause;
        let work = async move {
            loop {
                // Ends with this future: a set aborts what is in it when it is dropped.
                let mut running = JoinSet::new();
                running.spawn(work());
                if let Some(Err(error)) = running.join_next().await {
                    tracing::error!(%error, "what {what} for mail has died and is started again");
                }
                tokio::time::sleep(jittered(pause)).await;
            }
        };
        self.tasks.spawn(self.stopping.clone().run_until_cancelled_owned(work));
    }
}

async fn keep_reading(post: Post) {
    let look = post.settings.pacing.look;
    loop {
        match post.rows.read_on().await {
            Ok(true) => {}
            Ok(false) => tokio::time::sleep(look).await,
            Err(error) => {
                tracing::warn!(%error, "the outbox cannot be read for mail");
                tokio::time::sleep(jittered(look * 10)).await;
            }
        }
    }
}
