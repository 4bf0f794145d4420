//! The command line. Exit codes: 0 done, 1 the check failed, 2 wrong use, or the work could not be
//! done: an audit that could not be made has found nothing.

mod audit;
mod dev;
mod import_plan;
mod instance;
mod migrate;
mod reconcile;
mod replay_outbox;
mod serve;
mod simulated_provider;
mod token;
mod verify_draw;
mod verify_ticket;

use std::fmt::Display;
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use taquilla_persistence::in_full;

/// Sells tickets for concerts whose seats go in minutes.
#[derive(Debug, Parser)]
#[command(
    name = "taquilla",
    version,
    about = "Sells tickets for concerts whose seats go in minutes",
    propagate_version = true
)]
pub struct Cli {
    /// Configuration file; TAQUILLA__<SECTION>__<KEY> variables win over it.
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Start everything on this machine: a private Postgres, a demo stadium, a simulated provider.
    Dev(dev::Args),
    /// Serve an installation whose database is given by configuration.
    Serve,
    /// Print a token for a buyer or operator.
    Token(token::Args),
    /// Bring the database's schema up to date.
    Migrate(instance::Whose),
    /// Check every invariant in one snapshot of the rows; exit 1 and name each that is broken.
    Audit(audit::Args),
    /// Compare payments with the payment provider's books; exit 1 and list what differs.
    Reconcile(reconcile::Args),
    /// Tell one sink an event's history once more; exit 1 if the sink does not take it.
    ReplayOutbox(replay_outbox::Args),
    /// Make a venue from a file with its seating plan; exit 1 and name every defect of a bad one.
    ImportPlan(import_plan::Args),
    /// Check a ticket's code, offline.
    VerifyTicket(verify_ticket::Args),
    /// Check a waiting room's draw by what is published of it; exit 1 and say what is wrong with it.
    VerifyDraw(verify_draw::Args),
    /// Run the simulated payment provider.
    SimulatedProvider(simulated_provider::Args),
}

/// Runs the command.
#[must_use]
pub fn run() -> ExitCode {
    let Cli { config, command } = Cli::parse();
    let result = match command {
        Command::Token(args) => token::run(config.as_deref(), &args),
        Command::VerifyDraw(args) => verify_draw::run(&args),
        Command::VerifyTicket(args) => blocking(verify_ticket::run(config, args)),
        Command::Dev(args) => blocking(dev::run(config, args)),
        Command::Serve => blocking(serve::run(config)),
        Command::Migrate(args) => blocking(migrate::run(config, args)),
        Command::Audit(args) => blocking(audit::run(config, args)),
        Command::Reconcile(args) => blocking(reconcile::run(config, args)),
        Command::ReplayOutbox(args) => blocking(replay_outbox::run(config, args)),
        Command::ImportPlan(args) => blocking(import_plan::run(config, args)),
        Command::SimulatedProvider(args) => blocking(simulated_provider::run(args)),
    };
    match result {
        Ok(code) => code,
        Err(error) => {
            // Whoever no longer listens sees the exit code.
            let _ = writeln!(io::stderr(), "taquilla: {}", in_full(&*error));
            ExitCode::from(2)
        }
    }
}

/// Why a command could not do its work. Whoever typed it reads it; nobody branches on it.
type Failure = Box<dyn std::error::Error + Send + Sync>;

type Outcome = Result<ExitCode, Failure>;

/// A line for whoever called; a reader that has gone is an error like any other.
fn say(line: impl Display) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{line}")?;
    out.flush()
}

fn blocking(work: impl Future<Output = Outcome>) -> Outcome {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(work)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_command_line_contradicts_itself_nowhere() {
        super::Cli::command().debug_assert();
    }
}
