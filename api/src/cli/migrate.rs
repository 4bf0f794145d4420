//! `taquilla migrate`: brings the schema up to date.

use std::path::PathBuf;
use std::process::ExitCode;

use taquilla_persistence::migrations::migrate;

use super::instance::{Instance, Whose};
use super::{Outcome, say};

pub(super) async fn run(config: Option<PathBuf>, args: Whose) -> Outcome {
    let mut instance = Instance::find(config.as_deref(), &args)?;
    let database = instance.database().await?;
    let applied = migrate(&crate::config::settings::database(&instance.config)?).await;
    database.release().await?;
    match applied?.as_slice() {
        [] => say("the schema is up to date")?,
        steps => steps.iter().try_for_each(|step| say(format_args!("applied {step}")))?,
    }
    Ok(ExitCode::SUCCESS)
}
