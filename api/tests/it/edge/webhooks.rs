//! What providers tell by themselves: kept once, however and whenever it comes, if it is theirs.

use std::sync::Arc;

use axum::http::Method;
use hmac::{Hmac, KeyInit, Mac};
use metrics_exporter_prometheus::PrometheusBuilder;
use serde_json::{Value, json};
use sha2::Sha256;
use taquilla_engine::buyer::BuyerId;
use taquilla_engine::id::{AttemptId, EventId};
use taquilla_engine::payment::PaymentProvider;
use taquilla_engine::payment::memory::MemoryProvider;
use taquilla_persistence::private_postgres::scratch;
use uuid::Uuid;

use super::box_office::{BoxOffice, NOTICE_SECRET, event_form};
use super::client::Call;
use super::rows::Rows;

const PATH: &str = "/payments/webhooks/simulated";

fn notice(id: &str, attempt: &str) -> Value {
    notice_of("authorisation.authorised", id, attempt)
}

fn notice_of(kind: &str, id: &str, attempt: &str) -> Value {
    json!({"id": id, "type": kind, "created_at": "2026-11-30T00:00:00Z",
           "order_id": Uuid::nil(), "attempt_id": attempt, "reference": "ref", "amount": 9_100,
           "currency": "EUR"})
}

/// A notice, signed by the provider so many seconds ago.
fn signed(office: &BoxOffice, body: &str, secret: &str, ago: i64) -> Call {
    let at = office.app.clock.now().0 / 1_000_000 - ago;
    let mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("any key");
    let mac = mac.chain_update(format!("{at}.{body}")).finalize().into_bytes();
    let hex: String = mac.iter().map(|byte| format!("{byte:02x}")).collect();
    let call = office.anyone(Method::POST, PATH).header("content-type", "application/json");
    call.header("simulated-signature", &format!("t={at},v1={hex}")).raw(body)
}

const KEPT: &str = "SELECT count(*) FROM provider_notices";

async fn open(name: &str) -> (BoxOffice, Rows, Arc<MemoryProvider>) {
    let settings = scratch::shared().await.migrated_database(name).await.expect("a database");
    let provider = Arc::new(MemoryProvider::default());
    let shared = Arc::clone(&provider) as Arc<dyn PaymentProvider>;
    let rows = Rows::of(&settings).await;
    (BoxOffice::over(settings, shared).await, rows, provider)
}

#[tokio::test]
async fn a_notice_is_kept_once_however_often_it_comes() {
    let (office, rows, _) = open("notice_once").await;
    let body = notice("n1", &Uuid::nil().to_string()).to_string();
    for _ in 0..3 {
        signed(&office, &body, NOTICE_SECRET, 0).send().await.ok(204);
    }
    let other = notice("n2", &Uuid::nil().to_string()).to_string();
    signed(&office, &other, NOTICE_SECRET, 299).send().await.ok(204);
    assert_eq!(rows.one::<i64>(KEPT).await, 2);
    let bytes: Vec<u8> = rows.one("SELECT body FROM provider_notices WHERE notice_id = 'n1'").await;
    assert_eq!(bytes, body.as_bytes(), "as it came");
}

#[tokio::test]
async fn a_notice_that_is_forged_stale_or_too_large_is_refused_and_not_kept() {
    let (office, rows, _) = open("notice_refused").await;
    let body = notice("n1", &Uuid::nil().to_string()).to_string();
    let refused = signed(&office, &body, "somebody else's", 0).send().await;
    refused.problem(401, "unauthenticated");
    assert_eq!(refused.header("www-authenticate"), Some("Signature"));
    signed(&office, &body, NOTICE_SECRET, 301).send().await.problem(401, "unauthenticated");
    signed(&office, &body, NOTICE_SECRET, -310).send().await.problem(401, "unauthenticated");
    let unsigned = office.anyone(Method::POST, PATH).json(&json!({}));
    unsigned.send().await.problem(401, "unauthenticated");
    let large = "x".repeat(256 * 1024 + 1);
    signed(&office, &large, NOTICE_SECRET, 0).send().await.problem(413, "payload-too-large");
    let nobodys = office.anyone(Method::POST, "/payments/webhooks/nobody").json(&json!({}));
    nobodys.send().await.problem(404, "not-found");
    assert_eq!(rows.one::<i64>(KEPT).await, 0);
}

