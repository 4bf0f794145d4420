//! Whose request it is, by address: the peer's, or what proxies that are trusted say of it.
//!
//! `X-Forwarded-For` is what proxies write in practice; RFC 7239's `Forwarded` is not read, since two
//! accounts of the same way could differ. Each proxy appends whom it heard, so the list is read from its
//! end, and only while its writer is trusted: whatever stands before is anybody's word.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use axum::http::HeaderMap;
use ipnet::IpNet;

const X_FORWARDED_FOR: &str = "x-forwarded-for";

/// Tells addresses apart.
#[derive(Debug, Default)]
pub(super) struct Whence {
    proxies: Vec<IpNet>,
    ipv6_mask: u128,
}

impl Whence {
    pub(super) fn new(proxies: Vec<IpNet>, ipv6_prefix: u8) -> Self {
        let rest = 128_u32.saturating_sub(ipv6_prefix.into());
        Self { proxies, ipv6_mask: u128::MAX.checked_shl(rest).unwrap_or(0) }
    }

    /// Whose limit the request counts against: an IPv4 address, or the network of an IPv6 address, of
    /// which a household has all. Those of no known peer share one.
    pub(super) fn address(&self, peer: Option<IpAddr>, headers: &HeaderMap) -> IpAddr {
        let peer = peer.map_or(Ipv4Addr::UNSPECIFIED.into(), |peer| peer.to_canonical());
        match self.first_untrusted(peer, headers) {
            IpAddr::V4(address) => address.into(),
            IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() & self.ipv6_mask).into(),
        }
    }

    fn first_untrusted(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        let mut here = peer;
        // Several lines are one list.
        let lines = headers.get_all(X_FORWARDED_FOR).iter().rev();
        for hop in lines.flat_map(|line| line.as_bytes().rsplit(|byte| *byte == b',')) {
            if !self.proxies.iter().any(|network| network.contains(&here)) {
                break;
            }
            let Some(before) = hop_address(hop) else { break };
            here = before;
        }
        here
    }
}

/// An address as proxies write it: alone, in brackets, or with a port.
fn hop_address(hop: &[u8]) -> Option<IpAddr> {
    let hop = str::from_utf8(hop).ok()?.trim();
    let alone = hop.strip_prefix('[').and_then(|hop| hop.strip_suffix(']')).unwrap_or(hop);
    let address = alone.parse().or_else(|_| hop.parse().map(|it: SocketAddr| it.ip()));
    address.ok().map(|it| it.to_canonical())
}

/// Why a text names no proxies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoProxy {
    /// It is neither a network nor an address.
    #[error("is no network such as 10.0.0.0/8")]
    Unreadable,
    /// It is an IPv4 network in IPv6's clothes, or has all of them in it: peers are compared as IPv4.
    #[error(
        "has IPv4 written as IPv6 in it, and IPv4 is compared as IPv4: write such as 10.0.0.0/8 (all of it: 0.0.0.0/0) \
         and, for IPv6, such as 2001:db8::/32 (all of it: 2000::/3)"
    )]
    MappedIpv4,
}

