//! From configuration to the settings of each part.

use axum::http::HeaderValue;
use jsonwebtoken::Algorithm;
use reqwest::Url;
use taquilla_engine::event::Limits;
use taquilla_engine::runtime::{PaymentSettings, Settings};
use taquilla_persistence::settings::DatabaseSettings;

use super::{Config, ConfigError, TokenAlgorithm};
use crate::app::EdgeSettings;
use crate::auth::{TokenSettings, VerificationKey};
use crate::payment_provider::stripe::StripeSettings;

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
    Url::parse(&config.payments.simulated_url).map_err(|_| {
        let rule = "is the URL where the simulated provider listens, and is not set right: give \
                    TAQUILLA__PAYMENTS__SIMULATED_URL";
        ConfigError::value("payments.simulated_url", rule)
    })
}

pub(crate) fn stripe(config: &Config) -> Result<StripeSettings, ConfigError> {
    let stripe = &config.payments.stripe;
    Ok(StripeSettings {
        return_url: stripe.return_url()?,
        key_life: stripe.key_life(),
        unknown_max: stripe.unknown_max(),
    })
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
