//! A nats-server of the test's own, which can be killed and started again where it was.

use std::net::TcpListener;
use std::process::Stdio;
use std::time::Duration;

use async_nats::ConnectOptions;
use async_nats::jetstream::consumer::pull;
use async_nats::jetstream::context::GetStreamErrorKind;
use async_nats::jetstream::{self, consumer};
use futures_util::StreamExt as _;
use serde_json::Value;
use taquilla_api::relay::{Identity, NatsSettings};
use tempfile::TempDir;
use tokio::process::{Child, Command};

use super::office::eventually;

const USER: &str = "taquilla";
const PASSWORD: &str = "secret";

pub(crate) const STREAM: &str = "TAQUILLA";

/// A running server. Ends with the test, however that ends.
pub(crate) struct Bus {
    folder: TempDir,
    port: u16,
    process: Child,
}

/// A message as a consumer has it.
#[derive(Clone, Debug)]
pub(crate) struct Taken {
    pub(crate) subject: String,
    pub(crate) event: Value,
}

impl Taken {
    pub(crate) fn id(&self) -> String {
        self.event["id"].as_str().expect("an id").to_owned()
    }
}

impl Bus {
    pub(crate) async fn start() -> Self {
        let free = TcpListener::bind("127.0.0.1:0").and_then(|it| it.local_addr());
        let port = free.expect("a free port").port();
        let folder = tempfile::tempdir().expect("a folder");
        let process = Self::process(&folder, port);
        let bus = Self { folder, port, process };
        bus.until_it_answers().await;
        bus
    }

    fn process(folder: &TempDir, port: u16) -> Child {
        Command::new("nats-server")
            .args(["--addr", "127.0.0.1", "--port", &port.to_string(), "--jetstream"])
            .args(["--user", USER, "--pass", PASSWORD, "--store_dir"])
            .arg(folder.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .expect("nats-server is there: sh config/install-tools.sh nats-server (make test does)")
    }

    async fn until_it_answers(&self) {
        eventually("the bus", async || self.context().await).await;
    }

    pub(crate) async fn kill(&mut self) {
        self.process.kill().await.expect("it was running");
    }

    pub(crate) async fn start_again(&mut self) {
        self.process = Self::process(&self.folder, self.port);
        self.until_it_answers().await;
    }

    fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// As configuration has it.
    pub(crate) fn url_with_password(&self) -> String {
        format!("nats://{USER}:{PASSWORD}@127.0.0.1:{}", self.port)
    }

    pub(crate) fn settings(&self) -> NatsSettings {
        NatsSettings {
            servers: vec![self.url().parse().expect("an address")],
            identity: Identity::User(USER.into(), PASSWORD.into()),
            stream: STREAM.into(),
            kept: Duration::from_secs(3_600),
        }
    }

    /// A client of somebody else's.
    pub(crate) async fn context(&self) -> Option<jetstream::Context> {
        let options = ConnectOptions::with_user_and_password(USER.into(), PASSWORD.into());
        let client = options.connect(self.url()).await.ok()?;
        let context = jetstream::new(client);
        // It answers before its streams can be used.
        let is_up = match context.get_stream(STREAM).await {
            Ok(_) => true,
            Err(error) => matches!(error.kind(), GetStreamErrorKind::JetStream(_)),
        };
        is_up.then_some(context)
    }

    /// All that a consumer finds which begins now, in the stream's order; nothing while there is no stream.
    pub(crate) async fn consume(&self) -> Vec<Taken> {
        let context = self.context().await.expect("it is up");
        let Ok(stream) = context.get_stream(STREAM).await else { return Vec::new() };
        let from_the_first = pull::OrderedConfig {
            deliver_policy: consumer::DeliverPolicy::All,
            ..pull::OrderedConfig::default()
        };
        let count = stream.cached_info().state.messages;
        let consumer = stream.create_consumer(from_the_first).await.expect("a consumer");
        let messages = consumer.messages().await.expect("messages");
        let mut messages = messages.take(usize::try_from(count).expect("few"));
        let mut taken = Vec::new();
        while let Some(message) = messages.next().await {
            let message = message.expect("a message");
            let event = serde_json::from_slice(&message.payload).expect("a CloudEvent");
            taken.push(Taken { subject: message.subject.to_string(), event });
        }
        taken
    }

    /// The same, of what is told of events, once there is so much of it.
    pub(crate) async fn consume_of_events(&self, at_least: usize) -> Vec<Taken> {
        eventually("messages on the bus", async || {
            let taken = self.consume().await.into_iter();
            let taken: Vec<_> = taken.filter(|it| it.id().split('.').count() == 3).collect();
            (taken.len() >= at_least).then_some(taken)
        })
        .await
    }
}
