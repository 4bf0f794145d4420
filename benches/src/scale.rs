//! How large a run is: the reference workload, or a tiny one that only shows that benches still run.

use std::time::Duration;

/// The sizes of a run.
#[derive(Clone, Copy, Debug)]
pub struct Scale {
    /// Events on sale side by side, each in the whole hall.
    pub events: u16,
    /// Sections of the hall.
    pub sections: u16,
    /// Seats of each.
    pub section_seats: u32,
    /// Buyers, of whom each request draws one.
    pub buyers: usize,
    /// Requests in flight.
    pub in_flight: usize,
    /// Members of a waiting room.
    pub waiting: u32,
    /// How long both ways run, each, before anything is measured.
    pub warm_up: Duration,
    /// One turn of one way.
    pub slice: Duration,
    /// Turns of each way that are measured in a run.
    pub cycles: usize,
    /// Runs, of which the median counts.
    pub runs: usize,
    /// Log that the server has written before, so that the runs write no new files.
    pub log_megabytes: i32,
    /// Numbers of connections among which the row-lock way's best is chosen.
    pub connections: &'static [usize],
}

impl Scale {
    /// One event of 60,000 seats, 512 requests in flight, three runs of 3 s measured each way.
    pub const REFERENCE: Self = Self {
        events: 1,
        sections: 60,
        section_seats: 1_000,
        buyers: 50_000,
        in_flight: 512,
        waiting: 500_000,
        warm_up: Duration::from_millis(1_500),
        slice: Duration::from_millis(500),
        cycles: 6,
        runs: 3,
        log_megabytes: 1_500,
        connections: &[8, 16, 32, 64],
    };

    /// Runs in a second, and says nothing about speed.
    pub const TINY: Self = Self {
        events: 1,
        sections: 4,
        section_seats: 50,
        buyers: 64,
        in_flight: 16,
        waiting: 2_000,
        warm_up: Duration::from_millis(20),
        slice: Duration::from_millis(20),
        cycles: 2,
        runs: 1,
        log_megabytes: 1,
        connections: &[2, 4],
    };

    /// The reference under `cargo bench`, which passes `--bench`, and tiny under `cargo test`.
    #[must_use]
    pub fn of_arguments() -> Self {
        let given = |wanted: &str| std::env::args().any(|argument| argument == wanted);
        if given("--bench") && !given("--test") { Self::REFERENCE } else { Self::TINY }
    }

    /// The same with so many events, among which the requests in flight are divided.
    #[must_use]
    pub fn side_by_side(self, events: u16) -> Self {
        Self { events, ..self }
    }

    /// Seats of an event.
    #[must_use]
    pub fn seats(&self) -> u32 {
        u32::from(self.sections) * self.section_seats
    }
}
