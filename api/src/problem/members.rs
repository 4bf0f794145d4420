//! What each problem has beyond the members that all have, as JSON Schema.

use serde_json::{Value, json};

/// The schema of the own members of the problem of this slug.
pub(super) fn schema(slug: &str) -> Value {
    let text = json!({"type": "string"});
    let texts = json!({"type": "array", "items": {"type": "string"}});
    let count = json!({"type": "integer", "minimum": 0});
    let (required, properties) = match slug {
        "malformed-request" => {
            let errors = json!({
                "type": "array", "minItems": 1, "items": {"$ref": "#/components/schemas/FormError"}});
            (json!(["errors"]), json!({"errors": errors}))
        }
        "challenge-required" => (json!(["challenge"]), json!({"challenge": {"type": "object"}})),
        "seats-unavailable" => (json!([]), json!({"seats": texts, "sections": texts})),
        "buyer-limit-exceeded" => {
            (json!(["limit", "held"]), json!({"limit": count, "held": count}))
        }
        "hold-not-active" => (json!(["hold_status"]), json!({"hold_status": text})),
        "order-not-payable" => (json!(["order_status"]), json!({"order_status": text})),
        "sale-not-open" => {
            let time = json!({"type": "string", "format": "date-time"});
            let properties = json!({"opens_at": time, "sale_status": text});
            (json!(["opens_at", "sale_status"]), properties)
        }
        "conflicts-with-sales" => {
            let section = json!({
                "type": "object",
                "required": ["section", "sold", "held", "asked"],
                "properties": {"section": text, "sold": count, "held": count, "asked": count}});
            let sections = json!({"type": "array", "items": section});
            let properties = json!({
                "sold": count, "held": count, "asked": count, "seats": texts, "sections": sections});
            (json!([]), properties)
        }
        "plan-invalid" => {
            let defect = json!({
                "type": "object",
                "required": ["code", "where", "detail"],
                "properties": {"code": text, "where": text, "detail": text}});
            let defects = json!({"type": "array", "minItems": 1, "items": defect});
            (json!(["defects"]), json!({"defects": defects}))
        }
        "purchases-paused" => (json!(["reason"]), json!({"reason": text, "sections": texts})),
        _ => (json!([]), json!({})),
    };
    json!({"type": "object", "required": required, "properties": properties})
}
