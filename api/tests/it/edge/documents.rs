//! The OpenAPI document, and the pages of problems.

use std::collections::BTreeSet;

use axum::http::Method;
use serde_json::Value;
use taquilla_api::problem::table;

use super::box_office::BoxOffice;
use super::conformity::openapi;

fn served() -> Vec<(Method, String, Value)> {
    let document = openapi();
    assert_eq!(document["openapi"], "3.1.0");
    let paths = document["paths"].as_object().expect("paths").clone();
    let operations = paths.into_iter().flat_map(|(path, item)| {
        let item = item.as_object().expect("operations").clone();
        item.into_iter().map(move |(method, operation)| {
            let method = method.to_uppercase().parse().expect("a method");
            (method, path.clone(), operation)
        })
    });
    operations.collect()
}

#[tokio::test]
async fn router_and_document_agree() {
    let office = BoxOffice::empty("document").await;
    let served = served();
    assert!(served.len() > 15);
    let methods = [Method::GET, Method::POST, Method::PUT, Method::PATCH, Method::DELETE];
    let paths: BTreeSet<_> = served.iter().map(|(_, path, _)| path.clone()).collect();
    for path in paths {
        let uri = path.replace(['{', '}'], "");
        for method in &methods {
            let documented = served.iter().any(|(m, p, _)| (m, p) == (method, &path));
            let answer = office.operator(method.clone(), &uri).send().await;
            assert_eq!(answer.status != 405, documented, "{method} {path}");
        }
    }
    let json = office.anyone(Method::GET, "/openapi.json").send().await.ok(200);
    assert_eq!(json["paths"].as_object().map(|paths| paths.is_empty()), Some(false));
}

#[tokio::test]
async fn every_operation_documents_its_problems_and_refers_to_what_is_there() {
    let document = openapi();
    let schemas = document["components"]["schemas"].as_object().expect("schemas");
    let text = document.to_string();
    for reference in text.split("\"#/components/schemas/").skip(1) {
        let name = reference.split('"').next().expect("a name");
        assert!(schemas.contains_key(name), "{name} is nowhere");
    }
    for (method, path, operation) in served() {
        let responses = operation["responses"].as_object().expect("responses");
        // A provider's signature stands for a token.
        let signed = path.starts_with("/payments/webhooks/");
        let private = !operation["security"].is_null() || signed;
        assert_eq!(private, responses.contains_key("401"), "{method} {path}");
        let forbidden = responses.get("403").and_then(|it| it["description"].as_str());
        let scoped = forbidden.is_some_and(|slugs| slugs.contains("forbidden"));
        assert_eq!(path.starts_with("/admin/"), scoped, "{method} {path}");
    }
}

#[tokio::test]
async fn every_problem_has_its_page() {
    let office = BoxOffice::empty("pages").await;
    for kind in table::ALL {
        let page = office.anyone(Method::GET, &format!("/problems/{}", kind.slug)).send().await;
        assert_eq!(page.status, 200, "{}", kind.slug);
        let text = String::from_utf8_lossy(&page.bytes);
        assert!(text.contains(kind.title) && text.contains(kind.slug), "{text}");
    }
    office.anyone(Method::GET, "/problems/none").send().await.problem(404, "not-found");
}

#[tokio::test]
async fn the_entrance_leads_to_what_there_is() {
    let office = BoxOffice::empty("entrance").await;
    let entrance = office.anyone(Method::GET, "/").send().await.ok(200);
    assert_eq!(entrance["name"], "taquilla");
    for door in ["events", "openapi"] {
        let path = entrance[door].as_str().expect("a path");
        office.anyone(Method::GET, path).send().await.ok(200);
    }
}

#[test]
fn the_document_and_the_page_name_the_same_payment_methods() {
    let named = |text: &str| -> BTreeSet<String> {
        let words = text.split('`').filter(|word| word.starts_with("sim_"));
        words.map(str::to_owned).collect()
    };
    let schema = &openapi()["components"]["schemas"]["OpenAttempt"]["properties"]["payment_method"];
    let page = include_str!("../../../../docs/payment-methods.md");
    let methods = named(page);
    assert_eq!(methods.len(), 11, "{methods:?}");
    assert_eq!(named(schema["description"].as_str().expect("a description")), methods);
}
