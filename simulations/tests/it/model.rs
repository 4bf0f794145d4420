//! The model of the protocol: every state within one fault, and every rule left out in turn.

use std::collections::BTreeSet;

use taquilla_simulations::model::mutant::{Mutant, TABLE};
use taquilla_simulations::model::report::MUTANT_BOUNDS;
use taquilla_simulations::model::scenario::SCENARIOS;
use taquilla_simulations::model::{Bounds, Machine, rule, search, walk};

use crate::MACHINE;

/// All states of most scenarios with one fault, and the nearest of the others, whose whole
/// `taquilla-simulate model` visits: some ten seconds.
const BOUNDS: Bounds = Bounds { states_max: 250_000, depth_max: 100 };

/// Scenarios with more states than that within one fault.
const LARGE: &[&str] = &["purchase", "expiry", "split", "clock"];

#[test]
fn whatever_goes_wrong_once_no_answer_becomes_untrue_and_none_is_missing() {
    let _machine = MACHINE.blocking_lock();
    for scenario in SCENARIOS {
        let searched = search(&mut Machine::new(*scenario, None, 1), BOUNDS);
        if let Some(found) = &searched.found {
            panic!("{}: {found}", scenario.name);
        }
        let large = LARGE.contains(&scenario.name);
        assert_eq!(searched.complete, !large, "{}: {searched}", scenario.name);
        println!("{}: {searched}", scenario.name);
    }
}

#[test]
fn every_rule_left_out_is_caught_by_what_it_breaks() {
    let _machine = MACHINE.blocking_lock();
    let mut wrong = Vec::new();
    for row in TABLE {
        let searched = search(&mut row.machine(), MUTANT_BOUNDS);
        match row.verdict(&searched) {
            Ok(steps) => println!("{}: {steps} steps, {searched}", row.name),
            Err(what) => wrong.push(what),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_mutant_has_a_row_and_every_rule_is_broken_by_one() {
    for (place, mutant) in Mutant::ALL.iter().enumerate() {
        assert_eq!(*mutant as usize, place, "{mutant:?} is not where it is declared");
        let rows = TABLE.iter().filter(|row| row.mutant == *mutant).count();
        assert_eq!(rows, 1, "rows of {mutant:?}");
    }
    let broken: BTreeSet<&str> = TABLE.iter().map(|row| row.breaks).collect();
    assert_eq!(broken, rule::ALL.iter().copied().collect());
}

#[test]
fn without_its_mutation_a_mutants_search_finds_nothing_as_deep() {
    let _machine = MACHINE.blocking_lock();
    for row in TABLE {
        let steps = row.verdict(&search(&mut row.machine(), MUTANT_BOUNDS));
        let steps = steps.unwrap_or_else(|what| panic!("{what}"));
        let depth_max = u32::try_from(steps).expect("a trace is short");
        let searched = search(&mut row.unmutated(), Bounds { depth_max, ..MUTANT_BOUNDS });
        assert!(searched.found.is_none(), "{}: {:?}", row.name, searched.found);
        let deep = searched.complete || searched.depth >= depth_max;
        assert!(deep, "{}: {searched}, and not {depth_max} deep", row.name);
    }
}

#[test]
fn random_walks_through_three_faults_find_nothing_and_repeat() {
    let _machine = MACHINE.blocking_lock();
    for scenario in SCENARIOS {
        let walked = || walk(&mut Machine::new(*scenario, None, 3), 20_264, 200);
        let (first, again) = (walked(), walked());
        if let Some(found) = &first.found {
            panic!("{}: {found}", scenario.name);
        }
        assert_eq!((first.states, first.steps), (again.states, again.steps));
    }
}
