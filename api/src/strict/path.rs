//! The name in a path: an id or a slug. It never refuses by itself, since a body's form is looked at
//! before it: what names nothing is not found.

use std::convert::Infallible;

use axum::extract::{FromRequestParts, Path};
use axum::http::request::Parts;
use taquilla_persistence::catalogue::Reference;
use uuid::Uuid;

use crate::problem::Problem;
use crate::slug;

/// The one parameter of a path, as it stands there.
pub struct PathName(String);

impl<S: Send + Sync> FromRequestParts<S> for PathName {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Infallible> {
        let name = Path::<String>::from_request_parts(parts, state).await;
        Ok(Self(name.map(|Path(name)| name).unwrap_or_default()))
    }
}

impl PathName {
    /// The id of the kind that `parse` knows.
    ///
    /// # Errors
    /// `not-found`, for what is no such id.
    pub fn id<T>(&self, parse: impl FnOnce(Uuid) -> Option<T>) -> Result<T, Problem> {
        Uuid::parse_str(&self.0).ok().and_then(parse).ok_or_else(Problem::not_found)
    }

    /// The id or slug of an event or venue.
    ///
    /// # Errors
    /// `not-found`, for what can be neither.
    pub fn reference(&self) -> Result<Reference, Problem> {
        slug::reference(&self.0).ok_or_else(Problem::not_found)
    }

    /// As it stands.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}
