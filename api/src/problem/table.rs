//! The table of problems: slug, status, title, and what the page at `/problems/<slug>` says. The
//! same problem always has the same slug and status.

use axum::http::StatusCode;

use super::members::Members;

/// One row.
#[derive(Debug, PartialEq, Eq)]
pub struct ProblemType {
    /// Ends the `type` URI, `/problems/<slug>`.
    pub slug: &'static str,
    /// Its HTTP status.
    pub status: StatusCode,
    /// The same for every occurrence.
    pub title: &'static str,
    /// For the page: when it comes, what it carries, what to do.
    pub meaning: &'static str,
    /// Sent as `Retry-After`, where the occurrence does not know better.
    pub retry_after_seconds: Option<u32>,
    /// What it has beyond the members that all have.
    pub members: Members,
}

macro_rules! problems {
    ($($name:ident $slug:literal $status:ident $members:ident $retry:expr, $title:literal, $meaning:literal;)*) => {
        $(
            #[doc = $title]
            pub static $name: ProblemType = ProblemType {
                slug: $slug,
                status: StatusCode::$status,
                title: $title,
                meaning: $meaning,
                retry_after_seconds: $retry,
                members: Members::$members,
            };
        )*

        /// Every problem that an answer may be.
        pub static ALL: &[&ProblemType] = &[$(&$name),*];
    };
}

