//! The bus: NATS JetStream. Each message is acknowledged by the stream, which knows it again by its name.
//!
//! A connection that is lost is not taken up again by the client, which would go on with what it had not sent
//! yet: later messages would be kept before earlier ones. It is refused, and the page begins anew on another. What a
//! cluster itself refuses of a burst, in the middle of an election, may still come behind what it kept of it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_nats::jetstream::context::{PublishAckFuture, PublishErrorKind};
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

/// Messages on their way at once: what a server of the same place acknowledges within a millisecond or so.
const IN_FLIGHT: usize = 512;

/// How long a stream that is made here knows a message again. Longer than a relay waits for another's lease.
const DUPLICATE_WINDOW: Duration = Duration::from_secs(600);

/// Where the bus is, and where on it messages are kept.
#[derive(Clone, Debug)]
pub struct NatsSettings {
    /// Servers of one cluster, without anybody's name or password.
    pub servers: Vec<ServerAddr>,
    /// For all of them; of the first address that names any.
    pub user: Option<(String, SecretString)>,
    /// The stream's name.
    pub stream: String,
    /// How long a stream that is made here keeps a message.
    pub kept: Duration,
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
        let NatsSettings { servers, user, stream, kept } = &self.settings;
        let client = once(user.clone())
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
            .max_ack_inflight(IN_FLIGHT)
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
        if !found.cached_info().config.subjects.iter().any(|subject| subject == SUBJECTS) {
            return Err(SinkError::away(OtherSubjects { stream: stream.clone() }));
        }
        Ok(Live { context, lost: Arc::default() })
    }

    async fn send(
        &self,
        messages: &[Message],
        repeat: Repeat<'_>,
        until: Instant,
    ) -> Result<(), SinkError> {
        let live = timeout_at(until, self.live()).await.map_err(SinkError::away).flatten()?;
        let sent = timeout_at(until, self.send_on(&live.context, messages, repeat)).await;
        let sent = sent.map_err(SinkError::away).flatten();
        if sent.is_err() {
            live.lost.store(true, Ordering::Relaxed);
        }
        sent
    }

    async fn send_on(
        &self,
        context: &Context,
        messages: &[Message],
        repeat: Repeat<'_>,
    ) -> Result<(), SinkError> {
        let mut under_way: Vec<PublishAckFuture> =
            Vec::with_capacity(messages.len().min(IN_FLIGHT));
        for some in messages.chunks(IN_FLIGHT) {
            for message in some {
                let publish = PublishMessage::build()
                    .message_id(name(message, repeat))
                    .expected_stream(&self.settings.stream)
                    .header("content-type", "application/cloudevents+json")
                    .payload(message.body.clone());
                match context.send_publish(message.subject(), publish).await {
                    Ok(acknowledgement) => under_way.push(acknowledgement),
                    // No server like this one ever takes it: those behind it need not wait for ever.
                    Err(error) if error.kind() == PublishErrorKind::MaxPayloadExceeded => {
                        tracing::error!(id = message.id, "a message is too large for the bus");
                        metric::parked(BUS);
                    }
                    Err(error) => return Err(SinkError::away(error)),
                }
            }
            for acknowledgement in under_way.drain(..) {
                acknowledgement.await.map_err(SinkError::away)?;
            }
        }
        Ok(())
    }
}

impl Sink for NatsSink {
    fn wants(&self, _: &str) -> bool {
        true
    }

    fn at_once(&self) -> usize {
        IN_FLIGHT
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
fn once(user: Option<(String, SecretString)>) -> ConnectOptions {
    let connected = Arc::new(AtomicBool::new(false));
    ConnectOptions::with_auth_callback(move |_| {
        let again = connected.swap(true, Ordering::Relaxed);
        let user = user.clone();
        async move {
            if again {
                return Err(AuthError::new("a connection that was lost is not taken up again"));
            }
            let mut auth = Auth::new();
            if let Some((user, password)) = user {
                auth.username = Some(user);
                auth.password = Some(password.expose_secret().to_owned());
            }
            Ok(auth)
        }
    })
}
