//! The signature of what we post, as the Standard Webhooks specification (1.0.0) has it: HMAC-SHA256 of
//! `<id>.<unix seconds>.<body>`, by a secret of 24 to 64 bytes that is written `whsec_<base64>`.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use secrecy::{ExposeSecret, SecretSlice, SecretString};
use sha2::Sha256;

const PREFIX: &str = "whsec_";

/// What the specification says a secret has.
const BYTES: std::ops::RangeInclusive<usize> = 24..=64;

/// Secrets that are signed with: two, while one is being replaced.
#[derive(Clone, Debug)]
pub struct SigningSecrets(Vec<SecretSlice<u8>>);

/// A text that holds no such secret. It is not shown.
#[derive(Debug, thiserror::Error)]
#[error("is no secret such as whsec_<base64 of 24 to 64 bytes>")]
pub struct NoSecret;

impl SigningSecrets {
    /// Those of the text, between commas or white space.
    ///
    /// # Errors
    /// [`NoSecret`] if there is none, or one is none.
    pub fn parse(text: &SecretString) -> Result<Self, NoSecret> {
        let separate = |character: char| character == ',' || character.is_whitespace();
        let each = text.expose_secret().split(separate).filter(|secret| !secret.is_empty());
        let secret = |text: &str| -> Option<SecretSlice<u8>> {
            let bytes = STANDARD.decode(text.strip_prefix(PREFIX)?).ok()?;
            BYTES.contains(&bytes.len()).then(|| bytes.into())
        };
        let secrets: Option<Vec<_>> = each.map(secret).collect();
        secrets.filter(|secrets| !secrets.is_empty()).map(Self).ok_or(NoSecret)
    }

    /// The header `webhook-signature`: a signature for each secret.
    pub(super) fn sign(&self, id: &str, seconds: i64, body: &[u8]) -> String {
        let signature = |secret: &SecretSlice<u8>| {
            let mac = Hmac::<Sha256>::new_from_slice(secret.expose_secret());
            let mut mac = mac.expect("HMAC takes a key of any length");
            mac.update(format!("{id}.{seconds}.").as_bytes());
            mac.update(body);
            format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()))
        };
        self.0.iter().map(signature).collect::<Vec<_>>().join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of the specification's own libraries.
    #[test]
    fn the_specifications_own_example_is_signed_as_it_says() {
        let secrets = SigningSecrets::parse(&"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw".into());
        let signed = secrets.expect("a secret").sign(
            "msg_p5jXN8AQM9LWM0D4loKWxJek",
            1_614_265_330,
            br#"{"test": 2432232314}"#,
        );
        assert_eq!(signed, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }

    #[test]
    fn a_secret_is_of_24_to_64_bytes_and_two_sign_side_by_side() {
        let parse = |text: &str| SigningSecrets::parse(&text.into());
        let one = format!("whsec_{}", STANDARD.encode([7; 24]));
        for wrong in ["", " ", "secret", "whsec_", "whsec_!", "whsec_MTIz"] {
            assert!(parse(wrong).is_err(), "{wrong:?}");
        }
        assert!(parse(&format!("{one},whsec_MTIz")).is_err(), "one of them is too short");
        let two = parse(&format!("{one}\n{one}")).expect("two").sign("a", 1, b"{}");
        let [first, second] = two.split(' ').collect::<Vec<_>>()[..] else { panic!("{two}") };
        assert_eq!(first, second);
    }
}
