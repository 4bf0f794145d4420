//! `taquilla verify-draw`: whether a published draw is what it says, from that alone.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use uuid::Uuid;

use super::{Failure, Outcome, say};
use crate::draw::DrawProof;

/// A proof of a million tickets has 22 MB.
const BYTES_MAX: u64 = 64 * 1024 * 1024;

/// Which draw.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// What GET /events/{event_id}/queue/proof answers, in a file; - reads it from the standard input.
    file: PathBuf,
    /// Prints this ticket's position alone.
    #[arg(long, value_name = "TICKET_ID")]
    ticket: Option<Uuid>,
    /// Prints every ticket with its position, in the order of joining.
    #[arg(long, conflicts_with = "ticket")]
    positions: bool,
}

pub(super) fn run(args: &Args) -> Outcome {
    let text = read(&args.file)
        .map_err(|error| format!("cannot read {}: {error}", args.file.display()))?;
    let proof: DrawProof = serde_json::from_slice(&text)
        .map_err(|error| format!("{} is no published draw: {error}", args.file.display()))?;
    let draw = match proof.check() {
        Ok(draw) => draw,
        Err(fault) => {
            say(format_args!("NOT VERIFIED: {fault}"))?;
            return Ok(ExitCode::FAILURE);
        }
    };
    if let Some(ticket) = args.ticket {
        let Some(position) = draw.position(ticket) else {
            say(format_args!("ticket {ticket} took no part in the draw"))?;
            return Ok(ExitCode::FAILURE);
        };
        say(position)?;
        return Ok(ExitCode::SUCCESS);
    }
    if args.positions {
        return print_positions(draw.positions());
    }
    say(format_args!(
        "ok: the secret is the one committed to, and orders {} tickets",
        draw.present()
    ))?;
    Ok(ExitCode::SUCCESS)
}

fn print_positions(positions: impl Iterator<Item = (Uuid, u32)>) -> Outcome {
    use io::Write as _;
    let mut out = io::BufWriter::new(io::stdout().lock());
    for (ticket, position) in positions {
        writeln!(out, "{ticket} {position}")?;
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

fn read(file: &Path) -> Result<Vec<u8>, Failure> {
    let mut text = Vec::new();
    let from: Box<dyn Read> =
        if file == Path::new("-") { Box::new(io::stdin()) } else { Box::new(File::open(file)?) };
    let read = from.take(BYTES_MAX + 1).read_to_end(&mut text)?;
    if read as u64 > BYTES_MAX {
        return Err(format!("it has more than {BYTES_MAX} bytes").into());
    }
    Ok(text)
}
