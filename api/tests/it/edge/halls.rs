//! Halls of a venue, and the versions of their plans.

use axum::http::Method;
use serde_json::{Value, json};
use taquilla_persistence::catalogue::{Reference, SeatGeometry};

use super::box_office::{BoxOffice, event_form, venue_form};
use super::client::Answer;

/// Sections by rows: a name, and how many seats each row has.
pub(super) fn seated(section: &str, rows: &[u32]) -> Value {
    let row = |(number, seats): (usize, &u32)| json!({"row": number.to_string(), "seats": seats});
    let rows: Vec<Value> = (1..).zip(rows).map(row).collect();
    json!({"section": section, "kind": "seated", "rows": rows})
}

pub(super) fn general(section: &str, capacity: u32) -> Value {
    json!({"section": section, "kind": "general", "capacity": capacity})
}

pub(super) fn rows(sections: &[Value]) -> Value {
    json!({"format": "rows", "sections": sections})
}

impl BoxOffice {
    pub(super) async fn add_plan(&self, body: &Value) -> Answer {
        self.operator(Method::POST, "/admin/venues/teatro/plans").json(body).send().await
    }

    async fn codes(&self, plan: Value) -> Vec<String> {
        let refused = self.add_plan(&json!({"plan": plan})).await.problem(422, "plan-invalid");
        let defects = refused["defects"].as_array().expect("defects");
        let word = |defect: &Value| {
            let (code, detail) = (&defect["code"], defect["detail"].as_str().expect("words"));
            let name = detail.split('`').nth(1).unwrap_or_default();
            format!("{} {name}", code.as_str().expect("a code"))
        };
        defects.iter().map(word).collect()
    }
}

async fn theatre(name: &str) -> BoxOffice {
    let office = BoxOffice::empty(name).await;
    office.operator(Method::POST, "/admin/venues").json(&venue_form()).send().await.ok(201);
    office
}

