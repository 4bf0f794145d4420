//! Whoever holds and drops again and again: shorter holds, then `too-many-requests`.

use std::time::Duration;

use axum::http::Method;
use serde_json::Value;
use taquilla_engine::event::{ChurnBudget, Limits};

use super::box_office::{BoxOffice, event_form};

/// Of which nothing is forgotten while a test runs.
const BUDGET: ChurnBudget = ChurnBudget { free: 1, max: 2, decay: Duration::from_secs(3_600) };

#[tokio::test]
async fn whoever_drops_too_many_holds_is_told_when_to_come_back_and_his_key_stands_for_nothing() {
    let limits = Limits { hold_churn: Some(BUDGET), ..Limits::default() };
    let office = BoxOffice::empty_within("churn", limits).await;
    let event = office.create_event(&event_form()).await;
    let hold = async |key: &str| office.hold("ana", key, &event, &["A-1-1"]).send().await;
    let drop = async |hold: &Value| {
        let path = format!("/holds/{}", hold["hold_id"].as_str().expect("an id"));
        office.buyer("ana", Method::DELETE, &path).send().await.ok(204);
    };
    let lives = |hold: &Value| hold["expires_in_seconds"].as_u64().expect("seconds");

    let first = hold("k1").await.ok(201);
    drop(&first).await;
    drop(&first).await;
    let second = hold("k2").await.ok(201);
    assert!(lives(&second) + 2 > lives(&first), "one is free");
    drop(&second).await;
    let third = hold("k3").await.ok(201);
    assert!((lives(&first) / 2 - 2..=lives(&first) / 2).contains(&lives(&third)), "{third}");
    drop(&third).await;

    for _ in 0..2 {
        let refused = hold("k4").await;
        refused.problem(429, "too-many-requests");
        assert!(!refused.is_replay());
        let wait = refused.header("retry-after").expect("it says when to come back");
        assert!((3_500..=3_600).contains(&wait.parse().expect("seconds")), "{wait}");
        let left = format!("\"dropped-holds\";r=0;t={wait}");
        assert_eq!(refused.header("ratelimit"), Some(&*left));
        let policy = "\"dropped-holds\";q=3;w=10800";
        assert_eq!(refused.header("ratelimit-policy"), Some(policy));
    }
    // What he has done is answered as before, and others are not concerned.
    assert!(hold("k3").await.is_replay());
    drop(&third).await;
    office.hold("eva", "k1", &event, &["A-1-1"]).send().await.ok(201);
    let mut other = event_form();
    other["slug"] = "otra".into();
    let other = office.create_event(&other).await;
    office.hold("ana", "k1", &other, &["A-1-1"]).send().await.ok(201);
}
