//! A query string as an extractor.

use axum::extract::FromRequestParts;
use axum::http::Uri;
use axum::http::request::Parts;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::pointer::key_of_token;
use super::{FormError, form, malformed};
use crate::problem::Problem;

/// The query of this type; its fields are read from text. A parameter that the type does not know, or
/// one that stands twice, is refused.
pub struct StrictQuery<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for StrictQuery<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let parameters = read(&parts.uri)?;
        let mut errors = Vec::new();
        let mut once = Map::new();
        for (name, value) in parameters {
            if once.contains_key(&name) {
                errors.push(FormError::at(format!("?{name}"), "this parameter stands twice"));
            }
            once.insert(name, Value::String(value));
        }
        let read = form::read(&Value::Object(once)).map_err(|misfits| {
            misfits.into_iter().map(|FormError { pointer, detail }| {
                let name = key_of_token(pointer.trim_start_matches('/'));
                FormError { pointer: format!("?{name}"), detail }
            })
        });
        match read {
            Ok(query) if errors.is_empty() => Ok(Self(query)),
            Ok(_) => Err(malformed(errors)),
            Err(misfits) => {
                errors.extend(misfits);
                Err(malformed(errors))
            }
        }
    }
}

/// An error for each parameter of the request that is not among these.
pub fn unknown_parameters(uri: &Uri, known: &[String]) -> Vec<FormError> {
    let parameters = match read(uri) {
        Ok(parameters) => parameters,
        Err(error) => return vec![error],
    };
    let unknown = parameters.into_iter().filter(|(name, _)| !known.contains(name));
    let error = |(name, _)| FormError::at(format!("?{name}"), "this parameter is not known here");
    unknown.map(error).collect()
}

/// Names and values, in order.
fn read(uri: &Uri) -> Result<Vec<(String, String)>, FormError> {
    let pairs = uri.query().unwrap_or_default().split('&').filter(|pair| !pair.is_empty());
    let pair = |pair: &str| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        Some((decode(name)?, decode(value)?))
    };
    let read: Option<_> = pairs.map(pair).collect();
    read.ok_or_else(|| FormError::at("?", "the query is not form-encoded UTF-8"))
}

/// `+` is a space, `%` and two hexadecimal digits a byte; the bytes are UTF-8. Decoders that put
/// something in the place of what they cannot read would find what nobody asked for.
fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        bytes.push(match first {
            b'+' => b' ',
            b'%' => {
                let (digits, after) = rest.split_first_chunk::<2>()?;
                rest = after;
                let digit = |digit: u8| char::from(digit).to_digit(16);
                u8::try_from(digit(digits[0])? * 16 + digit(digits[1])?).ok()?
            }
            other => *other,
        });
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_is_form_encoded_utf_8() {
        for (text, decoded) in [
            ("", Some("")),
            ("a+b%20c", Some("a b c")),
            ("%C3%b1", Some("ñ")),
            ("%2B", Some("+")),
            ("%", None),
            ("%4", None),
            ("%+1", None),
            ("%FF", None),
        ] {
            assert_eq!(decode(text).as_deref(), decoded, "{text}");
        }
    }

    #[test]
    fn parameters_that_nobody_reads_are_named() {
        let uri = Uri::from_static("/x?a=1&b%2Fc&a=2&d=");
        let unknown = unknown_parameters(&uri, &["a".into(), "d".into()]);
        assert_eq!(unknown, [FormError::at("?b/c", "this parameter is not known here")]);
    }
}
