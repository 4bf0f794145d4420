//! Pages of other origins: which may call, and what they may read. What `HEAD` is answered.

use std::sync::Arc;
use std::time::Duration;

use axum::http::{HeaderValue, Method};
use taquilla_api::EdgeSettings;
use taquilla_api::shedding::{Priority, Shedding, SheddingSettings};

use super::box_office::BoxOffice;
use super::limits::by_address;

#[tokio::test]
async fn pages_of_the_configured_origins_may_call_and_no_others() {
    let mut office = BoxOffice::empty("cors").await;
    let allowed = async |office: &BoxOffice, origin: &str| {
        let get = office.anyone(Method::GET, "/events").header("origin", origin).send().await;
        get.ok(200);
        let ask = office
            .anyone(Method::OPTIONS, "/holds")
            .header("origin", origin)
            .header("access-control-request-method", "POST")
            .header("access-control-request-headers", "authorization, idempotency-key");
        let ask = ask.send().await;
        let said = [get, ask]
            .map(|answer| answer.header("access-control-allow-origin").map(ToOwned::to_owned));
        assert_eq!(said[0], said[1], "what is allowed beforehand is allowed");
        said[0].clone()
    };
    let (shop, other) = ("https://shop.example", "https://other.example");
    assert_eq!(allowed(&office, shop).await, None, "nobody, unless configured");

    let origins = |origins: &[&'static str]| {
        let cors_origins = origins.iter().copied().map(HeaderValue::from_static).collect();
        Arc::new(EdgeSettings { cors_origins, ..EdgeSettings::default() })
    };
    office.app.settings = origins(&[shop, "http://localhost:3000"]);
    assert_eq!(allowed(&office, shop).await.as_deref(), Some(shop));
    for stranger in [other, "http://shop.example", "https://shop.example:444", "null"] {
        assert_eq!(allowed(&office, stranger).await, None, "{stranger}");
    }
    office.app.settings = origins(&["*"]);
    assert_eq!(allowed(&office, other).await.as_deref(), Some("*"));
}

#[tokio::test]
async fn a_page_may_read_what_went_wrong() {
    let page = "https://shop.example";
    let mut office = BoxOffice::empty("cors_problems").await.with_limits(&by_address(3));
    let cors_origins = vec![HeaderValue::from_static(page)];
    office.app.settings = Arc::new(EdgeSettings { cors_origins, ..EdgeSettings::default() });
    let ask = async |office: &BoxOffice, method, path, status| {
        let call = office.anyone(method, path).header("origin", page).peer("203.0.113.1");
        let answer = call.send().await;
        assert_eq!(answer.status, status, "{path}");
        assert_eq!(answer.header("access-control-allow-origin"), Some(page), "{path}");
        assert!(answer.header("x-request-id").is_some(), "{path}");
    };
    ask(&office, Method::GET, "/orders", 401).await;
    ask(&office, Method::PUT, "/events", 405).await;
    ask(&office, Method::GET, "/nowhere", 404).await;
    ask(&office, Method::GET, "/events", 429).await;
    let settings = SheddingSettings {
        target: Duration::from_millis(500),
        concurrency_min: 1,
        concurrency_max: 1,
    };
    let shedding = Arc::new(Shedding::new(&settings));
    office.app.shedding = Some(Arc::clone(&shedding));
    let at_work = shedding.take(Priority::Vital);
    ask(&office, Method::GET, "/events", 503).await;
    drop(at_work);
    let broken = office.with_limits(&by_address(9)).with_a_bug();
    ask(&broken, Method::GET, "/events", 500).await;
    let preflight = broken
        .anyone(Method::OPTIONS, "/holds")
        .header("origin", page)
        .header("access-control-request-method", "POST");
    assert!(preflight.send().await.header("x-request-id").is_some());
}

#[tokio::test]
async fn head_is_answered_as_get_is_without_the_body() {
    let office = BoxOffice::empty("head").await;
    for (path, status) in [("/events", 200), ("/orders", 401), ("/nowhere", 404), ("/holds", 401)] {
        let of_get = office.anyone(Method::GET, path).send().await;
        let of_head = office.anyone(Method::HEAD, path).send().await;
        assert_eq!((of_get.status.as_u16(), of_head.status.as_u16()), (status, status), "{path}");
        assert!(of_head.bytes.is_empty(), "{path}");
        let length = of_head.header("content-length").expect("how long it would be");
        assert_eq!(length, of_get.bytes.len().to_string(), "{path}");
        assert_eq!(of_head.header("content-type"), of_get.header("content-type"), "{path}");
    }
    let no_such = office.operator(Method::HEAD, "/admin/purchases/nowhere").send().await;
    assert_eq!((no_such.status.as_u16(), no_such.bytes.len()), (404, 0));
}
