//! Methods that a path does not take. Which ones it takes the router says in `Allow`, outside of every
//! handler and layer; so the problem's words have them from the document.

use std::collections::HashMap;

use axum::extract::MatchedPath;
use utoipa::openapi::OpenApi;
use utoipa::openapi::path::PathItem;

use crate::problem::{Problem, no_such_method};

/// The methods of each path, in words.
#[derive(Default)]
pub(super) struct Taken(HashMap<String, String>);

impl Taken {
    /// Those of this document.
    pub(super) fn of(document: &OpenApi) -> Self {
        let words = |(path, item): (&String, &PathItem)| (path.clone(), methods(item).join(", "));
        Self(document.paths.paths.iter().map(words).collect())
    }

    /// The problem of a request by another method.
    pub(super) fn refuse(&self, path: &MatchedPath) -> Problem {
        no_such_method(self.0.get(path.as_str()).map_or("", String::as_str))
    }
}

/// Whoever takes `GET` takes `HEAD`.
fn methods(item: &PathItem) -> Vec<&'static str> {
    let methods = [
        ("GET", item.get.is_some()),
        ("HEAD", item.get.is_some()),
        ("POST", item.post.is_some()),
        ("PUT", item.put.is_some()),
        ("PATCH", item.patch.is_some()),
        ("DELETE", item.delete.is_some()),
    ];
    methods.into_iter().filter(|(_, taken)| *taken).map(|(method, _)| method).collect()
}
