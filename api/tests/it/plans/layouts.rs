//! What a good layout becomes, and what makes one bad.

use serde_json::{Value, json};
use taquilla_persistence::catalogue::SectionRoom;

use super::{defects, found, layout, plan, seats, with, without};

const SEAT: &str = "/zones/0/rows/0/seats/0";

#[test]
fn zones_are_sections_and_seats_lie_at_zone_row_and_seat_together() {
    let plan = plan(&layout());
    assert_eq!(plan.categories, ["Stalls", "Box"]);
    let names: Vec<_> = plan.sections.iter().map(|section| section.name.as_str()).collect();
    assert_eq!(names, ["Left", "Right"], "zones without seats are decoration");
    let [first, second] = seats(&plan, 0) else { panic!("two seats") };
    assert_eq!((first.label.as_str(), &*first.row, first.seat.as_str()), ("L-A-1", "A", "1"));
    assert_eq!((first.x, first.y, first.accessible), (106.0, 11.5, false));
    assert_eq!((first.category, second.category), (Some(0), Some(1)));
}

#[test]
fn keys_that_the_format_does_not_know_and_members_that_may_be_missing_are_tolerated() {
    for pointer in
        ["/size", "/name", "/zones/0/zone_id", "/zones/0/areas", "/zones/0/rows/0/position"]
    {
        plan(&without(pointer));
    }
    for (pointer, value) in [
        ("/zones/0/rows/0/seats/0/section_break", json!(true)),
        ("/zones/0/rows/0/number_of_seats", json!({"deep": [[[]]]})),
        ("/zones/0/rows/0/row_number_position", json!("left")),
        ("/zones/0/rows/0/row_label", Value::Null),
        ("/zones/0/rows/0/seats/0/wheelchair", json!(false)),
        ("/displayed", json!(1)),
        ("/zones/2/name", json!(5)),
    ] {
        plan(&with(pointer, value));
    }
}

#[test]
fn a_wheelchair_makes_a_seat_accessible_and_a_pattern_names_its_row() {
    let mut layout = with("/zones/0/rows/0/seats/1/wheelchair", json!(true));
    layout["zones"][0]["rows"][0]["row_label"] = json!("Row %s");
    let plan = plan(&layout);
    let accessible: Vec<bool> = seats(&plan, 0).iter().map(|seat| seat.accessible).collect();
    assert_eq!(accessible, [false, true]);
    assert_eq!(&*seats(&plan, 0)[0].row, "Row A");
}

#[test]
fn a_zone_without_a_name_is_called_by_its_id() {
    for name in [Value::Null, json!(""), json!("  ")] {
        assert_eq!(plan(&with("/zones/0/name", name)).sections[0].name, "left");
    }
    let mut nameless = without("/zones/0/name");
    nameless["zones"][0]["zone_id"] = json!(" ");
    assert_eq!(found(&nameless), [("unnamed-zone", "/zones/0".into())]);
}

#[test]
fn general_areas_stand_beside_the_zones() {
    let general = json!([{"section": "FLOOR", "capacity": 500}]);
    let whole = json!({"format": "pretix", "layout": layout(), "general": general});
    let plan = plan(&whole);
    assert_eq!(plan.sections[2].name, "FLOOR");
    assert!(matches!(plan.sections[2].room, SectionRoom::General { capacity: 500 }));
    let clash = json!({"format": "pretix", "layout": layout(), "general": [
        {"section": "Left", "capacity": 0}, {"section": " ", "capacity": 1_000_001}]});
    let expected = [
        ("capacity-out-of-range", "/general/0/capacity"),
        ("blank-name", "/general/1/section"),
        ("capacity-out-of-range", "/general/1/capacity"),
        ("duplicate-section", "/layout/zones/0/name"),
        ("duplicate-section", "/general/0/section"),
    ];
    assert_eq!(found(&clash), expected.map(|(code, place)| (code, place.to_owned())));
}

