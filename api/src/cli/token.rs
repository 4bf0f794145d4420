//! `taquilla token`: reads the key, prints a token, nothing else.

use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use taquilla_persistence::wall_clock;

use super::Outcome;
use super::instance::{Instance, Whose};
use crate::auth::{Grant, mint};
use crate::server::tokens;

/// Whom the token is for.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The buyer.
    #[arg(long)]
    sub: String,
    /// What the token allows, separated by spaces; "operator" opens /admin.
    #[arg(long, default_value = "")]
    scope: String,
    /// How long it is good for, in seconds.
    #[arg(long, default_value_t = 3600, value_parser = clap::value_parser!(u32).range(1..))]
    ttl: u32,
    #[command(flatten)]
    instance: Whose,
}

pub(super) fn run(config: Option<&Path>, args: &Args) -> Outcome {
    let config = Instance::find(config, &args.instance)?.config;
    let grant = Grant {
        subject: args.sub.clone(),
        scope: args.scope.clone(),
        lifetime: Duration::from_secs(args.ttl.into()),
    };
    println!("{}", mint(&tokens(&config)?, &grant, wall_clock::now())?);
    Ok(ExitCode::SUCCESS)
}
