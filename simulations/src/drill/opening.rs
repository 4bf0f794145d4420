//! Half a million people at the door: they join, the sale opens, the line goes in as fast as the sale bears, and
//! everybody ends served, declined or told that all is sold. The server dies twice meanwhile, the database is
//! slow for a while, and some play every trick that might improve a place.
//!
//! Who waits is a few bytes, and follows the one public document that says how far the line is. Positions are
//! computed from the public proof, and compared wherever the server tells one.

mod book;
mod chart;
mod curves;
mod door;
mod draw;
mod evening;
mod gathering;
mod hall;
mod passes;
mod people;
mod report;
mod sale;
mod shopper;
mod tally;
mod tricks;
mod verdict;
mod watch;

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use chrono::{TimeDelta, Utc};

use crate::DrillError;
use crate::client::{Buyer, Recorder, Site};
use crate::stage::{Props, Stage};
use evening::Evening;
use hall::House;
use sale::Sale;

pub use report::Outcome;

/// How many come for how many seats.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    /// At the door, or later in the line.
    pub buyers: u32,
    /// In rows and standing; far fewer than the buyers want.
    pub seats: u32,
    /// Of every choice.
    pub seed: u64,
}

impl Plan {
    /// The long form.
    #[must_use]
    pub fn full(seed: u64) -> Self {
        Self { buyers: 500_000, seats: 60_000, seed }
    }

    /// A few minutes' worth of what takes a quarter of an hour else.
    fn is_small(&self) -> bool {
        self.seats < 20_000
    }

    /// How long the database is slow.
    fn slow_seconds(&self) -> u64 {
        if self.is_small() { 6 } else { 20 }
    }

    /// How long the sale goes on before that.
    fn quiet_seconds(&self) -> u64 {
        if self.is_small() { 5 } else { 40 }
    }

    /// Over how long those who come after the opening come, and others look at their place.
    fn spread_seconds(&self) -> u32 {
        if self.is_small() { 8 } else { 60 }
    }

    fn hold_ttl_seconds(&self) -> u32 {
        if self.is_small() { 12 } else { 60 }
    }

    /// How long whoever was let in may shop. Some admissions are over when the sale is.
    fn admission_seconds(&self) -> u32 {
        if self.is_small() { 25 } else { 600 }
    }

    /// Of the buyers one in so many is recorded, for the auditor; all of them take a gigabyte.
    fn recorded_each(&self) -> u32 {
        (self.seats / 2_000).max(1)
    }
}

/// The opening is put off to this until everybody who comes early is there.
const FAR_AWAY: TimeDelta = TimeDelta::hours(6);

/// Lets half a million in, and has the rest judged. Curves are written into the folder `out`.
///
/// # Errors
/// Somebody without an end, a better place, a seat lost or doubled, a rate that does not follow.
pub async fn run(plan: Plan, out: &Path) -> Result<Outcome, DrillError> {
    let Plan { buyers, seats, seed } = plan;
    println!("opening: seed {seed}, {buyers} buyers, {seats} seats");
    let seconds = plan.admission_seconds().to_string();
    let configuration = vec![("TAQUILLA__WAITING_ROOM__ADMISSION_SECONDS", seconds)];
    let mut stage = Stage::set_up(Props { configuration, ..Props::default() }).await?;
    let site = Site::new(stage.url(), Recorder::default())?;
    let token = stage.tokens().mint("operator", Some("operator")).await?;
    let operator = Buyer::new(site, "operator".into(), token);
    let house = House { seats, hold_ttl_seconds: plan.hold_ttl_seconds() };
    let events = house.open(&operator, Utc::now() + FAR_AWAY).await?;
    let sale = Arc::new(Sale::new(plan, house, &stage, events)?);
    let mut evening = Evening::new(Instant::now());
    let passed = evening.play(&mut stage, &sale, &operator).await;
    // Also of an evening that went wrong.
    curves::write(&evening.watched.seconds, &evening.marks, out)?;
    println!("  curves in {}", out.display());
    let verdict = match passed {
        Ok(()) => verdict::of(&stage, &sale, &evening).await,
        Err(error) => Err(error),
    };
    if verdict.is_ok() {
        stage.went_well();
    } else if let Some(complaint) = sale.book.complaint() {
        eprintln!("{complaint}");
    }
    verdict
}
