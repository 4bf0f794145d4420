//! Seating plans: whatever the text, it has defects, or is a plan whose seats are told apart and lie
//! somewhere.

#![no_main]

use std::collections::HashSet;

use libfuzzer_sys::fuzz_target;
use taquilla_api::plans;
use taquilla_persistence::catalogue::SectionRoom;

fuzz_target!(|text: &[u8]| {
    let plan = match plans::read(text) {
        Ok(plan) => plan,
        Err(defects) => return assert!(!defects.is_empty(), "refused without a reason"),
    };
    let mut labels = HashSet::new();
    for section in &plan.sections {
        if let SectionRoom::Seated(seats) = &section.room {
            for seat in seats {
                assert!(labels.insert(&seat.label), "two seats have the label {}", seat.label);
                assert!(seat.x.is_finite() && seat.y.is_finite(), "{} lies nowhere", seat.label);
            }
        }
    }
});
