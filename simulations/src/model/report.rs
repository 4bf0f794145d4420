//! The model from the command line: every scenario, then every mutant, with figures.

use super::Machine;
use super::mutant::TABLE;
use super::scenario::SCENARIOS;
use super::search::{Bounds, Searched, search, walk};

/// Enough for every mutant of the table, by far.
pub const MUTANT_BOUNDS: Bounds = Bounds { states_max: 1_000_000, depth_max: 40 };

/// What to search, and how far.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// The budget of each scenario.
    pub faults: u8,
    /// Where a scenario's search ends.
    pub bounds: Bounds,
    /// Random walks a scenario, with one fault more.
    pub walks: u32,
    /// Of the walks.
    pub seed: u64,
}

/// Searches everything, and prints each line as it is known.
///
/// # Errors
/// In words: the first violation of the unmutated protocol with its trace, or the mutants that were
/// not caught.
pub fn run(plan: Plan) -> Result<String, String> {
    for scenario in SCENARIOS {
        let mut machine = Machine::new(*scenario, None, plan.faults);
        let searched = search(&mut machine, plan.bounds);
        let memories = machine.owner_states();
        println!("{:<9} {} faults: {searched}, {memories} memories", scenario.name, plan.faults);
        green(&searched)?;
        if plan.walks > 0 {
            let faults = plan.faults + 1;
            let mut machine = Machine::new(*scenario, None, faults);
            let walked = walk(&mut machine, plan.seed, plan.walks);
            println!("{:<9} {faults} faults, {} walks: {walked}", scenario.name, plan.walks);
            green(&walked)?;
        }
    }
    let mut wrong = Vec::new();
    for row in TABLE {
        let searched = search(&mut row.machine(), MUTANT_BOUNDS);
        match row.verdict(&searched) {
            Ok(steps) => println!("{}: caught in {steps} steps: {}", row.name, row.breaks),
            Err(what) => wrong.push(what),
        }
    }
    let caught = format!("{} mutants, all caught by the rule that they break", TABLE.len());
    if wrong.is_empty() { Ok(caught) } else { Err(wrong.join("\n")) }
}

fn green(searched: &Searched) -> Result<(), String> {
    searched.found.as_ref().map_or(Ok(()), |found| Err(found.to_string()))
}
