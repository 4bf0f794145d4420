//! `taquilla verify-ticket`: a scanner's check. It needs the public keys only; a scanner has no business
//! with the key that signs.

use std::fs::File;
use std::io::Read;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use reqwest::Url;

use super::instance::{Instance, Whose};
use super::{Failure, Outcome, say};
use crate::answer_body::read_body;
use crate::config::settings::ticket_keys;
use crate::tickets::{PublicKeys, TicketSigner, public_keys, verify};

/// A set of keys has a few hundred bytes.
const KEYS_BYTES_MAX: usize = 1024 * 1024;

/// For the answer of a server that is asked for its keys.
const PATIENCE: Duration = Duration::from_secs(10);

/// Which ticket.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The ticket's code.
    code: String,
    /// The public keys: a file with the JWK set that /.well-known/taquilla-ticket-keys.json answers, or
    /// with a public key in PEM, or the address of that set. The installation's own keys unless said.
    #[arg(long, value_name = "FILE|URL")]
    keys: Option<String>,
    #[command(flatten)]
    instance: Whose,
}

pub(super) async fn run(config: Option<PathBuf>, args: Args) -> Outcome {
    let keys = match &args.keys {
        Some(from) => published(from).await?,
        None => {
            let instance = Instance::find(config.as_deref(), &args.instance)?;
            let keys = instance.setting(ticket_keys(&instance.config))?;
            TicketSigner::of(keys)?.public_keys().clone()
        }
    };
    let Some(ticket) = verify(&args.code, &keys) else {
        say("not a ticket of ours")?;
        return Ok(ExitCode::FAILURE);
    };
    say(format_args!("ticket {}", ticket.ticket_id))?;
    say(format_args!("event {}", ticket.event_id))?;
    say(format_args!("section {}", ticket.section))?;
    if let Some(seat) = ticket.seat {
        say(format_args!("seat {seat}"))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The public keys in a file, or at an address.
async fn published(from: &str) -> Result<PublicKeys, Failure> {
    let is_address = from.starts_with("http://") || from.starts_with("https://");
    let text = if is_address { fetch(from).await } else { read(from) };
    let text = text.map_err(|error| format!("cannot read the keys from {from}: {error}"))?;
    let keys = public_keys(&text).map_err(|error| format!("{from}: {error}"))?;
    Ok(keys)
}

fn read(file: &str) -> Result<Vec<u8>, Failure> {
    let mut text = Vec::new();
    File::open(file)?.take(KEYS_BYTES_MAX as u64).read_to_end(&mut text)?;
    Ok(text)
}

async fn fetch(address: &str) -> Result<Vec<u8>, Failure> {
    let http = reqwest::Client::builder().timeout(PATIENCE).build()?;
    let answer = http.get(Url::parse(address)?).send().await?.error_for_status()?;
    Ok(read_body(answer, KEYS_BYTES_MAX).await?)
}
