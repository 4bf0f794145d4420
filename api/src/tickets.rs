//! Ticket codes: what a scanner reads and verifies without a network.
//!
//! A code is a JWS in compact form (RFC 7515) signed with Ed25519 (RFC 8037) over the ticket's id, its
//! event, section and seat. Signatures of this kind are deterministic, so a code is not stored: it
//! comes out the same each time. It has no expiry: whether a ticket still counts is the rows' to say.

//!
//! One key signs. Any number of others, older ones and the next one, are published beside it and verify.

mod key;
mod paper;
mod press;
mod revocation_list;
mod signer;

pub use key::{
    PublicKeys, PublicKeysError, TicketKeyError, TicketKeys, public_keys, ticket_key_pem,
};
pub use paper::{PAGES_MAX, Paper, PaperTicket, print};
pub use press::Press;
pub use revocation_list::revocation_list;
pub use signer::{SignedTicket, TicketSigner, verify};
