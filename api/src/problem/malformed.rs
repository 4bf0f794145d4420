//! What is wrong with a request, place by place.

use serde::Serialize;
use utoipa::ToSchema;

use super::{Problem, table};

/// One place of a request, and what is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct FormError {
    /// A JSON pointer into the body, `?name` for a query parameter, or a header's name.
    pub pointer: String,
    /// In words.
    pub detail: String,
}

impl FormError {
    /// This place is wrong in this way.
    #[must_use]
    pub fn at(pointer: impl Into<String>, detail: impl Into<String>) -> Self {
        Self { pointer: pointer.into(), detail: detail.into() }
    }
}

impl From<FormError> for Problem {
    fn from(error: FormError) -> Self {
        malformed(vec![error])
    }
}

/// Nobody mends more at once, and a body of nothing but misfits is not to be answered by a longer one.
pub const ERRORS_MAX: usize = 100;

/// A request whose form is wrong in these places; told are the first hundred, and how many more.
#[must_use]
pub fn malformed(errors: Vec<FormError>) -> Problem {
    FormErrors::from(errors).into_problem()
}

/// The errors found so far by checks that go on after the first. Beyond [`ERRORS_MAX`] they are only
/// counted.
#[derive(Clone, Debug, Default)]
pub struct FormErrors {
    told: Vec<FormError>,
    more: usize,
}

impl From<Vec<FormError>> for FormErrors {
    fn from(mut told: Vec<FormError>) -> Self {
        let more = told.len().saturating_sub(ERRORS_MAX);
        told.truncate(ERRORS_MAX);
        Self { told, more }
    }
}

impl FormErrors {
    /// Notes one more.
    pub fn add(&mut self, pointer: impl Into<String>, detail: impl Into<String>) {
        if self.told.len() < ERRORS_MAX {
            self.told.push(FormError::at(pointer, detail));
        } else {
            self.more += 1;
        }
    }

    /// Notes some more.
    pub fn extend(&mut self, errors: Vec<FormError>) {
        errors.into_iter().for_each(|FormError { pointer, detail }| self.add(pointer, detail));
    }

    /// Notes one unless `holds`.
    pub fn require(&mut self, holds: bool, pointer: &str, detail: &str) {
        if !holds {
            self.add(pointer, detail);
        }
    }

    /// Whether nothing was noted.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.told.is_empty()
    }

    /// All that is told of what was noted.
    #[must_use]
    pub fn into_errors(self) -> Vec<FormError> {
        let Self { told: mut errors, more } = self;
        if more > 0 {
            errors.push(FormError::at("", format!("and {more} more places")));
        }
        errors
    }

    /// The problem, if anything was noted.
    ///
    /// # Errors
    /// All that was noted, as one problem.
    pub fn into_result(self) -> Result<(), Problem> {
        if self.told.is_empty() { Ok(()) } else { Err(self.into_problem()) }
    }

    /// All that was noted, as one problem; something was.
    #[must_use]
    pub fn into_problem(self) -> Problem {
        let detail = match (self.told.as_slice(), self.more) {
            ([only], _) if only.pointer.is_empty() => only.detail.clone(),
            ([only], _) => format!("{}: {}", only.pointer, only.detail),
            (several, more) => format!("{} places of the request are wrong", several.len() + more),
        };
        Problem::new(&table::MALFORMED_REQUEST, detail).with("errors", self.into_errors())
    }
}
