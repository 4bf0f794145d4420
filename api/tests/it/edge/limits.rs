//! Callers who ask too much: who is told so, when, and who is not.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use axum::http::Method;
use serde_json::json;
use taquilla_api::limits::{LimitSettings, Limits, Rate, proxy};

use super::box_office::BoxOffice;
use super::client::{Answer, Call};
use super::conformity::openapi;

/// Of which nothing comes back while a test runs.
fn at_once(burst: u32) -> Option<Rate> {
    let burst = NonZeroU32::new(burst).expect("some");
    Some(Rate { burst, one_each: Duration::from_secs(3_600) })
}

pub(super) fn by_address(burst: u32) -> LimitSettings {
    LimitSettings { per_address: at_once(burst), ..LimitSettings::default() }
}

impl BoxOffice {
    pub(super) fn with_limits(mut self, settings: &LimitSettings) -> Self {
        self.app.limits = Arc::new(Limits::new(settings));
        self
    }

    fn from(&self, address: &str, method: Method, path: &str) -> Call {
        self.anyone(method, path).peer(address)
    }

    /// Whether this address may look at the list once more.
    async fn lets_in(&self, address: &str, forwarded: Option<&str>) -> bool {
        let call = self.from(address, Method::GET, "/events");
        let call = forwarded.into_iter().fold(call, |call, it| call.header("x-forwarded-for", it));
        call.send().await.status != 429
    }
}

impl Answer {
    fn limited(&self, by: &str, quota: u32) {
        self.problem(429, "too-many-requests");
        let wait = self.header("retry-after").expect("it says when to come back");
        assert!((3_500..=3_600).contains(&wait.parse().expect("seconds")), "{wait}");
        assert_eq!(self.header("ratelimit"), Some(&*format!("\"{by}\";r=0;t={wait}")));
        let policy = format!("\"{by}\";q={quota};w={}", quota * 3_600);
        assert_eq!(self.header("ratelimit-policy"), Some(&*policy));
    }
}

#[tokio::test]
async fn one_request_too_many_from_an_address_is_told_so_before_anything_else() {
    let office = BoxOffice::empty("limits_address").await.with_limits(&by_address(2));
    let from = |method, path| office.from("203.0.113.1", method, path);
    from(Method::GET, "/events").send().await.ok(200);
    // A bad request counts as well.
    from(Method::POST, "/holds").send().await.problem(401, "unauthenticated");
    let page = from(Method::GET, "/events").header("origin", "https://shop.example").send().await;
    page.limited("address", 2);
    from(Method::POST, "/holds").send().await.limited("address", 2);
    from(Method::GET, "/admin/orders").send().await.limited("address", 2);
    from(Method::PUT, "/events").send().await.limited("address", 2);
    from(Method::OPTIONS, "/events").send().await.limited("address", 2);
    from(Method::GET, "/nowhere").send().await.limited("address", 2);
    from(Method::GET, "/admin/nowhere").send().await.limited("address", 2);
    let operator = office.operator(Method::GET, "/admin/orders").peer("203.0.113.1");
    operator.send().await.limited("address", 2);
    // Another one has nothing to do with it.
    office.from("203.0.113.2", Method::POST, "/holds").send().await.problem(401, "unauthenticated");
    // A page must be able to ask at all.
    let preflight = from(Method::OPTIONS, "/holds")
        .header("origin", "https://shop.example")
        .header("access-control-request-method", "POST");
    assert_eq!(preflight.send().await.status, 200);
}

#[tokio::test]
async fn what_is_counted_by_address_is_what_the_document_says() {
    let office = BoxOffice::empty("limits_document").await.with_limits(&by_address(1));
    office.from("203.0.113.1", Method::GET, "/events").send().await.ok(200);
    let mut uncounted = Vec::new();
    for (path, item) in openapi()["paths"].as_object().expect("paths") {
        for (method, operation) in item.as_object().expect("operations") {
            let method: Method = method.to_uppercase().parse().expect("a method");
            let call = office.from("203.0.113.1", method, &path.replace(['{', '}'], ""));
            let is_limited = call.send().await.status == 429;
            assert_eq!(is_limited, operation["responses"]["429"].is_object(), "{path}");
            if !is_limited {
                uncounted.push(path.as_str());
            }
        }
    }
    uncounted.sort_unstable();
    let expected = [
        "/",
        "/healthz",
        "/openapi.json",
        "/payments/webhooks/{provider}",
        "/problems/{slug}",
        "/readyz",
    ];
    assert_eq!(uncounted, expected);
}