problems! {
    MALFORMED_REQUEST "malformed-request" BAD_REQUEST Errors None,
        "The request cannot be understood",
        "Body, query or a header is not what it must be. `errors` names each place by `pointer` (a JSON \
         pointer into the body, `?name` for a query parameter, or the header's name) and says in \
         `detail` what is wrong with it. Unknown fields, and seats or sections that the event does \
         not have, are named too. Nothing was done; the idempotency key is not used up.";
    UNAUTHENTICATED "unauthenticated" UNAUTHORIZED None None,
        "No valid token",
        "The request needs `Authorization: Bearer <JWT>` with a token that is signed by the right key, \
         in its time, and made for this service.";
    FORBIDDEN "forbidden" FORBIDDEN None None,
        "The token does not allow this",
        "The token is valid but lacks the scope that this path needs, such as `operator`.";
    ADMISSION_REQUIRED "admission-required" FORBIDDEN None None,
        "Not admitted to this sale",
        "The sale has a waiting room. The `Admission-Token` header must carry the token that the \
         waiting room gave to this buyer for this event, and the token must not have expired.";
    CHALLENGE_REQUIRED "challenge-required" FORBIDDEN Challenge None,
        "A challenge must be solved first",
        "`challenge` is ALTCHA's: find the number from 0 to `maxnumber` whose SHA-256 after `salt` is \
         `challenge`, as hex. Base64 of the JSON with `algorithm`, `challenge`, `number`, `salt` and \
         `signature` is sent as `challenge_response` with the next try. `detail` says what was wrong with \
         the last one. Who has a place already needs none.";
    NOT_FOUND "not-found" NOT_FOUND None None,
        "No such thing",
        "Nothing has this id or path, or it belongs to another buyer: the two are never told apart.";
    METHOD_NOT_ALLOWED "method-not-allowed" METHOD_NOT_ALLOWED None None,
        "The path does not take this method",
        "The `Allow` header lists the methods that it takes.";
    PAYLOAD_TOO_LARGE "payload-too-large" PAYLOAD_TOO_LARGE None None,
        "The body is too large",
        "A body may have 64 KiB; a payment provider's notice 256 KiB, an event and a change of one 1 MiB, blocks 4 MiB, \
         a venue with its plan 32 MiB.";
    UNSUPPORTED_MEDIA_TYPE "unsupported-media-type" UNSUPPORTED_MEDIA_TYPE None None,
        "The body is not JSON",
        "A body must be `application/json`, `Content-Type` must say so, and it must not be compressed.";
    SEATS_UNAVAILABLE "seats-unavailable" CONFLICT Unavailable None,
        "Not all of this can be had",
        "`seats` names every seat asked for that is held, sold or blocked; `sections` every section \
         without so many places. Nothing was taken.";
    BUYER_LIMIT_EXCEEDED "buyer-limit-exceeded" CONFLICT Limit None,
        "More seats than one buyer may have",
        "`limit` is the most that one buyer may hold and own in this event, `held` what this buyer has.";
    HOLD_NOT_ACTIVE "hold-not-active" CONFLICT HoldStatus None,
        "The hold is over or sold",
        "`hold_status` says what became of it: `expired`, `released` or `converted`.";
    ORDER_NOT_PAYABLE "order-not-payable" CONFLICT OrderStatus None,
        "The order takes no payment now",
        "An attempt is open, the order has come to its end, or its attempts are used up: \
         `order_status` says where it stands.";
    SALE_NOT_OPEN "sale-not-open" CONFLICT Sale None,
        "The sale takes no holds now",
        "`sale_status` says where the sale stands, `opens_at` when it opens or did. The idempotency \
         key is not used up.";
    IDEMPOTENCY_KEY_IN_USE "idempotency-key-in-use" CONFLICT None Some(1),
        "The first request of this key is still being decided",
        "Repeat the request; its result will come back.";
    CONFLICTS_WITH_SALES "conflicts-with-sales" CONFLICT Conflict None,
        "The change contradicts what is held or sold",
        "`sold`, `held`, `asked` and `seats` say what stands in the way; of general sections, `sections` \
         says it of each. Nothing was done.";
    ALREADY_EXISTS "already-exists" CONFLICT None None,
        "There is one of this name already",
        "Slugs are unique. Choose another one, or use what is there.";
    REFUND_NOT_POSSIBLE "refund-not-possible" CONFLICT None None,
        "This cannot be refunded",
        "The order is not confirmed, or nothing of it is left, or a ticket that is named has come back \
         already. Nothing was done.";
    ORDER_NOT_CANCELLABLE "order-not-cancellable" CONFLICT None None,
        "The order can no longer be given up",
        "It is confirmed: its seats are sold. Or items of a hold were to be given back that has an \
         order.";
    IDEMPOTENCY_KEY_REUSED "idempotency-key-reused" UNPROCESSABLE_ENTITY None None,
        "The idempotency key was used for another request",
        "A key stands for one method, path and body. Use a new key for a new request.";
    PLAN_INVALID "plan-invalid" UNPROCESSABLE_ENTITY Defects None,
        "The seating plan cannot be used as it is",
        "`defects` lists all of them: `code`, `where` in the plan, and `detail`.";
    TOO_MANY_REQUESTS "too-many-requests" TOO_MANY_REQUESTS None Some(1),
        "Too many requests",
        "`RateLimit` and `RateLimit-Policy` say how many are allowed, `Retry-After` when to come back. The policy \
         `dropped-holds` is about holds of one buyer in one event that ended without being bought. Nothing was \
         done; the idempotency key is not used up.";
    INTERNAL_ERROR "internal-error" INTERNAL_SERVER_ERROR None None,
        "Something went wrong on our side",
        "A bug. It is looked at. Repeat with the same idempotency key.";
    OVERLOADED "overloaded" SERVICE_UNAVAILABLE None Some(1),
        "Too much at once",
        "The request was turned away before anything was decided. It is safe to repeat.";
    PURCHASES_PAUSED "purchases-paused" SERVICE_UNAVAILABLE Pause Some(2),
        "Nothing is sold at the moment",
        "`reason` says why: an operator's own words, or `starting` (the event's owner is being made), \
         `database-unavailable`, `fenced` (another process has the event), `clock-uncertain`, \
         `invariant-broken`, `section-quarantined`, `reconciliation-unsafe` (no new payment is taken \
         until the payment provider's records and ours agree; holds go on). `sections`, where present, says which part of the \
         event. Nobody loses what is theirs. It is safe to repeat.";
    OUTCOME_UNKNOWN "outcome-unknown" SERVICE_UNAVAILABLE None Some(1),
        "It is not known whether this was done",
        "The decision could not be learnt in time. Repeat with the same idempotency key: the truth \
         comes back.";
}

/// The problem of this slug.
#[must_use]
pub fn find(slug: &str) -> Option<&'static ProblemType> {
    ALL.iter().copied().find(|kind| kind.slug == slug)
}
