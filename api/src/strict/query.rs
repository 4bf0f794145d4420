//! A query string as an extractor.

use axum::extract::{FromRequestParts, Query};
use axum::http::request::Parts;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::{FormError, located};
use crate::problem::Problem;

/// The query of this type; its fields are read from text. A parameter that the type does not know, or
/// one that stands twice, is refused.
pub struct StrictQuery<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for StrictQuery<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let pairs = Query::<Vec<(String, String)>>::try_from_uri(&parts.uri)
            .map_err(|_| FormError::at("?", "the query is not form-encoded UTF-8"))?;
        let mut parameters = Map::new();
        for (name, value) in pairs.0 {
            if parameters.contains_key(&name) {
                return Err(FormError::at(format!("?{name}"), "this parameter stands twice").into());
            }
            parameters.insert(name, Value::String(value));
        }
        let read = located::read(&Value::Object(parameters));
        Ok(Self(read.map_err(|error| FormError {
            pointer: error.pointer.replacen('/', "?", 1),
            detail: error.detail,
        })?))
    }
}
