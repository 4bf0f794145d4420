//! Best available in one section: how long a choice takes by how full the section is and how large,
//! and how long a section takes to be laid out.

use std::sync::Arc;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use taquilla_benches::scale::Scale;
use taquilla_engine::seating::{ChoiceWish, Seating, Spot, Stage};

/// As in the server.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const STAGE: Stage = Stage { focus: (0.0, 0.0), seat_pitch: 1.0 };
/// The reference section's.
const ROW_SEATS: u32 = 40;
const LONG_ROW_SEATS: u32 = 1_000;
const SEED: u64 = 15;

/// Rows one behind the other, a section's width before the stage.
struct Hall {
    names: Vec<Arc<str>>,
    row_seats: u32,
    seats: u32,
}

impl Hall {
    fn new(seats: u32, row_seats: u32) -> Self {
        let names = (0..seats.div_ceil(row_seats)).map(|row| row.to_string().into()).collect();
        Self { names, row_seats, seats }
    }

    fn spots(&self) -> Vec<Spot> {
        let spot = |seat: u32| {
            let (row, column) = (seat / self.row_seats, seat % self.row_seats);
            let (x, y) = (column as f32 - self.row_seats as f32 / 2.0, 20.0 + 1.2 * row as f32);
            let row = Arc::clone(&self.names[row as usize]);
            Spot { row, x, y, tier: 0, accessible: false }
        };
        (0..self.seats).map(spot).collect()
    }
}

/// Who has a seat.
#[derive(Clone, Copy, PartialEq)]
enum Taken {
    None,
    /// 95 of 100, anywhere.
    Nearly,
    /// Every second seat: nobody finds two together, and everybody many.
    Checkerboard,
    /// 95 of 100, and the last row, the farthest, has the only four together.
    NearlyWithOneRun,
}

impl Taken {
    fn seats(self, hall: &Hall) -> Vec<bool> {
        let mut random = StdRng::seed_from_u64(SEED);
        let mut taken: Vec<bool> = (0..hall.seats)
            .map(|seat| match self {
                Self::None => false,
                Self::Nearly | Self::NearlyWithOneRun => random.random_ratio(95, 100),
                Self::Checkerboard => (seat + seat / hall.row_seats).is_multiple_of(2),
            })
            .collect();
        if self == Self::NearlyWithOneRun {
            let first = taken.len() - 4;
            taken[first - 1] = true;
            taken[first..].fill(false);
        }
        taken
    }
}

fn main() {
    let is_tiny = Scale::of_arguments().seats() < Scale::REFERENCE.seats();
    let (section, stadium) = if is_tiny { (50, 200) } else { (1_000, 60_000) };
    let row = LONG_ROW_SEATS.min(section);
    let halls = [
        ("section", Hall::new(section, ROW_SEATS)),
        ("one_row", Hall::new(section, row)),
        ("stadium_in_rows", Hall::new(stadium, ROW_SEATS)),
        ("stadium_in_long_rows", Hall::new(stadium, row)),
    ];
    let mut criterion = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1))
        .configure_from_args();
    for (name, hall) in &halls {
        let seating = Seating::new(&hall.spots(), STAGE);
        let mut group = criterion.benchmark_group(format!("choose/{name}"));
        let mut measure = |what: &str, taken: Taken, quantity: u32, adjacent: bool| {
            let taken = taken.seats(hall);
            let wish = ChoiceWish { quantity, tier: None, adjacent, accessible: false };
            let is_met = seating.choose(&wish, |place| taken[place as usize]).is_some();
            assert!(is_met || adjacent || is_tiny, "{what} of {name} can be had");
            group.bench_function(BenchmarkId::new(what, quantity), |bencher| {
                bencher.iter(|| seating.choose(&wish, |place| taken[place as usize]));
            });
        };
        measure("empty", Taken::None, 4, true);
        measure("nearly_full_adjacent", Taken::Nearly, 4, true);
        measure("nearly_full_one_run", Taken::NearlyWithOneRun, 4, true);
        measure("nearly_full_split", Taken::Nearly, 4, false);
        measure("checkerboard_split", Taken::Checkerboard, 4, false);
        measure("checkerboard_split", Taken::Checkerboard, section.min(1_000) / 2, false);
        group.finish();
        let spots = hall.spots();
        criterion.bench_function(&format!("seat/{name}"), |bencher| {
            bencher.iter(|| Seating::new(&spots, STAGE));
        });
    }
    criterion.final_summary();
}
