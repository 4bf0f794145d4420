//! `taquilla-simulate`: the drills in their long form, from a printed seed, and the model's search.

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use clap::{Parser, Subcommand};
use taquilla_simulations::drill::{
    bus_stop, database_stop, dev_kill, kill, opening, purchases, race, watchers,
};
use taquilla_simulations::model::{Bounds, report};
use taquilla_simulations::{DrillError, crowd};

/// The crowd in virtual time, at full length.
const CROWD_STEPS: u64 = 1_000_000;

/// Where an opening's curves go, unless something else is said.
const CURVES: &str = "target/opening";

/// Buyers, faults and kills against the real server.
#[derive(Debug, Parser)]
#[command(name = "taquilla-simulate", version)]
struct Arguments {
    #[command(subcommand)]
    drill: Drill,
    /// Of every choice; drawn and printed when it is not given.
    #[arg(long, global = true)]
    seed: Option<u64>,
}

#[derive(Debug, Clone, Subcommand)]
enum Drill {
    /// Kill the server by SIGKILL again and again under load.
    Kill {
        #[arg(long, default_value_t = 60)]
        kills: u32,
        #[arg(long, default_value_t = 64)]
        crowd: u32,
    },
    /// Let hundreds of buyers race for a few seats.
    Race {
        #[arg(long, default_value_t = 400)]
        buyers: u32,
        #[arg(long, default_value_t = 10)]
        seats: u32,
    },
    /// Take the database away: standing still, shut down, killed.
    DatabaseStop {
        #[arg(long, default_value_t = 64)]
        crowd: u32,
        /// How long each time.
        #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u32).range(7..))]
        seconds: u32,
    },
    /// Take the bus away for a minute.
    BusStop {
        #[arg(long, default_value_t = 64)]
        crowd: u32,
        /// How long it is away.
        #[arg(long, default_value_t = 60)]
        seconds: u32,
    },
    /// Kill `taquilla dev` and start it again on the same folder.
    DevKill,
    /// Buy with every method while the provider fails and the server is killed.
    Purchases {
        #[arg(long, default_value_t = purchases::PURCHASES)]
        purchases: u32,
        /// How many at once.
        #[arg(long, default_value_t = purchases::PURCHASES)]
        concurrency: u32,
        /// At least so many.
        #[arg(long, default_value_t = purchases::KILLS)]
        kills: u32,
        /// Who is asked for money.
        #[arg(long, value_enum, default_value = "simulated")]
        provider: purchases::Provider,
    },
    /// Let half a million people come to a sale of sixty thousand seats, most of them before it opens.
    Opening {
        #[arg(long, default_value_t = 500_000, value_parser = clap::value_parser!(u32).range(500..=1_500_000))]
        buyers: u32,
        /// In rows and standing; an eighth of the buyers at the most, so that some go home without.
        #[arg(long, default_value_t = 60_000, value_parser = clap::value_parser!(u32).range(100..=100_000))]
        seats: u32,
        /// Where the curves go.
        #[arg(long, default_value = CURVES)]
        out: PathBuf,
    },
    /// Let thousands watch the map through nginx while others buy.
    Watchers {
        #[arg(long, default_value_t = 2_000)]
        watchers: u32,
        #[arg(long, default_value_t = 64)]
        buyers: u32,
        #[arg(long, default_value_t = 60_000, value_parser = clap::value_parser!(u32).range(1_000..=100_000))]
        seats: u32,
        /// Seconds.
        #[arg(long, default_value_t = 30)]
        lasting: u32,
    },
    /// Search the model of the protocol: every state within the bounds, then every mutant.
    Model {
        /// How many faults may happen on a way.
        #[arg(long, default_value_t = 1)]
        faults: u8,
        /// Where a scenario's search ends; three million take some 500 MB.
        #[arg(long, default_value_t = 3_000_000)]
        states: usize,
        /// Random walks a scenario, with one fault more, drawn from the seed.
        #[arg(long, default_value_t = 2_000)]
        walks: u32,
    },
    /// Foretell every answer of the engine in virtual time.
    Crowd {
        #[arg(long, default_value_t = CROWD_STEPS)]
        steps: u64,
    },
    /// The crowd, and all drills against the server at their defaults, one after the other.
    All,
}

#[tokio::main]
async fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let seed = arguments.seed.unwrap_or_else(rand::random);
    // Before anything that may hang or be interrupted.
    println!("seed {seed}");
    let started = Instant::now();
    let outcome = match arguments.drill {
        Drill::Kill { kills, crowd } => show(kill::run(kill::Plan { kills, crowd, seed }).await),
        Drill::Race { buyers, seats } => show(race::run(race::Plan { buyers, seats, seed }).await),
        Drill::DatabaseStop { crowd, seconds } => {
            show(database_stop::run(database_stop::Plan { crowd, seconds, seed }).await)
        }
        Drill::BusStop { crowd, seconds } => {
            show(bus_stop::run(bus_stop::Plan { crowd, seconds, seed }).await)
        }
        Drill::DevKill => show(dev_kill::run().await),
        Drill::Purchases { purchases, concurrency, kills, provider } => {
            let plan = purchases::Plan { purchases, concurrency, kills, provider, seed };
            show(purchases::run(plan).await)
        }
        Drill::Opening { buyers, seats, out } => {
            show(opening::run(opening::Plan { buyers, seats, seed }, &out).await)
        }
        Drill::Watchers { watchers, buyers, seats, lasting } => {
            show(watchers::run(watchers::Plan { watchers, buyers, seats, lasting, seed }).await)
        }
        Drill::Model { faults, states, walks } => {
            let bounds = Bounds { states_max: states, depth_max: 1_000 };
            report::run(report::Plan { faults, bounds, walks, seed }).map_err(DrillError::Broken)
        }
        Drill::Crowd { steps } => foretell(steps, seed),
        Drill::All => all(seed).await,
    };
    match outcome {
        Ok(shown) => {
            println!("{shown}\nok after {} s", started.elapsed().as_secs());
            ExitCode::SUCCESS
        }
        Err(error) => {
            let cause = std::error::Error::source(&error).map(|it| format!(": {it}"));
            eprintln!("seed {seed}: {error}{}", cause.unwrap_or_default());
            ExitCode::FAILURE
        }
    }
}

async fn all(seed: u64) -> Result<String, DrillError> {
    println!("{}", foretell(CROWD_STEPS, seed)?);
    println!("{}", race::run(race::Plan { buyers: 400, seats: 10, seed }).await?);
    println!("{}", database_stop::run(database_stop::Plan::full(seed)).await?);
    println!("{}", bus_stop::run(bus_stop::Plan::full(seed)).await?);
    println!("{}", dev_kill::run().await?);
    for provider in [purchases::Provider::Simulated, purchases::Provider::Stripe] {
        println!("{}", purchases::run(purchases::Plan::full(provider, seed)).await?);
    }
    println!("{}", kill::run(kill::Plan { kills: 60, crowd: 64, seed }).await?);
    println!("{}", watchers::run(watchers::Plan::full(seed)).await?);
    show(opening::run(opening::Plan::full(seed), Path::new(CURVES)).await)
}

fn foretell(steps: u64, seed: u64) -> Result<String, DrillError> {
    let outcome = crowd::run(crowd::Plan { steps, seed });
    outcome.map(|it| it.to_string()).map_err(|found| DrillError::Broken(found.to_string()))
}

fn show(outcome: Result<impl Display, DrillError>) -> Result<String, DrillError> {
    outcome.map(|outcome| outcome.to_string())
}
