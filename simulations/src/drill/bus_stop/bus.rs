//! A nats-server of the drill's own.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use async_nats::jetstream;
use async_nats::jetstream::consumer::{DeliverPolicy, pull};
use async_nats::jetstream::context::GetStreamErrorKind;
use futures_util::StreamExt as _;
use serde_json::Value;
use tokio::process::{Child, Command};

use crate::server::{binary, free_port};
use crate::{DrillError, patience};

const READY_MAX: Duration = Duration::from_secs(20);

/// For a hundred thousand messages.
const READ_MAX: Duration = Duration::from_secs(120);

const STREAM: &str = "TAQUILLA";

/// A running one, or one that was killed.
pub(super) struct Bus {
    child: Child,
    store: PathBuf,
    port: u16,
}

impl Bus {
    pub(super) async fn start(folder: &Path) -> Result<Self, DrillError> {
        let (store, port) = (folder.join("bus"), free_port()?);
        let bus = Self { child: spawn(&store, port)?, store, port };
        bus.answers().await?;
        Ok(bus)
    }

    pub(super) fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    pub(super) async fn kill(&mut self) -> Result<(), DrillError> {
        Ok(self.child.kill().await?)
    }

    /// Where it was, with what it had.
    pub(super) async fn start_again(&mut self) -> Result<(), DrillError> {
        self.child = spawn(&self.store, self.port)?;
        self.answers().await
    }

    async fn answers(&self) -> Result<(), DrillError> {
        patience::until("the bus answers", READY_MAX, patience::SOON, async || {
            let Ok(client) = async_nats::connect(self.url()).await else { return Ok(None) };
            let is_up = match jetstream::new(client).get_stream(STREAM).await {
                Ok(_) => true,
                Err(error) => matches!(error.kind(), GetStreamErrorKind::JetStream(_)),
            };
            Ok(is_up.then_some(()))
        })
        .await
    }

    /// Every CloudEvent that it keeps, in the stream's order.
    pub(super) async fn everything(&self) -> Result<Vec<Value>, DrillError> {
        let read = self.read();
        let read = patience::within("everything on the bus", READ_MAX, read).await?;
        read.map_err(|error| DrillError::Broken(format!("the bus cannot be read: {error}")))
    }

    async fn read(&self) -> Result<Vec<Value>, async_nats::Error> {
        let context = jetstream::new(async_nats::connect(self.url()).await?);
        let stream = context.get_stream(STREAM).await?;
        let from_the_first = pull::OrderedConfig {
            deliver_policy: DeliverPolicy::All,
            ..pull::OrderedConfig::default()
        };
        let count = stream.cached_info().state.messages;
        let messages = stream.create_consumer(from_the_first).await?.messages().await?;
        let mut messages = messages.take(usize::try_from(count)?);
        let mut events = Vec::new();
        while let Some(message) = messages.next().await {
            events.push(serde_json::from_slice(&message?.payload)?);
        }
        Ok(events)
    }
}

fn spawn(store: &Path, port: u16) -> Result<Child, DrillError> {
    let child = Command::new(binary::of_system("nats-server")?)
        .args(["--addr", "127.0.0.1", "--port", &port.to_string(), "--jetstream", "--store_dir"])
        .arg(store)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()?;
    Ok(child)
}
