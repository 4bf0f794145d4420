//! `taquilla reconcile`: our payments against the payment provider's books.

mod table;

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use taquilla_engine::clock::Clock;
use taquilla_engine::moment::Moment;
use taquilla_engine::payment::reconciliation::{Reconciliation, Verdict};
use taquilla_persistence::database::Database;
use taquilla_persistence::database_clock::DatabaseClock;
use taquilla_persistence::pool::Pool;
use taquilla_persistence::reconciliation::Reconciliations;

use super::instance::{Instance, Whose, told_first};
use super::{Failure, Outcome, say};
use crate::config::settings;
use crate::instant::Instant;
use crate::payment_provider::Configured;
use crate::reconciliation::{Made, Reconciler};
use crate::views::ReconciliationView;

/// How many records lie between two lines of progress: some seconds, at a provider's usual pace.
const TELL_EVERY: u64 = 10_000;

/// How far back, and how it is told.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Print JSON, as GET /admin/reconciliation answers, in place of a table.
    #[arg(long)]
    json: bool,
    /// How many days to look back; as configured unless said.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=3650))]
    days: Option<u16>,
    #[command(flatten)]
    instance: Whose,
}

pub(super) async fn run(config: Option<PathBuf>, args: Args) -> Outcome {
    let mut instance = Instance::find(config.as_deref(), &args.instance)?;
    if let Some(days) = args.days {
        instance.config.reconciliation.window_days = days.into();
    }
    let database = instance.database().await?;
    let compared = beside_its_provider(&mut instance, args.json).await;
    let verdict = told_first(compared, database.release().await)?;
    Ok(match verdict {
        Verdict::Clean => ExitCode::SUCCESS,
        Verdict::Differing | Verdict::Unsafe => ExitCode::FAILURE,
    })
}

async fn beside_its_provider(instance: &mut Instance, json: bool) -> Result<Verdict, Failure> {
    let provider = instance.provider().await?;
    let compared = compare(instance, json).await;
    told_first(compared, provider.release().await)
}

/// Makes a run and prints what it found.
async fn compare(instance: &Instance, json: bool) -> Result<Verdict, Failure> {
    let settings = instance.setting(settings::database(&instance.config))?;
    let pool = Pool::new(&settings)?;
    let clock: Arc<dyn Clock> = Arc::new(DatabaseClock::connect(&pool).await?);
    let rows = Reconciliations::new(Database::new(pool, &settings));
    let provider = Configured::of(&instance.config)?.at(Arc::clone(&clock));
    let settings = instance.config.reconciliation.run();
    let reconciler = Reconciler::new(provider, rows.clone(), Arc::clone(&clock), settings);
    let told = AtomicU64::new(0);
    let made =
        reconciler.run("command", Duration::ZERO, &|found| tell_progress(found, &told)).await?;
    let (run, verdict) = match made {
        Made::Now(run, found) => (run, found.verdict()),
        Made::AtWork(since) => {
            let since = Instant(since).to_text();
            return Err(format!(
                "another reconciliation is at work since {since}; if its process has died, it is \
                 given up two minutes after that"
            )
            .into());
        }
        Made::TooSoon => return Err("another reconciliation was made just now".into()),
    };
    // By its id: another process may have made one since.
    let standing = rows.standing_after(run).await?;
    if let Some(made) = &standing.last {
        tell_of_others(&rows, &made.provider, made.since, made.attempts).await?;
    }
    if json {
        say(serde_json::to_string_pretty(&ReconciliationView::of(standing, clock.now()))?)?;
    } else {
        table::print(&standing)?;
    }
    Ok(verdict)
}

/// What this provider's books cannot say anything of. A run that has compared nothing, where there is something
/// of another provider's, is none.
async fn tell_of_others(
    rows: &Reconciliations,
    provider: &str,
    since: Moment,
    compared: u64,
) -> Result<(), Failure> {
    let others = rows.of_others(provider, since).await?;
    let told: Vec<String> =
        others.iter().map(|(other, attempts)| format!("{attempts} of {other}")).collect();
    if told.is_empty() {
        return Ok(());
    }
    let told = format!(
        "attempts of another provider than {provider} (payments.provider) are not compared: {}",
        told.join(", ")
    );
    if compared == 0 {
        return Err(told.into());
    }
    let _ = writeln!(std::io::stderr(), "{told}");
    Ok(())
}

/// On standard error, where it is in nobody's way.
fn tell_progress(found: &Reconciliation, told: &AtomicU64) {
    let done = found.records / TELL_EVERY;
    if told.swap(done, Ordering::Relaxed) < done {
        let line = format!("compared {} records, {} differ", found.records, found.total());
        let _ = writeln!(std::io::stderr(), "{line}");
    }
}
