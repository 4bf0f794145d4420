//! Bearer tokens: whatever is sent as one, nobody is let in but by the key, and nothing panics.

#![no_main]

use std::sync::LazyLock;
use std::time::Duration;

use jsonwebtoken::Algorithm;
use libfuzzer_sys::fuzz_target;
use taquilla_api::auth::{Grant, TokenSettings, TokenVerifier, VerificationKey, mint};
use taquilla_engine::moment::Moment;

/// A fixed time: the seeds' tokens are good at it.
const NOW: Moment = Moment(2_000_000_000_000_000);

struct Door {
    verifier: TokenVerifier,
    good: String,
}

static DOOR: LazyLock<Door> = LazyLock::new(|| {
    let settings = TokenSettings {
        algorithm: Algorithm::HS256,
        keys: vec![VerificationKey::Secret("a secret of thirty-two bytes, about".into())],
        issuer: "taquilla-tests".into(),
        audience: "taquilla".into(),
    };
    let grant = Grant {
        subject: "ana".into(),
        scope: "operator".into(),
        lifetime: Duration::from_secs(60),
        email: None,
    };
    let good = mint(&settings, &grant, NOW).expect("a token");
    Door { verifier: TokenVerifier::new(&settings).expect("a key"), good }
});

fuzz_target!(|bytes: &[u8]| {
    let Ok(token) = std::str::from_utf8(bytes) else { return };
    if let Some(caller) = DOOR.verifier.verify(token, NOW) {
        // Only what the key has signed; the fuzzer does not have it, but for the seed.
        assert_eq!(token, DOOR.good);
        assert_eq!(caller.buyer.as_str(), "ana");
    }
});
