//! Which installation a command is about: the configured database, or the dev instance in a folder.

use std::path::{Path, PathBuf};

use taquilla_persistence::private_postgres::PrivatePostgres;

use super::Failure;
use crate::config::{Config, ConfigError, environment};
use crate::dev::folder::DevFolder;
use crate::dev::provider::ProviderProcess;

/// The dev instance's folder unless said.
pub(super) const DATA_DIR: &str = ".taquilla";

/// Where to look.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct Whose {
    /// The dev instance's folder; looked at unless a database is configured.
    #[arg(long, env = "TAQUILLA_DATA_DIR", default_value = DATA_DIR, value_name = "DIR")]
    data_dir: PathBuf,
}

/// An installation, and its configuration.
pub(super) struct Instance {
    pub(super) config: Config,
    /// The folder, for a dev instance.
    dev: Option<DevFolder>,
    /// Where a dev instance was looked for.
    looked_in: PathBuf,
}

/// A database that answers, for as long as a command needs it.
pub(super) struct Database {
    /// Started by this command, and stopped after it.
    started: Option<PrivatePostgres>,
}

/// A payment provider that answers, for as long as a command needs it.
pub(super) struct Provider {
    /// Started by this command, and stopped after it.
    started: Option<ProviderProcess>,
}

impl Instance {
    /// The configuration, with what the dev instance's folder says lying under file and environment.
    pub(super) fn find(file: Option<&Path>, args: &Whose) -> Result<Self, Failure> {
        let folder = DevFolder::at(&args.data_dir)?;
        let lives = folder.jwt_key().exists();
        let says = folder_variables(&folder).filter(|_| lives);
        let config = Config::load(file, says.chain(environment()?))?;
        let looked_in = folder.path().to_owned();
        let dev = (lives && !config.has_database()).then_some(folder);
        Ok(Self { config, dev, looked_in })
    }

    /// A setting of this installation. Of one that is not set it is told that a dev instance would have
    /// brought it, and how one is named.
    pub(super) fn setting<T>(&self, setting: Result<T, ConfigError>) -> Result<T, Failure> {
        setting.map_err(|error| match error {
            ConfigError::NotSet { .. } => format!(
                "there is no dev instance in {} (--data-dir or TAQUILLA_DATA_DIR names another \
                 folder, `taquilla dev` makes one), and {error}",
                self.looked_in.display()
            )
            .into(),
            ConfigError::Unreadable { .. }
            | ConfigError::NotToml { .. }
            | ConfigError::UnknownKey { .. }
            | ConfigError::Several(_)
            | ConfigError::Value { .. } => error.into(),
        })
    }

    /// Makes sure that the database answers, and says in the configuration where it is.
    pub(super) async fn database(&mut self) -> Result<Database, Failure> {
        let Some(folder) = &self.dev else { return Ok(Database { started: None }) };
        let server = PrivatePostgres::start(&folder.postgres(), &[]).await?;
        self.config.set_database_url(server.url(super::dev::DATABASE));
        let taken_up = server.is_taken_up();
        Ok(Database { started: (!taken_up).then_some(server) })
    }

    /// Makes sure that the provider answers, and says in the configuration where it is.
    pub(super) async fn provider(&mut self) -> Result<Provider, Failure> {
        let Some(folder) = &self.dev else { return Ok(Provider { started: None }) };
        let provider = ProviderProcess::start(&folder.provider()).await;
        let provider = provider
            .map_err(|error| format!("the simulated provider cannot be started: {error}"))?;
        self.config.payments.simulated_url = provider.url().to_string();
        let taken_up = provider.is_taken_up();
        Ok(Provider { started: (!taken_up).then_some(provider) })
    }
}

impl Database {
    pub(super) async fn release(self) -> Result<(), Failure> {
        if let Some(mut server) = self.started {
            server.stop().await?;
        }
        Ok(())
    }
}

impl Provider {
    pub(super) async fn release(self) -> Result<(), Failure> {
        if let Some(provider) = self.started {
            provider.stop().await?;
        }
        Ok(())
    }
}

/// What became of a command that borrowed something, and of giving it back: told is what went wrong first.
pub(super) fn told_first<T>(
    done: Result<T, Failure>,
    given_back: Result<(), Failure>,
) -> Result<T, Failure> {
    match (done, given_back) {
        (Ok(done), Ok(())) => Ok(done),
        (Err(why), Ok(())) | (Ok(_), Err(why)) => Err(why),
        (Err(why), Err(also)) => {
            tracing::warn!(%also, "what a command had started is not stopped");
            Err(why)
        }
    }
}

/// What a dev instance's folder says in place of a configuration.
pub(super) fn folder_variables(folder: &DevFolder) -> impl Iterator<Item = (String, String)> {
    let variable = |name: &str, path: PathBuf| (name.to_owned(), path.display().to_string());
    [
        variable("TAQUILLA__AUTH__JWT_KEY_FILE", folder.jwt_key()),
        variable("TAQUILLA__CHALLENGE__KEY_FILE", folder.challenge_key()),
        variable("TAQUILLA__TICKETS__KEY_FILE", folder.ticket_key()),
    ]
    .into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_went_wrong_first_is_told() {
        let told = |done: Result<u8, &str>, given_back: Result<(), &str>| {
            let told = told_first(done.map_err(Failure::from), given_back.map_err(Failure::from));
            told.map_err(|why| why.to_string())
        };
        assert_eq!(told(Ok(7), Ok(())), Ok(7));
        assert_eq!(told(Err("work"), Ok(())), Err("work".into()));
        assert_eq!(told(Ok(7), Err("end")), Err("end".into()));
        assert_eq!(told(Err("work"), Err("end")), Err("work".into()));
    }
}
