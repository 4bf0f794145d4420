//! A crowd in virtual time: 64 buyers ask at random, every message takes as long as chance wants, the
//! owner dies now and then, and an [oracle](taquilla_auditor::oracle) foretells every answer and every
//! row. A seed replays it all.
//!
//! The product's own door, sections and journal in memory are driven here, without their actors; what
//! foretells shares no code with them. A run is many short sales, each in another hall: a sale that has
//! sold out decides little.

mod counts;
mod dice;
mod memory;
mod operations;
mod owner;
mod refusals;
mod sale;
mod unheard;
mod venue;
mod wants;
mod words;
mod written;

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use taquilla_auditor::oracle::Difference;

pub use counts::Counts;

use dice::Dice;
use sale::Sale;

/// How many buyers ask.
pub const BUYERS: u32 = 64;

/// How long a sale lasts: after that most seats are sold.
const SALE_STEPS: u64 = 2_500;
/// How often all rows are compared with all that was decided.
const COMPARE_STEPS: u64 = 500;

/// How long, and from which seed.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    /// Messages delivered, commands asked, batches written, pauses and deaths, all together.
    pub steps: u64,
    /// Of every choice.
    pub seed: u64,
}

/// What a run came to.
#[derive(Debug, Clone)]
pub struct Outcome {
    plan: Plan,
    sales: u64,
    counts: Counts,
}

/// Where product and oracle differ.
#[derive(Debug)]
pub struct Found {
    plan: Plan,
    step: u64,
    doing: String,
    difference: Difference,
}

/// Runs it.
///
/// # Errors
/// [`Found`], at the first difference, or where the product breaks off.
pub fn run(plan: Plan) -> Result<Outcome, Box<Found>> {
    let mut dice = Dice::new(plan.seed);
    let mut outcome = Outcome { plan, sales: 0, counts: Counts::default() };
    let mut step = 0;
    while step < plan.steps {
        let mut sale = Sale::open(dice.seed());
        let last = plan.steps.min(step + SALE_STEPS);
        let sold = catch_unwind(AssertUnwindSafe(|| {
            while step < last {
                step += 1;
                sale.step()?;
                if step % COMPARE_STEPS == 0 {
                    sale.compare()?;
                }
            }
            sale.close()
        }));
        let difference = match sold {
            Ok(Ok(())) => {
                outcome.sales += 1;
                outcome.counts.add(&sale.counts);
                continue;
            }
            Ok(Err(difference)) => difference,
            Err(panic) => {
                let said = panic.downcast_ref::<String>().map(String::as_str);
                let said = said.or_else(|| panic.downcast_ref::<&str>().copied());
                let got = said.unwrap_or("a panic").to_owned();
                Difference { expected: "no invariant broken".into(), got }
            }
        };
        return Err(Box::new(Found { plan, step, doing: sale.doing, difference }));
    }
    Ok(outcome)
}

impl Outcome {
    /// How often each kind of answer came.
    #[must_use]
    pub fn counts(&self) -> &Counts {
        &self.counts
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Plan { steps, seed } = self.plan;
        let sales = self.sales;
        write!(f, "seed {seed}: {steps} steps, {sales} sales, no difference\n{}", self.counts)
    }
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { plan, step, doing, difference } = self;
        write!(f, "seed {}, step {step}: {doing}\n{difference}", plan.seed)
    }
}

impl std::error::Error for Found {}
