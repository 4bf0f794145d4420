//! `taquilla audit`: every invariant, checked in one snapshot of the rows.

use std::path::PathBuf;
use std::process::ExitCode;

use taquilla_persistence::audit::Audit;
use taquilla_persistence::catalogue::Catalogue;
use taquilla_persistence::database::Database;
use taquilla_persistence::pool::Pool;

use super::instance::{Instance, Whose, told_first};
use super::{Failure, Outcome, say};
use crate::config::settings;
use crate::slug;

/// What to check.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// One event, by id or slug; all of them unless said.
    #[arg(long, value_name = "ID")]
    event: Option<String>,
    #[command(flatten)]
    instance: Whose,
}

pub(super) async fn run(config: Option<PathBuf>, args: Args) -> Outcome {
    let mut instance = Instance::find(config.as_deref(), &args.instance)?;
    let database = instance.database().await?;
    let broken = check(&instance, args.event.as_deref()).await;
    let broken = told_first(broken, database.release().await)?;
    Ok(if broken { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Prints a row for each invariant; says whether one is broken.
async fn check(instance: &Instance, event: Option<&str>) -> Result<bool, Failure> {
    let mut settings = instance.setting(settings::database(&instance.config))?;
    // Nothing is written: a copy on any storage can be checked.
    settings.crash_safe_storage_required = false;
    let rows = Database::new(Pool::new(&settings)?, &settings);
    let event = match event {
        None => None,
        Some(name) => {
            let nowhere = || format!("there is no event {name}");
            let reference = slug::reference(name).ok_or_else(nowhere)?;
            let found = Catalogue::new(rows.clone()).event(&reference).await?;
            Some(found.ok_or_else(nowhere)?.summary.id.event())
        }
    };
    let report = Audit::new(rows).run(event).await?;
    for invariant in report.invariants.iter().filter(|invariant| invariant.violations > 0) {
        say(format_args!("BROKEN {}: {} violations", invariant.name, invariant.violations))?;
        invariant.examples.iter().try_for_each(|example| say(format_args!("  {example}")))?;
    }
    if report.ok {
        say(format_args!("ok: {} invariants hold", report.invariants.len()))?;
    }
    Ok(!report.ok)
}
