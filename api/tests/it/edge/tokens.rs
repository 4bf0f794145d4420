//! Tokens, good and bad.

use std::time::Duration;

use axum::http::Method;
use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
use serde_json::{Value, json};
use taquilla_api::auth::{Caller, Grant, TokenSettings, TokenVerifier, VerificationKey, mint};
use taquilla_engine::moment::Moment;

use super::box_office::{BoxOffice, token_settings};

const NOW: u64 = 2_000_000_000;
const SECRET: &[u8] = b"a secret of thirty-two bytes, about";

fn at(seconds: u64) -> Moment {
    Moment(i64::try_from(seconds).expect("a small number") * 1_000_000)
}

fn claims() -> Value {
    json!({
        "sub": "ana", "iss": "taquilla-tests", "aud": "taquilla",
        "iat": NOW, "nbf": NOW, "exp": NOW + 60, "scope": "profile operator"
    })
}

fn verified(claims: &Value, algorithm: Algorithm, now: u64) -> Option<Caller> {
    let key = EncodingKey::from_secret(SECRET).expect("a key");
    let token = encode(&Header::new(algorithm), claims, &key).expect("a token");
    TokenVerifier::new(&token_settings()).expect("a verifier").verify(&token, at(now))
}

fn grant(scope: &str) -> Grant {
    let lifetime = Duration::from_secs(60);
    Grant { subject: "ana".into(), scope: scope.into(), lifetime, email: None }
}

#[test]
fn a_minted_token_is_good_for_its_lifetime_and_half_a_minute() {
    let verifier = TokenVerifier::new(&token_settings()).expect("a verifier");
    let token = mint(&token_settings(), &grant(""), at(NOW)).expect("a token");
    for (now, good) in
        [(NOW - 31, false), (NOW - 30, true), (NOW, true), (NOW + 89, true), (NOW + 90, false)]
    {
        assert_eq!(verifier.verify(&token, at(now)).is_some(), good, "{now}");
    }
    assert!(!verifier.verify(&token, at(NOW)).expect("good").is_operator);
    let token = mint(&token_settings(), &grant("operator"), at(NOW)).expect("a token");
    assert!(verifier.verify(&token, at(NOW)).expect("good").is_operator);
}

#[test]
fn every_claim_is_compared_and_those_without_which_nobody_is_known_are_required() {
    assert!(verified(&claims(), Algorithm::HS256, NOW).is_some());
    for (claim, bad) in [
        ("iss", json!("somebody")),
        ("aud", json!("something")),
        ("aud", json!(["a", "b"])),
        ("sub", json!("")),
        ("sub", json!("a\u{0}b")),
        ("sub", json!("x".repeat(256))),
        ("exp", json!("soon")),
        ("exp", json!(NOW - 30)),
        ("nbf", json!(NOW + 31)),
        ("iat", json!(NOW + 31)),
    ] {
        let mut claims = claims();
        claims[claim] = bad.clone();
        assert_eq!(verified(&claims, Algorithm::HS256, NOW), None, "{claim} {bad}");
        claims.as_object_mut().expect("an object").remove(claim);
        let optional = matches!(claim, "nbf" | "iat");
        let taken = verified(&claims, Algorithm::HS256, NOW).is_some();
        assert_eq!(taken, optional, "no {claim}");
    }
    let mut several = claims();
    several["aud"] = json!(["other", "taquilla"]);
    several["nbf"] = json!(NOW + 30);
    several["iat"] = json!(f64::from(2_000_000_000) + 29.5);
    assert!(verified(&several, Algorithm::HS256, NOW).is_some());
}

