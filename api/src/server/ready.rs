//! What a start needs beside the database, and all of it can fail: keys that cannot be used, an address
//! that is taken.

use std::net::SocketAddr;

use tokio::net::TcpListener;

use super::StartError;
use crate::app::EdgeSettings;
use crate::auth::TokenVerifier;
use crate::challenge::Challenges;
use crate::config::{Config, settings};
use crate::limits::Limits;
use crate::mail::MailSettings;
use crate::payment_provider::{Announcement, Configured};
use crate::relay::RelaySettings;
use crate::shedding::Shedding;
use crate::tickets::TicketSigner;
use crate::webhooks::Readers;

/// All of it.
pub(super) struct Ready {
    pub(super) means: Means,
    pub(super) announcement: Option<Announcement>,
    pub(super) mail: Option<MailSettings>,
    pub(super) relay: RelaySettings,
    pub(super) http: Socket,
    pub(super) metrics: Socket,
}

/// What a server works with beside its rows.
pub(super) struct Means {
    pub(super) provider: Configured,
    pub(super) readers: Readers,
    pub(super) verifier: TokenVerifier,
    pub(super) tickets: TicketSigner,
    pub(super) limits: Limits,
    pub(super) challenges: Option<Challenges>,
    pub(super) shedding: Option<Shedding>,
    pub(super) edge: EdgeSettings,
    /// Whether buyers' addresses are kept.
    pub(super) keeps_contacts: bool,
}

/// An address that is ours.
pub(super) struct Socket {
    pub(super) listener: TcpListener,
    pub(super) address: SocketAddr,
}

impl Ready {
    pub(super) async fn make(config: &Config) -> Result<Self, StartError> {
        let provider = Configured::of(config)?;
        let readers: Readers = vec![provider.reader()];
        let announcement = provider.announcement();
        let verifier = TokenVerifier::new(&settings::tokens(config)?)?;
        let tickets = TicketSigner::of(settings::ticket_keys(config)?)?;
        let mail = settings::mail(config)?;
        let relay = settings::relay(config)?;
        let edge = settings::edge(config);
        let shedding = config.shedding.settings().as_ref().map(Shedding::new);
        let challenges = config.challenge.settings()?.map(Challenges::new);
        let limits = Limits::new(&settings::limits(config)?);
        let http = Socket::bind("http.listen", config.http.listen).await?;
        let metrics = Socket::bind("metrics.listen", config.metrics.listen).await?;
        let keeps_contacts = mail.is_some();
        let means = Means {
            provider,
            readers,
            verifier,
            tickets,
            limits,
            challenges,
            shedding,
            edge,
            keeps_contacts,
        };
        Ok(Self { means, announcement, mail, relay, http, metrics })
    }
}

impl Socket {
    async fn bind(key: &'static str, address: SocketAddr) -> Result<Self, StartError> {
        let bound = async {
            let listener = TcpListener::bind(address).await?;
            let address = listener.local_addr()?;
            Ok(Self { listener, address })
        };
        bound.await.map_err(|source| StartError::Listen { key, address, source })
    }
}
