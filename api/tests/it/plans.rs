//! Seating plans, read and checked and mended, without a database.

mod bounds;
mod documented;
mod layouts;
mod names;
mod repairs;
mod rows;
mod two_floors;

use serde_json::{Value, json};
use taquilla_api::plans::{Defect, Plan, read};
use taquilla_persistence::catalogue::{NewSeat, SectionRoom};

/// Two zones of a row of two seats each; every value that a file may have is there once.
fn layout() -> Value {
    json!({
        "name": "Hall",
        "categories": [{"name": "Stalls", "color": "#f00"}, {"name": "Box", "color": "#0f0"}],
        "zones": [
            zone("Left", [seat("L-A-1", "1", "Stalls"), seat("L-A-2", "2", "Box")]),
            zone("Right", [seat("R-A-1", "1", "Stalls"), seat("R-A-2", "2", "Stalls")]),
            {"name": "Stage", "position": {"x": 0, "y": 0}, "rows": [], "areas": [{"shape": "circle"}]}],
        "size": {"width": 100, "height": 100}
    })
}

fn zone(name: &str, seats: [Value; 2]) -> Value {
    json!({
        "name": name, "zone_id": name.to_lowercase(), "position": {"x": 100, "y": 10}, "areas": [],
        "rows": [{"row_number": "A", "row_number_position": "none", "position": {"x": 5, "y": 1},
                  "seats": seats}],
    })
}

fn seat(guid: &str, number: &str, category: &str) -> Value {
    json!({
        "seat_guid": guid, "seat_number": number, "category": category, "uuid": "x", "radius": 5,
        "position": {"x": number.parse::<f64>().expect("a number"), "y": 0.5}
    })
}

/// The layout with this value at this pointer, whose parent is there.
fn with(pointer: &str, value: Value) -> Value {
    let mut layout = layout();
    let (parent, key) = pointer.rsplit_once('/').expect("a pointer");
    match layout.pointer_mut(parent).expect("the parent is there") {
        Value::Object(members) => {
            members.insert(key.into(), value);
        }
        Value::Array(items) => items[key.parse::<usize>().expect("an index")] = value,
        other => panic!("{other}"),
    }
    layout
}

/// The layout without what is at this pointer.
fn without(pointer: &str) -> Value {
    let mut layout = layout();
    let (parent, key) = pointer.rsplit_once('/').expect("a pointer");
    let parent = layout.pointer_mut(parent).and_then(Value::as_object_mut);
    parent.expect("an object").remove(key).expect("it was there");
    layout
}

fn plan(value: &Value) -> Plan {
    read(value.to_string().as_bytes()).unwrap_or_else(|defects| panic!("{defects:?}"))
}

fn defects(value: &Value) -> Vec<Defect> {
    read(value.to_string().as_bytes()).expect_err("a plan with defects")
}

/// Codes and places of all defects.
fn found(value: &Value) -> Vec<(&'static str, String)> {
    defects(value).into_iter().map(|defect| (defect.code, defect.r#where)).collect()
}

fn seats(plan: &Plan, section: usize) -> &[NewSeat] {
    match &plan.sections[section].room {
        SectionRoom::Seated(seats) => seats,
        SectionRoom::General { .. } => panic!("section {section} is general"),
    }
}