#[test]
fn only_the_configured_algorithm_and_key_are_taken() {
    assert_eq!(verified(&claims(), Algorithm::HS512, NOW), None);
    let verifier = TokenVerifier::new(&token_settings()).expect("a verifier");
    let unsigned = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhbmEifQ.";
    for token in [unsigned, "", "a.b.c", &"a".repeat(10_000)] {
        assert_eq!(verifier.verify(token, at(NOW)), None);
    }
    let another = TokenSettings {
        keys: vec![VerificationKey::Secret("another secret".into())],
        ..token_settings()
    };
    let token = mint(&another, &grant(""), at(NOW)).expect("a token");
    assert_eq!(verifier.verify(&token, at(NOW)), None);
    let both = TokenSettings {
        keys: [token_settings().keys, another.keys.clone()].concat(),
        ..token_settings()
    };
    assert!(TokenVerifier::new(&both).expect("two keys").verify(&token, at(NOW)).is_some());
}

#[test]
fn keys_that_do_not_fit_the_algorithm_stop_the_start() {
    let settings = |algorithm, keys| TokenSettings { algorithm, keys, ..token_settings() };
    let secret = || VerificationKey::Secret("secret".into());
    let pem = || VerificationKey::Pem("-----BEGIN PUBLIC KEY-----".into());
    assert!(TokenVerifier::new(&settings(Algorithm::HS256, vec![])).is_err());
    assert!(TokenVerifier::new(&settings(Algorithm::ES256, vec![secret()])).is_err());
    assert!(TokenVerifier::new(&settings(Algorithm::HS256, vec![pem()])).is_err());
    assert!(TokenVerifier::new(&settings(Algorithm::EdDSA, vec![pem()])).is_err());
}

#[tokio::test]
async fn a_header_without_the_scheme_or_the_token_is_told_what_is_missing() {
    let office = BoxOffice::empty("bearer").await;
    let token = office.token("ana", "");
    let ask = |header: String| {
        office.anyone(Method::GET, "/orders").header("authorization", &header).send()
    };
    ask(format!("bEARER  {token}")).await.ok(200);
    for (header, says) in [
        (token.clone(), "`Authorization: Bearer <token>`"),
        (token.clone(), "the scheme `Bearer` is missing"),
        (format!("Basic {token}"), "the scheme `Bearer` is missing"),
        ("Bearer".into(), "the token is missing"),
        ("Bearer x".into(), "the token is not good"),
        ("Bearer \u{e9}".into(), "the token is not good"),
    ] {
        let detail = ask(header.clone()).await.problem(401, "unauthenticated")["detail"].clone();
        assert!(detail.as_str().is_some_and(|it| it.contains(says)), "{header:?}: {detail}");
        assert!(!detail.to_string().contains(&token), "a token is never shown");
    }
    let twice = office.anyone(Method::GET, "/orders").bearer(&token).bearer(&token).send().await;
    let detail = twice.problem(401, "unauthenticated")["detail"].clone();
    assert!(detail.to_string().contains("more than one"), "{detail}");
}

#[test]
fn an_address_is_taken_only_if_it_is_one_and_verified_and_no_token_is_worse_for_it() {
    let email = |email: Value, is_verified: Value| {
        let mut claims = claims();
        (claims["email"], claims["email_verified"]) = (email, is_verified);
        verified(&claims, Algorithm::HS256, NOW).expect("a good token").email
    };
    let ana = || json!("ana@example.org");
    assert_eq!(email(ana(), json!(true)).as_deref(), Some("ana@example.org"));
    assert!(email(ana(), json!("true")).is_some(), "as some providers write it");
    for is_verified in [json!(false), json!("false"), json!(null), json!(1), json!({})] {
        assert_eq!(email(ana(), is_verified.clone()), None, "{is_verified}");
    }
    let long = format!("{}@example.org", "a".repeat(250));
    for address in
        [json!("ana"), json!("a@b\r\nBcc: eva@example.org"), json!(7), json!([ana()]), json!(long)]
    {
        assert_eq!(email(address.clone(), json!(true)), None, "{address}");
    }
    assert_eq!(verified(&claims(), Algorithm::HS256, NOW).expect("good").email, None);
}
