//! What makes two requests the same: method, path, and what the body says. White space and the order
//! of keys say nothing.

use axum::http::Method;
use serde_json::Value;
use sha2::{Digest, Sha256};
use taquilla_engine::hold::Fingerprint;

/// SHA-256 over method, path and the body's canonical form, each with its length or a tag before it,
/// so that no two requests are written the same way.
pub(super) fn fingerprint(method: &Method, path: &str, body: &Value) -> Fingerprint {
    let mut hash = Sha256::new();
    write_text(&mut hash, b'm', method.as_str());
    write_text(&mut hash, b'p', path);
    write(&mut hash, body);
    hash.finalize().into()
}

fn write(hash: &mut Sha256, value: &Value) {
    match value {
        Value::Null => hash.update(b"0"),
        Value::Bool(false) => hash.update(b"f"),
        Value::Bool(true) => hash.update(b"t"),
        Value::Number(number) => write_text(hash, b'n', &number.to_string()),
        Value::String(text) => write_text(hash, b's', text),
        Value::Array(items) => {
            write_length(hash, b'a', items.len());
            items.iter().for_each(|item| write(hash, item));
        }
        Value::Object(members) => {
            write_length(hash, b'o', members.len());
            let mut members: Vec<_> = members.iter().collect();
            members.sort_by_key(|(key, _)| *key);
            for (key, value) in members {
                write_text(hash, b'k', key);
                write(hash, value);
            }
        }
    }
}

fn write_text(hash: &mut Sha256, tag: u8, text: &str) {
    write_length(hash, tag, text.len());
    hash.update(text);
}

fn write_length(hash: &mut Sha256, tag: u8, length: usize) {
    hash.update([tag]);
    hash.update((length as u64).to_be_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(path: &str, body: &str) -> Fingerprint {
        fingerprint(&Method::POST, path, &serde_json::from_str(body).expect("JSON"))
    }

    #[test]
    fn white_space_and_the_order_of_keys_say_nothing() {
        let one = of("/holds", r#"{"a": [1, "x"], "b": {"c": null, "d": true}}"#);
        let other = of("/holds", r#"{"b":{"d":true,"c":null},"a":[1,"\u0078"]}"#);
        assert_eq!(one, other);
    }

    #[test]
    fn everything_else_does() {
        let bodies = [r#"{"a": 1}"#, r#"{"a": "1"}"#, r#"{"a": [1]}"#, r#"{"b": 1}"#, "{}", "[]"];
        let mut seen: Vec<_> = bodies.iter().map(|body| of("/holds", body)).collect();
        seen.push(of("/orders", bodies[0]));
        seen.push(of("/holds", r#"{"a": [1, 2]}"#));
        seen.push(of("/holds", r#"{"a": [2, 1]}"#));
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), 9);
    }
}