#[tokio::test]
async fn a_head_that_cannot_be_the_providers_is_refused_before_its_body_comes() {
    let (office, rows, _) = open("notice_heads").await;
    let now = office.app.clock.now().0 / 1_000_000;
    let hex = "0".repeat(64);
    let heads = [
        None,
        Some(String::new()),
        Some(format!("v1={hex}")),
        Some(format!("t={now},v1=short")),
        Some(format!("t={},v1={hex}", now - 301)),
        Some(format!("t={},v1={hex}", now + 310)),
    ];
    for head in heads {
        let call = office.anyone(Method::POST, PATH).header("content-type", "application/json");
        let call = match &head {
            Some(head) => call.header("simulated-signature", head),
            None => call,
        };
        // Who waited for it would say, much later, that the body did not come.
        let refused = call.stuck().send().await;
        refused.problem(401, "unauthenticated");
        assert_eq!(refused.header("www-authenticate"), Some("Signature"), "{head:?}");
    }
    let nobodys = office.anyone(Method::POST, "/payments/webhooks/nobody").stuck();
    nobodys.send().await.problem(404, "not-found");
    let large = office.anyone(Method::POST, PATH).raw(&"x".repeat(256 * 1024 + 1));
    large.send().await.problem(401, "unauthenticated");
    assert_eq!(rows.one::<i64>(KEPT).await, 0);
}

#[tokio::test]
async fn what_the_provider_signed_and_nobody_can_read_is_kept_once_for_somebody_to_look_at() {
    let (office, rows, _) = open("notice_unreadable").await;
    let long = notice(&"n".repeat(256), &Uuid::nil().to_string()).to_string();
    let bodies = ["{}", "no JSON \u{0}", &long];
    for body in bodies {
        for _ in 0..2 {
            signed(&office, body, NOTICE_SECRET, 0).send().await.ok(204);
        }
    }
    let rest = notice("read", &Uuid::from_u128(7).to_string()).to_string();
    signed(&office, &rest, NOTICE_SECRET, 0).send().await.ok(204);
    let kept = "SELECT count(*) FROM provider_notices WHERE kind = 'unreadable'";
    assert_eq!(rows.one::<i64>(kept).await, 3);
    for body in bodies {
        let found = format!(
            "SELECT count(*) FROM provider_notices WHERE body = decode('{}', 'hex')",
            body.bytes().map(|byte| format!("{byte:02x}")).collect::<String>()
        );
        assert_eq!(rows.one::<i64>(&found).await, 1, "as it came");
    }
    // Beside them everything goes on, and they stay.
    rows.change("UPDATE provider_notices SET received_at = received_at - interval '25 hours'")
        .await;
    office.app.webhooks.keep_up(&office.app.payments);
    rows.until("SELECT settled_at IS NOT NULL FROM provider_notices WHERE notice_id = 'read'")
        .await;
    let left = format!("{kept} AND settled_at IS NULL AND again_at IS NULL");
    assert_eq!(rows.one::<i64>(&left).await, 3, "nobody looked");
    office.app.webhooks.stop().await;
}

#[tokio::test]
async fn news_of_an_attempt_is_looked_into_in_whatever_order_it_comes() {
    let (office, rows, provider) = open("notice_news").await;
    let event = office.create_event(&event_form()).await;
    let hold = office.hold("ana", "k", &event, &["A-1-1"]).send().await.ok(201);
    let order = office.order("ana", "o", &hold["hold_id"]).send().await.ok(201);
    let order = &order["order_id"];
    // The attempt's id follows from its key, so the provider's word of it can be there before it is.
    let number = EventId::parse(event.parse().expect("a UUID")).expect("an event").event();
    let attempt = AttemptId::derive(number, &BuyerId::parse("ana").expect("a buyer"), "p");
    let id = attempt.uuid().to_string();
    let body = notice("early", &id).to_string();
    signed(&office, &body, NOTICE_SECRET, 0).send().await.ok(204);
    office.app.webhooks.keep_up(&office.app.payments);

    let opened = office.pay("ana", "p", order, "challenge").send().await.ok(202);
    assert_eq!(opened["attempt_id"], json!(id), "the test knows how ids are made");
    rows.until("SELECT status = 'requires_action' FROM payment_attempts").await;
    rows.until("SELECT settled_at IS NOT NULL FROM provider_notices").await;
    // Once the buyer has acted, a notice brings the end, and repeats bring nothing new.
    provider.answer_challenge(attempt);
    for name in ["later", "later", "again"] {
        let body = notice(name, &id).to_string();
        signed(&office, &body, NOTICE_SECRET, 0).send().await.ok(204);
    }
    rows.until("SELECT status = 'captured' FROM payment_attempts").await;
    rows.until("SELECT bool_and(settled_at IS NOT NULL) FROM provider_notices").await;
    let shown = office.read("ana", &format!("/orders/{}", order.as_str().expect("an id")));
    assert_eq!(shown.send().await.ok(200)["status"], "captured");
    office.app.webhooks.stop().await;
}

