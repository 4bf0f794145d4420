//! `taquilla replay-outbox`: an event's history once more, to one sink.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use taquilla_engine::clock::Clock;
use taquilla_engine::id::Sequence;
use taquilla_persistence::catalogue::Catalogue;
use taquilla_persistence::database::Database;
use taquilla_persistence::database_clock::DatabaseClock;
use taquilla_persistence::in_full;
use taquilla_persistence::pool::Pool;

use super::instance::{Instance, Whose, told_first};
use super::{Failure, Outcome, say};
use crate::config::settings;
use crate::relay::{Replay, ReplayError, Replayed, Sinks};
use crate::slug;

/// What to tell, and to whom.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The event, by id or slug.
    #[arg(long, value_name = "ID")]
    event: String,
    /// The first batch, as a number (17 of the `sequence` 000000000017.000000); all those behind it follow.
    #[arg(long, value_name = "SEQ", value_parser = clap::value_parser!(i64).range(1..))]
    from: i64,
    /// The sink, as configuration names it: nats, or a webhook's name.
    #[arg(long, value_name = "NAME")]
    sink: String,
    #[command(flatten)]
    instance: Whose,
}

pub(super) async fn run(config: Option<PathBuf>, args: Args) -> Outcome {
    let mut instance = Instance::find(config.as_deref(), &args.instance)?;
    let database = instance.database().await?;
    let replayed = replay(&instance, &args).await;
    told_first(replayed, database.release().await)
}

async fn replay(instance: &Instance, args: &Args) -> Outcome {
    let relay = instance.setting(settings::relay(&instance.config))?;
    let settings = instance.setting(settings::database(&instance.config))?;
    let pool = Pool::new(&settings)?;
    let clock: Arc<dyn Clock> = Arc::new(DatabaseClock::connect(&pool).await?);
    let rows = Database::new(pool, &settings);
    let sinks = Sinks::of(&relay, &rows, &clock);
    let sink = sinks.named(&args.sink).ok_or_else(|| no_such_sink(&args.sink, &sinks))?;
    let nowhere = || format!("there is no event {}", args.event);
    let reference = slug::reference(&args.event).ok_or_else(nowhere)?;
    let found = Catalogue::new(rows.clone()).event(&reference).await?;
    let event = found.ok_or_else(nowhere)?.summary.id;
    let replayed = Replay::new(sink, rows).run(event, Sequence(args.from), &tell_progress).await;
    match replayed {
        Ok(Replayed { from, to, messages }) => {
            let sink = &args.sink;
            say(format_args!("told {sink} batches {} to {}: {messages} messages", from.0, to.0))?;
            Ok(ExitCode::SUCCESS)
        }
        Err(error @ ReplayError::Away { .. }) => {
            let _ = writeln!(std::io::stderr(), "taquilla: {}", in_full(&error));
            Ok(ExitCode::FAILURE)
        }
        Err(error) => Err(error.into()),
    }
}

fn no_such_sink(name: &str, sinks: &Sinks) -> Failure {
    let known: Vec<&str> = sinks.names().collect();
    let known = if known.is_empty() {
        "none: nats.url and outbox.webhooks name them".to_owned()
    } else {
        known.join(", ")
    };
    format!("there is no sink {name}; configured are {known}").into()
}

/// On standard error, where it is in nobody's way.
fn tell_progress(done: Replayed) {
    let line = format!("told up to batch {}, {} messages", done.to.0, done.messages);
    let _ = writeln!(std::io::stderr(), "{line}");
}
