//! Whether a published draw is what it says, by nothing but itself.

use std::fmt;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use taquilla_engine::id::{EventId, QueueTicketId};
use taquilla_engine::waiting_room::draw::{Attendance, Draw, Secret};
use uuid::Uuid;

use super::{ALGORITHM, DrawProof, Drawn};

/// A draw that is what it says.
#[derive(Clone, Debug)]
pub struct Checked {
    draw: Draw,
    tickets: Vec<QueueTicketId>,
}

/// What is wrong with a published draw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Nothing has been revealed. Once the sale is open, such a draw is void.
    NotRevealed,
    /// Something cannot be read: what.
    Unreadable(&'static str),
    /// Another algorithm than this program knows.
    UnknownAlgorithm(String),
    /// The secret is not the one that was committed to.
    OtherSecret,
    /// As many tickets are listed.
    OtherCount(usize),
    /// The tickets do not make this public value.
    OtherValue,
    /// A ticket is listed twice.
    Repeated(Uuid),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotRevealed => {
                f.write_str("nothing is revealed: before the sale opens nobody can know more, from then on the draw is void")
            }
            Self::Unreadable(what) => write!(f, "{what} cannot be read"),
            Self::UnknownAlgorithm(name) => {
                write!(f, "the algorithm is {name:?}, and this program knows {ALGORITHM:?}")
            }
            Self::OtherSecret => f.write_str("the secret is not the one that was committed to"),
            Self::OtherCount(listed) => {
                write!(f, "{listed} tickets are listed, and as many as `present` took part")
            }
            Self::OtherValue => f.write_str("the tickets do not make this public value"),
            Self::Repeated(ticket) => write!(f, "ticket {ticket} is listed twice"),
        }
    }
}

impl DrawProof {
    /// The draw, if every part of it follows from the others.
    ///
    /// # Errors
    /// The first [`Fault`].
    pub fn check(&self) -> Result<Checked, Fault> {
        let event = EventId::parse(self.event_id).ok_or(Fault::Unreadable("event_id"))?;
        if self.algorithm != ALGORITHM {
            return Err(Fault::UnknownAlgorithm(self.algorithm.clone()));
        }
        let commitment = bytes("commitment", &self.commitment)?;
        let drawn = self.drawn.as_ref().ok_or(Fault::NotRevealed)?;
        let secret = Secret::new(bytes("secret", &drawn.secret)?);
        if secret.commitment(event).0 != commitment {
            return Err(Fault::OtherSecret);
        }
        let tickets = read_tickets(drawn)?;
        let mut attendance = Attendance::default();
        tickets.iter().for_each(|ticket| attendance.push(*ticket));
        let value = attendance.freeze();
        if value.0 != bytes("public_value", &drawn.public_value)? {
            return Err(Fault::OtherValue);
        }
        Ok(Checked { draw: Draw::new(event, &secret, value, drawn.present), tickets })
    }
}

fn read_tickets(drawn: &Drawn) -> Result<Vec<QueueTicketId>, Fault> {
    let unreadable = || Fault::Unreadable("tickets");
    let raw = BASE64_STANDARD.decode(&drawn.tickets).map_err(|_| unreadable())?;
    let (ids, rest) = raw.as_chunks::<16>();
    if !rest.is_empty() {
        return Err(unreadable());
    }
    let parse = |id: &[u8; 16]| QueueTicketId::parse(Uuid::from_bytes(*id)).ok_or_else(unreadable);
    let tickets = ids.iter().map(parse).collect::<Result<Vec<_>, _>>()?;
    if tickets.len() != drawn.present as usize {
        return Err(Fault::OtherCount(tickets.len()));
    }
    let mut sorted = tickets.clone();
    sorted.sort_unstable();
    match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(Fault::Repeated(pair[0].uuid())),
        None => Ok(tickets),
    }
}

/// Thirty-two bytes in hexadecimal.
fn bytes(what: &'static str, text: &str) -> Result<[u8; 32], Fault> {
    let mut bytes = [0; 32];
    hex::decode_to_slice(text, &mut bytes).map_err(|_| Fault::Unreadable(what))?;
    Ok(bytes)
}

impl Checked {
    /// How many took part.
    #[must_use]
    pub fn present(&self) -> u32 {
        self.draw.present()
    }

    /// Where this ticket stands, if it took part.
    #[must_use]
    pub fn position(&self, ticket: Uuid) -> Option<u32> {
        let index = self.tickets.iter().position(|it| it.uuid() == ticket)?;
        u32::try_from(index).ok().map(|index| self.draw.position(index))
    }

    /// Every ticket with its position, in the order of joining.
    pub fn positions(&self) -> impl Iterator<Item = (Uuid, u32)> {
        (0..).zip(&self.tickets).map(|(index, it)| (it.uuid(), self.draw.position(index)))
    }
}
