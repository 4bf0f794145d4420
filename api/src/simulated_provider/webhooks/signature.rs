//! `Simulated-Signature`: Stripe's scheme, under a name of its own.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

pub(super) const HEADER: &str = "simulated-signature";

/// `t=<unix seconds>,v1=<hex HMAC-SHA256 of "t.body">`.
pub(super) fn sign(secret: &str, unix_seconds: i64, body: &[u8]) -> String {
    let mut mac =
        Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("HMAC takes a key of any length");
    mac.update(format!("{unix_seconds}.").as_bytes());
    mac.update(body);
    format!("t={unix_seconds},v1={}", hex::encode(mac.finalize().into_bytes()))
}

#[cfg(test)]
mod tests {
    use super::sign;

    /// The expected value is openssl's: `printf '1700000000.{"a":1}' | openssl dgst -sha256 -hmac
    /// whsec_test`.
    #[test]
    fn a_signature_is_the_mac_of_time_and_body() {
        assert_eq!(
            sign("whsec_test", 1_700_000_000, br#"{"a":1}"#),
            "t=1700000000,v1=38877139021993b830af32feea6e18a8da83eb2f6e49ee50bd9e4cf4ca4d3789"
        );
    }
}
