//! The evening in curves, one file each, and what they show of the rate while the database was slow.

use std::fs;
use std::path::Path;

use super::chart::{Curve, Mark, svg};
use super::watch::Second;
use crate::DrillError;

/// Writes all of them into this folder.
pub(super) fn write(seconds: &[Second], marks: &[Mark], folder: &Path) -> Result<(), DrillError> {
    fs::create_dir_all(folder)?;
    let of = |name, value: fn(&Second) -> f64| Curve {
        name,
        points: seconds.iter().map(|it| (it.at, value(it))).collect(),
    };
    let pace = |name, value: fn(&Second) -> u32| Curve { name, points: paces(seconds, value) };
    let told: Vec<(f64, f64)> = seconds.iter().filter_map(|it| Some((it.at, it.rate?))).collect();
    let mut admissions = vec![pace("called", |it| it.served), pace("let in", |it| it.admitted)];
    if !told.is_empty() {
        admissions.push(Curve { name: "server's rate", points: told });
    }
    let charts = [
        (
            "queue-depth",
            "Places not called yet",
            vec![of("waiting", |it| f64::from(it.joined - it.served.min(it.joined)))],
        ),
        ("joins", "Joins a second", vec![pace("joined", |it| it.joined)]),
        ("admission-rate", "Admissions a second", admissions),
        ("holds", "Holds a second", vec![pace("holds", |it| it.holds)]),
        ("sold", "Seats sold", vec![of("sold", |it| f64::from(it.sold))]),
        (
            "latency-sale",
            "Holds, orders, payments: milliseconds",
            vec![of("p99", |it| it.sale_ms[1]), of("p50", |it| it.sale_ms[0])],
        ),
        (
            "latency-queue",
            "Waiting room: milliseconds",
            vec![of("p99", |it| it.queue_ms[1]), of("p50", |it| it.queue_ms[0])],
        ),
    ];
    for (file, title, curves) in charts {
        fs::write(folder.join(format!("{file}.svg")), svg(title, &curves, marks))?;
    }
    Ok(())
}

/// How much more there was each second.
fn paces(seconds: &[Second], value: fn(&Second) -> u32) -> Vec<(f64, f64)> {
    let steps = seconds.windows(2).map(|two| {
        let more = value(&two[1]).saturating_sub(value(&two[0]));
        (two[1].at, f64::from(more) / (two[1].at - two[0].at).max(0.1))
    });
    steps.collect()
}

/// Calls a second before the database was slow, at the least while it was, and at the most afterwards.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Followed {
    pub(super) before: f64,
    pub(super) during: f64,
    pub(super) after: f64,
}

/// Over so many seconds a pace is measured.
const OVER: f64 = 3.0;
/// So much lower it is while the database is slow, and so much of it comes back.
const FALLS_TO: f64 = 0.6;
const COMES_BACK_TO: f64 = 0.7;

impl Followed {
    /// Of a stretch, and the seconds until `end`, when something else was done.
    pub(super) fn of(seconds: &[Second], slow: &Mark, end: f64) -> Self {
        let before = pace(seconds, slow.from - 2.0 * OVER, slow.from);
        let starts = |from: f64, to: f64| {
            let starts = seconds.iter().map(|it| it.at);
            starts.filter(move |at| *at >= from && at + OVER <= to)
        };
        let over = |at: f64| pace(seconds, at, at + OVER);
        let during = starts(slow.from, slow.to + OVER).map(over).fold(f64::INFINITY, f64::min);
        let after = starts(slow.to, end).map(over).fold(0.0, f64::max);
        Self { before, during, after }
    }

    pub(super) fn complaint(self) -> Option<String> {
        let Self { before, during, after } = self;
        if during > before * FALLS_TO {
            return Some(format!(
                "{during:.1} are called a second of a slow database, {before:.1} before"
            ));
        }
        let comes_back = after >= before * COMES_BACK_TO;
        (!comes_back)
            .then(|| format!("{after:.1} are called a second afterwards, {before:.1} before"))
    }
}

fn pace(seconds: &[Second], from: f64, to: f64) -> f64 {
    let mut within = seconds.iter().filter(|it| it.at >= from && it.at <= to);
    let Some(first) = within.next() else { return 0.0 };
    let last = within.next_back().unwrap_or(first);
    f64::from(last.served - first.served) / (last.at - first.at).max(0.5)
}

#[cfg(test)]
mod tests {
    use super::{Followed, Mark, Second};

    /// Ten a second but from 20 to 30, then so many.
    fn evening(slow: u32, after: u32) -> Vec<Second> {
        let mut served = 0;
        let second = |at: u32| {
            served += match at {
                0..20 => 10,
                20..30 => slow,
                _ => after,
            };
            Second { at: f64::from(at), served, ..Second::default() }
        };
        (0..60).map(second).collect()
    }

    #[test]
    fn a_rate_that_does_not_fall_or_does_not_come_back_is_found() {
        let mark = Mark { name: "slow", from: 20.0, to: 30.0 };
        let complains = |slow, after| Followed::of(&evening(slow, after), &mark, 59.0).complaint();
        assert_eq!(complains(2, 10), None);
        assert!(complains(9, 10).is_some_and(|it| it.contains("of a slow database")));
        assert!(complains(2, 4).is_some_and(|it| it.contains("afterwards")));
    }
}
