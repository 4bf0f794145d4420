//! `taquilla verify-ticket`, as a scanner has it: with public keys and nothing else.

use secrecy::ExposeSecret;
use taquilla_api::tickets::{SignedTicket, TicketSigner, ticket_key_pem};
use uuid::Uuid;

use super::{folder, run, taquilla, text};

/// Of the key that signs.
const SEED: [u8; 32] = [7; 32];

#[test]
fn a_ticket_is_verified_by_the_published_keys_alone() {
    let folder = folder();
    let signer = TicketSigner::new(&ticket_key_pem(&SEED)).expect("a key");
    let code = signer.sign(&SignedTicket {
        ticket_id: Uuid::from_u128(1),
        event_id: Uuid::from_u128(2),
        section: "101".into(),
        seat: Some("101-C-14".into()),
    });
    let published = serde_json::to_value(signer.public_keys()).expect("a JWK set");
    let file = |name: &str, text: &str| {
        std::fs::write(folder.path().join(name), text).expect("a file");
    };
    file("keys.json", &published.to_string());
    let x = published["keys"][0]["x"].as_str().expect("a public key");
    file("key.pem", &pem(x));
    let other = TicketSigner::new(&ticket_key_pem(&[8; 32])).expect("a key");
    file("other.json", &serde_json::to_string(other.public_keys()).expect("a JWK set"));
    file("nothing.json", "{}");

    let verify = |code: &str, keys: &str| {
        let output = run(taquilla(&folder, &["verify-ticket", code, "--keys", keys]));
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    for keys in ["keys.json", "key.pem"] {
        let (status, said, wrong) = verify(&code, keys);
        assert_eq!(status, Some(0), "{keys}: {wrong}");
        assert!(said.contains("seat 101-C-14"), "{said}");
    }
    let (status, said, _) = verify(&code, "other.json");
    assert_eq!((status, said.trim()), (Some(1), "not a ticket of ours"));
    for bad in ["nothing.json", "nowhere.json"] {
        let (status, _, wrong) = verify(&code, bad);
        assert_eq!(status, Some(2), "{wrong}");
        assert!(wrong.contains(bad), "{wrong}");
    }
}

#[test]
fn tickets_of_an_older_key_are_verified_while_its_public_half_is_configured() {
    let folder = folder();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("a file");
        path.display().to_string()
    };
    let old = TicketSigner::new(&ticket_key_pem(&SEED)).expect("a key");
    let code = old.sign(&SignedTicket {
        ticket_id: Uuid::from_u128(1),
        event_id: Uuid::from_u128(2),
        section: "FLOOR".into(),
        seat: None,
    });
    let signing = file("new.pem", ticket_key_pem(&[8; 32]).expose_secret());
    let published = serde_json::to_string(old.public_keys()).expect("a JWK set");
    let verify = |others: &str| {
        let mut command = taquilla(&folder, &["verify-ticket", &code]);
        command.env("TAQUILLA__TICKETS__KEY_FILE", &signing);
        command.env("TAQUILLA__TICKETS__VERIFYING_KEY_FILES", others);
        let output = run(command);
        (output.status.code(), text(&output.stdout) + &text(&output.stderr))
    };
    assert_eq!(verify(""), (Some(1), "not a ticket of ours\n".into()));
    let (status, said) = verify(&file("old.json", &published));
    assert_eq!(status, Some(0), "{said}");
    assert!(said.contains("section FLOOR"), "{said}");
    let (status, said) = verify(&file("secret.pem", ticket_key_pem(&SEED).expose_secret()));
    assert_eq!(status, Some(2), "a key that only verifies is a public one");
    assert!(said.contains("tickets.verifying_key_files") && said.contains("secret.pem"), "{said}");
    let (status, said) = verify("nowhere.pem");
    assert_eq!(status, Some(2));
    assert!(said.contains("nowhere.pem"), "{said}");
}

/// A public key in PEM (RFC 8410), of its base64url.
fn pem(x: &str) -> String {
    use base64::Engine as _;
    use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
    let key = URL_SAFE_NO_PAD.decode(x).expect("base64");
    let head = [0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00];
    let der = STANDARD.encode([head.as_slice(), &key].concat());
    format!("-----BEGIN PUBLIC KEY-----\n{der}\n-----END PUBLIC KEY-----\n")
}
