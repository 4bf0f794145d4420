//! Problems in the OpenAPI document: for each operation the set that it may answer with.

use std::collections::BTreeMap;

use serde_json::json;
use utoipa::openapi::schema::OneOf;
use utoipa::openapi::{Content, Ref, RefOr, Response, ResponseBuilder, Schema};
use utoipa::{IntoResponses, ToSchema};

use super::{ProblemType, members, table, type_of};

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

/// Any operation may refuse a query that it does not know, and any may meet a bug.
static ANYWHERE: &[&ProblemType] = &[&table::MALFORMED_REQUEST, &table::INTERNAL_ERROR];

/// And any that is counted by address may be asked too often.
static COUNTED: &[&ProblemType] =
    &[&table::MALFORMED_REQUEST, &table::TOO_MANY_REQUESTS, &table::INTERNAL_ERROR];

/// One entry a status; problems that share one are listed in its description, and the body is one of
/// theirs.
fn responses(
    all_have: &[&ProblemType],
    kinds: &[&ProblemType],
) -> BTreeMap<String, RefOr<Response>> {
    let mut by_status: BTreeMap<&str, Vec<&ProblemType>> = BTreeMap::new();
    for kind in all_have.iter().chain(kinds) {
        let kinds = by_status.entry(kind.status.as_str()).or_default();
        if !kinds.contains(kind) {
            kinds.push(kind);
        }
    }
    let response = |kinds: &[&ProblemType]| {
        let slugs: Vec<_> = kinds.iter().map(|kind| kind.slug).collect();
        let content = match kinds {
            [only] => Content::new(Some(Ref::from_schema_name(schema_name(only)))),
            several => {
                let mut one_of = OneOf::new();
                let schemas = several.iter().map(|kind| Ref::from_schema_name(schema_name(kind)));
                one_of.items.extend(schemas.map(RefOr::from));
                Content::new(Some(Schema::OneOf(one_of)))
            }
        };
        let response = ResponseBuilder::new()
            .description(slugs.join(", "))
            .content("application/problem+json", content);
        response.build().into()
    };
    by_status.iter().map(|(status, kinds)| ((*status).to_owned(), response(kinds))).collect()
}

/// The schema of every problem, by its name in the document: what all have, its own `type` and
/// status, and its own members.
#[must_use]
pub fn problem_schemas() -> BTreeMap<String, RefOr<Schema>> {
    let schema = |kind: &&ProblemType| {
        let mut own = members::schema(kind.members);
        own["properties"]["type"] = json!({"type": "string", "enum": [type_of(kind)]});
        own["properties"]["status"] = json!({"type": "integer", "enum": [kind.status.as_u16()]});
        let problem = json!({"$ref": "#/components/schemas/Problem"});
        let schema = json!({"description": kind.meaning, "allOf": [problem, own]});
        serde_json::from_value(schema).expect("a schema of ours is one")
    };
    table::ALL.iter().map(|kind| (schema_name(kind), schema(kind))).collect()
}

/// `SeatsUnavailableProblem` of `seats-unavailable`.
fn schema_name(kind: &ProblemType) -> String {
    let word = |word: &str| {
        let (first, rest) = word.split_at(1);
        first.to_uppercase() + rest
    };
    let words: String = kind.slug.split('-').map(word).collect();
    words + "Problem"
}

