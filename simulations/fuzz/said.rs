//! What a client is told of a form that is wrong.

use serde_json::Value;
use taquilla_api::problem::{Problem, over_the_wire};

/// It is `malformed-request`, with a hundred places at most, each named and explained, and how many more
/// there are.
pub fn is_malformed_request(problem: &Problem) {
    let answer = over_the_wire(problem);
    let head_end = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n").expect("a head ends");
    let body: Value = serde_json::from_slice(&answer[head_end + 4..]).expect("a problem is JSON");
    assert_eq!(body["type"], "/problems/malformed-request", "{body}");
    assert_eq!(body["status"], 400, "{body}");
    let errors = body["errors"].as_array().expect("it says what is wrong");
    assert!(!errors.is_empty() && errors.len() <= 101, "{body}");
    for error in errors {
        let pointer = error["pointer"].as_str().expect("a place");
        assert!(pointer.is_empty() || pointer.starts_with(['/', '?']), "{body}");
        assert!(!error["detail"].as_str().unwrap_or_default().is_empty(), "{body}");
    }
}
