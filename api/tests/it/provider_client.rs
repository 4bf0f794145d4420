//! The client against the real server, and against none.

use std::time::Duration;

use axum::Router;
use axum::http::StatusCode;
use reqwest::Url;
use taquilla_api::provider_client::{
    AuthorisationRequest, Lookup, Outcome, SimulatedProviderClient, Unknown,
};
use tempfile::tempdir;
use tokio::net::TcpListener;
use uuid::Uuid;

use crate::simulated_provider::Server;

const PATIENCE: Duration = Duration::from_secs(10);

fn client(url: &str, deadline: Duration) -> SimulatedProviderClient {
    let url = Url::parse(url).expect("a URL");
    SimulatedProviderClient::new(url, deadline).expect("a client")
}

fn request(payment_method: &str) -> AuthorisationRequest {
    AuthorisationRequest {
        order_id: Uuid::from_u128(1),
        attempt_id: Uuid::from_u128(2),
        amount: 12_500,
        currency: "EUR".to_owned(),
        payment_method: payment_method.to_owned(),
    }
}

#[tokio::test]
async fn every_definite_answer_has_its_own_variant() {
    let dir = tempdir().expect("a directory");
    let server = Server::start(dir.path()).await;
    let client = client(&server.url, PATIENCE);

    let Outcome::Authorised(authorised) = client.authorise("a", &request("sim_ok")).await else {
        panic!("it was not authorised");
    };
    assert_eq!((authorised.order_id, authorised.amount), (Uuid::from_u128(1), 12_500));
    let found = client.find_by_key("a").await;
    assert!(matches!(found, Lookup::Authorised(found) if found == authorised));

    let Outcome::Authorised(captured) = client.capture(&authorised.reference, "c").await else {
        panic!("it was not captured");
    };
    assert!(captured.captured);
    let void = client.void(&authorised.reference, "v").await;
    assert!(matches!(&void, Outcome::Refused(no) if no.code == "already_captured"), "{void:?}");
    let refund = client.refund(&authorised.reference, "r", 12_500).await;
    assert!(matches!(&refund, Outcome::Authorised(a) if a.refunded_amount == 12_500), "{refund:?}");

    let declined = client.authorise("d", &request("sim_decline")).await;
    assert!(
        matches!(&declined, Outcome::Declined(no) if no.failure.code == "card_declined"),
        "{declined:?}"
    );
    let unknown_method = client.authorise("m", &request("sim_gold")).await;
    assert!(
        matches!(&unknown_method, Outcome::Refused(no) if no.status == StatusCode::BAD_REQUEST),
        "{unknown_method:?}"
    );
    assert!(matches!(client.find_by_key("d").await, Lookup::Declined(_)));
    assert!(matches!(client.find_by_key("nobody's&odd=?").await, Lookup::Absent));
    server.stop().await;
}

#[tokio::test]
async fn a_time_out_is_unknown_and_the_work_goes_on() {
    let dir = tempdir().expect("a directory");
    let server = Server::start(dir.path()).await;
    let hasty = client(&server.url, Duration::from_millis(250));

    let outcome = hasty.authorise("a", &request("sim_slow")).await;

    assert!(matches!(outcome, Outcome::Unknown(Unknown::TimedOut)), "{outcome:?}");
    let found = client(&server.url, PATIENCE).find_by_key("a").await;
    assert!(matches!(found, Lookup::Pending), "{found:?}");
    let again = client(&server.url, PATIENCE).authorise("a", &request("sim_slow")).await;
    assert!(matches!(again, Outcome::Authorised(_)), "{again:?}");
    server.stop().await;
}

#[tokio::test]
async fn a_refused_connection_is_unknown() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    drop(listener);
    let client = client(&url, PATIENCE);

    let outcome = client.authorise("a", &request("sim_ok")).await;
    let found = client.find_by_key("a").await;

    assert!(matches!(outcome, Outcome::Unknown(Unknown::Connection(_))), "{outcome:?}");
    assert!(matches!(found, Lookup::Unknown(Unknown::Connection(_))), "{found:?}");
}

#[tokio::test]
async fn an_answer_that_is_not_the_providers_is_unknown() {
    let cases = [
        (StatusCode::INTERNAL_SERVER_ERROR, "{}"),
        (StatusCode::SERVICE_UNAVAILABLE, r#"{"code": "overloaded", "detail": "later"}"#),
        (StatusCode::FOUND, ""),
        (StatusCode::OK, "<html>"),
        (StatusCode::OK, r#"{"status": "authorised"}"#),
        (StatusCode::NOT_FOUND, "no such page"),
    ];
    for (status, body) in cases {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let stranger = Router::new().fallback(move || async move { (status, body) });
        let serving = tokio::spawn(async move { axum::serve(listener, stranger).await });
        let client = client(&url, PATIENCE);

        let outcome = client.authorise("a", &request("sim_ok")).await;
        let found = client.find_by_key("a").await;
        serving.abort();

        assert!(matches!(outcome, Outcome::Unknown(_)), "{status} {body}: {outcome:?}");
        assert!(matches!(found, Lookup::Unknown(_)), "{status} {body}: {found:?}");
    }
}
