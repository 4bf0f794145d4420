//! The bus: NATS JetStream. Each message is acknowledged by the stream, which knows it again by its name.
//!
//! A connection that is lost is not taken up again by the client, which would go on with what it had not sent
//! yet: later messages would be kept before earlier ones. It is refused, and the page begins anew on another.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_nats::jetstream::context::PublishErrorKind;
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::stream::{self, StorageType};
use async_nats::jetstream::{self, Context};
use async_nats::{Auth, AuthError, ConnectOptions, ServerAddr};
use secrecy::{ExposeSecret, SecretString};
use taquilla_engine::later::Later;
use taquilla_persistence::in_full;
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout, timeout_at};

use super::metric;
use super::{Message, Repeat, Sink, SinkError};

/// The bus's name, in configuration, metrics and commands.
pub const BUS: &str = "nats";

/// All that this program tells.
const SUBJECTS: &str = "taquilla.>";

/// For a connection, and for each answer of the server.
const PATIENCE: Duration = Duration::from_secs(5);

/// Some tenths of a second's, at a server of the same place.
const AT_ONCE: usize = 512;

/// About what a message has beside its body, by a stream's own count.
const HEADERS: usize = 256;

/// How long a stream that is made here knows a message again. Longer than a relay waits for another's lease.
const DUPLICATE_WINDOW: Duration = Duration::from_secs(600);

/// Where the bus is, and where on it messages are kept.
#[derive(Clone, Debug)]
pub struct NatsSettings {
    /// Servers of one cluster, without anybody's name or password.
    pub servers: Vec<ServerAddr>,
    /// Who comes, to all of them.
    pub identity: Identity,
    /// The stream's name.
    pub stream: String,
    /// How long a stream that is made here keeps a message.
    pub kept: Duration,
}

/// Who comes to a server.
#[derive(Clone, Debug)]
pub enum Identity {
    /// Nobody in particular.
    Anonymous,
    /// Who has this token.
    Token(SecretString),
    /// This user, with this password.
    User(String, SecretString),
}

/// The bus. It connects when there is something to tell.
pub struct NatsSink {
    settings: NatsSettings,
    connection: Mutex<Connection>,
}

#[derive(Default)]
struct Connection {
    live: Option<Live>,
    /// Why the last try failed, and when: those who waited meanwhile need not try again.
    failed: Option<(Instant, String)>,
}

#[derive(Clone)]
struct Live {
    context: Context,
    /// Bytes that the stream takes at most of a message, if it has such a bound.
    message_max: Option<usize>,
    /// Set by whoever finds that this one is of no use any more.
    lost: Arc<AtomicBool>,
}

/// The stream is not as it must be.
#[derive(Debug, thiserror::Error)]
#[error("the stream {stream} does not take the subjects {SUBJECTS}")]
struct OtherSubjects {
    stream: String,
}

impl NatsSink {
    /// Connects to nothing yet.
    #[must_use]
    pub fn new(settings: NatsSettings) -> Self {
        Self { settings, connection: Mutex::default() }
    }

    /// The connection that all use, made by whoever comes first.
    async fn live(&self) -> Result<Live, SinkError> {
        let came_at = Instant::now();
        let mut connection = self.connection.lock().await;
        if let Some(live) = connection.live.as_ref().filter(|it| !it.lost.load(Ordering::Relaxed)) {
            return Ok(live.clone());
        }
        if let Some((_, why)) = connection.failed.as_ref().filter(|(at, _)| *at > came_at) {
            return Err(SinkError::away(why.clone()));
        }
        // The old one ends before there is another.
        connection.live = None;
        let new = timeout(PATIENCE, self.connect()).await;
        match new.map_err(SinkError::away).flatten() {
            Ok(live) => Ok(connection.live.insert(live).clone()),
            Err(error) => {
                connection.failed = Some((Instant::now(), in_full(&error).to_string()));
                Err(error)
            }
        }
    }

