//! A real plan: it passes its format's schema, and repeats 126 of its seat ids.

use std::collections::{BTreeMap, HashSet};

use taquilla_api::plans::{Repair, Sheet, Size, document, read};

use super::seats;

pub(super) const TWO_FLOORS: &[u8] = include_bytes!("../../fixtures/pretix-plan-two-floors.json");

#[test]
fn every_occurrence_of_every_repeated_id_is_named() {
    let defects = read(TWO_FLOORS).expect_err("ids that stand several times");
    assert!(defects.iter().all(|defect| defect.code == "duplicate-seat"));
    let mut named: BTreeMap<&str, usize> = BTreeMap::new();
    for defect in &defects {
        *named.entry(defect.detail.split('`').nth(1).expect("an id")).or_default() += 1;
    }
    assert_eq!((named.len(), defects.len()), (126, 546));
    assert_eq!(named.values().max(), Some(&8));
    let places: HashSet<_> = defects.iter().map(|defect| &defect.r#where).collect();
    assert_eq!(places.len(), defects.len());
}

#[test]
fn a_repair_keeps_all_738_seats_and_makes_no_name_twice() {
    let mut sheet = Sheet::of(document(TWO_FLOORS).expect("JSON"));
    let mut repairs: Vec<Repair> = Vec::new();
    sheet.repair(&mut |repair| repairs.push(repair));
    assert_eq!(repairs.len(), 738 - 318);
    assert!(repairs.iter().all(|repair| repair.rule == "rename-duplicate-seat"));
    let plan = sheet.check().expect("a plan");
    assert_eq!(Size::of(&plan.sections).seats, 738);
    let seats = [seats(&plan, 0), seats(&plan, 1)].concat();
    let labels: HashSet<_> = seats.iter().map(|seat| &seat.label).collect();
    assert_eq!(labels.len(), 738);
    // The first of eight keeps its name, and nobody moves.
    assert_eq!(seats[0].label, "Groundfloor-A-1");
    assert_eq!(seats[42].label, "Groundfloor-A-1~2");
    let places: HashSet<_> =
        seats.iter().map(|seat| (seat.x.to_bits(), seat.y.to_bits())).collect();
    assert_eq!(places.len(), 738);
}

#[test]
fn a_repair_is_the_same_each_time() {
    let labels = || {
        let mut sheet = Sheet::of(document(TWO_FLOORS).expect("JSON"));
        let mut told = Vec::new();
        sheet.repair(&mut |repair| told.push(repair));
        told
    };
    assert_eq!(labels(), labels());
}
