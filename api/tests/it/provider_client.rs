//! The client against the real server, and against none.

use std::time::Duration;

use axum::Router;
use axum::http::StatusCode;
use reqwest::Url;
use taquilla_api::provider_client::{
    AuthorisationRequest, Lookup, Moved, Outcome, SimulatedProviderClient, Status, Unanswered,
    Unknown,
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

/// Another attempt for each method.
fn request(payment_method: &str) -> AuthorisationRequest {
    AuthorisationRequest {
        order_id: Uuid::from_u128(1),
        attempt_id: attempt(payment_method),
        amount: 12_500,
        currency: "EUR".to_owned(),
        payment_method: payment_method.to_owned(),
    }
}

fn attempt(payment_method: &str) -> Uuid {
    Uuid::from_u128(payment_method.bytes().fold(1, |id, byte| id * 31 + u128::from(byte)))
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
    let found = client.find_by_attempt(attempt("sim_ok")).await;
    assert!(matches!(found, Lookup::Authorised(found) if found == authorised));

    let Moved::Done(captured) = client.capture(&authorised.reference, "c").await else {
        panic!("it was not captured");
    };
    assert!(captured.captured);
    let void = client.void(&authorised.reference, "v").await;
    assert!(matches!(&void, Moved::Refused(no) if no.code == "already_captured"), "{void:?}");
    let refund = client.refund(&authorised.reference, "r", Uuid::from_u128(9), 12_500).await;
    assert!(matches!(&refund, Moved::Done(a) if a.refunded_amount == 12_500), "{refund:?}");

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
    let found = client.find_by_attempt(attempt("sim_decline")).await;
    assert!(matches!(found, Lookup::Declined(_)), "{found:?}");
    assert!(matches!(client.find_by_attempt(Uuid::from_u128(0)).await, Lookup::Absent));
    server.stop().await;
}

#[tokio::test]
async fn what_waits_for_the_buyer_says_where_to_go_and_can_be_withdrawn() {
    let dir = tempdir().expect("a directory");
    let server = Server::start(dir.path()).await;
    let client = client(&server.url, PATIENCE);

    let asked = client.authorise("a", &request("sim_challenge")).await;
    let Outcome::RequiresAction(action) = asked else { panic!("{asked:?}") };
    assert!(action.url.starts_with(&format!("{}/challenges/", server.url)), "{}", action.url);
    let found = client.find_by_attempt(attempt("sim_challenge")).await;
    assert!(matches!(found, Lookup::RequiresAction(found) if found == action));
    let page = client.list(None).await.expect("a page");
    assert_eq!((page.items[0].status, page.next_cursor), (Status::RequiresAction, None));

    let void = client.void(&action.reference, "v").await;
    assert!(matches!(&void, Moved::Done(it) if it.voided), "{void:?}");
    let found = client.find_by_attempt(attempt("sim_challenge")).await;
    assert!(matches!(&found, Lookup::Declined(no) if no.failure.code == "withdrawn"), "{found:?}");
    server.stop().await;
}

#[tokio::test]
async fn an_error_is_not_taken_for_silence_and_another_key_gets_through() {
    let dir = tempdir().expect("a directory");
    let server = Server::start(dir.path()).await;
    let client = client(&server.url, PATIENCE);

    let failed = client.authorise("k1", &request("sim_error_ok")).await;
    assert!(matches!(&failed, Outcome::Failed(it) if it.status.as_u16() == 500), "{failed:?}");
    let found = client.find_by_attempt(attempt("sim_error_ok")).await;
    assert!(matches!(found, Lookup::Absent), "{found:?}");
    let second = client.authorise("k2", &request("sim_error_ok")).await;
    assert!(matches!(second, Outcome::Authorised(_)), "{second:?}");

    let asked = client.authorise("f", &request("sim_capture_fails_twice")).await;
    let Outcome::Authorised(authorised) = asked else { panic!("{asked:?}") };
    for key in ["c1", "c2", "c1"] {
        let failed = client.capture(&authorised.reference, key).await;
        assert!(matches!(failed, Moved::Failed(_)), "{failed:?}");
    }
    let done = client.capture(&authorised.reference, "c3").await;
    assert!(matches!(&done, Moved::Done(it) if it.captured_amount == 12_500), "{done:?}");

    let hasty = self::client(&server.url, Duration::from_millis(500));
    let silent = hasty.authorise("s", &request("sim_timeout_ok")).await;
    assert!(matches!(silent, Outcome::Unknown(Unknown::TimedOut)), "{silent:?}");
    server.stop().await;
}

#[tokio::test]
async fn the_list_goes_on_from_its_cursor() {
    let dir = tempdir().expect("a directory");
    let server = Server::start(dir.path()).await;
    let client = client(&server.url, PATIENCE);
    let authorised = (0..101).map(|number| {
        let (client, mut request) = (client.clone(), request("sim_ok"));
        request.attempt_id = Uuid::from_u128(number);
        async move { client.authorise(&number.to_string(), &request).await }
    });
    tokio::task::JoinSet::from_iter(authorised).join_all().await;

    let first = client.list(None).await.expect("a page");
    let cursor = first.next_cursor.as_deref().expect("there is more");
    let second = client.list(Some(cursor)).await.expect("a page");

    assert_eq!((first.items.len(), second.items.len(), second.next_cursor), (100, 1, None));
    let item = &second.items[0];
    assert_eq!((item.status, item.authorisation.amount), (Status::Authorised, 12_500));
    let refused = client.list(Some("x")).await;
    assert!(matches!(refused, Err(Unanswered::Refused(_))), "{refused:?}");
    server.stop().await;
}

#[tokio::test]
async fn a_time_out_is_unknown_and_the_work_goes_on() {
    let dir = tempdir().expect("a directory");
    let server = Server::start(dir.path()).await;
    let hasty = client(&server.url, Duration::from_millis(250));

    let outcome = hasty.authorise("a", &request("sim_slow")).await;

    assert!(matches!(outcome, Outcome::Unknown(Unknown::TimedOut)), "{outcome:?}");
    let found = client(&server.url, PATIENCE).find_by_attempt(attempt("sim_slow")).await;
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
    let found = client.find_by_attempt(attempt("sim_ok")).await;

    assert!(matches!(outcome, Outcome::Unknown(Unknown::Connection(_))), "{outcome:?}");
    assert!(matches!(found, Lookup::Unknown(Unknown::Connection(_))), "{found:?}");
}

#[tokio::test]
async fn an_answer_that_is_not_the_providers_is_unknown_or_a_failure() {
    let cases = [
        (StatusCode::INTERNAL_SERVER_ERROR, "{}"),
        (StatusCode::BAD_GATEWAY, "<html>"),
        (StatusCode::SERVICE_UNAVAILABLE, r#"{"code": "overloaded", "detail": "later"}"#),
        (StatusCode::FOUND, ""),
        (StatusCode::TOO_MANY_REQUESTS, ""),
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
        let capture = client.capture("r", "c").await;
        let found = client.find_by_attempt(attempt("sim_ok")).await;
        serving.abort();

        let case = format!("{status} {body}: {outcome:?} {capture:?} {found:?}");
        let failed = status.is_server_error();
        assert_eq!(matches!(outcome, Outcome::Failed(_)), failed, "{case}");
        assert_eq!(matches!(outcome, Outcome::Unknown(_)), !failed, "{case}");
        assert_eq!(matches!(capture, Moved::Failed(_)), failed, "{case}");
        assert_eq!(matches!(capture, Moved::Unknown(_)), !failed, "{case}");
        assert!(matches!(found, Lookup::Unknown(_)), "{case}");
    }
}
