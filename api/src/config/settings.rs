//! From configuration to the settings of each part.

use axum::http::HeaderValue;
use jsonwebtoken::Algorithm;
use reqwest::Url;
use taquilla_engine::event::Limits;
use taquilla_engine::runtime::{PaymentSettings, Settings};
use taquilla_persistence::settings::DatabaseSettings;

use super::layer::variable;
use super::{Config, ConfigError, Provider, TokenAlgorithm};
use crate::app::EdgeSettings;
use crate::auth::{TokenSettings, VerificationKey};

/// The configured database.
///
/// # Errors
/// [`ConfigError`] if it is not set.
pub fn database(config: &Config) -> Result<DatabaseSettings, ConfigError> {
    let mut settings = DatabaseSettings::new(config.database_url()?);
    settings.writers_max = config.database.writers;
    settings.pool_max = config.database.readers;
    Ok(settings)
}

/// The configured tokens.
///
/// # Errors
/// [`ConfigError`] if their key is not set or too short.
pub fn tokens(config: &Config) -> Result<TokenSettings, ConfigError> {
    Ok(TokenSettings {
        algorithm: match config.auth.algorithm {
            TokenAlgorithm::HS256 => Algorithm::HS256,
        },
        keys: vec![VerificationKey::Secret(config.jwt_key()?)],
        issuer: config.auth.issuer.clone(),
        audience: config.auth.audience.clone(),
    })
}

pub(crate) fn node(config: &Config) -> Settings {
    let engine = &config.engine;
    Settings {
        event_commands_max: engine.event_commands_max,
        section_commands_max: engine.section_commands_max,
        confirm_patience: config.http.decision_deadline(),
        limits: Limits {
            batch_max: engine.batch_max,
            keys_max: engine.keys_max,
            ..Limits::default()
        },
    }
}

pub(crate) fn payments(config: &Config) -> PaymentSettings {
    PaymentSettings {
        attempts_in_work_max: config.payments.in_work_max,
        provider_patience: config.payments.patience(),
        ..PaymentSettings::default()
    }
}

pub(crate) fn simulated_url(config: &Config) -> Result<Url, ConfigError> {
    const KEY: &str = "payments.simulated_url";
    let url = config.payments.simulated_url.trim();
    if url.is_empty() {
        let give = format!("{}, where `taquilla simulated-provider` listens", variable(KEY));
        return Err(ConfigError::NotSet { key: KEY, give });
    }
    Url::parse(url).map_err(|_| {
        ConfigError::value(
            KEY,
            "is where the simulated provider listens, such as http://127.0.0.1:9090",
        )
    })
}

/// Whether all is there that a server cannot do without.
///
/// # Errors
/// All that is not set or cannot be used, at once.
pub(crate) fn check_server(config: &Config) -> Result<(), ConfigError> {
    let provider = match config.payments.provider {
        Provider::Simulated => simulated_url(config).err(),
    };
    let looked_at =
        [config.database_url().err(), config.jwt_key().err(), config.ticket_key().err(), provider];
    let mut wrong: Vec<_> = looked_at.into_iter().flatten().collect();
    match wrong.len() {
        0 => Ok(()),
        1 => Err(wrong.remove(0)),
        _ => Err(ConfigError::Several(wrong)),
    }
}

pub(crate) fn edge(config: &Config) -> EdgeSettings {
    let origin = |origin: &String| {
        HeaderValue::from_str(origin).expect("an origin that was looked at is visible ASCII")
    };
    EdgeSettings {
        decision_deadline: config.http.decision_deadline(),
        cors_origins: config.http.cors_origins.iter().map(origin).collect(),
    }
}
