//! What an event's owner has forgotten and rows have not: holds and orders older than its memory.

use std::sync::Arc;

use axum::http::Method;
use serde_json::{Value, json};
use taquilla_engine::payment::memory::MemoryProvider;
use taquilla_persistence::private_postgres::scratch;
use taquilla_persistence::settings::DatabaseSettings;

use super::box_office::{BoxOffice, event_form};
use super::rows::Rows;

/// Makes everything three days older, behind the owner's back.
async fn age(settings: &DatabaseSettings) {
    let rows = Rows::of(settings).await;
    for table in ["holds", "orders", "receipts", "payment_attempts"] {
        let older = format!("UPDATE {table} SET created_at = created_at - interval '3 days'");
        rows.change(&older).await;
    }
}

fn path(kind: &str, id: &Value) -> String {
    format!("/{kind}/{}", id.as_str().expect("an id"))
}

#[tokio::test]
async fn what_the_owner_has_forgotten_is_answered_from_rows() {
    let cluster = scratch::shared().await;
    let settings = cluster.migrated_database("forgotten").await.expect("a database");
    let provider = || Arc::new(MemoryProvider::default());
    let office = BoxOffice::over(settings.clone(), provider()).await;
    let event = office.create_event(&event_form()).await;
    let released = office.hold("ana", "released", &event, &["A-1-1"]).send().await.ok(201);
    let released = path("holds", &released["hold_id"]);
    office.buyer("ana", Method::DELETE, &released).send().await.ok(204);
    let given_up = office.hold("ana", "given-up", &event, &["A-1-2"]).send().await.ok(201);
    let cancelled = office.order("ana", "given-up", &given_up["hold_id"]).send().await.ok(201);
    let cancelled_path = path("orders", &cancelled["order_id"]);
    office.buyer("ana", Method::DELETE, &cancelled_path).send().await.ok(204);
    let free = json!({"event_id": event, "general": [{"section": "FLOOR", "quantity": 1}]});
    let free = office.buyer("ana", Method::POST, "/holds").key("free").json(&free).send().await;
    let sold = free.ok(201)["hold_id"].clone();
    let bought = office.order("ana", "free", &sold).send().await.ok(201);
    office.app.node.stop().await;
    age(&settings).await;

    let office = BoxOffice::over(settings, provider()).await;
    let read = async |path: &str| office.read("ana", path).send().await.ok(200);
    let delete = async |path: &str| office.buyer("ana", Method::DELETE, path).send().await;
    assert_eq!(read(&released).await["status"], "released");
    office.read("bob", &released).send().await.problem(404, "not-found");
    delete(&released).await.ok(204);
    let item = format!("{released}/items?seat=A-1-1");
    let over = delete(&item).await.problem(409, "hold-not-active");
    assert_eq!(over["hold_status"], "released");
    let item = office.buyer("bob", Method::DELETE, &item).send().await;
    item.problem(404, "not-found");

    let again = office.order("ana", "other", &given_up["hold_id"]).send().await.ok(200);
    assert_eq!(
        (&again["order_id"], &again["status"]),
        (&cancelled["order_id"], &json!("cancelled"))
    );
    delete(&cancelled_path).await.ok(204);
    let none = office.order("ana", "none", &json!(released.trim_start_matches("/holds/")));
    let none = none.send().await.problem(409, "hold-not-active");
    assert_eq!(none["hold_status"], "released");

    let sold_path = path("holds", &sold);
    assert_eq!(read(&sold_path).await["status"], "converted");
    let converted = delete(&sold_path).await.problem(409, "hold-not-active");
    assert_eq!(converted["hold_status"], "converted");
    let bought = path("orders", &bought["order_id"]);
    delete(&bought).await.problem(409, "order-not-cancellable");
    let stranger = office.buyer("bob", Method::DELETE, &bought).send().await;
    stranger.problem(404, "not-found");
}