#[tokio::test]
async fn news_for_nobody_is_let_go_after_a_day_and_a_chargeback_is_not() {
    let (office, rows, _) = open("notice_nobodys").await;
    let attempt = Uuid::from_u128(7).to_string();
    let kinds = [
        ("old", "authorisation.captured"),
        ("new", "authorisation.captured"),
        ("money", "authorisation.charged_back"),
        ("other", "something.else"),
    ];
    for (name, kind) in kinds {
        let body = notice_of(kind, name, &attempt).to_string();
        signed(&office, &body, NOTICE_SECRET, 0).send().await.ok(204);
    }
    let kinds = "SELECT string_agg(kind, ' ' ORDER BY notice_id) FROM provider_notices";
    assert_eq!(rows.one::<String>(kinds).await, "charged_back news news other");
    rows.change(
        "UPDATE provider_notices SET received_at = received_at - interval '25 hours' \
          WHERE notice_id IN ('old', 'money')",
    )
    .await;
    office.app.webhooks.keep_up(&office.app.payments);
    // One look settles both: what is left after it has been looked at as well.
    rows.until("SELECT count(*) FILTER (WHERE settled_at IS NOT NULL) = 2 FROM provider_notices")
        .await;
    let left = "SELECT string_agg(notice_id, ' ' ORDER BY notice_id) FROM provider_notices \
                 WHERE settled_at IS NULL";
    assert_eq!(rows.one::<String>(left).await, "money new");
    // The older one is, the later it is looked into again.
    rows.until(
        "SELECT bool_and((again_at - clock_timestamp() > interval '50 minutes') \
                         = (notice_id = 'money')) FROM provider_notices WHERE settled_at IS NULL",
    )
    .await;
    office.app.webhooks.stop().await;
}

#[tokio::test]
async fn what_comes_in_a_providers_name_is_counted_by_what_became_of_it() {
    let recorder = PrometheusBuilder::new().build_recorder();
    let metrics = recorder.handle();
    let _recording = metrics::set_default_local_recorder(&recorder);
    let (office, ..) = open("notice_counts").await;
    let body = notice("n1", &Uuid::nil().to_string()).to_string();
    for _ in 0..3 {
        signed(&office, &body, NOTICE_SECRET, 0).send().await.ok(204);
    }
    for _ in 0..2 {
        signed(&office, "{}", NOTICE_SECRET, 0).send().await.ok(204);
        signed(&office, &body, "theirs", 0).send().await.problem(401, "unauthenticated");
    }
    signed(&office, &body, NOTICE_SECRET, 301).send().await.problem(401, "unauthenticated");
    office.anyone(Method::POST, PATH).send().await.problem(401, "unauthenticated");
    let told = metrics.render();
    let counts = [
        ("kept", 1),
        ("repeated", 3),
        ("unreadable", 1),
        ("forged", 2),
        ("stale", 1),
        ("unsigned", 1),
    ];
    for (outcome, count) in counts {
        let labels = format!("provider=\"simulated\",outcome=\"{outcome}\"");
        let line = format!("taquilla_notices_total{{{labels}}} {count}");
        assert!(told.lines().any(|told| told == line), "{line} is not in {told}");
    }
    let alert = "taquilla_payment_alerts_total{what=\"notice_unreadable\"} 1";
    assert!(told.lines().any(|told| told == alert), "a repeat raises no alert: {told}");
}
