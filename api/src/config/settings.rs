//! From configuration to the settings of each part.

use axum::http::HeaderValue;
use jsonwebtoken::Algorithm;
use lettre::message::Mailbox;
use reqwest::Url;
use secrecy::SecretString;
use taquilla_engine::event::Limits;
use taquilla_engine::runtime::{PaymentSettings, RoomSettings, Settings};
use taquilla_engine::waiting_room::line::Patience;
use taquilla_engine::waiting_room::rate::RateBounds;
use taquilla_persistence::settings::DatabaseSettings;

use super::layer::variable;
use super::payments::web_page;
use super::{Config, ConfigError, Provider, TokenAlgorithm};
use crate::app::EdgeSettings;
use crate::auth::{TokenSettings, VerificationKey};
use crate::limits::LimitSettings;
use crate::mail::{MailSettings, Pacing, smtp_client};
use crate::payment_provider::stripe::StripeSettings;
use crate::relay::RelaySettings;
use crate::tickets::{PublicKeys, TicketKeys, public_keys};

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

/// The configured keys of tickets.
///
/// # Errors
/// [`ConfigError`] if the key that signs is not set or cannot be read, or another file has no public
/// keys.
pub fn ticket_keys(config: &Config) -> Result<TicketKeys, ConfigError> {
    Ok(TicketKeys { signing: config.ticket_key()?, others: other_ticket_keys(config)? })
}

fn other_ticket_keys(config: &Config) -> Result<Vec<PublicKeys>, ConfigError> {
    let others = config.verifying_keys()?.into_iter().map(|(path, text)| {
        public_keys(&text).map_err(|error| {
            let rule = format!("names files of public keys; {} holds {error}", path.display());
            ConfigError::value("tickets.verifying_key_files", &rule)
        })
    });
    others.collect()
}

/// The configured mail; none if it is off.
///
/// # Errors
/// [`ConfigError`] if it is on and something about it is not set or cannot be used.
pub fn mail(config: &Config) -> Result<Option<MailSettings>, ConfigError> {
    if !config.mail.enabled {
        return Ok(None);
    }
    let (from, smtp_url) = (mail_from(config)?, smtp_url(config)?);
    Ok(Some(MailSettings { smtp_url, from, pacing: Pacing::default() }))
}

/// Who is told what happened.
///
/// # Errors
/// [`ConfigError`] if a sink is not what it must be, or a file of secrets cannot be read.
pub fn relay(config: &Config) -> Result<RelaySettings, ConfigError> {
    config.outbox.settings(&config.nats)
}

fn smtp_url(config: &Config) -> Result<SecretString, ConfigError> {
    let url = config.smtp_url()?;
    match smtp_client(&url) {
        Ok(_) => Ok(url),
        Err(error) => Err(ConfigError::value("mail.smtp_url", &error.to_string())),
    }
}

fn mail_from(config: &Config) -> Result<Mailbox, ConfigError> {
    let rule = "is a mailbox, such as \"Box office <tickets@example.com>\"";
    config.mail.from.parse().map_err(|_| ConfigError::value("mail.from", rule))
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
            open_holds_max: engine.open_holds_max as usize,
            hold_churn: config.limits.hold_churn(),
            ..Limits::default()
        },
    }
}

/// What rooms do.
#[must_use]
pub fn rooms(config: &Config) -> RoomSettings {
    let room = &config.waiting_room;
    let payments_max = u32::try_from(config.payments.in_work_max).unwrap_or(u32::MAX);
    RoomSettings {
        patience: Patience { grace: room.grace(), admission: room.admission() },
        rate: RateBounds {
            ceiling: room.rate_ceiling.into(),
            floor: room.rate_floor.into(),
            start: room.rate_start.into(),
            active_max: room.active_max,
            payments_max,
            open_holds_max: config.engine.open_holds_max,
            commit_max: room.commit_max(),
            wait_max: room.decision_max(),
        },
    }
}

pub(crate) fn payments(config: &Config) -> PaymentSettings {
    PaymentSettings {
        attempts_in_work_max: config.payments.in_work_max,
        provider_patience: config.payments.patience(),
        capture_grace: config.payments.capture_grace(),
        chargeback_voids_tickets: config.payments.chargeback_voids_tickets,
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
    let rule = "is where the simulated provider listens, such as http://127.0.0.1:9090";
    web_page(url).ok_or_else(|| ConfigError::value(KEY, rule))
}

/// Whether all is there that a server cannot do without.
///
/// # Errors
/// All that is not set or cannot be used, at once.
pub(crate) fn check_server(config: &Config) -> Result<(), ConfigError> {
    let stripe = &config.payments.stripe;
    let provider = match config.payments.provider {
        Provider::Simulated => vec![simulated_url(config).err()],
        Provider::Stripe => vec![
            stripe.secret_key().err(),
            stripe.api_base().err(),
            stripe.webhook_secrets().err(),
            stripe.return_url().err(),
        ],
    };
    let mail = if config.mail.enabled {
        [mail_from(config).err(), smtp_url(config).err()]
    } else {
        [None, None]
    };
    let looked_at = [
        config.database_url().err(),
        config.jwt_key().err(),
        config.ticket_key().err(),
        config.challenge.settings().err(),
        other_ticket_keys(config).err(),
        relay(config).err(),
    ];
    let mut wrong: Vec<_> = looked_at.into_iter().chain(mail).chain(provider).flatten().collect();
    match wrong.len() {
        0 => Ok(()),
        1 => Err(wrong.remove(0)),
        _ => Err(ConfigError::Several(wrong)),
    }
}

pub(crate) fn stripe(config: &Config) -> Result<StripeSettings, ConfigError> {
    let stripe = &config.payments.stripe;
    Ok(StripeSettings {
        return_url: stripe.return_url()?,
        key_life: stripe.key_life(),
        unknown_max: stripe.unknown_max(),
    })
}

pub(crate) fn limits(config: &Config) -> Result<LimitSettings, ConfigError> {
    Ok(LimitSettings {
        per_address: config.limits.per_address(),
        per_account: config.limits.per_account(),
        map_reads: config.limits.map_reads(),
        ipv6_prefix: config.limits.ipv6_prefix,
        trusted_proxies: config.http.trusted_proxies()?,
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
