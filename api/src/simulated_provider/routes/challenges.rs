//! The page at which a buyer answers a challenge.
//!
//! Opening it authorises, so that a person's browser does what a real bank's page would take a
//! finger for; `?answer=decline` declines. The first answer counts.

use std::sync::Arc;

use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::Html;
use serde::Deserialize;

use super::input::Reference;
use crate::simulated_provider::authorisation::Status;
use crate::simulated_provider::processor::Processor;
use crate::simulated_provider::refusal::Refusal;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Answer {
    #[serde(default)]
    answer: Choice,
}

#[derive(Default, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Choice {
    #[default]
    Accept,
    Decline,
}

pub(super) async fn answer_challenge(
    State(processor): State<Arc<Processor>>,
    Reference(reference): Reference,
    query: Result<Query<Answer>, QueryRejection>,
) -> Result<(StatusCode, Html<String>), Refusal> {
    let Query(Answer { answer }) =
        query.map_err(|rejection| Refusal::Malformed(rejection.body_text()))?;
    let accepts = matches!(answer, Choice::Accept);
    let authorisation = processor.answer_challenge(reference, accepts).await?;
    let (status, words) = match authorisation.status {
        Status::Authorised => (StatusCode::OK, "The payment is authorised."),
        Status::Declined if authorisation.voided => {
            (StatusCode::CONFLICT, "The payment was withdrawn: there is nothing to answer.")
        }
        Status::Declined => (StatusCode::OK, "The payment is declined."),
        Status::RequiresAction => (StatusCode::OK, "The payment waits for an answer."),
    };
    Ok((status, Html(page(words))))
}

fn page(words: &str) -> String {
    format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">\
         <title>Simulated bank</title></head>\
         <body><h1>Simulated bank</h1><p>{words}</p><p>You can close this page.</p></body></html>\n"
    )
}
