//! A server that gives answers written down beforehand, one a request, and remembers what it was asked.
//! The shapes are Stripe's, without the members that nothing here reads.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use http_body::Frame;
use parking_lot::Mutex;
use reqwest::Url;
use serde_json::{Value, json};
use taquilla_api::payment_provider::stripe::{StripeClient, StripeProvider, StripeSettings};
use taquilla_engine::buyer::BuyerId;
use taquilla_engine::clock::ManualClock;
use taquilla_engine::id::{AttemptId, EventNumber, HoldId, OrderId};
use taquilla_engine::moment::Moment;
use taquilla_engine::money::{Currency, Money};
use taquilla_engine::payment::{Attempt, AttemptStatus};
use tokio::net::TcpListener;
use tokio_util::sync::{CancellationToken, DropGuard};

/// When the attempts of these tests were made, and when the clock stands first.
pub(super) const CREATED_AT: i64 = 1_800_000_000;

/// How long a key lives in these tests.
pub(super) const KEY_LIFE: Duration = Duration::from_secs(1_000);

const DEADLINE: Duration = Duration::from_millis(500);

/// What is answered to a request.
pub(super) enum Says {
    /// This.
    Json(u16, Value),
    /// This, whatever it is.
    Text(u16, String),
    /// To ask at another address.
    Elsewhere,
    /// The beginning of an answer, and no more: the connection breaks.
    Half,
    /// Nothing, ever.
    Nothing,
}

/// What was asked.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    /// Method and path, such as `POST /v1/refunds`.
    pub(super) what: String,
    pub(super) key: Option<String>,
    pub(super) version: String,
    pub(super) bearer: String,
    /// Of the query or the form.
    pub(super) parameters: Vec<(String, String)>,
}

impl Asked {
    pub(super) fn parameter(&self, name: &str) -> Option<&str> {
        let found = self.parameters.iter().find(|(key, _)| key == name)?;
        Some(&found.1)
    }
}

#[derive(Clone, Default)]
struct Written {
    answers: Arc<Mutex<VecDeque<Says>>>,
    asked: Arc<Mutex<Vec<Asked>>>,
}

/// A body that breaks after its first bytes.
struct Half(Option<Bytes>);

impl HttpBody for Half {
    type Data = Bytes;
    type Error = std::io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, std::io::Error>>> {
        let broken = std::io::ErrorKind::BrokenPipe;
        Poll::Ready(Some(self.0.take().map(Frame::data).ok_or_else(|| broken.into())))
    }
}

/// The server, and an adapter that asks it.
pub(super) struct Recorded {
    pub(super) provider: StripeProvider,
    pub(super) clock: Arc<ManualClock>,
    written: Written,
    _running: DropGuard,
}

impl Recorded {
    /// Answers in this order.
    pub(super) async fn with(answers: impl IntoIterator<Item = Says>) -> Self {
        Self::set(None, answers).await
    }

    /// The same with a page that buyers return to.
    pub(super) async fn set(
        return_url: Option<&str>,
        answers: impl IntoIterator<Item = Says>,
    ) -> Self {
        let written = Written::default();
        written.answers.lock().extend(answers);
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let base = format!("http://{}", listener.local_addr().expect("an address"));
        let base = Url::parse(&base).expect("a URL");
        let stop = CancellationToken::new();
        let router = Router::new().fallback(answer).with_state(written.clone());
        let server =
            axum::serve(listener, router).with_graceful_shutdown(stop.clone().cancelled_owned());
        tokio::spawn(async move { server.await.expect("it serves") });
        let client = StripeClient::new(base, &"sk_test_1".into(), DEADLINE).expect("a client");
        let clock = Arc::new(ManualClock::new(Moment(CREATED_AT * 1_000_000)));
        let settings = StripeSettings {
            return_url: return_url.map(|url| Url::parse(url).expect("a URL")),
            key_life: KEY_LIFE,
            unknown_max: Duration::from_secs(86_400),
        };
        let provider = StripeProvider::new(client, settings, clock.clone());
        Self { provider, clock, written, _running: stop.drop_guard() }
    }

    /// Everything that was asked, after a check that every answer was wanted.
    pub(super) fn asked(&self) -> Vec<Asked> {
        assert!(self.written.answers.lock().is_empty(), "an answer was not asked for");
        self.written.asked.lock().clone()
    }