#[tokio::test]
async fn a_hall_has_versions_and_a_venue_has_halls() {
    let office = theatre("halls").await;
    let next = rows(&[seated("A", &[4, 3]), general("FLOOR", 12), seated("C", &[5])]);
    let made = office.add_plan(&json!({"hall": "main", "plan": next})).await.ok(201);
    assert_eq!((&made["hall"], &made["plan_version"]), (&json!("main"), &json!(2)));
    assert_eq!(made["capacity"], 7 + 12 + 5);
    let small = json!({"hall": "Sala Chica", "plan": rows(&[seated("A", &[2])])});
    let made = office.add_plan(&small).await.ok(201);
    assert_eq!((&made["hall"], &made["plan_version"]), (&json!("Sala Chica"), &json!(1)));

    let shown = office.operator(Method::GET, "/admin/venues/teatro").send().await.ok(200);
    let halls = shown["halls"].as_array().expect("halls");
    let versions = |hall: &Value| {
        let plans = hall["plans"].as_array().expect("plans").iter();
        plans.map(|plan| plan["capacity"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(
        (&halls[0]["hall"], versions(&halls[0])),
        (&json!("main"), vec![json!(20), json!(24)])
    );
    assert_eq!((&halls[1]["hall"], versions(&halls[1])), (&json!("Sala Chica"), vec![json!(2)]));
    let names: Vec<_> = halls[0]["plans"][1]["sections"]
        .as_array()
        .expect("sections")
        .iter()
        .map(|it| it["section"].as_str().expect("a name"))
        .collect();
    assert_eq!(names, ["A", "FLOOR", "C"], "B is not there any more");
    assert_eq!(shown["capacity"], 24, "the latest of the first hall");
    office.operator(Method::GET, "/admin/venues/nada").send().await.problem(404, "not-found");

    // Now a plan says of which hall it is, and an event in which it takes place.
    let unsaid = office.add_plan(&json!({"plan": rows(&[seated("A", &[2])])})).await;
    assert_eq!(unsaid.pointers(), ["/hall"]);
    let venue = shown["venue_id"].clone();
    let mut form = event_form();
    form["venue_id"] = venue;
    form["section_tiers"] = json!({"A": "gold"});
    let make =
        async |form: &Value| office.operator(Method::POST, "/admin/events").json(form).send().await;
    assert_eq!(make(&form).await.pointers(), ["/hall"]);
    form["hall"] = json!("main");
    assert_eq!(make(&form).await.pointers(), ["/section_tiers/FLOOR", "/section_tiers/C"]);
    form["hall"] = json!("Sala Chica");
    let event = make(&form).await.ok(201);
    assert_eq!((&event["hall"], &event["plan_version"]), (&json!("Sala Chica"), &json!(1)));
    assert_eq!(event["sections"].as_array().expect("sections").len(), 1);
}

#[tokio::test]
async fn what_a_version_would_change_of_what_does_not_change_is_told_all_at_once() {
    let office = theatre("succession").await;
    let plan = rows(&[
        seated("A", &[5, 4, 1]),
        seated("FLOOR", &[1]),
        general("B", 3),
        seated("A-1", &[1]),
    ]);
    let expected = [
        "seat-added A-1-5",
        "seat-added A-3-1",
        "section-kind-changed FLOOR",
        "section-kind-changed B",
    ];
    assert_eq!(office.codes(plan).await, expected);
    // A section of another name with the same labels.
    let mut layout = json!({"name": "Hall", "categories": [{"name": "Box"}], "zones": []});
    layout["zones"] = json!([{"name": "Z", "position": {"x": 0, "y": 0}, "rows": [{"row_number": "1",
        "seats": [{"seat_guid": "A-1-1", "seat_number": "1", "category": "Box",
                   "position": {"x": 0, "y": 0}}]}]}]);
    let plan = json!({"format": "pretix", "layout": layout});
    assert_eq!(office.codes(plan).await, ["seat-moved A-1-1"]);
    let shown = office.operator(Method::GET, "/admin/venues/teatro").send().await.ok(200);
    assert_eq!(shown["halls"][0]["plans"].as_array().map(Vec::len), Some(1), "nothing was made");
}

#[tokio::test]
async fn a_seat_keeps_its_index_over_three_versions() {
    let office = theatre("indexes").await;
    let second = rows(&[seated("B", &[2]), seated("C", &[3]), seated("A", &[2])]);
    office.add_plan(&json!({"plan": second})).await.ok(201);
    let third = rows(&[general("FLOOR", 4), seated("A", &[4, 4]), seated("D", &[1])]);
    office.add_plan(&json!({"plan": third})).await.ok(201);
    let plans = office.app.catalogue.venue_plans(&Reference::parse("teatro")).await.expect("rows");
    let labels = async |version: usize| {
        let seats = office.app.catalogue.seat_geometry(plans[version].plan.id).await.expect("rows");
        let word =
            |seat: &SeatGeometry| format!("{}{}", if seat.dropped { "-" } else { "" }, seat.label);
        seats.iter().map(word).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(
        [labels(0).await, labels(1).await, labels(2).await],
        [
            "A-1-1 A-1-2 A-1-3 A-1-4 A-2-1 A-2-2 A-2-3 A-2-4 B-1-1 B-1-2",
            "A-1-1 A-1-2 -A-1-3 -A-1-4 -A-2-1 -A-2-2 -A-2-3 -A-2-4 B-1-1 B-1-2 C-1-1 C-1-2 C-1-3",
            "A-1-1 A-1-2 A-1-3 A-1-4 A-2-1 A-2-2 A-2-3 A-2-4 -B-1-1 -B-1-2 -C-1-1 -C-1-2 -C-1-3 D-1-1",
        ]
    );
    let sections: Vec<(&str, u32)> =
        plans[2].plan.sections.iter().map(|it| (it.name.as_str(), it.capacity)).collect();
    assert_eq!(sections, [("A", 8), ("B", 0), ("FLOOR", 4), ("C", 0), ("D", 1)]);
}
