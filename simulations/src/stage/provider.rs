//! Who moves money on a stage: the product's own simulated provider, or localstripe behind a wire.

mod stripe_books;
mod wire;

use std::path::Path;
use std::time::Duration;

use taquilla_auditor::Entry;
use tokio::process::Command;

use super::ProviderProps;
use crate::client::Bank;
use crate::server::{Server, binary, free_port};
use crate::{DrillError, patience};
use wire::Wire;

/// Guards nothing: it is a fake's.
const STRIPE_KEY: &str = "sk_test_drill";
const WEBHOOK_SECRET: &str = "whsec_drill";
/// A request on loopback, to a Python program under load.
const ASKED_MAX: Duration = Duration::from_secs(30);

/// The provider before it runs: its port is known, and how the server gets there.
#[derive(Debug)]
pub(super) struct Planned {
    port: u16,
    who: Who,
}

#[derive(Debug)]
enum Who {
    Simulated { arguments: Vec<String> },
    Stripe { wire: Wire },
}

/// The running provider.
#[derive(Debug)]
pub(super) struct Provider {
    server: Server,
    who: Who,
}

impl Planned {
    pub(super) async fn new(props: ProviderProps) -> Result<Self, DrillError> {
        let port = free_port()?;
        let who = match props {
            ProviderProps::Simulated(arguments) => Who::Simulated { arguments },
            ProviderProps::Stripe(seed) => Who::Stripe { wire: Wire::start(port, seed).await? },
        };
        Ok(Self { port, who })
    }

    /// What the server has to know of it.
    pub(super) fn environment(&self) -> Vec<(&'static str, String)> {
        match &self.who {
            Who::Simulated { .. } => {
                vec![("TAQUILLA__PAYMENTS__SIMULATED_URL", self.url())]
            }
            Who::Stripe { wire } => vec![
                ("TAQUILLA__PAYMENTS__PROVIDER", "stripe".to_owned()),
                ("TAQUILLA__PAYMENTS__STRIPE__API_BASE", wire.url.clone()),
                ("TAQUILLA__PAYMENTS__STRIPE__SECRET_KEY", STRIPE_KEY.to_owned()),
                ("TAQUILLA__PAYMENTS__STRIPE__WEBHOOK_SECRETS", WEBHOOK_SECRET.to_owned()),
            ],
        }
    }

    /// Starts it. `taquilla` is the product's binary, which is the simulated provider too.
    pub(super) async fn start(
        self,
        taquilla: Command,
        folder: &Path,
    ) -> Result<Provider, DrillError> {
        let (command, probe) = match &self.who {
            Who::Simulated { arguments } => {
                (self.simulated(taquilla, arguments, folder)?, "/healthz")
            }
            // The one page that it shows to anybody.
            Who::Stripe { .. } => (self.localstripe()?, "/js.stripe.com/v3/"),
        };
        let log = folder.join("provider.log");
        let server = Server::start(command, &self.url(), probe, &log).await?;
        Ok(Provider { server, who: self.who })
    }

    fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    fn simulated(
        &self,
        mut taquilla: Command,
        arguments: &[String],
        folder: &Path,
    ) -> Result<Command, DrillError> {
        let books = folder.join("books");
        std::fs::create_dir_all(&books)?;
        taquilla.arg("simulated-provider").arg("--data-dir").arg(books);
        taquilla.args(["--port", &self.port.to_string()]).args(arguments);
        Ok(taquilla)
    }

    fn localstripe(&self) -> Result<Command, DrillError> {
        let house = binary::workspace();
        let python = house.join("target/tools/localstripe/bin/python");
        if !python.exists() {
            let how = "run: sh config/install-tools.sh localstripe (make test does)";
            return Err(DrillError::Broken(format!("no localstripe; {how}")));
        }
        let mut command = Command::new(python);
        command.arg(house.join("config/serve-localstripe.py")).arg(self.port.to_string());
        Ok(command)
    }
}

impl Provider {
    /// Where there is a wire that loses and fails: whether it does.
    pub(super) fn be_sound(&self, is_sound: bool) {
        match &self.who {
            Who::Simulated { .. } => {}
            Who::Stripe { wire } => wire.be_sound(is_sound),
        }
    }

    /// What buyers and their banks do there.
    pub(super) fn bank(&self) -> Result<Bank, DrillError> {
        let url = self.server.url();
        match self.who {
            Who::Simulated { .. } => Bank::simulated(url),
            Who::Stripe { .. } => Bank::stripe(url, STRIPE_KEY),
        }
    }

    /// Where the server's notices go. The simulated provider is told by the server.
    pub(super) async fn tell(&self, server: &str) -> Result<(), DrillError> {
        let Who::Stripe { .. } = self.who else { return Ok(()) };
        let told = format!("{}/_config/webhooks/us", self.server.url());
        let url = format!("{server}/payments/webhooks/stripe");
        let form = [("url", url.as_str()), ("secret", WEBHOOK_SECRET)];
        let asked = reqwest::Client::new().post(told).form(&form).send();
        patience::within("localstripe to take an endpoint", ASKED_MAX, asked)
            .await??
            .error_for_status()?;
        Ok(())
    }

    /// Its books.
    pub(super) async fn books(&self) -> Result<Vec<Entry>, DrillError> {
        match self.who {
            Who::Simulated { .. } => super::books(self.server.url()).await,
            Who::Stripe { .. } => {
                let reading = stripe_books::read(self.server.url(), STRIPE_KEY);
                patience::within("localstripe's listing", ASKED_MAX, reading).await?
            }
        }
    }
}
