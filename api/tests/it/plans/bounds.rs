//! What no plan may do to its reader: keep it busy, or fill its memory.

use std::time::{Duration, Instant};

use serde_json::json;
use taquilla_api::plans::defect::{LISTED_MAX, MORE};
use taquilla_api::plans::{BYTES_MAX, Size, read};

use super::{defects, found, layout};

/// Far more than it takes, and far less than anything quadratic would.
const QUICK: Duration = Duration::from_secs(20);

#[test]
fn a_text_that_is_no_plan_is_one_defect() {
    for (text, code) in [
        ("", "not-json"),
        ("{\"zones\": [NaN]}", "not-json"),
        ("\u{feff}{}", "not-json"),
        ("[]", "wrong-type"),
        ("null", "wrong-type"),
        ("{}", "missing-member"),
        ("{\"format\": \"dxf\"}", "unknown-format"),
        ("{\"format\": \"pretix\"}", "missing-member"),
        (
            "{\"format\": \"pretix\", \"layout\": {\"zones\": []}, \"sections\": []}",
            "unknown-member",
        ),
    ] {
        let defects = read(text.as_bytes()).expect_err("no plan");
        assert_eq!(defects.iter().map(|it| it.code).collect::<Vec<_>>(), [code], "{text}");
    }
}

#[test]
fn fifty_thousand_brackets_are_refused_at_once() {
    let started = Instant::now();
    for brackets in ["[".repeat(50_000), "{\"zones\":".repeat(50_000)] {
        assert_eq!(read(brackets.as_bytes()).expect_err("too deep")[0].code, "too-deep");
    }
    assert!(started.elapsed() < Duration::from_secs(1), "{:?}", started.elapsed());
}

#[test]
fn a_text_of_more_than_32_mb_is_refused() {
    let long = vec![b' '; BYTES_MAX + 1];
    assert_eq!(read(&long).expect_err("too large")[0].code, "too-large");
}

#[test]
fn a_plan_of_nothing_but_small_objects_is_counted_and_not_kept() {
    let started = Instant::now();
    for (before, item, after) in [
        ("{\"categories\": [], \"zones\": [", "{}", "]}"),
        ("{\"categories\": [], \"zones\": [{\"rows\": [", "{}", "]}]}"),
        ("{\"categories\": [], \"zones\": [{\"rows\": [{\"seats\": [", "{}", "]}]}]}"),
        ("{\"zones\": [], \"categories\": [", "{}", "]}"),
        ("{\"format\": \"rows\", \"sections\": [", "{}", "]}"),
        ("{\"format\": \"rows\", \"sections\": [{\"rows\": [", "{}", "]}]}"),
        ("{\"format\": \"pretix\", \"general\": [", "{\"a\":1}", "]}"),
    ] {
        let items = 4 * 1024 * 1024 / (item.len() + 1);
        let text = format!("{before}{}{item}{after}", format!("{item},").repeat(items));
        let defects = read(text.as_bytes()).expect_err("no plan");
        assert!(defects.len() <= 10 * LISTED_MAX, "{before}: {} defects", defects.len());
    }
    assert!(started.elapsed() < QUICK, "{:?}", started.elapsed());
}

#[test]
fn a_fault_of_every_seat_is_listed_up_to_a_bound_and_counted_beyond_it() {
    let mut layout = layout();
    let seat = layout["zones"][0]["rows"][0]["seats"][0].clone();
    layout["zones"][0]["rows"][0]["seats"] = json!(vec![seat; LISTED_MAX + 500]);
    layout["zones"][1]["rows"][0]["seats"][0]["category"] = json!("Attic");
    let found = found(&layout);
    assert_eq!(found.iter().filter(|(code, _)| *code == "duplicate-seat").count(), LISTED_MAX);
    assert!(found.iter().any(|(code, _)| *code == "unknown-category"));
    let last = defects(&layout).pop().expect("a last line");
    assert_eq!(
        (last.code, last.detail.as_str()),
        (MORE, "500 more of duplicate-seat, which are not listed")
    );
}

#[test]
fn sixty_thousand_seats_take_seconds_at_most() {
    let started = Instant::now();
    let plan = read(large(60_000).as_bytes()).unwrap_or_else(|defects| panic!("{:?}", defects[0]));
    assert_eq!(Size::of(&plan.sections), Size { sections: 60, seats: 60_000, places: 0 });
    eprintln!("60,000 seats in {:?}", started.elapsed());
    assert!(started.elapsed() < QUICK, "{:?}", started.elapsed());
}

#[test]
fn more_seats_sections_or_categories_than_there_may_be_are_refused_with_their_number() {
    let seats = "{\"categories\":[{\"name\":\"A\"}],\"zones\":[{\"name\":\"Z\",\"position\":{\"x\":0,\"y\":0},\"rows\":[{\"row_number\":\"1\",\"seats\":[";
    let seats = format!("{seats}{}{{}}]}}]}}]}}", "{},".repeat(1 << 20));
    let many = read(seats.as_bytes()).expect_err("too many seats");
    let too_many = many.iter().find(|it| it.code == "too-many-seats").expect("told");
    assert!(too_many.detail.contains("1048577"), "{}", too_many.detail);

    let mut layout = layout();
    layout["categories"] = json!(vec![json!({"name": "A"}); 501]);
    let zone = layout["zones"][0].clone();
    layout["zones"] = json!(vec![zone; 2_001]);
    let found = found(&layout);
    assert!(found.contains(&("too-many-categories", "/categories".into())));
    assert!(found.contains(&("too-many-sections", "/zones".into())));
}

/// A layout of sections of a thousand seats.
fn large(seats: usize) -> String {
    let seat = |section: usize, n: usize| {
        json!({"seat_guid": format!("{section}-{n}"), "seat_number": n.to_string(), "category": "A",
               "uuid": "cc6d8c1f-b81e-491b-b2ae-e8a4644c6616", "position": {"x": n, "y": 0}})
    };
    let zone = |section: usize| {
        let seats: Vec<_> = (0..1_000).map(|n| seat(section, n)).collect();
        json!({"name": section.to_string(), "position": {"x": 0, "y": section},
               "rows": [{"row_number": "1", "seats": seats}]})
    };
    let zones: Vec<_> = (0..seats / 1_000).map(zone).collect();
    json!({"name": "Large", "categories": [{"name": "A"}], "zones": zones}).to_string()
}
