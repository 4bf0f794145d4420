//! Pages of other origins: which may call.

use std::sync::Arc;

use axum::http::{HeaderValue, Method};
use taquilla_api::EdgeSettings;

use super::box_office::BoxOffice;

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