#[tokio::test]
async fn a_household_is_one_address_and_so_is_everybody_without_one() {
    let office = BoxOffice::empty("limits_household").await.with_limits(&by_address(1));
    assert!(office.lets_in("2001:db8:1:2::1", None).await);
    assert!(!office.lets_in("2001:db8:1:2:ffff::2", None).await);
    assert!(office.lets_in("2001:db8:1:3::1", None).await);
    assert!(office.lets_in("203.0.113.1", None).await);
    assert!(!office.lets_in("::ffff:203.0.113.1", None).await);
    office.anyone(Method::GET, "/events").send().await.ok(200);
    office.anyone(Method::GET, "/events").send().await.limited("address", 1);
}

#[tokio::test]
async fn a_proxy_is_believed_if_it_is_trusted_and_nobody_else() {
    let trusted_proxies = vec![proxy("10.0.0.0/8").expect("a network")];
    let settings = LimitSettings { trusted_proxies, ..by_address(1) };
    let office = BoxOffice::empty("limits_proxies").await.with_limits(&settings);
    let (shop, stranger) = ("10.0.0.1", "203.0.113.1");
    assert!(office.lets_in(shop, Some("198.51.100.1")).await);
    assert!(!office.lets_in("10.0.0.2", Some("1.2.3.4, 198.51.100.1")).await);
    assert!(office.lets_in(shop, Some("198.51.100.2")).await);
    assert!(office.lets_in(stranger, Some("198.51.100.3")).await);
    assert!(!office.lets_in(stranger, Some("198.51.100.4")).await, "his word changes nothing");
    assert!(office.lets_in(shop, Some("198.51.100.4")).await, "nor is anybody else's used up");
}

#[tokio::test]
async fn an_account_is_limited_wherever_its_tokens_are_used_and_an_operator_is_not() {
    let limits = LimitSettings { per_account: at_once(2), ..LimitSettings::default() };
    let office = BoxOffice::empty("limits_account").await.with_limits(&limits);
    // A token that is not good is nobody's.
    for _ in 0..3 {
        let call = office.anyone(Method::GET, "/orders").bearer("nonsense");
        call.send().await.problem(401, "unauthenticated");
    }
    office.read("ana", "/orders").peer("203.0.113.1").send().await.ok(200);
    office.read("ana", "/orders/x").send().await.problem(404, "not-found");
    // Before anything else of the request is looked at.
    let hold = office.buyer("ana", Method::POST, "/holds").json(&json!({"colour": 1}));
    hold.peer("203.0.113.2").send().await.limited("account", 2);
    office.read("ana", "/orders?colour=red").send().await.limited("account", 2);
    office.read("eva", "/orders").send().await.ok(200);
    // What anybody may read asks for no account.
    office.read("ana", "/events").send().await.ok(200);
    for _ in 0..3 {
        office.operator(Method::GET, "/orders").send().await.ok(200);
        office.operator(Method::GET, "/admin/orders").send().await.ok(200);
    }
}

#[tokio::test]
async fn nobody_is_limited_unless_it_is_configured() {
    let office = BoxOffice::empty("limits_none").await;
    for _ in 0..200 {
        office.read("ana", "/events?limit=1").peer("203.0.113.1").send().await.ok(200);
    }
}

#[tokio::test]
async fn maps_are_read_so_often_by_all_together_and_who_buys_is_not_kept_from_it() {
    let settings = LimitSettings { map_reads: at_once(2), ..LimitSettings::default() };
    let (office, event) = BoxOffice::open("limits_maps").await;
    let office = office.with_limits(&settings);
    let read = |address| office.from(address, Method::GET, "/events/noche/availability");
    for address in ["203.0.113.1", "203.0.113.2"] {
        read(address).send().await.ok(200);
    }
    read("203.0.113.3").send().await.limited("maps", 2);
    office.hold("ana", "k", &event, &["A-1-1"]).send().await.ok(201);
    office.from("203.0.113.3", Method::GET, "/events/noche").send().await.ok(200);
}
