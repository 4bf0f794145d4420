//! A mail as its buyer reads it: plain words, and what is attached.

mod given_back;
mod tickets;

use std::time::{Duration, SystemTime};

use lettre::message::Mailbox;
use lettre::{Address, Message};
use taquilla_engine::id::OrderId;
use taquilla_engine::moment::Moment;
use taquilla_engine::money::Money;
use taquilla_engine::refund::Cause;
use taquilla_persistence::mail::{DueMail, Subject};

use crate::tickets::Paper;

/// A mail in the making.
pub struct Letter<'a> {
    /// Who writes.
    pub from: &'a Mailbox,
    /// To whom.
    pub to: Address,
    /// Which mail it is.
    pub name: LetterName,
    /// When it is sent.
    pub at: Moment,
    /// The event, and the order's tickets.
    pub paper: &'a Paper,
    /// What is told of it.
    pub contents: Contents,
}

/// What a mail tells.
#[derive(Debug)]
pub enum Contents {
    /// These are your tickets: the PDF.
    Tickets(Vec<u8>),
    /// Money was given back.
    GivenBack {
        /// How much.
        money: Money,
        /// Why.
        cause: Cause,
        /// Whether it is tried once more, because it had come back.
        anew: bool,
    },
}

/// The order, what of it is told, and since when. Nothing else goes into the mail's name, so sending it
/// again is seen as what it is.
#[derive(Clone, Debug)]
pub struct LetterName {
    order: OrderId,
    subject: Subject,
    version: i64,
}

impl LetterName {
    /// Of a mail that is due.
    #[must_use]
    pub fn of(mail: &DueMail) -> Self {
        Self { order: mail.order, subject: mail.subject, version: mail.version }
    }

    fn at(&self, domain: &str) -> String {
        let Self { order, subject, version } = self;
        match subject {
            Subject::Tickets => format!("<{order}.{version}@{domain}>"),
            Subject::GivenBack { .. } => format!("<{order}.money.{version}@{domain}>"),
        }
    }
}

impl Letter<'_> {
    /// The mail, to be sent.
    ///
    /// # Errors
    /// If it cannot be written as one.
    pub fn write(self) -> Result<Message, lettre::error::Error> {
        let at = SystemTime::UNIX_EPOCH + self.at.since(Moment(0)).max(Duration::ZERO);
        let message = Message::builder()
            .message_id(Some(self.name.at(self.from.email.domain())))
            .date(at)
            .from(self.from.clone())
            .to(Mailbox::new(None, self.to));
        match self.contents {
            Contents::Tickets(pdf) => tickets::write(message, self.paper, pdf),
            Contents::GivenBack { money, cause, anew } => {
                given_back::write(message, self.paper, money, why(cause, anew))
            }
        }
    }
}

/// Why money was given back, in words.
fn why(cause: Cause, anew: bool) -> &'static str {
    if anew {
        return "Your bank had not taken your money back, and it was sent once more.";
    }
    match cause {
        Cause::Cancellation => "The event does not take place.",
        Cause::Refund | Cause::CaptureFailed | Cause::Chargeback => "Tickets of yours came back.",
    }
}
