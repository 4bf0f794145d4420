//! Every problem of the table is met by somebody: each is provoked here, or stands in the list of
//! those that nothing answers yet.

use std::sync::Arc;
use std::time::Duration;

use axum::http::Method;
use serde_json::{Value, json};
use taquilla_api::EdgeSettings;
use taquilla_api::problem::table;
use taquilla_engine::event::Limits;
use taquilla_engine::payment::memory::MemoryProvider;
use taquilla_persistence::private_postgres::proxy::Proxy;
use taquilla_persistence::private_postgres::scratch;
use tokio::task::JoinSet;

use super::box_office::{BoxOffice, event_form, venue_form};
use super::client::Answer;

/// Problems that nothing answers yet, and what is missing for it.
const OF_LATER_PARTS: &[(&str, &str)] = &[
    ("challenge-required", "there is no challenge"),
    ("refund-not-possible", "there are no refunds"),
    ("too-many-requests", "there are no rate limits"),
];

/// What a 5xx may not speak of.
const INSIDE: &[&str] =
    &["postgres", "sql", "connect", "panic", "src/", "actor", "secret", "127.0.0.1"];

struct Stage {
    office: BoxOffice,
    event: String,
}

#[tokio::test]
async fn every_problem_of_the_table_is_provoked_or_listed_as_of_a_later_part() {
    let (office, event) = BoxOffice::open("problems").await;
    let stage = Stage { office, event };
    for kind in table::ALL {
        let later = OF_LATER_PARTS.iter().any(|(slug, _)| *slug == kind.slug);
        let provoked = stage.provoke(kind.slug).await;
        assert_eq!(provoked.is_none(), later, "{}", kind.slug);
        let Some(answer) = provoked else { continue };
        let body = answer.problem(kind.status.as_u16(), kind.slug);
        assert_eq!(body["title"], kind.title);
        if kind.status.is_server_error() {
            let text = body.to_string().to_lowercase();
            assert!(INSIDE.iter().all(|word| !text.contains(word)), "{text}");
        }
    }
}

impl Stage {
    async fn provoke(&self, slug: &str) -> Option<Answer> {
        let office = &self.office;
        let hold = |buyer: &str, body: Value| {
            office.buyer(buyer, Method::POST, "/holds").key("k").json(&body).send()
        };
        let nothing = json!({"event_id": self.event});
        Some(match slug {
            "malformed-request" => hold("ana", nothing).await,
            "unauthenticated" => office.anyone(Method::GET, "/orders").send().await,
            "forbidden" => office.read("ana", "/admin/events").send().await,
            "admission-required" => self.not_admitted().await,
            "not-found" => office.read("ana", "/holds/nothing").send().await,
            "method-not-allowed" => office.buyer("ana", Method::PUT, "/holds").send().await,
            "payload-too-large" => hold("ana", json!({"x": "x".repeat(70_000)})).await,
            "unsupported-media-type" => {
                office.buyer("ana", Method::POST, "/holds").key("k").raw("{}").send().await
            }
            "seats-unavailable" => {
                office.hold("bob", "k", &self.event, &["A-1-1"]).send().await.ok(201);
                office.hold("carl", "k", &self.event, &["A-1-1"]).send().await
            }
            "buyer-limit-exceeded" => {
                let five = ["A-1-2", "A-2-1", "A-2-2", "A-2-3", "A-2-4"];
                office.hold("dora", "k", &self.event, &five).send().await
            }
            "hold-not-active" => self.order_of_a_released_hold().await,
            "order-not-payable" => self.attempts_used_up().await,
            "order-not-cancellable" => {
                let order = self.paid_order("fay", "A-1-4").await;
                let path = format!("/orders/{}", order.as_str().expect("an id"));
                office.buyer("fay", Method::DELETE, &path).send().await
            }
            "sale-not-open" => self.not_open().await,
            "conflicts-with-sales" => {
                office.hold("ira", "k", &self.event, &["A-2-1"]).send().await.ok(201);
                let blocks = json!({"block": ["A-2-1"], "unblock": []});
                let path = format!("/admin/events/{}/blocks", self.event);
                office.operator(Method::POST, &path).json(&blocks).send().await
            }
            "already-exists" => {
                office.operator(Method::POST, "/admin/venues").json(&venue_form()).send().await
            }
            "idempotency-key-reused" => {
                office.hold("gus", "k", &self.event, &["B-1-1"]).send().await.ok(201);
                office.hold("gus", "k", &self.event, &["B-1-2"]).send().await
            }
            "plan-invalid" => {
                let mut form = venue_form();
                form["plan"]["sections"][0]["rows"][0]["seats"] = json!(0);
                office.operator(Method::POST, "/admin/venues").json(&form).send().await
            }
            "internal-error" => bug().await,
            "overloaded" => sixth_at_once().await,
            "idempotency-key-in-use" => too_many_of_one_key().await,
            "purchases-paused" => lost_database().await,
            "outcome-unknown" => silent_database().await,
            _ => return None,
        })
    }

    async fn another_event(&self, slug: &str, sale: Value) -> String {
        let mut form = event_form();
        form["slug"] = json!(slug);
        form["sale"] = sale;
        self.office.create_event(&form).await
    }

    async fn not_admitted(&self) -> Answer {
        let event = self.another_event("with-a-room", json!({"waiting_room": true})).await;
        self.office.hold("ana", "k", &event, &["A-1-1"]).send().await
    }