    /// The same, in short.
    pub(super) fn asked_what(&self) -> Vec<String> {
        self.asked().into_iter().map(|asked| asked.what).collect()
    }
}

async fn answer(State(written): State<Written>, request: Request) -> Response {
    let (head, body) = request.into_parts();
    let header = |name| head.headers.get(name).map(|it| it.to_str().expect("ASCII").to_owned());
    let body = axum::body::to_bytes(body, 64 * 1024).await.expect("a short body");
    let query = head.uri.query().unwrap_or_default();
    let sent = if body.is_empty() { query } else { std::str::from_utf8(&body).expect("a form") };
    let pairs = Url::parse(&format!("http://form/?{sent}")).expect("a form");
    written.asked.lock().push(Asked {
        what: format!("{} {}", head.method, head.uri.path()),
        key: header("idempotency-key"),
        version: header("stripe-version").unwrap_or_default(),
        bearer: header("authorization").unwrap_or_default(),
        parameters: pairs.query_pairs().into_owned().collect(),
    });
    let says = written.answers.lock().pop_front();
    let status = |status| StatusCode::from_u16(status).expect("a status");
    match says.expect("an answer was written down for each request") {
        Says::Json(code, body) => (status(code), axum::Json(body)).into_response(),
        Says::Text(code, body) => (status(code), body).into_response(),
        Says::Elsewhere => Redirect::temporary("/v1/elsewhere").into_response(),
        Says::Half => Body::new(Half(Some(Bytes::from("{\"id\": \"pi_1\",")))).into_response(),
        Says::Nothing => std::future::pending().await,
    }
}

/// An attempt over 125.00 EUR, just recorded.
pub(super) fn attempt() -> Attempt {
    let buyer = BuyerId::parse("ana").expect("a name");
    let event = EventNumber(7);
    Attempt {
        id: AttemptId::derive(event, &buyer, "k"),
        order: OrderId::of(HoldId::derive(event, &buyer, "k")),
        buyer,
        fingerprint: [7; 32],
        method: "pm_card_visa".into(),
        provider: "stripe".into(),
        money: Money { amount: 12_500, currency: Currency::parse("EUR").expect("a currency") },
        status: AttemptStatus::Pending,
        reference: None,
        failure: None,
        next_action: None,
        errors: 0,
        reserved: None,
        lapses_at: None,
        wanted_until: None,
        is_put_off: false,
        created_at: Moment(CREATED_AT * 1_000_000),
        resolved_at: None,
    }
}

/// The same, known to Stripe as `pi_1`.
pub(super) fn opened() -> Attempt {
    Attempt { reference: Some("pi_1".into()), ..attempt() }
}

/// The payment intent of [`attempt`], of this status.
pub(super) fn intent(status: &str) -> Value {
    let attempt = attempt();
    let (capturable, received) = match status {
        "requires_capture" => (12_500, 0),
        "succeeded" => (0, 12_500),
        _ => (0, 0),
    };
    json!({
        "id": "pi_1", "object": "payment_intent", "amount": 12_500,
        "amount_capturable": capturable, "amount_received": received,
        "canceled_at": null, "capture_method": "manual",
        "client_secret": "pi_1_secret_abc", "created": CREATED_AT + 2, "currency": "eur",
        "last_payment_error": null, "latest_charge": null, "livemode": false,
        "metadata": {"order_id": attempt.order.to_string(), "attempt_id": attempt.id.to_string()},
        "next_action": null, "payment_method": "pm_card_visa",
        "payment_method_types": ["card"], "status": status
    })
}

/// A member of it set.
pub(super) fn with(mut intent: Value, member: &str, value: Value) -> Value {
    intent[member] = value;
    intent
}

pub(super) fn ok(body: Value) -> Says {
    Says::Json(200, body)
}

/// Stripe's error object.
pub(super) fn error(status: u16, error: Value) -> Says {
    Says::Json(status, json!({"error": error}))
}

/// What Stripe says when it failed itself.
pub(super) fn failed() -> Says {
    error(500, json!({"type": "api_error", "message": "Something went wrong on our side."}))
}
