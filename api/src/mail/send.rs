//! Mail that is due, sent.

use std::sync::Arc;
use std::time::Duration;

use lettre::{Address, AsyncSmtpTransport, AsyncTransport, Tokio1Executor};
use taquilla_persistence::database::DatabaseError;
use taquilla_persistence::in_full;
use taquilla_persistence::mail::{DueMail, MailOutcome, Subject};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use super::Post;
use super::letter::{Contents, Letter, LetterName};
use super::settings::SmtpUrlError;
use crate::background::jittered;
use crate::tickets::{Paper, print};
use crate::turns::apart;

/// The longest that a server which is away is left alone.
const LEFT_ALONE_MAX: Duration = Duration::from_secs(60);

/// Sends what is due.
#[derive(Clone)]
pub(super) struct Sender {
    post: Post,
    smtp: AsyncSmtpTransport<Tokio1Executor>,
    /// One is printed at a time: printing takes one core at the most.
    printing: Arc<Semaphore>,
}

/// What became of a try.
enum Tried {
    /// There is nothing more to do about it.
    Settled(MailOutcome),
    /// A server answered that it does not take it.
    Refused(String),
    /// No server answered, or something of ours could not be read.
    Away(String),
}

impl Sender {
    pub(super) fn new(post: Post) -> Result<Self, SmtpUrlError> {
        let smtp = post.settings.transport()?;
        Ok(Self { post, smtp, printing: Arc::new(Semaphore::new(1)) })
    }

    /// For ever. Looks again at once while there is more than was taken, and ever more rarely while no
    /// server answers.
    pub(super) async fn keep_sending(self) {
        let pacing = self.post.settings.pacing;
        let mut in_vain = 0_u32;
        loop {
            let (taken, away) = self.round().await;
            in_vain = if taken > 0 && away == taken { in_vain.saturating_add(1) } else { 0 };
            if in_vain > 0 {
                let pause = pacing.look.saturating_mul(1 << in_vain.min(16));
                sleep(jittered(pause.min(LEFT_ALONE_MAX))).await;
            } else if taken < usize::from(pacing.at_once) {
                sleep(pacing.look).await;
            }
        }
    }

    /// A few mails at once: how many there were, and how many met no server.
    async fn round(&self) -> (usize, usize) {
        let pacing = &self.post.settings.pacing;
        let due = match self.post.rows.take_due(pacing.at_once, pacing.lease).await {
            Ok(due) => due,
            Err(error) => {
                tracing::warn!(%error, "what mail is due cannot be read");
                return (0, 0);
            }
        };
        let taken = due.len();
        let mut sending = JoinSet::new();
        for mail in due {
            let sender = self.clone();
            sending.spawn(async move { sender.deal_with(mail).await });
        }
        let is_away = sending.join_all().await;
        (taken, is_away.into_iter().filter(|away| *away).count())
    }

    /// Tries, and writes down what became of it. Returns whether no server answered.
    async fn deal_with(&self, mail: DueMail) -> bool {
        let tried = self.try_to_send(&mail).await;
        let pacing = &self.post.settings.pacing;
        let is_away = matches!(tried, Tried::Away(_));
        let result = match tried {
            Tried::Settled(outcome) => self.settle(&mail, outcome, None).await,
            Tried::Refused(error) if mail.refusals + 1 >= pacing.refusals_max => {
                tracing::warn!(order = %mail.order, error, "a mail is given up");
                self.settle(&mail, MailOutcome::GivenUp, Some(&error)).await
            }
            Tried::Refused(error) => {
                count("refused");
                let pause = pacing.pause_after(mail.refusals);
                self.post.rows.postpone(&mail, pause, true, &error).await
            }
            Tried::Away(error) => {
                count("away");
                tracing::warn!(order = %mail.order, error, "a mail waits");
                self.post.rows.postpone(&mail, pacing.pause_after(0), false, &error).await
            }
        };
        if let Err(error) = result {
            tracing::warn!(%error, order = %mail.order, "what became of a mail is not written down");
        }
        is_away
    }

    async fn settle(
        &self,
        mail: &DueMail,
        outcome: MailOutcome,
        error: Option<&str>,
    ) -> Result<(), DatabaseError> {
        count(outcome.code());
        self.post.rows.settle(mail, outcome, error).await
    }

    async fn try_to_send(&self, mail: &DueMail) -> Tried {
        let to = mail.email.as_deref().and_then(|email| email.parse::<Address>().ok());
        let Some(to) = to else { return Tried::Settled(MailOutcome::NobodyToWriteTo) };
        let Post { settings, clock, .. } = &self.post;
        let (paper, contents) = match self.contents(mail).await {
            Ok(Some(contents)) => contents,
            Ok(None) => return Tried::Settled(MailOutcome::NothingToSend),
            Err(tried) => return tried,
        };
        let name = LetterName::of(mail);
        let (from, at) = (&settings.from, clock.now());
        let letter = Letter { from, to, name, at, paper: &paper, contents };
        let message = match letter.write() {
            Ok(message) => message,
            Err(error) => return Tried::Refused(error.to_string()),
        };
        match timeout(settings.pacing.patience, self.smtp.send(message)).await {
            Ok(Ok(_)) => Tried::Settled(MailOutcome::Sent),
            Ok(Err(error)) if error.is_permanent() || error.is_transient() || error.is_client() => {
                Tried::Refused(in_full(&error))
            }
            Ok(Err(error)) => Tried::Away(in_full(&error)),
            Err(_) => Tried::Away("the server took too long".into()),
        }
    }

    /// What is to be told, as it is now; none if it is not so any more.
    async fn contents(&self, mail: &DueMail) -> Result<Option<(Paper, Contents)>, Tried> {
        let Some(paper) = self.paper(mail).await.map_err(Tried::Away)? else { return Ok(None) };
        match mail.subject {
            Subject::GivenBack { stands: false, .. } => Ok(None),
            Subject::GivenBack { money, cause, anew, .. } => {
                Ok(Some((paper, Contents::GivenBack { money, cause, anew })))
            }
            Subject::Tickets if paper.tickets.is_empty() => Ok(None),
            Subject::Tickets => {
                let (paper, pdf) = self.print_apart(paper).await.map_err(Tried::Refused)?;
                Ok(Some((paper, Contents::Tickets(pdf))))
            }
        }
    }

    /// The order's tickets that let somebody in, or have; none if there is no such order or event.
    async fn paper(&self, mail: &DueMail) -> Result<Option<Paper>, String> {
        let Post { orders, press, .. } = &self.post;
        let order = orders.order(mail.order, &mail.buyer).await;
        let Some(order) = order.map_err(|error| error.to_string())? else { return Ok(None) };
        let paper = press.paper(&order, 0).await;
        paper.map_err(|_| "the event's listing cannot be read".to_owned())
    }

    /// Printed away from the threads that serve requests.
    async fn print_apart(&self, paper: Paper) -> Result<(Paper, Vec<u8>), String> {
        let alone = Arc::clone(&self.printing).acquire_owned().await.expect("it is never closed");
        let work = move || {
            let pdf = print(&paper);
            (paper, pdf)
        };
        let (printed, _alone) = apart(alone, work).await.map_err(|error| error.to_string())?;
        Ok(printed)
    }
}

fn count(outcome: &'static str) {
    metrics::counter!("taquilla_mails_total", "outcome" => outcome).increment(1);
}
