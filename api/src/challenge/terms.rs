//! What stands in a challenge's salt: until when it is good, and for what.

use uuid::Uuid;

use super::Purpose;

/// The parameters of a salt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Terms {
    pub(super) purpose: Purpose,
    /// In seconds since 1970; widgets know this one, and ask for another challenge then.
    pub(super) expires: u64,
}

impl Terms {
    /// A salt with these. It ends with a `&`: the number follows it when it is hashed, and must not be taken
    /// for a part of the last parameter (CVE-2025-68113).
    pub(super) fn salt(&self, nonce: [u8; 12]) -> String {
        let Self { purpose: Purpose { ticket, after }, expires } = self;
        let after = after.map_or("none".to_owned(), |number| number.to_string());
        format!("{}?expires={expires}&ticket={ticket}&after={after}&", hex::encode(nonce))
    }

    /// What stands in this salt; `None` if it is none of ours.
    pub(super) fn of_salt(salt: &str) -> Option<Self> {
        let (_, terms) = salt.split_once('?')?;
        let mut parts = terms.strip_suffix('&')?.split('&');
        let mut part = |name: &str| parts.next()?.strip_prefix(name);
        let expires = part("expires=")?.parse().ok()?;
        let ticket = part("ticket=")?.parse::<Uuid>().ok()?;
        let after = match part("after=")? {
            "none" => None,
            number => Some(number.parse().ok()?),
        };
        let purpose = Purpose { ticket, after };
        parts.next().is_none().then_some(Self { purpose, expires })
    }
}
