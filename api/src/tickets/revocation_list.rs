//! A page of an event's void tickets in the form that gates take along: fixed fields, the ids without
//! what all of an event have in common, and a signature over all before it. Byte by byte in
//! `docs/tickets.md`.

use taquilla_engine::id::{EventId, TicketId};
use taquilla_persistence::tickets::Revocations;

use super::TicketSigner;

/// What no ticket's code begins with: the same key signs both.
const MAGIC: &[u8; 4] = b"TQRL";
const VERSION: u8 = 1;

/// Set in the flags: there is a page after this one.
const MORE: u8 = 1;

/// The event's number and the kind, which all ticket ids of an event begin with.
const PREFIX_BYTES: usize = 5;

/// The page after this ticket, or the first, signed.
#[must_use]
pub fn revocation_list(
    event: EventId,
    after: Option<TicketId>,
    revocations: &Revocations,
    signer: &TicketSigner,
) -> Vec<u8> {
    let page = &revocations.page;
    let mut prefix = [0; PREFIX_BYTES];
    prefix[..4].copy_from_slice(&event.event().0.to_be_bytes());
    if let Some(ticket) = page.items.first() {
        prefix.copy_from_slice(&ticket.uuid().as_bytes()[..PREFIX_BYTES]);
    }
    let mut list = MAGIC.to_vec();
    list.extend([VERSION, if page.next.is_some() { MORE } else { 0 }, 0, 0]);
    list.extend(event.uuid().as_bytes());
    list.extend(revocations.as_of.0.to_be_bytes());
    list.extend(signer.key_id());
    list.extend(u32::try_from(revocations.total).unwrap_or(u32::MAX).to_be_bytes());
    list.extend(u32::try_from(page.items.len()).unwrap_or(u32::MAX).to_be_bytes());
    list.extend(after.map_or([0; 16], |ticket| *ticket.uuid().as_bytes()));
    list.extend(prefix);
    for ticket in &page.items {
        list.extend(&ticket.uuid().as_bytes()[PREFIX_BYTES..]);
    }
    let signature = signer.sign_bytes(&list);
    list.extend(signature);
    list
}
