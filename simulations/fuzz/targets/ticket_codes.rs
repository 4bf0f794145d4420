//! Ticket codes: only what the key has signed is a ticket.

#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use taquilla_api::tickets::{TicketSigner, ticket_key_pem, verify};

static SIGNER: LazyLock<TicketSigner> =
    LazyLock::new(|| TicketSigner::new(&ticket_key_pem(&[7; 32])).expect("a seed"));

fuzz_target!(|bytes: &[u8]| {
    let Ok(code) = std::str::from_utf8(bytes) else { return };
    if let Some(ticket) = verify(code, SIGNER.public_keys()) {
        // The same ticket has the same code.
        assert_eq!(SIGNER.sign(&ticket), code);
    }
});
