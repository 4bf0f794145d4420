//! A mail as its buyer reads it: in words what is attached as a PDF.

use std::fmt::Write as _;
use std::time::{Duration, SystemTime};

use lettre::message::header::ContentType;
use lettre::message::{Attachment, Mailbox, MultiPart, SinglePart};
use lettre::{Address, Message};
use taquilla_engine::moment::Moment;

use crate::tickets::{Paper, PaperTicket};

/// Tickets that are named in words; the others are in the PDF as well.
const NAMED_MAX: usize = 20;

/// A mail in the making.
pub struct Letter<'a> {
    /// Who writes.
    pub from: &'a Mailbox,
    /// To whom.
    pub to: Address,
    /// The order and the batch that issued its tickets. Nothing else goes into the mail's name, so
    /// sending it again is seen as what it is.
    pub name: (String, i64),
    /// When it is sent.
    pub at: Moment,
    /// What it is about.
    pub paper: &'a Paper,
}

impl Letter<'_> {
    /// The `Message-ID`.
    #[must_use]
    pub fn id(&self) -> String {
        let (order, version) = &self.name;
        format!("<{order}.{version}@{}>", self.from.email.domain())
    }

    /// The mail with its tickets.
    ///
    /// # Errors
    /// If it cannot be written as one.
    pub fn with(self, pdf: Vec<u8>) -> Result<Message, lettre::error::Error> {
        let type_of_pdf = ContentType::parse("application/pdf").expect("a media type");
        let parts = MultiPart::mixed()
            .singlepart(SinglePart::plain(self.words()))
            .singlepart(Attachment::new("tickets.pdf".into()).body(pdf, type_of_pdf));
        let at = SystemTime::UNIX_EPOCH + self.at.since(Moment(0)).max(Duration::ZERO);
        Message::builder()
            .message_id(Some(self.id()))
            .date(at)
            .from(self.from.clone())
            .to(Mailbox::new(None, self.to))
            .subject(format!("Your tickets: {}", self.paper.event))
            .multipart(parts)
    }

    fn words(&self) -> String {
        let Paper { event, starts, venue, order, tickets, total, .. } = self.paper;
        let mut words = format!("{event}\n{starts}\n{venue}\n\n");
        for PaperTicket { section, seat, .. } in tickets.iter().take(NAMED_MAX) {
            // A string takes whatever is written to it.
            let _ = match seat {
                Some(seat) => writeln!(words, "- {section}, seat {seat}"),
                None => writeln!(words, "- {section}"),
            };
        }
        if *total > NAMED_MAX {
            let _ = writeln!(words, "- and {} more", total - NAMED_MAX);
        }
        if *total > tickets.len() {
            let _ = writeln!(
                words,
                "\nThe first {} are attached; find all with your order.",
                tickets.len()
            );
        }
        words
            + &format!(
                "\nYour tickets are attached, one on each page. Each lets one person in, once: the first who \
             shows its code.\n\nOrder {order}\n"
            )
    }
}
