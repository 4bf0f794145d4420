//! The signature of a webhook, as Stripe makes it and the simulated provider after it: a header
//! `t=<unix seconds>,v1=<hex>`, where `v1` is the HMAC-SHA256 of `<t>.<body>`. There may be several
//! `v1`: while a secret is being replaced, the provider signs with the old and the new one, and here
//! both are known.

use std::time::Duration;

use hmac::{Hmac, KeyInit, Mac};
use secrecy::{ExposeSecret, SecretString};
use sha2::Sha256;
use taquilla_engine::moment::Moment;

/// How old a signature may be, and how far ahead of our clock: Stripe's own libraries say 5 minutes.
const TOLERANCE: Duration = Duration::from_secs(300);

/// A header has a handful of signatures; more are not looked at.
const SIGNATURES_MAX: usize = 8;

/// Why bytes are not the provider's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Forged {
    /// No signature, or none of the right form.
    #[error("the signature is missing, or not of the form t=<unix seconds>,v1=<hex>")]
    Missing,
    /// Signed too long ago, or in the future.
    #[error("the signature is older or newer than five minutes")]
    Stale,
    /// Signed by somebody else, or for other bytes.
    #[error("the signature is not the provider's for these bytes")]
    Wrong,
}

/// The secrets that a provider may have signed with.
#[derive(Clone, Debug)]
pub struct SignedWith(Vec<SecretString>);

impl SignedWith {
    /// Any of these, blank ones left out.
    #[must_use]
    pub fn new(secrets: impl IntoIterator<Item = SecretString>) -> Self {
        let said = |secret: &SecretString| !secret.expose_secret().trim().is_empty();
        Self(secrets.into_iter().filter(said).collect())
    }

    /// Whether the header may be a signature of about this time, whatever it signs.
    ///
    /// # Errors
    /// [`Forged::Missing`], [`Forged::Stale`].
    pub fn look(&self, header: Option<&[u8]>, now: Moment) -> Result<(), Forged> {
        Claim::of(header, now).map(drop)
    }

    /// Whether these bytes were signed with one of the secrets, at about this time.
    ///
    /// # Errors
    /// [`Forged`].
    pub fn check(&self, header: Option<&[u8]>, body: &[u8], now: Moment) -> Result<(), Forged> {
        let Claim { at, signatures } = Claim::of(header, now)?;
        let signed = |secret: &SecretString| {
            let mac = Hmac::<Sha256>::new_from_slice(secret.expose_secret().as_bytes());
            let mac = mac.expect("HMAC takes a key of any length");
            let mac = mac.chain_update(at).chain_update(".").chain_update(body);
            // In constant time each.
            signatures.iter().any(|signature| mac.clone().verify_slice(signature).is_ok())
        };
        if self.0.iter().any(signed) { Ok(()) } else { Err(Forged::Wrong) }
    }
}

/// What a header says of itself.
struct Claim<'a> {
    at: &'a str,
    signatures: Vec<Vec<u8>>,
}

impl<'a> Claim<'a> {
    fn of(header: Option<&'a [u8]>, now: Moment) -> Result<Self, Forged> {
        let header = header.and_then(|it| std::str::from_utf8(it).ok()).ok_or(Forged::Missing)?;
        let parts = || header.split(',').filter_map(|part| part.trim().split_once('='));
        let at = parts().find(|(name, _)| *name == "t").ok_or(Forged::Missing)?.1;
        let seconds: i64 = at.parse().map_err(|_| Forged::Missing)?;
        let signatures = parts().filter(|(name, _)| *name == "v1").take(SIGNATURES_MAX);
        let signatures: Vec<Vec<u8>> = signatures.filter_map(|(_, hex)| unhex(hex)).collect();
        if signatures.is_empty() {
            return Err(Forged::Missing);
        }
        let age = i128::from(now.0) - i128::from(seconds) * 1_000_000;
        if age.unsigned_abs() > TOLERANCE.as_micros() {
            return Err(Forged::Stale);
        }
        Ok(Self { at, signatures })
    }
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> =
        text.chars().map(|digit| digit.to_digit(16).and_then(|it| it.try_into().ok())).collect();
    let digits = digits.filter(|digits| digits.len() == 64)?;
    Some(digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Moment = Moment(1_800_000_000_000_000);
    /// Of `1800000000.{}` with `first` by Python's `hmac`.
    const BY_FIRST: &str = "7e4c6e151ab0073d1afbc916081819c4a24f184cb58c547963e3824aa22e0c75";
    const BY_SECOND: &str = "79c1eae1f3644fa369ea585b39b4d2dbc88ff4d83cd9bff7aa21d70cea681604";

    fn check(secrets: &[&str], header: &str, body: &str, now: Moment) -> Result<(), Forged> {
        let secrets = SignedWith::new(secrets.iter().map(|it| SecretString::from(*it)));
        secrets.check(Some(header.as_bytes()), body.as_bytes(), now)
    }

    #[test]
    fn one_of_the_secrets_and_one_of_the_signatures_is_enough() {
        let first = format!("t=1800000000,v1={BY_FIRST}");
        let both = format!("t=1800000000,v1={},v1={BY_SECOND},v0=abc", "0".repeat(64));
        assert_eq!(check(&["first"], &first, "{}", NOW), Ok(()));
        assert_eq!(check(&["second", "first"], &first, "{}", NOW), Ok(()));
        assert_eq!(check(&["first", "second"], &both, "{}", NOW), Ok(()));
        assert_eq!(check(&["first"], &both, "{}", NOW), Err(Forged::Wrong));
        assert_eq!(check(&["second"], &first, "{}", NOW), Err(Forged::Wrong));
    }

    #[test]
    fn other_bytes_or_another_time_are_not_what_was_signed() {
        let header = format!("t=1800000000,v1={BY_FIRST}");
        assert_eq!(check(&["first"], &header, "{ }", NOW), Err(Forged::Wrong));
        let later = header.replace("t=1800000000", "t=1800000001");
        assert_eq!(check(&["first"], &later, "{}", NOW), Err(Forged::Wrong));
        let first = SignedWith::new([SecretString::from("first")]);
        assert_eq!(first.look(Some(later.as_bytes()), NOW), Ok(()), "only the bytes can tell");
        for (seconds, is) in [
            (-301, Err(Forged::Stale)),
            (-300, Ok(())),
            (0, Ok(())),
            (300, Ok(())),
            (301, Err(Forged::Stale)),
        ] {
            let now = Moment(NOW.0 + seconds * 1_000_000);
            assert_eq!(check(&["first"], &header, "{}", now), is, "{seconds}");
            assert_eq!(first.look(Some(header.as_bytes()), now), is, "{seconds}");
        }
    }

    #[test]
    fn what_is_no_signature_is_missing_and_a_blank_secret_signs_nothing() {
        for header in ["", "t=1800000000", "v1=00", "t=x,v1=00", "t=1800000000,v1=zz", "t=,v1="] {
            assert_eq!(check(&["first"], header, "{}", NOW), Err(Forged::Missing), "{header}");
        }
        let nothing = SignedWith::new([]).check(None, b"{}", NOW);
        assert_eq!(nothing, Err(Forged::Missing));
        let header = format!("t=1800000000,v1={BY_FIRST}");
        assert_eq!(check(&["", " "], &header, "{}", NOW), Err(Forged::Wrong));
        assert_eq!(
            check(&["first"], &format!("t={},v1={BY_FIRST}", i64::MAX), "{}", NOW),
            Err(Forged::Stale)
        );
    }
}
