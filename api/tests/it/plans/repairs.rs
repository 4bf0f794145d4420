//! Each repair by itself: what it changes, what it tells, and what it leaves alone.

use serde_json::{Value, json};
use taquilla_api::plans::{Plan, Rejected, Sheet, document};

use super::{layout, seats, with, without};

/// Rule, place, and what stands there now.
type Told = (&'static str, String, String);

/// What the repairs of a layout told, and what came of it.
fn repaired(layout: &Value) -> (Vec<Told>, Result<Plan, Rejected>) {
    let text = layout.to_string();
    let mut sheet = Sheet::of(document(text.as_bytes()).expect("JSON"));
    let mut told = Vec::new();
    sheet.repair(&mut |repair| told.push((repair.rule, repair.r#where, repair.now)));
    (told, sheet.check())
}

#[test]
fn a_seat_keeps_its_id_when_another_one_is_given_one() {
    let (first, second) = ("/zones/0/rows/0/seats/0", "/zones/0/rows/0/seats/1");
    let mut layout = with(&format!("{first}/seat_guid"), json!(""));
    *layout.pointer_mut(&format!("{second}/seat_guid")).expect("an id") = json!("Left-A-1");
    let (told, plan) = repaired(&layout);
    let now = "Left-A-1~2".to_owned();
    assert_eq!(told, [("identify-seat", format!("{first}/seat_guid"), now)]);
    plan.expect("a plan");
}

#[test]
fn a_good_layout_is_left_as_it_is() {
    let (told, plan) = repaired(&layout());
    assert_eq!(told, []);
    plan.expect("a plan");
}

#[test]
fn each_rule_mends_what_it_names_and_tells_it() {
    let number = "/zones/0/rows/0/seats/0/seat_number";
    let guid = "/zones/0/rows/0/seats/0/seat_guid";
    let cases = [
        (with(number, json!(1)), "write-number-as-text", number, "1"),
        (with(guid, json!("L\u{200b}-A-1")), "remove-invisible-characters", guid, "L-A-1"),
        (with(guid, json!("L\u{a0}1")), "remove-invisible-characters", guid, "L 1"),
        (with("/zones/0/name", json!(" Left")), "trim-name", "/zones/0/name", "Left"),
        (with(guid, json!(" L-A-1 ")), "trim-seat-id", guid, "L-A-1"),
        (
            with("/zones/0/rows/0/row_number", json!("")),
            "name-unnamed-row",
            "/zones/0/rows/0/row_number",
            "1",
        ),
        (without(number), "number-unnumbered-seat", number, "1"),
        (without(guid), "identify-seat", guid, "Left-A-1"),
        (with(guid, json!("7")), "identify-seat", guid, "Left-A-1"),
        (
            with("/zones/1/name", json!("Left")),
            "rename-duplicate-zone",
            "/zones/1/name",
            "Left (2)",
        ),
        (
            with(guid, json!("R-A-1")),
            "rename-duplicate-seat",
            "/zones/1/rows/0/seats/0/seat_guid",
            "R-A-1~2",
        ),
    ];
    for (layout, rule, place, now) in cases {
        let (told, plan) = repaired(&layout);
        assert_eq!(told, [(rule, place.to_owned(), now.to_owned())]);
        let plan = plan.unwrap_or_else(|rejected| panic!("{rule}: {rejected:?}"));
        assert_eq!((seats(&plan, 0).len(), seats(&plan, 1).len()), (2, 2));
    }
}

#[test]
fn a_zone_without_name_and_id_is_called_by_its_place() {
    let mut nameless = without("/zones/1/name");
    nameless["zones"][1]["zone_id"] = json!("");
    let (told, plan) = repaired(&nameless);
    assert_eq!(told[0].0, "name-unnamed-zone");
    assert_eq!(plan.expect("a plan").sections[1].name, "Zone 2");
}

#[test]
fn a_new_name_is_never_one_that_somebody_has() {
    let mut layout = layout();
    layout["zones"][0]["rows"][0]["seats"][1]["seat_guid"] = json!("L-A-1");
    layout["zones"][1]["rows"][0]["seats"][0]["seat_guid"] = json!("L-A-1~2");
    let (told, plan) = repaired(&layout);
    assert_eq!(told.len(), 1);
    assert_eq!(told[0].2, "L-A-1~3");
    plan.expect("a plan");
}

#[test]
fn a_padded_category_is_found_again() {
    let mut layout = with("/categories/1/name", json!("Box "));
    layout["zones"][0]["rows"][0]["seats"][1]["category"] = json!(" Box");
    let (told, plan) = repaired(&layout);
    assert!(told.iter().all(|(rule, ..)| *rule == "trim-name"), "{told:?}");
    assert_eq!(plan.expect("a plan").categories[1], "Box");
}

#[test]
fn what_only_the_operator_can_say_stays_a_defect() {
    for (pointer, value) in [
        ("/zones/0/rows/0/seats/0/category", json!("Attic")),
        ("/zones/0/rows/0/seats/0/position/x", json!("1")),
        ("/zones/0/rows/0/seats/0/seat_guid", json!({})),
        ("/categories/1/name", json!("Stalls")),
        ("/zones", json!([])),
    ] {
        let (told, plan) = repaired(&with(pointer, value));
        assert_eq!(told, [], "{pointer}");
        assert!(matches!(plan, Err(Rejected::Plan(_))), "{pointer}");
    }
}
