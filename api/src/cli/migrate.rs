//! `taquilla migrate`: brings the schema up to date.

use std::path::PathBuf;
use std::process::ExitCode;

use taquilla_persistence::migrations::migrate;

use super::instance::{Instance, Whose, told_first};
use super::{Failure, Outcome, say};
use crate::config::settings;

pub(super) async fn run(config: Option<PathBuf>, args: Whose) -> Outcome {
    let mut instance = Instance::find(config.as_deref(), &args)?;
    let database = instance.database().await?;
    let applied = match instance.setting(settings::database(&instance.config)) {
        Ok(settings) => migrate(&settings).await.map_err(Failure::from),
        Err(error) => Err(error),
    };
    match told_first(applied, database.release().await)?.as_slice() {
        [] => say("the schema is up to date")?,
        steps => steps.iter().try_for_each(|step| say(format_args!("applied {step}")))?,
    }
    Ok(ExitCode::SUCCESS)
}
