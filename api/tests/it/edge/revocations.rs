//! What gates without a network take along, read here by what docs/tickets.md says of its bytes.

use axum::http::Method;
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use jsonwebtoken::jwk::JwkSet;
use jsonwebtoken::{Algorithm, DecodingKey};
use secrecy::ExposeSecret;
use serde_json::{Value, json};
use taquilla_persistence::private_postgres::scratch;
use uuid::Uuid;

use super::box_office::BoxOffice;
use super::client::Answer;
use super::scans::codes;

/// A list as a gate reads it.
struct List {
    more: bool,
    event: Uuid,
    as_of_micros: i64,
    total: u32,
    after: Uuid,
    tickets: Vec<Uuid>,
}

fn uuid(bytes: &[u8]) -> Uuid {
    Uuid::from_slice(bytes).expect("16 bytes")
}

fn number(bytes: &[u8]) -> u32 {
    u32::from_be_bytes(bytes.try_into().expect("4 bytes"))
}

/// The list in these bytes, if one of these keys signed it.
fn read(bytes: &[u8], keys: &Value) -> Option<List> {
    let keys: JwkSet = serde_json::from_value(keys.clone()).expect("a JWK set");
    let (signed, signature) = bytes.split_at_checked(bytes.len().checked_sub(64)?)?;
    let key = keys.find(&URL_SAFE_NO_PAD.encode(signed.get(32..64)?))?;
    let key = DecodingKey::from_jwk(key).expect("a public key");
    let signature = URL_SAFE_NO_PAD.encode(signature);
    let good = jsonwebtoken::crypto::verify(&signature, signed, &key, Algorithm::EdDSA);
    if !good.expect("a signature") {
        return None;
    }
    assert_eq!(
        (&signed[..4], signed[4], &signed[6..8]),
        (b"TQRL".as_slice(), 1, [0, 0].as_slice())
    );
    let ids = &signed[93..];
    assert_eq!(ids.len(), 11 * number(&signed[68..72]) as usize);
    let ticket = |rest: &[u8]| uuid(&[&signed[88..93], rest].concat());
    Some(List {
        more: signed[5] & 1 == 1,
        event: uuid(&signed[8..24]),
        as_of_micros: i64::from_be_bytes(signed[24..32].try_into().expect("8 bytes")),
        total: number(&signed[64..68]),
        after: uuid(&signed[72..88]),
        tickets: ids.chunks(11).map(ticket).collect(),
    })
}

impl BoxOffice {
    async fn revocations(&self, query: &str, accept: &str, known: &str) -> Answer {
        let path = format!("/admin/events/noche/revocations{query}");
        let call = self.operator(Method::GET, &path).header("accept", accept);
        call.header("if-none-match", known).send().await
    }
}

const BINARY: &str = "application/octet-stream";
const JSON: &str = "application/json";

#[tokio::test]
async fn a_gate_reads_and_trusts_the_void_tickets_of_its_event_page_by_page() {
    let settings = scratch::shared().await.migrated_database("revoked").await.expect("a database");
    let provider = taquilla_engine::payment::memory::MemoryProvider::default();
    let office = BoxOffice::over(settings.clone(), std::sync::Arc::new(provider)).await;
    let event = office.create_event(&super::event_form()).await;
    let order = office.buy_places("ana", &event, 4).await;
    let keys = office.anyone(Method::GET, "/.well-known/taquilla-ticket-keys.json").send().await;
    let keys = keys.ok(200);

    let empty = office.revocations("", BINARY, "\"nothing\"").await;
    assert_eq!(empty.status, 200);
    let list = read(&empty.bytes, &keys).expect("our key signed it");
    assert_eq!((list.more, list.total, list.tickets), (false, 0, Vec::new()));
    assert_eq!(list.event.to_string(), event);
    let etag = empty.header("etag").expect("one").to_owned();
    assert_eq!(office.revocations("", BINARY, &etag).await.status, 304);

    // As the event's lane voids them.
    let tickets: Vec<Uuid> = order["tickets"]
        .as_array()
        .expect("tickets")
        .iter()
        .map(|ticket| ticket["ticket_id"].as_str().expect("an id").parse().expect("a UUID"))
        .collect();
    let mut void = tickets[1..].to_vec();
    void.sort();
    let (client, connection) =
        tokio_postgres::connect(settings.url.expose_secret(), tokio_postgres::NoTls)
            .await
            .expect("the database");
    tokio::spawn(connection);
    client
        .execute("UPDATE tickets SET status = 1 WHERE ticket_id = ANY ($1)", &[&void])
        .await
        .expect("rows of tickets");

    let first = office.revocations("?limit=2", BINARY, &etag).await;
    let page = read(&first.bytes, &keys).expect("our key signed it");
    assert_eq!((page.more, page.total, page.tickets.as_slice()), (true, 3, &void[..2]));
    assert!(page.after.is_nil() && page.as_of_micros > list.as_of_micros);
    let rest = office.revocations(&format!("?limit=2&after={}", void[1]), BINARY, &etag).await;
    let page = read(&rest.bytes, &keys).expect("our key signed it");
    assert_eq!((page.more, page.after, page.tickets.as_slice()), (false, void[1], &void[2..]));

    let json = office.revocations("", JSON, &etag).await.ok(200);
    assert_eq!((&json["tickets"], &json["total"]), (&json!(void), &json!(3)));
    assert!(json["next_after"].is_null());
    let signed = STANDARD.decode(json["signed"].as_str().expect("text")).expect("base64");
    assert_eq!(read(&signed, &keys).expect("our key signed it").tickets, void);

    let told = json!({"code": codes(&order)[1], "scan_id": "s"});
    let told = office.operator(Method::POST, "/admin/tickets/scan").json(&told).send().await;
    assert_eq!(told.ok(200)["result"], "void");

    for at in [0, 5, 10, 64, 93, signed.len() - 1] {
        let mut forged = signed.clone();
        forged[at] ^= 1;
        assert!(read(&forged, &keys).is_none(), "byte {at}");
    }
}

#[tokio::test]
async fn a_list_of_revocations_is_for_operators_and_its_pages_are_its_own() {
    let (office, _) = BoxOffice::open("revoked_form").await;
    let path = "/admin/events/noche/revocations";
    office.buyer("ana", Method::GET, path).send().await.problem(403, "forbidden");
    let nowhere = office.operator(Method::GET, "/admin/events/nada/revocations").send().await;
    nowhere.problem(404, "not-found");
    for query in ["?after=x", "?after=00000000-0000-0000-0000-000000000000"] {
        assert_eq!(office.revocations(query, JSON, "\"\"").await.pointers(), ["?after"], "{query}");
    }
    for query in ["?limit=0", "?limit=10001"] {
        assert_eq!(office.revocations(query, JSON, "\"\"").await.pointers(), ["?limit"], "{query}");
    }
}
