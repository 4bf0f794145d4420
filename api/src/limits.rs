//! How many requests one address and one account may make: a burst at once, and a steady rate after it.
//!
//! By address first, before anything of a request is read; by account once its token is verified. Each
//! process counts for itself, so a buyer whom several serve may have that many times as much. Health,
//! documents and providers' notices are not counted; operators are by address only, since whoever signs
//! their tokens trusts them.

mod address;
mod callers;
mod limiter;
mod metric;

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::Request;
use ipnet::IpNet;
use tokio::time::interval;

use self::address::Whence;
pub use self::address::{NoProxy, proxy};
use self::limiter::Limiter;
pub use self::metric::describe_metrics;
use crate::auth::Caller;
use crate::connections::Peer;
use crate::problem::Problem;

/// Everybody whom a large sale draws; each takes 16 bytes and what a hash table leaves free.
const CALLERS_MAX: usize = 1_000_000;

/// How often callers are forgotten who have not come for as long as their burst takes to come back.
const TIDY: Duration = Duration::from_secs(5);

/// So many at once, and one more each time that this has passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    /// At once.
    pub burst: NonZeroU32,
    /// Until there is room for one more.
    pub one_each: Duration,
}

/// Who may make how many requests. The default is no limit.
#[derive(Clone, Debug)]
pub struct LimitSettings {
    /// From one address; none is no limit.
    pub per_address: Option<Rate>,
    /// With tokens of one `sub`; none is no limit.
    pub per_account: Option<Rate>,
    /// Reads of maps by all together; none is no limit.
    pub map_reads: Option<Rate>,
    /// How many leading bits of an IPv6 address stand for one caller, 1 to 128.
    pub ipv6_prefix: u8,
    /// Whose `X-Forwarded-For` is believed.
    pub trusted_proxies: Vec<IpNet>,
}

impl Default for LimitSettings {
    fn default() -> Self {
        let trusted_proxies = Vec::new();
        Self {
            per_address: None,
            per_account: None,
            map_reads: None,
            ipv6_prefix: 64,
            trusted_proxies,
        }
    }
}

/// What this process has seen of its callers. The default limits nobody.
#[derive(Default)]
pub struct Limits {
    whence: Whence,
    addresses: Option<Limiter>,
    accounts: Option<Limiter>,
    map_reads: Option<Limiter>,
}

impl Limits {
    /// Nobody has come yet.
    #[must_use]
    pub fn new(settings: &LimitSettings) -> Self {
        let limiter = |by, rate: Option<Rate>| rate.map(|rate| Limiter::new(by, rate, CALLERS_MAX));
        Self {
            whence: Whence::new(settings.trusted_proxies.clone(), settings.ipv6_prefix),
            addresses: limiter("address", settings.per_address),
            accounts: limiter("account", settings.per_account),
            map_reads: limiter("maps", settings.map_reads),
        }
    }

    /// Counts a request by its address. In front of everything that reads.
    pub(crate) fn count_address(&self, request: &Request) -> Result<(), Problem> {
        let Some(addresses) = &self.addresses else { return Ok(()) };
        let peer = request.extensions().get::<Peer>().map(|peer| peer.0);
        let address = self.whence.address(peer, request.headers());
        addresses
            .admit(&address)
            .map_err(|why| why.problem("too many requests come from this address"))
    }

    /// Counts a request by whose token it has.
    pub(crate) fn count_account(&self, caller: &Caller) -> Result<(), Problem> {
        let Some(accounts) = &self.accounts else { return Ok(()) };
        if caller.is_operator {
            return Ok(());
        }
        accounts
            .admit(&caller.buyer)
            .map_err(|why| why.problem("too many requests come with this account's tokens"))
    }

    /// Counts a read of a map, whoever's it is: without a cache in front of them they are most of all requests, and those
    /// who buy go before those who look.
    pub(crate) fn count_map_read(&self) -> Result<(), Problem> {
        let Some(map_reads) = &self.map_reads else { return Ok(()) };
        map_reads.admit(&()).map_err(|why| why.problem("too many look at maps at the moment"))
    }

    /// Forgets callers who have been away for long, for ever.
    pub(crate) async fn keep_tidy(self: Arc<Self>) {
        let mut beat = interval(TIDY);
        loop {
            beat.tick().await;
            for limiter in [&self.addresses, &self.accounts, &self.map_reads].into_iter().flatten()
            {
                limiter.tidy();
            }
        }
    }
}
