//! The databases of a private cluster: their addresses, and making them.

use std::path::PathBuf;
use std::time::Duration;

use secrecy::{ExposeSecret, SecretString};
use tokio_postgres::NoTls;
use tokio_postgres::error::SqlState;
use tokio_util::task::AbortOnDropHandle;

use super::{PrivatePostgres, StartError, USER};

/// A copy is some megabytes, and the server writes a checkpoint first.
const CREATE_MAX: Duration = Duration::from_secs(30);

impl PrivatePostgres {
    /// The URL of one of its databases, for the superuser. `postgres` always exists.
    pub fn url(&self, database: &str) -> SecretString {
        let password = self.password.expose_secret();
        format!("postgresql://{USER}:{password}@127.0.0.1:{}/{database}", self.port).into()
    }

    /// The file with the superuser's password, which only its owner can read.
    pub fn password_file(&self) -> PathBuf {
        self.folder.password_file()
    }

    /// Creates the database unless it exists, within half a minute.
    ///
    /// # Errors
    /// [`StartError::Database`] or [`StartError::DatabaseTimedOut`].
    ///
    /// # Panics
    /// If the name is not made of lower-case letters, digits and underscores.
    pub async fn create_database(&self, name: &str) -> Result<(), StartError> {
        self.copy_database("template0", name).await
    }

    /// Creates the database as a copy of another one, which nobody may be using, unless it exists.
    ///
    /// # Errors
    /// As [`PrivatePostgres::create_database`].
    ///
    /// # Panics
    /// As [`PrivatePostgres::create_database`].
    pub async fn copy_database(&self, template: &str, name: &str) -> Result<(), StartError> {
        // Neither name can be a parameter of the statement.
        assert!(is_plain(template) && is_plain(name), "not plain: {template:?}, {name:?}");
        let made = tokio::time::timeout(CREATE_MAX, self.copy(template, name)).await;
        made.map_err(|_| StartError::DatabaseTimedOut { name: name.into() })?
            .map_err(|source| StartError::Database { name: name.into(), source })
    }

    async fn copy(&self, template: &str, name: &str) -> Result<(), tokio_postgres::Error> {
        let (client, connection) =
            tokio_postgres::connect(self.url("postgres").expose_secret(), NoTls).await?;
        let _driven = AbortOnDropHandle::new(tokio::spawn(connection));
        let create = format!("/* create_database */ CREATE DATABASE {name} TEMPLATE {template}");
        match client.batch_execute(&create).await {
            Err(error) if error.code() == Some(&SqlState::DUPLICATE_DATABASE) => Ok(()),
            other => other,
        }
    }
}

fn is_plain(name: &str) -> bool {
    name.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_'))
}
