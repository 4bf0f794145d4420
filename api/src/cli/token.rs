//! `taquilla token`: reads the key, prints a token, nothing else.

use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use lettre::Address;
use taquilla_engine::buyer::{BUYER_BYTES_MAX, BuyerId};
use taquilla_persistence::wall_clock;

use super::instance::{Instance, Whose};
use super::{Outcome, say};
use crate::auth::{Grant, mint};
use crate::config::settings::tokens;

/// Whom the token is for.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The buyer.
    #[arg(long)]
    sub: String,
    /// What the token allows, separated by spaces; "operator" opens /admin.
    #[arg(long, default_value = "")]
    scope: String,
    /// The buyer's address, as verified: where tickets are sent, if mail is on.
    #[arg(long)]
    email: Option<String>,
    /// How long it is good for, in seconds.
    #[arg(long, default_value_t = 3600, value_parser = clap::value_parser!(u32).range(1..))]
    ttl: u32,
    #[command(flatten)]
    instance: Whose,
}

pub(super) fn run(config: Option<&Path>, args: &Args) -> Outcome {
    if BuyerId::parse(&args.sub).is_none() {
        let wanted = format!("--sub is 1 to {BUYER_BYTES_MAX} bytes: no server takes another");
        return Err(wanted.into());
    }
    let instance = Instance::find(config, &args.instance)?;
    let settings = instance.setting(tokens(&instance.config))?;
    let grant = Grant {
        subject: args.sub.clone(),
        scope: args.scope.clone(),
        lifetime: Duration::from_secs(args.ttl.into()),
        email: args.email.clone(),
    };
    if grant.email.as_ref().is_some_and(|email| email.parse::<Address>().is_err()) {
        return Err("--email is an address, such as ana@example.org".into());
    }
    say(mint(&settings, &grant, wall_clock::now())?)?;
    Ok(ExitCode::SUCCESS)
}
