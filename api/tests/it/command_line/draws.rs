//! `taquilla verify-draw`, as a stranger has it: with what was published and nothing else.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};

use super::{folder, run, taquilla, text};

/// The draw that docs/draw.md shows.
const SHOWN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/examples/draw.json");

fn shown() -> Value {
    let proof = std::fs::read_to_string(SHOWN).expect("the example");
    serde_json::from_str(&proof).expect("JSON")
}

/// The exit code and what is said of this proof.
fn verify(proof: &str, more: &[&str]) -> (Option<i32>, String, String) {
    let folder = folder();
    std::fs::write(folder.path().join("proof.json"), proof).expect("a file");
    let output = run(taquilla(&folder, &[&["verify-draw", "proof.json"], more].concat()));
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn the_draw_of_the_docs_is_what_they_say() {
    let proof = shown().to_string();
    let (code, said, wrong) = verify(&proof, &[]);
    assert_eq!((code, wrong.as_str()), (Some(0), ""));
    assert!(said.starts_with("ok: ") && said.contains("5 tickets"), "{said}");
    let (_, said, _) = verify(&proof, &["--positions"]);
    let positions: Vec<_> = said.lines().map(|line| line.rsplit(' ').next()).collect();
    assert_eq!(positions, ["4", "0", "2", "3", "1"].map(Some));
    let third = said.lines().nth(2).and_then(|line| line.split(' ').next()).expect("a ticket");
    let (code, said, _) = verify(&proof, &["--ticket", third]);
    assert_eq!((code, said.as_str()), (Some(0), "2\n"));
    let stranger = "00000007-0809-8009-8009-000000000009";
    let (code, said, _) = verify(&proof, &["--ticket", stranger]);
    assert_eq!(code, Some(1));
    assert!(said.contains("took no part"), "{said}");
}

#[test]
fn a_draw_of_which_one_part_was_changed_is_not_verified() {
    let tickets = |change: fn(&mut Vec<u8>)| {
        let listed = shown()["drawn"]["tickets"].as_str().expect("Base64").to_owned();
        let mut raw = BASE64_STANDARD.decode(listed).expect("Base64");
        change(&mut raw);
        Value::String(BASE64_STANDARD.encode(raw))
    };
    let ones = "11".repeat(32);
    let changes = [
        ("/commitment", json!(ones), "not the one that was committed to"),
        ("/event_id", json!("00000007-0103-8303-8303-030303030304"), "committed to"),
        ("/event_id", json!("00000007-0803-8303-8303-030303030303"), "event_id cannot be read"),
        ("/algorithm", json!("taquilla-draw-2"), "this program knows \"taquilla-draw-1\""),
        ("/drawn", Value::Null, "from then on the draw is void"),
        ("/drawn/secret", json!(ones), "committed to"),
        ("/drawn/secret", json!("11"), "secret cannot be read"),
        ("/drawn/public_value", json!(ones), "do not make this public value"),
        ("/drawn/public_value", json!("+1".repeat(32)), "public_value cannot be read"),
        ("/drawn/present", json!(4), "5 tickets are listed"),
        ("/drawn/tickets", json!("?"), "tickets cannot be read"),
        ("/drawn/tickets", tickets(|raw| raw.truncate(79)), "tickets cannot be read"),
        ("/drawn/tickets", tickets(|raw| raw[79] = 9), "do not make this public value"),
        ("/drawn/tickets", tickets(|raw| raw.copy_within(0..16, 16)), "listed twice"),
        ("/drawn/tickets", tickets(|raw| raw.swap(15, 31)), "do not make"),
    ];
    for (pointer, value, expected) in changes {
        let mut proof = shown();
        *proof.pointer_mut(pointer).expect("a part") = value;
        let (code, said, wrong) = verify(&proof.to_string(), &[]);
        assert_eq!(code, Some(1), "{pointer}: {said}{wrong}");
        assert!(said.starts_with("NOT VERIFIED: ") && said.contains(expected), "{pointer}: {said}");
    }
}

#[test]
fn a_draw_without_anybody_is_one() {
    let mut proof = shown();
    let value = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    for (member, value) in
        [("tickets", json!("")), ("present", json!(0)), ("public_value", json!(value))]
    {
        proof["drawn"][member] = value;
    }
    let (code, said, _) = verify(&proof.to_string(), &[]);
    assert_eq!(code, Some(0), "{said}");
}

#[test]
fn what_is_no_published_draw_is_wrong_use() {
    for (proof, expected) in [
        ("{}", "missing field"),
        ("", "no published draw"),
        (r#"{"event_id": 1}"#, "no published draw"),
        ("[[[[", "no published draw"),
    ] {
        let (code, _, wrong) = verify(proof, &[]);
        assert_eq!(code, Some(2), "{proof}");
        assert!(wrong.contains("proof.json") && wrong.contains(expected), "{wrong}");
    }
    let folder = folder();
    let output = run(taquilla(&folder, &["verify-draw", "nowhere.json"]));
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("nowhere.json"));
}
