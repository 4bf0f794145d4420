//! What makes a plan by rows bad.

use serde_json::{Value, json};

use super::{defects, found};

fn hall(accessible: &Value) -> Value {
    json!({"format": "rows", "sections": [{"section": "A", "kind": "seated", "rows": [
        {"row": "1", "seats": 30, "accessible": accessible}]}]})
}

#[test]
fn accessible_seats_stand_once_and_in_their_row_and_those_that_do_not_are_named() {
    let place = "/sections/0/rows/0/accessible";
    for (accessible, code, numbers) in [
        (json!([1, 1]), "duplicate-number", "more than once: 1"),
        (json!([7, 3, 7, 3, 9, 7]), "duplicate-number", "more than once: 3, 7"),
        (json!([31, 2, 0]), "no-such-seat", "row of 30 seats: 0, 31"),
    ] {
        let hall = hall(&accessible);
        assert_eq!(found(&hall), [(code, place.to_owned())], "{accessible}");
        let detail = &defects(&hall)[0].detail;
        assert!(detail.ends_with(numbers), "{detail}");
    }
    let both = [("duplicate-number", place.to_owned()), ("no-such-seat", place.to_owned())];
    assert_eq!(found(&hall(&json!([31, 31]))), both);
    let many = json!((0..5_000).map(|number| number % 30 + 1).collect::<Vec<_>>());
    let detail = &defects(&hall(&many))[0].detail;
    assert!(detail.ends_with("18, 19, 20, …"), "{detail}");
    super::plan(&hall(&json!([30, 1])));
}
