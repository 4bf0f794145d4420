//! Every answer that a test sees, held against the OpenAPI document: its status is documented for the
//! operation, its media type for the status, and its body is what the schema says, with no member that
//! the schema does not know.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use axum::http::Method;
use jsonschema::Validator;
use parking_lot::Mutex;
use serde_json::{Value, json};
use taquilla_api::routes::document;

use super::client::Answer;

static DOCUMENT: LazyLock<Value> = LazyLock::new(|| {
    let json = document().to_json().expect("a document");
    serde_json::from_str(&json).expect("JSON")
});

static VALIDATORS: LazyLock<Mutex<HashMap<String, Arc<Validator>>>> = LazyLock::new(Mutex::default);

/// The document as it is served.
pub(crate) fn openapi() -> &'static Value {
    &DOCUMENT
}

/// Panics if the answer to this request is not as documented.
pub(crate) fn check(method: &Method, path: &str, answer: &Answer) {
    // What nothing is documented for is nobody's operation; other tests see to it.
    let Some((template, item)) = find(path) else { return };
    if answer.header("access-control-allow-methods").is_some() {
        // A browser's preflight; that is nobody's operation either.
        return;
    }
    let status = answer.status.as_str();
    let at = format!("{method} {template} {status}");
    let is_head = *method == Method::HEAD;
    let name = if is_head { "get".into() } else { method.as_str().to_lowercase() };
    let Some(operation) = item.get(&name) else {
        assert!(["401", "403", "405", "429", "503"].contains(&status), "{at}: no such operation");
        return;
    };
    let response = &operation["responses"][status];
    assert!(response.is_object(), "{at} is not documented: {answer:?}");
    if is_head {
        return;
    }
    let essence = answer.header("content-type").unwrap_or_default();
    let essence = essence.split(';').next().unwrap_or_default().trim();
    let Some(content) = response["content"].as_object() else {
        assert!(answer.bytes.is_empty(), "{at} has no body in the document: {answer:?}");
        return;
    };
    let media = content.get(essence);
    let media = media.unwrap_or_else(|| panic!("{at}: `{essence}` is not documented"));
    if !essence.ends_with("json") || answer.header("content-encoding").is_some() {
        return;
    }
    let body = answer.json();
    let validator = validator(&format!("{at} {essence}"), &media["schema"]);
    let misfits: Vec<_> = validator
        .iter_errors(&body)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(misfits.is_empty(), "{at}: {misfits:#?}\n{body:#}");
}

/// The path item that this path falls to, the one with fewer parameters first.
fn find(path: &str) -> Option<(&'static String, &'static Value)> {
    let paths = DOCUMENT["paths"].as_object().expect("paths");
    let fits = |template: &str| {
        let (mut given, mut wanted) = (path.split('/'), template.split('/'));
        loop {
            match (given.next(), wanted.next()) {
                (None, None) => return true,
                (Some(given), Some(wanted)) if given == wanted => {}
                (Some(given), Some(wanted)) if wanted.starts_with('{') && !given.is_empty() => {}
                (_, _) => return false,
            }
        }
    };
    let fitting = paths.iter().filter(|(template, _)| fits(template));
    fitting.min_by_key(|(template, _)| template.matches('{').count())
}

fn validator(name: &str, schema: &Value) -> Arc<Validator> {
    let mut validators = VALIDATORS.lock();
    if let Some(validator) = validators.get(name) {
        return Arc::clone(validator);
    }
    let mut root = json!({"allOf": [schema], "components": DOCUMENT["components"]});
    if *schema != json!({"type": "object"}) {
        root["unevaluatedProperties"] = json!(false);
    }
    let options = jsonschema::draft202012::options().should_validate_formats(true);
    let validator = options.build(&root).unwrap_or_else(|error| panic!("{name}: {error}"));
    let validator = Arc::new(validator);
    validators.insert(name.to_owned(), Arc::clone(&validator));
    validator
}
