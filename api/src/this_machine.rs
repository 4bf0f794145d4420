//! Addresses that do not leave this machine: what crosses no network needs no TLS.

use std::net::IpAddr;

use reqwest::Url;

/// Whether the URL's host is this machine, by its name or a loopback address.
pub(crate) fn is_here(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}
