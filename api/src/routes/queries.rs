//! Query parameters where none are read. Handlers that take a query or a body refuse what they do not
//! know themselves; the others would pass over it.

use std::collections::HashSet;

use axum::extract::{MatchedPath, Request};
use axum::http::Method;
use utoipa::openapi::OpenApi;
use utoipa::openapi::path::Operation;

use crate::problem::Problem;
use crate::strict::{malformed, unknown_parameters};

/// The operations that read neither query nor body, by path and method.
pub(super) struct Unread(HashSet<(String, Method)>);

impl Unread {
    /// Those of this document.
    pub(super) fn of(document: &OpenApi) -> Self {
        let operations = document.paths.paths.iter().flat_map(|(path, item)| {
            let methods = [(Method::GET, &item.get), (Method::DELETE, &item.delete)];
            methods.into_iter().filter_map(move |(method, operation)| {
                let operation = operation.as_ref().filter(|operation| !reads_query(operation))?;
                operation.request_body.is_none().then(|| (path.clone(), method))
            })
        });
        Self(operations.collect())
    }

    /// Refuses every parameter of a request whose operation reads none.
    ///
    /// # Errors
    /// `malformed-request`, which names them.
    pub(super) fn refuse(&self, request: &Request) -> Result<(), Problem> {
        if request.uri().query().is_none() {
            return Ok(());
        }
        let Some(path) = request.extensions().get::<MatchedPath>() else { return Ok(()) };
        let method = match *request.method() {
            Method::HEAD => Method::GET,
            ref method => method.clone(),
        };
        if self.0.contains(&(path.as_str().to_owned(), method)) {
            let errors = unknown_parameters(request.uri(), &[]);
            if !errors.is_empty() {
                return Err(malformed(errors));
            }
        }
        Ok(())
    }
}

fn reads_query(operation: &Operation) -> bool {
    let parameters = serde_json::to_value(&operation.parameters).unwrap_or_default();
    let mut parameters = parameters.as_array().into_iter().flatten();
    parameters.any(|parameter| parameter["in"] == "query")
}
