//! Work for a place in the line, as a client of nothing but the public protocol does it.

use std::sync::Arc;
use std::time::Duration;

use axum::http::Method;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use taquilla_api::challenge::{ChallengeSettings, Challenges};

use super::box_office::{BoxOffice, event_form};
use super::queue::{FAR_OFF, LONG_AGO, QUEUE};

impl BoxOffice {
    fn asking_for_work(mut self, lifetime: Duration) -> Self {
        let key = "a key of thirty-two bytes, or so".into();
        let settings = ChallengeSettings { key, difficulty: 200, lifetime };
        self.app.challenges = Some(Arc::new(Challenges::new(settings)));
        self
    }

    /// The challenge that stands before this buyer's place.
    async fn challenge(&self, buyer: &str, queue: &str) -> Value {
        let problem = self.buyer(buyer, Method::POST, queue).send().await;
        problem.problem(403, "challenge-required")["challenge"].clone()
    }
}

/// The response to a challenge, by trying one number after the other.
fn solve(challenge: &Value) -> Value {
    let text = |name: &str| challenge[name].as_str().expect("a text").to_owned();
    let solves = |number: &u64| {
        let hash = Sha256::digest(format!("{}{number}", text("salt")));
        hex::encode(hash) == text("challenge")
    };
    let most = challenge["maxnumber"].as_u64().expect("a number");
    let number = (0..=most).find(solves).expect("one of them does");
    let solution = json!({
        "algorithm": text("algorithm"), "challenge": text("challenge"), "number": number,
        "salt": text("salt"), "signature": text("signature")});
    json!({"challenge_response": BASE64_STANDARD.encode(solution.to_string())})
}

const LONG: Duration = Duration::from_secs(3_600);

#[tokio::test]
async fn a_place_is_asked_for_with_work_and_whoever_has_one_needs_no_more() {
    let (office, _) = BoxOffice::with_a_room("challenge", LONG_AGO).await;
    let office = office.asking_for_work(LONG);
    let challenge = office.challenge("ana", QUEUE).await;
    office.read("ana", QUEUE).send().await.problem(404, "not-found");
    let response = solve(&challenge);
    let first = office.join("ana").json(&response).send().await.ok(201);
    for again in [office.join("ana"), office.join("ana").json(&response)] {
        assert_eq!(again.send().await.ok(200)["ticket_id"], first["ticket_id"]);
    }
    // It has brought one place; the next one is behind all others, and asks for work anew.
    office.buyer("ana", Method::DELETE, QUEUE).send().await.ok(204);
    let used = office.join("ana").json(&response).send().await;
    let used = used.problem(403, "challenge-required");
    assert!(used["detail"].as_str().is_some_and(|it| it.contains("a place already")), "{used}");
    let second = office.join("ana").json(&solve(&used["challenge"])).send().await.ok(201);
    assert_ne!(second["index"], first["index"]);
}

#[tokio::test]
async fn work_is_one_buyers_for_one_event_and_not_for_ever() {
    let (office, _) = BoxOffice::with_a_room("challenge_bound", FAR_OFF).await;
    let mut form = event_form();
    form["slug"] = json!("otra");
    form["sale"]["waiting_room"] = json!(true);
    form["sale"]["opens_at"] = json!(FAR_OFF);
    office.create_event(&form).await;
    let office = office.asking_for_work(LONG);
    let refused = async |office: &BoxOffice, buyer: &str, queue: &str, body: &Value, says: &str| {
        let call = office.buyer(buyer, Method::POST, queue).json(body);
        let problem = call.send().await.problem(403, "challenge-required");
        let detail = problem["detail"].as_str().expect("a text");
        assert!(detail.contains(says), "{detail}");
    };
    let response = solve(&office.challenge("ana", QUEUE).await);
    refused(&office, "eva", QUEUE, &response, "another buyer or event").await;
    refused(&office, "ana", "/events/otra/queue", &response, "another buyer or event").await;
    let long = json!({"challenge_response": "A".repeat(10_000)});
    refused(&office, "ana", QUEUE, &long, "longer than any solution").await;
    let over = BoxOffice {
        app: office.app.clone(),
        tokens: office.tokens.clone(),
        news: office.news.clone(),
    };
    let over = over.asking_for_work(Duration::ZERO);
    let late = solve(&over.challenge("ana", QUEUE).await);
    refused(&office, "ana", QUEUE, &late, "time is over").await;
    office.join("ana").json(&response).send().await.ok(201);
}

#[tokio::test]
async fn what_is_no_solution_is_malformed_and_work_is_asked_for_after_all_else() {
    let (office, _) = BoxOffice::with_a_room("challenge_order", LONG_AGO).await;
    let office = office.asking_for_work(LONG);
    for nonsense in ["", "x", "e30="] {
        let call = office.join("ana").json(&json!({"challenge_response": nonsense}));
        assert_eq!(call.send().await.pointers(), ["/challenge_response"], "{nonsense}");
    }
    office.anyone(Method::POST, QUEUE).send().await.problem(401, "unauthenticated");
    let nowhere = office.buyer("ana", Method::POST, "/events/nowhere/queue");
    nowhere.send().await.problem(404, "not-found");
    let unknown = office.join("ana").json(&json!({"colour": 1}));
    assert_eq!(unknown.send().await.pointers(), ["/colour"]);
}
