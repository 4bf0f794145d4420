//! `taquilla verify-ticket`: a scanner's check, offline.

use std::path::Path;
use std::process::ExitCode;

use super::Outcome;
use super::instance::{Instance, Whose};
use crate::tickets::{TicketSigner, verify};

/// Which ticket.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The ticket's code.
    code: String,
    #[command(flatten)]
    instance: Whose,
}

pub(super) fn run(config: Option<&Path>, args: &Args) -> Outcome {
    let config = Instance::find(config, &args.instance)?.config;
    let signer = TicketSigner::new(&config.ticket_key()?)?;
    let Some(ticket) = verify(&args.code, signer.public_keys()) else {
        println!("not a ticket of ours");
        return Ok(ExitCode::FAILURE);
    };
    println!("ticket {}", ticket.ticket_id);
    println!("event {}", ticket.event_id);
    println!("section {}", ticket.section);
    if let Some(seat) = ticket.seat {
        println!("seat {seat}");
    }
    Ok(ExitCode::SUCCESS)
}