macro_rules! documented {
    ($all_have:ident: $($(#[$doc:meta])* $name:ident: $($kind:ident)+;)*) => {
        $(
            $(#[$doc])*
            pub struct $name;

            impl IntoResponses for $name {
                fn responses() -> BTreeMap<String, RefOr<Response>> {
                    responses($all_have, &[$(&table::$kind),+])
                }
            }
        )*
    };
}

documented! {
    ANYWHERE:
    /// Of an operation that has none of its own.
    PlainProblems: INTERNAL_ERROR;
    /// Of a document.
    DocumentProblems: OVERLOADED;
    /// Of a problem's page.
    PageProblems: NOT_FOUND OVERLOADED;
    /// Of asking whether the process may take traffic.
    ReadinessProblems: PURCHASES_PAUSED INTERNAL_ERROR OVERLOADED;
    /// Of taking a provider's notice.
    TakeNoticeProblems: MALFORMED_REQUEST UNAUTHENTICATED NOT_FOUND PAYLOAD_TOO_LARGE INTERNAL_ERROR
        OVERLOADED;
}

documented! {
    COUNTED:
    /// Of a public read of what is always there.
    PublicConstantProblems: OVERLOADED;
    /// Of a public read of one thing.
    PublicReadProblems: NOT_FOUND OVERLOADED PURCHASES_PAUSED;
    /// Of a public list.
    PublicListProblems: MALFORMED_REQUEST INTERNAL_ERROR OVERLOADED PURCHASES_PAUSED;
    /// Of a buyer's reads.
    BuyerReadProblems: MALFORMED_REQUEST UNAUTHENTICATED NOT_FOUND INTERNAL_ERROR OVERLOADED
        PURCHASES_PAUSED OUTCOME_UNKNOWN;
    /// Of joining a waiting room.
    JoinQueueProblems: SALE_NOT_OPEN MALFORMED_REQUEST UNAUTHENTICATED CHALLENGE_REQUIRED NOT_FOUND
        PAYLOAD_TOO_LARGE UNSUPPORTED_MEDIA_TYPE INTERNAL_ERROR OVERLOADED PURCHASES_PAUSED OUTCOME_UNKNOWN;
    /// Of `POST /holds`.
    PlaceHoldProblems: MALFORMED_REQUEST UNAUTHENTICATED ADMISSION_REQUIRED NOT_FOUND
        PAYLOAD_TOO_LARGE UNSUPPORTED_MEDIA_TYPE SEATS_UNAVAILABLE BUYER_LIMIT_EXCEEDED SALE_NOT_OPEN
        IDEMPOTENCY_KEY_IN_USE IDEMPOTENCY_KEY_REUSED TOO_MANY_REQUESTS INTERNAL_ERROR OVERLOADED
        PURCHASES_PAUSED OUTCOME_UNKNOWN;
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
        OVERLOADED PURCHASES_PAUSED;
    /// Of making a venue.
    CreateVenueProblems: MALFORMED_REQUEST UNAUTHENTICATED FORBIDDEN PAYLOAD_TOO_LARGE
        UNSUPPORTED_MEDIA_TYPE ALREADY_EXISTS PLAN_INVALID INTERNAL_ERROR OVERLOADED
        PURCHASES_PAUSED OUTCOME_UNKNOWN;
    /// Of making a plan of a venue.
    CreatePlanProblems: MALFORMED_REQUEST UNAUTHENTICATED FORBIDDEN NOT_FOUND PAYLOAD_TOO_LARGE
        UNSUPPORTED_MEDIA_TYPE ALREADY_EXISTS PLAN_INVALID INTERNAL_ERROR OVERLOADED
        PURCHASES_PAUSED OUTCOME_UNKNOWN;
    /// Of an operator's change to an event.
    ChangeEventProblems: MALFORMED_REQUEST UNAUTHENTICATED FORBIDDEN NOT_FOUND PAYLOAD_TOO_LARGE
        UNSUPPORTED_MEDIA_TYPE SALE_NOT_OPEN CONFLICTS_WITH_SALES INTERNAL_ERROR OVERLOADED
        PURCHASES_PAUSED OUTCOME_UNKNOWN;
    /// Of what an operator sets of a waiting room.
    ChangeAdmissionProblems: MALFORMED_REQUEST UNAUTHENTICATED FORBIDDEN NOT_FOUND PAYLOAD_TOO_LARGE
        UNSUPPORTED_MEDIA_TYPE INTERNAL_ERROR OVERLOADED PURCHASES_PAUSED OUTCOME_UNKNOWN;
    /// Of taking sold tickets back.
    RefundProblems: MALFORMED_REQUEST UNAUTHENTICATED FORBIDDEN NOT_FOUND PAYLOAD_TOO_LARGE
        UNSUPPORTED_MEDIA_TYPE REFUND_NOT_POSSIBLE IDEMPOTENCY_KEY_IN_USE IDEMPOTENCY_KEY_REUSED
        INTERNAL_ERROR OVERLOADED PURCHASES_PAUSED OUTCOME_UNKNOWN;
    /// Of a scan at a gate.
    ScanTicketProblems: MALFORMED_REQUEST UNAUTHENTICATED FORBIDDEN PAYLOAD_TOO_LARGE
        UNSUPPORTED_MEDIA_TYPE IDEMPOTENCY_KEY_REUSED INTERNAL_ERROR OVERLOADED PURCHASES_PAUSED
        OUTCOME_UNKNOWN;
    /// Of an operator's change to the site.
    ChangeSiteProblems: MALFORMED_REQUEST UNAUTHENTICATED FORBIDDEN PAYLOAD_TOO_LARGE
        UNSUPPORTED_MEDIA_TYPE INTERNAL_ERROR OVERLOADED PURCHASES_PAUSED OUTCOME_UNKNOWN;
    /// Of making an event.
    CreateEventProblems: MALFORMED_REQUEST UNAUTHENTICATED FORBIDDEN NOT_FOUND PAYLOAD_TOO_LARGE
        UNSUPPORTED_MEDIA_TYPE ALREADY_EXISTS INTERNAL_ERROR OVERLOADED PURCHASES_PAUSED
        OUTCOME_UNKNOWN;
}
