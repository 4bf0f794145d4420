//! Names are compared in NFC and shown as given.

use serde_json::json;

use super::{found, layout, plan, seats, with};

#[test]
fn one_name_composed_in_two_ways_is_a_duplicate() {
    let mut layout = layout();
    layout["zones"][0]["rows"][0]["seats"][0]["seat_guid"] = json!("Ö-1");
    layout["zones"][0]["rows"][0]["seats"][1]["seat_guid"] = json!("O\u{308}-1");
    let codes: Vec<_> = found(&layout).into_iter().map(|(code, _)| code).collect();
    assert_eq!(codes, ["duplicate-seat", "duplicate-seat"]);
    layout = with("/zones/0/name", json!("Galérie"));
    layout["zones"][1]["name"] = json!("Gale\u{301}rie");
    let codes: Vec<_> = found(&layout).into_iter().map(|(code, _)| code).collect();
    assert_eq!(codes, ["duplicate-section", "duplicate-section"]);
}

#[test]
fn a_category_is_found_however_it_is_composed() {
    let mut layout = with("/categories/0/name", json!("Galérie"));
    for zone in [0, 1] {
        for seat in [0, 1] {
            layout["zones"][zone]["rows"][0]["seats"][seat]["category"] = json!("Gale\u{301}rie");
        }
    }
    let plan = plan(&layout);
    assert_eq!(plan.categories[0], "Galérie");
    assert!(seats(&plan, 0).iter().all(|seat| seat.category == Some(0)));
}

#[test]
fn names_are_shown_as_given() {
    let plan = plan(&with("/zones/0/rows/0/seats/0/seat_guid", json!("O\u{308}-座位1")));
    assert_eq!(seats(&plan, 0)[0].label, "O\u{308}-座位1");
}

#[test]
fn plans_by_rows_keep_the_same_rules() {
    let rows = |names: [&str; 2]| {
        json!({"format": "rows", "sections": [{"section": "A", "kind": "seated", "rows": [
            {"row": names[0], "seats": 1}, {"row": names[1], "seats": 1}]}]})
    };
    for (names, code) in [
        (["Ö", "O\u{308}"], "duplicate-row"),
        (["1", "1 "], "padded-name"),
        (["1", "1\u{200b}"], "invisible-character"),
        (["1", ""], "blank-name"),
    ] {
        assert_eq!(found(&rows(names)).last().map(|(code, _)| *code), Some(code), "{names:?}");
    }
    plan(&rows(["座位1", "座位2"]));
}
