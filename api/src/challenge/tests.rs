//! Solutions, right and wrong, without a line.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};

use super::*;

const NOW: Moment = Moment(1_700_000_000_000_000);

const ANA: Purpose = Purpose { ticket: Uuid::from_u128(1), after: None };

fn with_key(key: &str, difficulty: u32) -> Challenges {
    let lifetime = Duration::from_secs(300);
    Challenges::new(ChallengeSettings { key: key.into(), difficulty, lifetime })
}

fn fresh() -> (Challenges, Value) {
    let challenges = with_key("a key of the installation's own", 50);
    let challenge = serde_json::to_value(challenges.challenge(ANA, NOW)).expect("JSON");
    (challenges, challenge)
}

/// As a client does it, by nothing but the public protocol.
fn solved(challenge: &Value) -> Value {
    let text = |name: &str| challenge[name].as_str().expect("a text").to_owned();
    let max = challenge["maxnumber"].as_u64().expect("a number");
    let solves = |number: &u64| {
        let hash = Sha256::digest(format!("{}{number}", text("salt")));
        hex::encode(hash) == text("challenge")
    };
    let number = (0..=max).find(solves).expect("one of them does");
    let names = ["algorithm", "challenge", "salt", "signature"];
    let mut solution = json!({"number": number, "took": 12});
    for name in names {
        solution[name] = text(name).into();
    }
    solution
}

fn shown(solution: &Value) -> Shown {
    let text = BASE64_STANDARD.encode(solution.to_string());
    Shown::read(Some(&text)).expect("of the right form")
}

fn verdict(
    challenges: &Challenges,
    solution: &Value,
    purpose: Purpose,
    now: Moment,
) -> Option<Unsolved> {
    match shown(solution) {
        Shown::Response(response) => challenges.verify(&response, purpose, now).err(),
        other @ (Shown::Nothing | Shown::TooLong) => panic!("{other:?}"),
    }
}

#[test]
fn a_challenge_is_altchas_and_its_solution_is_good_for_what_it_was_made_for() {
    let (challenges, challenge) = fresh();
    assert_eq!(challenge["algorithm"], "SHA-256");
    assert_eq!(challenge["maxnumber"], 50);
    let salt = challenge["salt"].as_str().expect("a text");
    assert!(salt.contains("?expires=1700000300&") && salt.ends_with('&'), "{salt}");
    // As any of its libraries signs.
    let mac = Hmac::<Sha256>::new_from_slice(b"a key of the installation's own").expect("a key");
    let mac = mac.chain_update(challenge["challenge"].as_str().expect("a text")).finalize();
    assert_eq!(challenge["signature"], hex::encode(mac.into_bytes()));

    let solution = solved(&challenge);
    let given = |purpose, now| verdict(&challenges, &solution, purpose, now);
    let lasts = Duration::from_secs(300);
    assert_eq!(given(ANA, NOW), None);
    assert_eq!(given(ANA, NOW + lasts - Duration::from_secs(1)), None);
    assert_eq!(given(ANA, NOW + lasts), Some(Unsolved::Expired));
    let eva = Purpose { ticket: Uuid::from_u128(2), ..ANA };
    assert_eq!(given(eva, NOW), Some(Unsolved::Foreign));
    assert_eq!(given(Purpose { after: Some(0), ..ANA }, NOW), Some(Unsolved::Used));
}

#[test]
fn whatever_is_changed_in_a_solution_makes_it_none() {
    let (challenges, challenge) = fresh();
    let solution = solved(&challenge);
    let with = |name: &str, value: Value| {
        let mut changed = solution.clone();
        assert_ne!(changed[name], value, "{name}");
        changed[name] = value;
        verdict(&challenges, &changed, ANA, NOW)
    };
    let number = solution["number"].as_u64().expect("a number");
    assert_eq!(with("number", json!(number + 1)), Some(Unsolved::Wrong));
    assert_eq!(with("number", json!(u64::MAX)), Some(Unsolved::Wrong));
    let salt = solution["salt"].as_str().expect("a text");
    for other in [salt.replace("expires=17", "expires=27"), salt.replace("none", "1"), "".into()] {
        assert_eq!(with("salt", json!(other)), Some(Unsolved::Wrong), "{other}");
    }
    for name in ["signature", "challenge"] {
        let text = solution[name].as_str().expect("a text");
        let other = if text.starts_with('0') { "1" } else { "0" }.to_owned() + &text[1..];
        for other in [other, "00".into(), "zz".into(), "".into()] {
            assert_eq!(with(name, json!(other)), Some(Unsolved::Forged), "{name}: {other}");
        }
    }
    let (_, another) = fresh();
    assert_eq!(with("signature", another["signature"].clone()), Some(Unsolved::Forged));
    // By somebody who has another key.
    let stranger = with_key("a key of somebody else", 50);
    let theirs = serde_json::to_value(stranger.challenge(ANA, NOW)).expect("JSON");
    assert_eq!(verdict(&challenges, &solved(&theirs), ANA, NOW), Some(Unsolved::Forged));
}

#[test]
fn no_digit_of_the_number_is_taken_for_a_part_of_the_salt() {
    let challenges = with_key("a key", 0);
    // What a salt without its last `&` would allow: a digit moves, and the hash stays.
    for (salt, number) in [("?expires=17", 99), ("?expires=179", 9)] {
        let challenge = hash("?expires=17", 99);
        assert_eq!(hash(salt, number), challenge);
        let signature = hex::encode(challenges.signature(&challenge).finalize().into_bytes());
        let solution = json!({"algorithm": "SHA-256", "challenge": challenge, "number": number,
            "salt": salt, "signature": signature});
        assert_eq!(verdict(&challenges, &solution, ANA, NOW), Some(Unsolved::Wrong));
    }
    let terms = Terms { purpose: Purpose { after: Some(4), ..ANA }, expires: 17 };
    let salt = terms.salt([0; 12]);
    assert_eq!(Terms::of_salt(&salt), Some(terms));
    for other in [salt.trim_end_matches('&').to_owned(), format!("{salt}9"), format!("{salt}a=b&")]
    {
        assert_eq!(Terms::of_salt(&other), None, "{other}");
    }
}

#[test]
fn what_is_no_solution_is_told_from_one_that_is_wrong() {
    let encoded = |json: &str| BASE64_STANDARD.encode(json);
    let array = encoded(&"[".repeat(2_000));
    let sha1 =
        encoded(r#"{"algorithm":"SHA-1","challenge":"","number":1,"salt":"","signature":""}"#);
    let negative =
        encoded(r#"{"algorithm":"SHA-256","challenge":"","number":-1,"salt":"","signature":""}"#);
    for text in ["", "x", "****", &encoded("{}"), &encoded("nonsense"), &array, &sha1, &negative] {
        let error = Shown::read(Some(text)).expect_err(text);
        assert_eq!(error.pointer, "/challenge_response");
        assert!(error.detail.contains("Base64 of JSON with"), "{}", error.detail);
    }
    assert!(matches!(Shown::read(None), Ok(Shown::Nothing)));
    assert!(matches!(Shown::read(Some(&"A".repeat(60_000))), Ok(Shown::TooLong)));
}
