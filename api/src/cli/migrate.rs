//! `taquilla migrate`: brings the schema up to date.

use std::path::PathBuf;
use std::process::ExitCode;

use taquilla_persistence::migrations::migrate;

use super::Outcome;
use super::instance::{self, Instance};

pub(super) async fn run(config: Option<PathBuf>, args: instance::Args) -> Outcome {
    let mut instance = Instance::find(config.as_deref(), &args)?;
    let database = instance.database().await?;
    let applied = migrate(&crate::server::database(&instance.config)?).await;
    database.release().await?;
    match applied?.as_slice() {
        [] => println!("the schema is up to date"),
        steps => steps.iter().for_each(|step| println!("applied {step}")),
    }
    Ok(ExitCode::SUCCESS)
}
