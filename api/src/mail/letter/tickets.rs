//! Tickets: in words what is attached as a PDF.

use std::fmt::Write as _;

use lettre::Message;
use lettre::message::header::ContentType;
use lettre::message::{Attachment, MessageBuilder, MultiPart, SinglePart};

use crate::tickets::{Paper, PaperTicket};

/// Tickets that are named in words; the others are in the PDF as well.
const NAMED_MAX: usize = 20;

pub(super) fn write(
    message: MessageBuilder,
    paper: &Paper,
    pdf: Vec<u8>,
) -> Result<Message, lettre::error::Error> {
    let type_of_pdf = ContentType::parse("application/pdf").expect("a media type");
    let parts = MultiPart::mixed()
        .singlepart(SinglePart::plain(words(paper)))
        .singlepart(Attachment::new("tickets.pdf".into()).body(pdf, type_of_pdf));
    message.subject(format!("Your tickets: {}", paper.event)).multipart(parts)
}

fn words(paper: &Paper) -> String {
    let Paper { event, starts, venue, order, tickets, total, .. } = paper;
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
        let first = tickets.len();
        let _ = writeln!(words, "\nThe first {first} are attached; find all with your order.");
    }
    words
        + &format!(
            "\nYour tickets are attached, one on each page. Each lets one person in, once: the first who \
             shows its code.\n\nOrder {order}\n"
        )
}
