//! `[outbox]` and `[nats]`: who is told what happened.

use std::path::PathBuf;
use std::time::Duration;

use async_nats::ServerAddr;
use percent_encoding::percent_decode_str;
use reqwest::Url;
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;

use super::ConfigError;
use super::payments::web_page;
use super::secret::{from_file, given, is_set};
use crate::relay::{
    BUS, Identity, KINDS, NatsSettings, Refusals, RelaySettings, SigningSecrets, WebhookSettings,
};
use crate::this_machine::is_here;

/// `[outbox]`
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Outbox {
    pub(super) retention_hours: u64,
    webhooks: Vec<Webhook>,
    pub(super) deliveries_days: u64,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Webhook {
    name: String,
    url: String,
    secret_file: PathBuf,
    #[serde(default)]
    types: Vec<String>,
}

/// `[nats]`
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Nats {
    url: SecretString,
    url_file: PathBuf,
    stream: String,
    pub(super) stream_days: u64,
}

const WEBHOOKS: &str = "outbox.webhooks";

/// A sink's name, in metrics and commands.
const NAME_MAX: usize = 40;

impl Outbox {
    /// Who is told, and how long what was told is kept.
    ///
    /// # Errors
    /// [`ConfigError`], which names the endpoint and what is wrong with it, or what is wrong with the bus.
    pub fn settings(&self, nats: &Nats) -> Result<RelaySettings, ConfigError> {
        let webhooks: Vec<WebhookSettings> =
            self.webhooks.iter().map(Webhook::settings).collect::<Result<_, _>>()?;
        for (index, webhook) in webhooks.iter().enumerate() {
            let name = &webhook.name;
            let is_taken = webhooks[..index].iter().any(|other| other.name == *name);
            if is_taken || name == BUS {
                let rule = if is_taken {
                    format!("names {name:?} twice")
                } else {
                    format!("names {name:?}, which is the bus")
                };
                return Err(ConfigError::value(WEBHOOKS, &rule));
            }
        }
        let hours = |hours: u64| Duration::from_secs(hours * 3_600);
        Ok(RelaySettings {
            nats: nats.settings()?,
            webhooks,
            outbox_kept: (self.retention_hours > 0).then(|| hours(self.retention_hours)),
            deliveries_kept: hours(self.deliveries_days * 24),
        })
    }
}

impl Webhook {
    fn settings(&self) -> Result<WebhookSettings, ConfigError> {
        let Self { name, url, secret_file, types } = self;
        let wrong = |rule: &str| ConfigError::value(WEBHOOKS, &format!("({name:?}): {rule}"));
        let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        if name.is_empty() || name.len() > NAME_MAX || !name.bytes().all(fits) {
            return Err(wrong("a name is 1 to 40 small letters, digits and dashes"));
        }
        let url =
            web_page(url).ok_or_else(|| wrong("the url is one such as https://crm.example/in"))?;
        if url.scheme() == "http" && !is_here(&url) {
            return Err(wrong("the url is https, unless it is of this machine"));
        }
        let secrets = SigningSecrets::parse(&from_file(secret_file)?)
            .map_err(|error| wrong(&format!("what {} holds {error}", secret_file.display())))?;
        if let Some(unknown) = types.iter().find(|kind| !KINDS.contains(&kind.as_str())) {
            return Err(wrong(&format!(
                "there is no type {unknown:?}; there are {}",
                KINDS.join(", ")
            )));
        }
        let (name, types) = (name.clone(), types.clone());
        Ok(WebhookSettings { name, url, secrets, types, refusals: Refusals::default() })
    }
}

impl Nats {
    fn settings(&self) -> Result<Option<NatsSettings>, ConfigError> {
        const URL: &str = "nats.url";
        if !is_set(&self.url, &self.url_file) {
            return Ok(None);
        }
        // It may hold a password, so it is not shown.
        let wrong =
            || ConfigError::value(URL, "is nats://user:password@host:4222, several with commas");
        let all = given(URL, &self.url, &self.url_file)?;
        let each = all.expose_secret().split(',').map(str::trim).filter(|url| !url.is_empty());
        let servers: Vec<ServerAddr> =
            each.map(|url| url.parse().map_err(|_| wrong())).collect::<Result<_, _>>()?;
        let Some(first) = servers.first() else { return Err(wrong()) };
        let same = |it: &ServerAddr| {
            (it.username(), it.password()) == (first.username(), first.password())
        };
        if !servers.iter().all(same) {
            return Err(ConfigError::value(URL, "names the same user with each of its servers"));
        }
        let identity = identity(first).ok_or_else(wrong)?;
        let servers = servers.iter().map(|it| nameless(it).ok_or_else(wrong));
        let servers = servers.collect::<Result<_, _>>()?;
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        if self.stream.is_empty() || self.stream.len() > NAME_MAX || !self.stream.bytes().all(fits)
        {
            let rule = "is a stream's name: 1 to 40 letters, digits, dashes and underscores";
            return Err(ConfigError::value("nats.stream", rule));
        }
        let kept = Duration::from_secs(self.stream_days * 86_400);
        Ok(Some(NatsSettings { servers, identity, stream: self.stream.clone(), kept }))
    }
}

/// Who the address says that comes; a name alone is a token.
fn identity(server: &ServerAddr) -> Option<Identity> {
    let decoded = |text: &str| Some(percent_decode_str(text).decode_utf8().ok()?.into_owned());
    Some(match (server.username(), server.password()) {
        (None, _) => Identity::Anonymous,
        (Some(token), None) => Identity::Token(decoded(token)?.into()),
        (Some(user), Some(password)) => Identity::User(decoded(user)?, decoded(password)?.into()),
    })
}

/// The address without who comes: what is logged of it gives nobody away.
fn nameless(server: &ServerAddr) -> Option<ServerAddr> {
    let mut url = Url::parse(server.as_url_str())
        .ok()
        .filter(|url| url.host_str().is_some_and(|it| !it.is_empty()))?;
    url.set_username("").ok()?;
    url.set_password(None).ok()?;
    ServerAddr::from_url(url).ok()
}
