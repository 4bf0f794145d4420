//! `taquilla dev`: everything on this machine, started by one command and stopped by Ctrl-C.

mod announcement;

use std::io::{self, ErrorKind};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use taquilla_persistence::migrations::migrate;
use taquilla_persistence::private_postgres::PrivatePostgres;

use self::announcement::Announcement;
use super::instance::{DATA_DIR, folder_variables};
use super::{Failure, Outcome};
use crate::config::{Config, environment, settings};
use crate::dev::demo;
use crate::dev::folder::DevFolder;
use crate::dev::provider::ProviderProcess;
use crate::server::Server;
use crate::stop_signal::StopSignal;
use crate::telemetry;

/// The dev instance's database.
pub(super) const DATABASE: &str = "taquilla";

/// How often the children are looked at.
const LOOK: Duration = Duration::from_secs(1);

/// Where, and how much.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The port of the API; as configured unless said.
    #[arg(long)]
    port: Option<u16>,
    /// The port of /metrics; as configured unless said.
    #[arg(long)]
    metrics_port: Option<u16>,
    /// Where everything is kept.
    #[arg(long, env = "TAQUILLA_DATA_DIR", default_value = DATA_DIR, value_name = "DIR")]
    data_dir: PathBuf,
    /// Make no demo stadium.
    #[arg(long)]
    no_demo: bool,
}

pub(super) async fn run(file: Option<PathBuf>, args: Args) -> Outcome {
    let folder = DevFolder::at(&args.data_dir)?;
    let says = folder_variables(&folder);
    let mut config = Config::load_for_dev(file.as_deref(), says.chain(environment()?))?;
    if let Some(port) = args.port {
        config.http.listen.set_port(port);
    }
    if let Some(port) = args.metrics_port {
        config.metrics.listen.set_port(port);
    }
    telemetry::log(&config.log)?;
    let mut signal = StopSignal::listen()?;
    let _occupied = folder.occupy().map_err(|error| occupied(&folder, error))?;
    let mut postgres = PrivatePostgres::start(&folder.postgres(), &[]).await?;
    let mut provider = match ProviderProcess::start(&folder.provider()).await {
        Ok(provider) => provider,
        Err(error) => {
            let stopped = postgres.stop().await;
            let error = format!("the simulated provider cannot be started: {error}");
            return Err(match stopped {
                Ok(()) => error.into(),
                Err(also) => format!("{error}; nor does Postgres stop: {also}").into(),
            });
        }
    };
    let served = serve(&args, &mut config, &mut signal, &mut postgres, &mut provider).await;
    // Both, whatever becomes of the first; told is what went wrong first.
    let stopped = (provider.stop().await, postgres.stop().await);
    served?;
    stopped.0?;
    stopped.1?;
    Ok(ExitCode::SUCCESS)
}

async fn serve(
    args: &Args,
    config: &mut Config,
    signal: &mut StopSignal,
    postgres: &mut PrivatePostgres,
    provider: &mut ProviderProcess,
) -> Result<(), Failure> {
    postgres.create_database(DATABASE).await?;
    config.set_database_url(postgres.url(DATABASE));
    config.payments.simulated_url = provider.url().to_string();
    let started = async {
        migrate(&settings::database(config)?).await?;
        Ok::<_, Failure>(Server::start(config).await?)
    };
    let server = tokio::select! {
        started = started => started?,
        () = signal.received() => {
            tracing::info!("stopping before it was ready");
            return Ok(());
        }
    };
    let api = format!("http://{}", server.address());
    let metrics = format!("http://{}/metrics", server.metrics_address());
    let sell = async {
        if !args.no_demo {
            demo::make(&api, config, server.catalogue()).await?;
        }
        let announcement = Announcement {
            data_dir: &args.data_dir,
            demo: !args.no_demo,
            database: &postgres.url(DATABASE),
            password: &postgres.password_file(),
            metrics: &metrics,
            provider: provider.url().as_str(),
            api: &api,
        };
        announcement.print()?;
        keep_alive(postgres, provider).await
    };
    let sold = tokio::select! {
        sold = sell => sold,
        () = signal.received() => Ok(()),
        dead = server.died() => Err(format!("{dead} has died; start again").into()),
    };
    tracing::info!("stopping: answering what is under way, then provider and Postgres");
    server.stop().await;
    sold
}

/// Starts again what dies by itself; the sale goes on by itself then.
async fn keep_alive(
    postgres: &mut PrivatePostgres,
    provider: &mut ProviderProcess,
) -> Result<(), Failure> {
    loop {
        tokio::time::sleep(LOOK).await;
        if !postgres.is_alive() {
            tracing::error!("the private Postgres has died: starting it again");
            postgres.restart().await?;
        }
        if !provider.is_alive() {
            tracing::error!("the simulated provider has died: starting it again");
            provider.restart().await?;
        }
    }
}

fn occupied(folder: &DevFolder, error: io::Error) -> Failure {
    let path = folder.path().display();
    if error.kind() == ErrorKind::WouldBlock {
        return format!("another `taquilla dev` lives in {path}; --data-dir names another").into();
    }
    format!("cannot use the folder {path}: {error}").into()
}