/// A network of trusted proxies, such as `10.0.0.0/8`, or one address.
///
/// # Errors
/// [`NoProxy`], which says what would be right.
pub fn proxy(text: &str) -> Result<IpNet, NoProxy> {
    let network = text.parse().or_else(|_| text.parse::<IpAddr>().map(IpNet::from));
    let network = network.map_err(|_| NoProxy::Unreadable)?;
    match network {
        IpNet::V4(_) => Ok(network),
        IpNet::V6(of_ipv6) => {
            let first_mapped = Ipv4Addr::UNSPECIFIED.to_ipv6_mapped();
            let is_mapped = of_ipv6.addr().to_ipv4_mapped().is_some();
            let has_mapped = is_mapped || of_ipv6.contains(&first_mapped);
            if has_mapped { Err(NoProxy::MappedIpv4) } else { Ok(network) }
        }
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn ip(text: &str) -> IpAddr {
        text.parse().expect("an address")
    }

    /// Of this peer, by these lines, while 10.0.0.0/8, 192.0.2.1 and fd00::/8 are trusted.
    fn counted_as(peer: &str, lines: &[&[u8]]) -> IpAddr {
        let proxies =
            ["10.0.0.0/8", "192.0.2.1", "fd00::/8"].map(|it| proxy(it).expect("a network"));
        let mut headers = HeaderMap::new();
        for line in lines {
            let line = HeaderValue::from_bytes(line).expect("a header's value");
            headers.append(X_FORWARDED_FOR, line);
        }
        Whence::new(proxies.into(), 64).address(Some(ip(peer)), &headers)
    }

    #[test]
    fn only_trusted_proxies_are_believed_and_only_from_the_end() {
        let table: &[(&str, &[&[u8]], &str)] = &[
            ("203.0.113.9", &[], "203.0.113.9"),
            // Anybody writes the header; nobody but a proxy of ours is believed.
            ("203.0.113.9", &[b"198.51.100.7"], "203.0.113.9"),
            ("10.1.2.3", &[], "10.1.2.3"),
            ("10.1.2.3", &[b"198.51.100.7"], "198.51.100.7"),
            ("::ffff:10.1.2.3", &[b"198.51.100.7"], "198.51.100.7"),
            ("192.0.2.1", &[b"198.51.100.7"], "198.51.100.7"),
            ("192.0.2.2", &[b"198.51.100.7"], "192.0.2.2"),
            // What the client wrote himself stands before what the proxy has heard.
            ("10.1.2.3", &[b"1.1.1.1, 198.51.100.7"], "198.51.100.7"),
            ("10.1.2.3", &[b"1.1.1.1, 198.51.100.7,10.9.9.9 , 192.0.2.1"], "198.51.100.7"),
            ("10.1.2.3", &[b"1.1.1.1", b"198.51.100.7", b"10.9.9.9"], "198.51.100.7"),
            ("10.1.2.3", &[b"10.4.4.4, 10.5.5.5"], "10.4.4.4"),
            // The walk ends at what is no address.
            ("10.1.2.3", &[b"198.51.100.7, unknown"], "10.1.2.3"),
            ("10.1.2.3", &[b"198.51.100.7, nonsense, 10.9.9.9"], "10.9.9.9"),
            ("10.1.2.3", &[b"198.51.100.7,"], "10.1.2.3"),
            ("10.1.2.3", &[b"198.51.100.7, \xff"], "10.1.2.3"),
            ("10.1.2.3", &[b"198.51.100.7:4711"], "198.51.100.7"),
            ("10.1.2.3", &[b"[2001:db8:1:2:3::4]:4711"], "2001:db8:1:2::"),
            ("10.1.2.3", &[b"[2001:db8:1:2:3::4]"], "2001:db8:1:2::"),
            ("fd00::1", &[b"2001:db8:1:2:3::4"], "2001:db8:1:2::"),
            ("10.1.2.3", &[b"::ffff:198.51.100.7"], "198.51.100.7"),
        ];
        for (peer, lines, expected) in table {
            assert_eq!(counted_as(peer, lines), ip(expected), "{peer} {lines:?}");
        }
    }

    #[test]
    fn ipv6_counts_by_its_prefix_and_ipv4_whole() {
        let with = |prefix: u8, address: &str| {
            Whence::new(Vec::new(), prefix).address(Some(ip(address)), &HeaderMap::new())
        };
        assert_eq!(with(64, "2001:db8:1:2:ffff::1"), with(64, "2001:db8:1:2::2"));
        assert_ne!(with(64, "2001:db8:1:2::1"), with(64, "2001:db8:1:3::1"));
        assert_eq!(with(48, "2001:db8:1:2::1"), with(48, "2001:db8:1:3::1"));
        assert_ne!(with(128, "2001:db8::1"), with(128, "2001:db8::2"));
        assert_ne!(with(64, "203.0.113.1"), with(64, "203.0.113.2"));
        assert_eq!(with(64, "::ffff:203.0.113.1"), with(64, "203.0.113.1"));
    }

    #[test]
    fn a_proxy_is_a_network_or_an_address() {
        let right = [
            "10.0.0.0/8",
            "192.0.2.1",
            "fd00::/8",
            "::1",
            "0.0.0.0/0",
            "2000::/3",
            "::/81",
            "::1:0:0:0/80",
        ];
        for right in right {
            assert!(proxy(right).is_ok(), "{right}");
        }
        for wrong in ["", "10.0.0.0/33", "10.0.0", "proxy.example", "*", "::/129"] {
            assert_eq!(proxy(wrong), Err(NoProxy::Unreadable), "{wrong}");
        }
        let mapped = [
            "::/0",
            "::/64",
            "::/80",
            "::ffff:0:0/96",
            "::ffff:10.0.0.0/104",
            "::ffff:10.0.0.1",
            "::ffff:10.0.0.1/8",
        ];
        for mapped in mapped {
            assert_eq!(proxy(mapped), Err(NoProxy::MappedIpv4), "{mapped}");
        }
    }
}
