//! The crowd in virtual time, shorter than `make simulate` has it.

use taquilla_simulations::crowd::{Plan, run};

use crate::MACHINE;

/// A few of these steps are commands that are decided; the rest are messages, batches and time.
const STEPS: u64 = 60_000;

#[test]
fn an_oracle_foretells_every_answer_and_every_row() {
    let _machine = MACHINE.blocking_lock();
    for seed in [20_261, 20_262, 20_263, 20_264] {
        let outcome = run(Plan { steps: STEPS, seed }).unwrap_or_else(|found| panic!("{found}"));
        let counts = outcome.counts();
        for (kind, least) in [
            ("granted", 300),
            ("granted by choice", 200),
            ("granted in part", 120),
            ("reduced", 50),
            ("released", 400),
            ("ordered", 100),
            ("confirmed", 50),
            ("void due", 50),
            ("returned", 20),
            ("refund-not-possible", 20),
            ("replayed", 100),
            ("seats-unavailable", 500),
            ("buyer-limit-exceeded", 100),
            ("answers that nobody heard", 5),
            ("seats blocked or unblocked", 50),
            ("capacities set", 10),
            ("terms amended", 20),
            ("sale acted on", 20),
            ("conflicts-with-sales", 20),
            ("sale-not-open", 100),
            ("purchases-paused", 20),
        ] {
            assert!(counts.of(kind) >= least, "too few of {kind} to mean much:\n{outcome}");
        }
    }
}

#[test]
fn a_seed_replays_its_run() {
    let _machine = MACHINE.blocking_lock();
    let run = || run(Plan { steps: 5_000, seed: 7 }).unwrap_or_else(|found| panic!("{found}"));
    assert_eq!(run().to_string(), run().to_string());
}
