//! Problems in the OpenAPI document: for each operation the set that it may answer with.

use std::collections::BTreeMap;

use utoipa::openapi::{Content, Ref, RefOr, Response, ResponseBuilder};
use utoipa::{IntoResponses, ToSchema};

use super::{ProblemType, table};

/// RFC 9457, `application/problem+json`. Some problems have further members; see their pages.
#[derive(ToSchema, serde::Serialize)]
#[schema(as = Problem)]
pub struct ProblemSchema {
    /// `/problems/<slug>`: a page that explains it.
    #[schema(example = "/problems/not-found")]
    pub r#type: String,
    /// The same for every occurrence.
    pub title: String,
    /// As the status line says.
    pub status: u16,
    /// What happened this time.
    pub detail: String,
    /// The request's path.
    pub instance: String,
}

/// One entry a status; problems that share one are listed in its description.
fn responses(kinds: &[&ProblemType]) -> BTreeMap<String, RefOr<Response>> {
    let mut slugs: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for kind in kinds {
        slugs.entry(kind.status.as_str().to_owned()).or_default().push(kind.slug);
    }
    let response = |slugs: Vec<&str>| {
        let content = Content::new(Some(Ref::from_schema_name("Problem")));
        ResponseBuilder::new()
            .description(slugs.join(", "))
            .content("application/problem+json", content)
            .build()
    };
    slugs.into_iter().map(|(status, slugs)| (status, response(slugs).into())).collect()
}

macro_rules! documented {
    ($($(#[$doc:meta])* $name:ident: $($kind:ident)+;)*) => {
        $(
            $(#[$doc])*
            pub struct $name;

            impl IntoResponses for $name {
                fn responses() -> BTreeMap<String, RefOr<Response>> {
                    responses(&[$(&table::$kind),+])
                }
            }
        )*
    };
}

documented! {
    /// Of a public read of one thing.
    PublicReadProblems: MALFORMED_REQUEST NOT_FOUND INTERNAL_ERROR PURCHASES_PAUSED;
    /// Of asking whether the process may take traffic.
    ReadinessProblems: PURCHASES_PAUSED INTERNAL_ERROR;
    /// Of a public list.
    PublicListProblems: MALFORMED_REQUEST INTERNAL_ERROR PURCHASES_PAUSED;
    /// Of a buyer's reads.
    BuyerReadProblems: MALFORMED_REQUEST UNAUTHENTICATED NOT_FOUND INTERNAL_ERROR OVERLOADED
        PURCHASES_PAUSED OUTCOME_UNKNOWN;
    /// Of `POST /holds`.
    PlaceHoldProblems: MALFORMED_REQUEST UNAUTHENTICATED ADMISSION_REQUIRED NOT_FOUND
        PAYLOAD_TOO_LARGE UNSUPPORTED_MEDIA_TYPE SEATS_UNAVAILABLE BUYER_LIMIT_EXCEEDED SALE_NOT_OPEN
        IDEMPOTENCY_KEY_IN_USE IDEMPOTENCY_KEY_REUSED INTERNAL_ERROR OVERLOADED PURCHASES_PAUSED
        OUTCOME_UNKNOWN;
    /// Of giving a hold back.
    ReleaseHoldProblems: UNAUTHENTICATED NOT_FOUND HOLD_NOT_ACTIVE INTERNAL_ERROR OVERLOADED
        PURCHASES_PAUSED OUTCOME_UNKNOWN;
    /// Of giving part of a hold back.
    ReleaseItemsProblems: MALFORMED_REQUEST UNAUTHENTICATED NOT_FOUND HOLD_NOT_ACTIVE
        ORDER_NOT_CANCELLABLE INTERNAL_ERROR OVERLOADED PURCHASES_PAUSED OUTCOME_UNKNOWN;
    /// Of `POST /orders`.
    PlaceOrderProblems: MALFORMED_REQUEST UNAUTHENTICATED ADMISSION_REQUIRED NOT_FOUND
        PAYLOAD_TOO_LARGE UNSUPPORTED_MEDIA_TYPE SALE_NOT_OPEN HOLD_NOT_ACTIVE IDEMPOTENCY_KEY_IN_USE
        IDEMPOTENCY_KEY_REUSED INTERNAL_ERROR OVERLOADED PURCHASES_PAUSED OUTCOME_UNKNOWN;
    /// Of giving an order up.
    CancelOrderProblems: UNAUTHENTICATED NOT_FOUND ORDER_NOT_CANCELLABLE INTERNAL_ERROR OVERLOADED
        PURCHASES_PAUSED OUTCOME_UNKNOWN;
    /// Of opening a payment attempt.
    OpenAttemptProblems: MALFORMED_REQUEST UNAUTHENTICATED NOT_FOUND PAYLOAD_TOO_LARGE
        UNSUPPORTED_MEDIA_TYPE SALE_NOT_OPEN HOLD_NOT_ACTIVE ORDER_NOT_PAYABLE IDEMPOTENCY_KEY_REUSED
        INTERNAL_ERROR OVERLOADED PURCHASES_PAUSED OUTCOME_UNKNOWN;
    /// Of an operator's lists and reads.
    OperatorReadProblems: MALFORMED_REQUEST UNAUTHENTICATED FORBIDDEN NOT_FOUND INTERNAL_ERROR
        PURCHASES_PAUSED;
    /// Of making a venue.
    CreateVenueProblems: MALFORMED_REQUEST UNAUTHENTICATED FORBIDDEN PAYLOAD_TOO_LARGE
        UNSUPPORTED_MEDIA_TYPE ALREADY_EXISTS PLAN_INVALID INTERNAL_ERROR PURCHASES_PAUSED
        OUTCOME_UNKNOWN;
    /// Of an operator's change to an event.
    ChangeEventProblems: MALFORMED_REQUEST UNAUTHENTICATED FORBIDDEN NOT_FOUND PAYLOAD_TOO_LARGE
        UNSUPPORTED_MEDIA_TYPE SALE_NOT_OPEN CONFLICTS_WITH_SALES INTERNAL_ERROR OVERLOADED
        PURCHASES_PAUSED OUTCOME_UNKNOWN;
    /// Of an operator's change to the site.
    ChangeSiteProblems: MALFORMED_REQUEST UNAUTHENTICATED FORBIDDEN PAYLOAD_TOO_LARGE
        UNSUPPORTED_MEDIA_TYPE INTERNAL_ERROR PURCHASES_PAUSED OUTCOME_UNKNOWN;
    /// Of making an event.
    CreateEventProblems: MALFORMED_REQUEST UNAUTHENTICATED FORBIDDEN NOT_FOUND PAYLOAD_TOO_LARGE
        UNSUPPORTED_MEDIA_TYPE ALREADY_EXISTS INTERNAL_ERROR PURCHASES_PAUSED OUTCOME_UNKNOWN;
}
