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

#[test]
fn a_label_has_room_on_a_ticket_however_its_section_and_row_are_called() {
    let hall = |section: usize, row: usize, seats: u32| {
        json!({"format": "rows", "sections": [{"section": "\u{20000}".repeat(section),
            "kind": "seated", "rows": [{"row": "R".repeat(row), "seats": seats}]}]})
    };
    let at = |pointer: &str| pointer.to_owned();
    // With two hyphens, and up to four digits.
    for (section, row, seats) in [(100, 97, 9), (1, 196, 9), (100, 94, 1_000), (196, 1, 9)] {
        super::plan(&hall(section, row, seats));
    }
    for (section, row, seats) in [(100, 98, 9), (100, 97, 10), (100, 95, 1_000), (200, 200, 1)] {
        let hall = hall(section, row, seats);
        let row = at("/sections/0/rows/0");
        assert_eq!(found(&hall), [("long-label", row)], "{section} {seats}");
        let detail = &defects(&hall)[0].detail;
        assert!(detail.contains("200 at most"), "{detail}");
    }
    let names =
        [("long-name", at("/sections/0/section")), ("long-name", at("/sections/0/rows/0/row"))];
    assert_eq!(found(&hall(201, 201, 9)), names, "what is wrong by itself is told once");
}
