//! Chi-square tests of the draw over many secrets. Seeds are fixed: a test passes always or never.
//!
//! Bounds are those of the chi-square distribution's upper 0.1 % (Wilson and Hilferty's approximation,
//! 1931): of a fair draw, one test in a thousand would be beyond them.

use super::draw;

/// The upper 0.1 % of the chi-square distribution with so many degrees of freedom.
fn bound(freedom: f64) -> f64 {
    let part = 2.0 / (9.0 * freedom);
    freedom * (1.0 - part + 3.0902 * part.sqrt()).powi(3)
}

/// How far counts are from all being the same, as chi-square measures it.
fn chi_square(counts: &[u32]) -> f64 {
    let expected = counts.iter().sum::<u32>() as f64 / counts.len() as f64;
    counts.iter().map(|count| (f64::from(*count) - expected).powi(2) / expected).sum()
}

fn assert_uniform(counts: &[u32], what: &str) {
    let (found, bound) = (chi_square(counts), bound(counts.len() as f64 - 1.0));
    assert!(found < bound, "{what}: {found:.1} of {bound:.1} at most");
}

#[test]
fn whoever_came_when_stands_anywhere_equally_often() {
    for present in [2, 3, 10, 100, 1_000] {
        for index in [0, 1, present / 2, present - 1] {
            let buckets = present.min(50);
            let mut counts = vec![0; buckets as usize];
            for seed in 0..6_000 {
                let position = draw(seed, present).position(index);
                counts[(u64::from(position) * u64::from(buckets) / u64::from(present)) as usize] +=
                    1;
            }
            assert_uniform(&counts, &format!("number {index} of {present}"));
        }
    }
}

#[test]
fn of_three_every_order_comes_equally_often() {
    let mut counts = [0; 6];
    for seed in 0..12_000 {
        let draw = draw(seed, 3);
        let (first, second) = (draw.position(0), draw.position(1));
        counts[(first * 2 + second - u32::from(second > first)) as usize] += 1;
    }
    assert_uniform(&counts, "orders of three");
}

#[test]
fn who_came_together_does_not_stand_together_nor_apart() {
    let mut counts = [0; 50];
    for seed in 0..4_000 {
        let draw = draw(seed, 500);
        let distance = (draw.position(250) + 500 - draw.position(251)) % 500;
        // From 1 to 499 they are equally likely; the last bucket lacks one of them.
        counts[((distance - 1) / 10) as usize] += 1;
    }
    assert_uniform(&counts, "distances of neighbours");
}

/// Spearman's rank correlation of when somebody came and where he stands: of a fair draw it is normal, with
/// the deviation of `1 / sqrt(n - 1)`.
#[test]
fn coming_early_does_not_help() {
    for (seed, present) in [(1, 1_000_u32), (2, 10_000), (3, 100_000)] {
        let draw = draw(seed, present);
        let distance = |index| {
            let between = f64::from(draw.position(index)) - f64::from(index);
            between * between
        };
        let sum: f64 = (0..present).map(distance).sum();
        let n = f64::from(present);
        let correlation = 1.0 - 6.0 * sum / (n * (n * n - 1.0));
        let bound = 3.29 / (n - 1.0).sqrt();
        assert!(correlation.abs() < bound, "{correlation} of {bound} at most, of {present}");
    }
}
