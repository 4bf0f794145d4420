//! Where mail goes out, from whom, and how fast.

use std::time::Duration;

use lettre::message::Mailbox;
use lettre::transport::smtp::AsyncSmtpTransportBuilder;
use lettre::transport::smtp::extension::ClientId;
use lettre::{AsyncSmtpTransport, Tokio1Executor};
use reqwest::Url;
use secrecy::{ExposeSecret, SecretString};

use crate::background::backoff;
use crate::this_machine::is_here;

/// Where mail goes out, and from whom.
#[derive(Clone, Debug)]
pub struct MailSettings {
    /// `smtps://user:password@host`, or `smtp://…` with `?tls=required`; without TLS only on this machine.
    pub smtp_url: SecretString,
    /// Who writes. The domain ends the name of each mail.
    pub from: Mailbox,
    /// How fast.
    pub pacing: Pacing,
}

/// How often is looked and tried.
#[derive(Clone, Copy, Debug)]
pub struct Pacing {
    /// Between two looks at the outbox or at what is due, when there was nothing to do.
    pub look: Duration,
    /// Mails at once. Each takes a connection of the database for a moment.
    pub at_once: u16,
    /// For one to be taken by the server.
    pub patience: Duration,
    /// How long whoever takes a mail has it to himself: longer than making and sending one takes.
    pub lease: Duration,
    /// After the first refusal, and while no server answers; doubled each time, the actual pause is half of it or more.
    pub first_pause: Duration,
    /// No pause is longer.
    pub longest_pause: Duration,
    /// So many refusals, and a mail is given up. With these pauses, after one to three days.
    pub refusals_max: u32,
}

impl Default for Pacing {
    fn default() -> Self {
        Self {
            look: Duration::from_secs(1),
            at_once: 4,
            patience: Duration::from_secs(60),
            lease: Duration::from_secs(120),
            first_pause: Duration::from_secs(30),
            longest_pause: Duration::from_secs(4 * 3_600),
            refusals_max: 24,
        }
    }
}

impl Pacing {
    /// How long to wait after so many failures before this one.
    pub(super) fn pause_after(&self, failures: u32) -> Duration {
        backoff(self.first_pause, self.longest_pause, failures.saturating_add(1))
    }
}

/// The URL cannot be used. It may hold a password, so it is not shown.
#[derive(Debug, thiserror::Error)]
#[error(
    "is smtps://user:password@host, or smtp://user:password@host:587?tls=required; without TLS, smtp:// \
     names this very machine"
)]
pub struct SmtpUrlError;

impl MailSettings {
    /// A client of the server.
    ///
    /// # Errors
    /// [`SmtpUrlError`].
    pub fn transport(&self) -> Result<AsyncSmtpTransport<Tokio1Executor>, SmtpUrlError> {
        let hello = ClientId::Domain(self.from.email.domain().to_owned());
        let client = smtp_client(&self.smtp_url)?;
        Ok(client.hello_name(hello).timeout(Some(self.pacing.patience)).build())
    }
}

/// A client of the server there, to be told who we are.
pub(crate) fn smtp_client(url: &SecretString) -> Result<AsyncSmtpTransportBuilder, SmtpUrlError> {
    let text = url.expose_secret();
    let parsed = Url::parse(text).map_err(|_| SmtpUrlError)?;
    if !is_safe(&parsed) {
        return Err(SmtpUrlError);
    }
    AsyncSmtpTransport::<Tokio1Executor>::from_url(text).map_err(|_| SmtpUrlError)
}

/// Passwords and addresses cross a network only within TLS.
fn is_safe(url: &Url) -> bool {
    let required = url.query_pairs().any(|pair| pair == ("tls".into(), "required".into()));
    match url.scheme() {
        "smtps" => true,
        "smtp" => required || is_here(url),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn takes(url: &str) -> bool {
        let from = "Box office <tickets@example.com>".parse().expect("a mailbox");
        let settings = MailSettings { smtp_url: url.into(), from, pacing: Pacing::default() };
        settings.transport().is_ok()
    }

    #[tokio::test]
    async fn mail_leaves_the_machine_only_within_tls() {
        for good in [
            "smtps://mail.example.com",
            "smtps://user:pass@mail.example.com:465",
            "smtp://user:pass@mail.example.com:587?tls=required",
            "smtp://localhost:25",
            "smtp://127.0.0.1:2525",
            "smtp://[::1]:2525",
        ] {
            assert!(takes(good), "{good}");
        }
        for bad in [
            "",
            "mail.example.com",
            "smtp://mail.example.com",
            "smtp://mail.example.com?tls=opportunistic",
            "smtp://127.0.0.1.example.com",
            "http://localhost",
        ] {
            assert!(!takes(bad), "{bad}");
        }
    }

    #[test]
    fn pauses_grow_to_a_bound_and_are_never_alike() {
        let pacing = Pacing::default();
        for (failures, longest) in [(0, 30), (1, 60), (4, 480), (9, 14_400), (u32::MAX, 14_400)] {
            let longest = Duration::from_secs(longest);
            let pauses: Vec<_> = (0..50).map(|_| pacing.pause_after(failures)).collect();
            assert!(pauses.iter().all(|pause| *pause >= longest / 2 && *pause <= longest));
            assert!(pauses.iter().any(|pause| *pause != pauses[0]));
        }
    }
}