#[test]
fn each_thing_that_is_wrong_has_a_code_and_a_place() {
    let guid = &format!("{SEAT}/seat_guid");
    let x = &format!("{SEAT}/position/x");
    for (pointer, value, code) in [
        (guid.as_str(), json!(""), "blank-seat-id"),
        (guid, json!("\t"), "blank-seat-id"),
        (guid, json!("7"), "short-seat-id"),
        (guid, json!("座"), "short-seat-id"),
        (guid, json!(" L-1"), "padded-seat-id"),
        (guid, json!("L\u{200b}-1"), "invisible-character"),
        (guid, json!("x".repeat(201)), "long-name"),
        (guid, json!(["L-1"]), "wrong-type"),
        (guid, json!(17), "wrong-type"),
        (guid, Value::Null, "missing-member"),
        (x, json!("1"), "wrong-type"),
        (x, json!("NaN"), "wrong-type"),
        (x, Value::Null, "missing-member"),
        (x, json!({}), "wrong-type"),
        ("/zones/0/rows/0/seats/0/position", json!([1, 2]), "wrong-type"),
        (
            "/zones/0/rows/0/seats/0/position",
            json!({"x": 1_000_000, "y": 0}),
            "coordinate-out-of-range",
        ),
        ("/zones/0/rows/0/seats/0/category", json!("Attic"), "unknown-category"),
        ("/zones/0/rows/0/seats/0/category", json!("stalls"), "unknown-category"),
        ("/zones/0/rows/0/seats/0/category", json!(1), "wrong-type"),
        ("/zones/0/rows/0/seats/0/category", Value::Null, "missing-member"),
        ("/zones/0/rows/0/seats/0/seat_number", json!(" "), "blank-name"),
        ("/zones/0/rows/0/seats/0/seat_number", json!(1), "wrong-type"),
        ("/zones/0/rows/0/seats/0/wheelchair", json!("yes"), "wrong-type"),
        ("/zones/0/rows/0/seats/0", json!("L-A-1"), "wrong-type"),
        ("/zones/0/rows/0/seats", json!({}), "wrong-type"),
        ("/zones/0/rows/0/row_number", json!(""), "blank-name"),
        ("/zones/0/rows/0/row_label", json!(7), "wrong-type"),
        ("/zones/0/rows/0/row_label", json!("%s "), "padded-name"),
        ("/zones/0/rows/0/position/y", Value::Null, "missing-member"),
        ("/zones/0/rows", json!("none"), "wrong-type"),
        ("/zones/0/position", json!(null), "missing-member"),
        ("/zones/0/name", json!("Left "), "padded-name"),
        ("/zones/0/name", json!(["Left"]), "wrong-type"),
        ("/zones/0", json!(0), "wrong-type"),
        ("/zones", json!(0), "wrong-type"),
        ("/categories/0/name", json!(""), "blank-name"),
        ("/categories/1", json!("Box"), "wrong-type"),
    ] {
        let found = found(&with(pointer, value.clone()));
        assert!(found.contains(&(code, pointer.to_owned())), "{pointer} {value}: {found:?}");
    }
    assert_eq!(found(&with("/zones", json!([]))), [("no-seats", "/zones".to_owned())]);
    assert_eq!(found(&without("/zones/0/rows/0/seats"))[0].1, "/zones/0/rows/0/seats");
    assert_eq!(found(&without("/categories"))[0], ("missing-member", "/categories".to_owned()));
}

#[test]
fn all_defects_are_told_at_once() {
    let mut layout = layout();
    layout["zones"][0]["rows"][0]["seats"][0]["seat_guid"] = json!("R-A-1");
    layout["zones"][0]["rows"][0]["seats"][1]["category"] = json!("Attic");
    layout["zones"][1]["name"] = json!("Left");
    layout["zones"][1]["rows"][0]["seats"][1]["position"]["y"] = json!("low");
    layout["categories"][1]["name"] = json!("Stalls");
    let expected = [
        ("duplicate-category", "/categories/0/name"),
        ("duplicate-category", "/categories/1/name"),
        ("unknown-category", "/zones/0/rows/0/seats/1/category"),
        ("wrong-type", "/zones/1/rows/0/seats/1/position/y"),
        ("duplicate-seat", "/zones/0/rows/0/seats/0/seat_guid"),
        ("duplicate-seat", "/zones/1/rows/0/seats/0/seat_guid"),
        ("duplicate-section", "/zones/0/name"),
        ("duplicate-section", "/zones/1/name"),
    ];
    assert_eq!(found(&layout), expected.map(|(code, place)| (code, place.to_owned())));
    let details: Vec<_> = defects(&layout).into_iter().map(|defect| defect.detail).collect();
    assert!(details.iter().any(|it| it.contains("`R-A-1` stands 2 times")), "{details:?}");
}

#[test]
fn a_number_that_no_machine_holds_is_named_at_its_place() {
    let endless = layout().to_string().replacen("\"x\":1.0", "\"x\":1e999", 1);
    let defects = taquilla_api::plans::read(endless.as_bytes()).expect_err("no finite number");
    assert_eq!(defects.len(), 1);
    assert_eq!(defects[0].code, "coordinate-not-finite");
    assert_eq!(defects[0].r#where, format!("{SEAT}/position/x"));
    let ignored = layout().to_string().replacen("\"radius\":5", "\"radius\":1e999", 1);
    taquilla_api::plans::read(ignored.as_bytes()).expect("what is passed over may be anything");
}

#[test]
fn a_key_that_stands_twice_is_a_defect_at_its_place() {
    let twice =
        layout().to_string().replacen("\"seat_guid\":", "\"seat_guid\":\"Z-9\",\"seat_guid\":", 1);
    let defects = taquilla_api::plans::read(twice.as_bytes()).expect_err("a duplicate key");
    assert_eq!(
        (defects[0].code, defects[0].r#where.as_str()),
        ("duplicate-member", "/zones/0/rows/0/seats/0/seat_guid")
    );
}
