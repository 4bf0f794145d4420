//! What each problem has beyond the members that all have, as JSON Schema.

use serde_json::{Value, json};

/// A problem's own members; a column of [`super::table`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Members {
    /// None.
    None,
    /// `errors`: each place of a request that is wrong.
    Errors,
    /// `challenge`.
    Challenge,
    /// `seats`, `sections`: what cannot be had.
    Unavailable,
    /// `limit`, `held`.
    Limit,
    /// `hold_status`.
    HoldStatus,
    /// `order_status`.
    OrderStatus,
    /// `opens_at`, `sale_status`.
    Sale,
    /// `sold`, `held`, `asked`, `seats`, `sections`.
    Conflict,
    /// `defects`: each of a plan.
    Defects,
    /// `reason`, `sections`.
    Pause,
}

/// The schema of these members.
pub(super) fn schema(members: Members) -> Value {
    let text = json!({"type": "string"});
    let texts = json!({"type": "array", "items": {"type": "string"}});
    let count = json!({"type": "integer", "minimum": 0});
    let (required, properties) = match members {
        Members::None => (json!([]), json!({})),
        Members::Errors => {
            let errors = json!({
                "type": "array", "minItems": 1, "items": {"$ref": "#/components/schemas/FormError"}});
            (json!(["errors"]), json!({"errors": errors}))
        }
        Members::Challenge => {
            let challenge = json!({
                "type": "object",
                "required": ["algorithm", "challenge", "maxnumber", "salt", "signature"],
                "properties": {"algorithm": text, "challenge": text, "maxnumber": count,
                    "salt": text, "signature": text}});
            (json!(["challenge"]), json!({"challenge": challenge}))
        }
        Members::Unavailable => (json!([]), json!({"seats": texts, "sections": texts})),
        Members::Limit => (json!(["limit", "held"]), json!({"limit": count, "held": count})),
        Members::HoldStatus => (json!(["hold_status"]), json!({"hold_status": text})),
        Members::OrderStatus => (json!(["order_status"]), json!({"order_status": text})),
        Members::Sale => {
            let time = json!({"type": "string", "format": "date-time"});
            let properties = json!({"opens_at": time, "sale_status": text});
            (json!(["opens_at", "sale_status"]), properties)
        }
        Members::Conflict => {
            let section = json!({
                "type": "object",
                "required": ["section", "sold", "held", "asked"],
                "properties": {"section": text, "sold": count, "held": count, "asked": count}});
            let sections = json!({"type": "array", "items": section});
            let properties = json!({
                "sold": count, "held": count, "asked": count, "seats": texts, "sections": sections});
            (json!([]), properties)
        }
        Members::Defects => {
            let defect = json!({
                "type": "object",
                "required": ["code", "where", "detail"],
                "properties": {"code": text, "where": text, "detail": text}});
            let defects = json!({"type": "array", "minItems": 1, "items": defect});
            (json!(["defects"]), json!({"defects": defects}))
        }
        Members::Pause => (json!(["reason"]), json!({"reason": text, "sections": texts})),
    };
    json!({"type": "object", "required": required, "properties": properties})
}
