//! The model of the protocol: every state within one fault, and every rule left out in turn.

use taquilla_simulations::model::mutant::TABLE;
use taquilla_simulations::model::report::MUTANT_BOUNDS;
use taquilla_simulations::model::scenario::SCENARIOS;
use taquilla_simulations::model::{Bounds, Machine, search, walk};

use crate::MACHINE;

/// All states of most scenarios with one fault, and the nearest of the others, whose whole
/// `taquilla-simulate model` visits: some ten seconds.
const BOUNDS: Bounds = Bounds { states_max: 250_000, depth_max: 100 };

#[test]
fn whatever_goes_wrong_once_no_answer_becomes_untrue_and_none_is_missing() {
    let _machine = MACHINE.blocking_lock();
    for scenario in SCENARIOS {
        let searched = search(&mut Machine::new(*scenario, None, 1), BOUNDS);
        if let Some(found) = &searched.found {
            panic!("{}: {found}", scenario.name);
        }
        let visited = searched.complete || searched.states >= BOUNDS.states_max;
        assert!(visited && searched.states > 10_000, "{}: {searched}", scenario.name);
        println!("{}: {searched}", scenario.name);
    }
}

#[test]
fn every_rule_left_out_is_caught_by_what_it_breaks() {
    let _machine = MACHINE.blocking_lock();
    let mut wrong = Vec::new();
    for row in TABLE {
        let searched = search(&mut row.machine(), MUTANT_BOUNDS);
        match &searched.found {
            None => wrong.push(format!("{} is not caught: {searched}", row.name)),
            Some(found) if found.violation.rule != row.breaks => {
                wrong.push(format!("{} is caught by another rule: {found}", row.name));
            }
            Some(found) => println!("{}: {} steps, {searched}", row.name, found.trace.len()),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn without_its_mutation_a_mutants_search_finds_nothing() {
    let _machine = MACHINE.blocking_lock();
    for row in TABLE.iter().filter(|row| row.budget < 3) {
        let bounds = Bounds { states_max: 30_000, ..BOUNDS };
        let searched = search(&mut row.unmutated(), bounds);
        assert!(searched.found.is_none(), "{}: {:?}", row.name, searched.found);
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
