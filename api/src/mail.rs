//! Mail about orders: the tickets, once they are issued, and money that was given back.
//!
//! Beside the sale, never in its way: a consumer of the outboxes notes which mail is due, a sender sends it.
//! At least once: a mail that may have been sent before goes out again under the same `Message-ID`, by
//! which its reader's program sees one. While the server is away mail waits, and nothing else does.

mod contact;
mod letter;
mod send;
mod settings;

pub(crate) use contact::keep_contact;
pub use letter::{Contents, Letter, LetterName};
pub(crate) use settings::smtp_client;
pub use settings::{MailSettings, Pacing, SmtpUrlError};

use std::sync::Arc;

use taquilla_engine::clock::Clock;
use taquilla_persistence::mail::OrderMail;
use taquilla_persistence::orders::Orders;

use self::send::Sender;
use crate::app::App;
use crate::background::{Background, jittered};
use crate::tickets::Press;

/// What mail is made from.
#[derive(Clone)]
pub struct Post {
    rows: OrderMail,
    orders: Orders,
    press: Press,
    clock: Arc<dyn Clock>,
    settings: Arc<MailSettings>,
}

impl Post {
    /// Of what the edge works with.
    #[must_use]
    pub fn new(app: &App, rows: OrderMail, settings: MailSettings) -> Self {
        Self {
            rows,
            orders: app.orders.clone(),
            press: Press::of(app),
            clock: Arc::clone(&app.clock),
            settings: Arc::new(settings),
        }
    }
}

/// Mail that is being read up and sent.
pub struct Mail(Background);

impl Mail {
    /// Starts both, until [`Mail::stop`].
    ///
    /// # Errors
    /// [`SmtpUrlError`].
    pub fn start(post: Post) -> Result<Self, SmtpUrlError> {
        let background = Background::default();
        let pause = post.settings.pacing.first_pause;
        let sender = Sender::new(post.clone())?;
        background
            .keep("what reads the outboxes for mail", pause, move || keep_reading(post.clone()));
        background.keep("what sends mail", pause, move || sender.clone().keep_sending());
        Ok(Self(background))
    }

    /// Ends both, wherever they are. What was being sent may be sent again by the next start.
    pub async fn stop(&self) {
        self.0.stop().await;
    }
}

async fn keep_reading(post: Post) {
    let look = post.settings.pacing.look;
    loop {
        match post.rows.read_on().await {
            Ok(true) => {}
            Ok(false) => tokio::time::sleep(look).await,
            Err(error) => {
                tracing::warn!(%error, "the outboxes cannot be read for mail");
                tokio::time::sleep(jittered(look * 10)).await;
            }
        }
    }
}