    async fn connect(&self) -> Result<Live, SinkError> {
        let NatsSettings { servers, identity, stream, kept } = &self.settings;
        let client = once(identity.clone())
            .max_reconnects(servers.len())
            .ignore_discovered_servers()
            .connection_timeout(PATIENCE)
            .request_timeout(Some(PATIENCE))
            .name("taquilla")
            .connect(servers.clone())
            .await
            .map_err(SinkError::away)?;
        let context = jetstream::ContextBuilder::new()
            .timeout(PATIENCE)
            .ack_timeout(PATIENCE)
            .backpressure_on_inflight(true)
            .build(client);
        let wanted = stream::Config {
            name: stream.clone(),
            description: Some("what happened to holds, orders, tickets and money".into()),
            subjects: vec![SUBJECTS.into()],
            max_age: *kept,
            duplicate_window: DUPLICATE_WINDOW,
            storage: StorageType::File,
            ..stream::Config::default()
        };
        let found = context.get_or_create_stream(wanted).await.map_err(SinkError::away)?;
        let config = &found.cached_info().config;
        if !config.subjects.iter().any(|subject| [SUBJECTS, ">"].contains(&subject.as_str())) {
            return Err(SinkError::away(OtherSubjects { stream: stream.clone() }));
        }
        let message_max = usize::try_from(config.max_message_size).ok().filter(|max| *max > 0);
        Ok(Live { context, message_max, lost: Arc::default() })
    }

    async fn send(
        &self,
        messages: &[Message],
        repeat: Repeat<'_>,
        until: Instant,
    ) -> Result<(), SinkError> {
        let live = timeout_at(until, self.live()).await.map_err(SinkError::away).flatten()?;
        let sent = timeout_at(until, self.send_on(&live, messages, repeat)).await;
        let sent = sent.map_err(SinkError::away).flatten();
        if sent.is_err() {
            live.lost.store(true, Ordering::Relaxed);
        }
        sent
    }

    /// One after the other: what is refused stops those behind it, which would be kept before it otherwise.
    async fn send_on(
        &self,
        live: &Live,
        messages: &[Message],
        repeat: Repeat<'_>,
    ) -> Result<(), SinkError> {
        for message in messages {
            if live.message_max.is_some_and(|max| message.body.len() + HEADERS > max) {
                too_large(message);
                continue;
            }
            let publish = PublishMessage::build()
                .message_id(name(message, repeat))
                .expected_stream(&self.settings.stream)
                .header("content-type", "application/cloudevents+json")
                .payload(message.body.clone());
            match live.context.send_publish(message.subject(), publish).await {
                Ok(acknowledgement) => {
                    acknowledgement.await.map_err(SinkError::away)?;
                }
                Err(error) if error.kind() == PublishErrorKind::MaxPayloadExceeded => {
                    too_large(message);
                }
                Err(error) => return Err(SinkError::away(error)),
            }
        }
        Ok(())
    }
}

/// No server like this one ever takes it: those behind it need not wait for ever.
fn too_large(message: &Message) {
    tracing::error!(id = message.id, "a message is too large for the bus, and not told");
    metric::parked(BUS);
}

impl Sink for NatsSink {
    fn wants(&self, _: &str) -> bool {
        true
    }

    fn at_once(&self) -> usize {
        AT_ONCE
    }

    fn publish<'a>(
        &'a self,
        messages: &'a [Message],
        repeat: Repeat<'a>,
        until: Instant,
    ) -> Later<'a, Result<(), SinkError>> {
        Box::pin(self.send(messages, repeat, until))
    }
}

/// By what the stream knows it again. What is repeated on purpose is new to it, once a run.
fn name(message: &Message, repeat: Repeat<'_>) -> String {
    match repeat {
        Repeat::No => message.id.clone(),
        Repeat::Run(run) => format!("{}/{run}", message.id),
    }
}

/// Whoever connects is asked for his name, and gives it once.
fn once(identity: Identity) -> ConnectOptions {
    let connected = Arc::new(AtomicBool::new(false));
    ConnectOptions::with_auth_callback(move |_| {
        let again = connected.swap(true, Ordering::Relaxed);
        let identity = identity.clone();
        async move {
            if again {
                return Err(AuthError::new("a connection that was lost is not taken up again"));
            }
            let mut auth = Auth::new();
            match identity {
                Identity::Anonymous => {}
                Identity::Token(token) => auth.token = Some(token.expose_secret().to_owned()),
                Identity::User(user, password) => {
                    auth.username = Some(user);
                    auth.password = Some(password.expose_secret().to_owned());
                }
            }
            Ok(auth)
        }
    })
}