    async fn not_open(&self) -> Answer {
        let event = self.another_event("later", json!({"opens_at": "2098-01-01T00:00:00Z"})).await;
        self.office.hold("ana", "k", &event, &["A-1-1"]).send().await
    }

    async fn order_of_a_released_hold(&self) -> Answer {
        let hold = self.office.hold("hal", "k", &self.event, &["B-1-2"]).send().await.ok(201);
        let path = format!("/holds/{}", hold["hold_id"].as_str().expect("an id"));
        self.office.buyer("hal", Method::DELETE, &path).send().await.ok(204);
        self.office.order("hal", "k", &hold["hold_id"]).send().await
    }

    async fn attempts_used_up(&self) -> Answer {
        let hold = self.office.hold("eva", "k", &self.event, &["A-1-3"]).send().await.ok(201);
        let order = self.office.order("eva", "k", &hold["hold_id"]).send().await.ok(201);
        for key in 0.. {
            let key = key.to_string();
            let pay = self.office.pay("eva", &key, &order["order_id"], "decline").send().await;
            if pay.status == 409 {
                return pay;
            }
            pay.ok(202);
        }
        unreachable!("attempts have a bound")
    }

    async fn paid_order(&self, buyer: &str, seat: &str) -> Value {
        let hold = self.office.hold(buyer, "k", &self.event, &[seat]).send().await.ok(201);
        let order = self.office.order(buyer, "k", &hold["hold_id"]).send().await.ok(201);
        self.office.pay(buyer, "k", &order["order_id"], "ok").send().await.ok(202);
        let path =
            format!("/orders/{}?wait_seconds=30", order["order_id"].as_str().expect("an id"));
        loop {
            let order = self.office.read(buyer, &path).send().await.ok(200);
            if order["status"] == "captured" {
                return order["order_id"].clone();
            }
        }
    }
}

async fn bug() -> Answer {
    let office = BoxOffice::empty("bug").await.with_a_bug();
    office.anyone(Method::GET, "/events").send().await
}

/// An office behind a proxy, with an event and a hold in it, and its event.
async fn behind_proxy(name: &str, decision_deadline: Duration) -> (BoxOffice, Proxy, String) {
    let cluster = scratch::shared().await;
    let settings = cluster.migrated_database(name).await.expect("a database");
    let proxy = Proxy::start(cluster.postgres.port()).await.expect("a proxy");
    let provider = Arc::new(MemoryProvider::default());
    let mut office = BoxOffice::over(proxy.before(&settings), provider).await;
    let event = office.create_event(&event_form()).await;
    office.hold("ana", "warm", &event, &["A-1-1"]).send().await.ok(201);
    office.app.settings = Arc::new(EdgeSettings { decision_deadline, ..EdgeSettings::default() });
    (office, proxy, event)
}

/// One command is undecided while the database says nothing, four of the same buyer wait behind it.
async fn sixth_at_once() -> Answer {
    let (office, proxy, event) = behind_proxy("overloaded", Duration::from_secs(2)).await;
    proxy.hold_answers();
    let hold = |key: usize| office.hold("bob", &key.to_string(), &event, &["A-1-2"]).send();
    let answers = tokio::join!(hold(1), hold(2), hold(3), hold(4), hold(5), hold(6));
    proxy.release();
    let answers: [Answer; 6] = answers.into();
    let mut turned_away = answers
        .into_iter()
        .filter(|answer| answer.status == 503 && answer.json()["type"] == "/problems/overloaded");
    turned_away.next().expect("one is turned away")
}

/// One request is undecided while the database says nothing, and as many as may wait for its key do.
async fn too_many_of_one_key() -> Answer {
    let (office, proxy, event) = behind_proxy("key_in_use", Duration::from_secs(2)).await;
    proxy.hold_answers();
    let mut at_once = JoinSet::new();
    for _ in 0..Limits::default().joins_max + 2 {
        at_once.spawn(office.hold("bob", "k", &event, &["A-1-2"]).send());
    }
    let turned_away = at_once.join_next().await.expect("one is turned away while the others wait");
    proxy.release();
    turned_away.expect("an answer")
}

async fn lost_database() -> Answer {
    let (office, proxy, _) = behind_proxy("paused", Duration::from_secs(3)).await;
    proxy.refuse_connections(true);
    proxy.cut();
    office.read("ana", "/orders").send().await
}

async fn silent_database() -> Answer {
    let (office, proxy, event) = behind_proxy("silent", Duration::from_millis(300)).await;
    proxy.hold_answers();
    let answer = office.hold("ana", "k", &event, &["A-1-2"]).send().await;
    proxy.release();
    answer
}

#[tokio::test]
async fn a_payment_of_which_nothing_was_recorded_is_paused_and_not_unknown() {
    let (office, proxy, event) = behind_proxy("pay_paused", Duration::from_secs(3)).await;
    let hold = office.hold("bob", "k", &event, &["A-1-2"]).send().await.ok(201);
    let order = office.order("bob", "k", &hold["hold_id"]).send().await.ok(201);
    proxy.refuse_connections(true);
    proxy.cut();
    let pay = || office.pay("bob", "k", &order["order_id"], "ok").send();
    pay().await.problem(503, "purchases-paused");
    proxy.refuse_connections(false);
    let paid = loop {
        let again = pay().await;
        if again.status != 503 {
            break again;
        }
    };
    assert!(!paid.is_replay(), "nothing had been recorded");
    paid.ok(202);
}
