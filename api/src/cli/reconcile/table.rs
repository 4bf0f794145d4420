//! A reconciliation's report for people: a line a difference, in columns.

use std::io;

use taquilla_engine::money::Money;
use taquilla_engine::payment::reconciliation::{Difference, Verdict};
use taquilla_persistence::reconciliation::{RunRecord, Standing};

use crate::cli::say;
use crate::instant::Instant;

const HEADINGS: [&str; 7] = ["kind", "", "attempt", "reference", "ours", "theirs", "what is so"];

pub(super) fn print(standing: &Standing) -> io::Result<()> {
    if let Some(run) = &standing.last {
        print_run(run)?;
    }
    if let Some((why, since)) = &standing.closed {
        let since = Instant(*since).to_text();
        say(format_args!("new payments are closed since {since}: {why}"))?;
    }
    Ok(())
}

fn print_run(run: &RunRecord) -> io::Result<()> {
    let (since, until) = (Instant(run.since).to_text(), Instant(run.started_at).to_text());
    say(format_args!("reconciliation {} with {}, {since} to {until}", run.id, run.provider))?;
    let counted = format!(
        "{} records compared with {} attempts, {} of them in flight{}",
        run.records,
        run.attempts,
        run.in_flight,
        if run.in_flight > 0 { ", to be compared the next time" } else { "" }
    );
    match run.verdict {
        Verdict::Clean => return say(format_args!("ok: {counted}")),
        Verdict::Differing | Verdict::Unsafe => say(counted)?,
    }
    let rows: Vec<[String; 7]> = run.differences.iter().map(cells).collect();
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.chain([HEADINGS[column].len()]).max().unwrap_or_default()
    };
    let widths: [usize; 7] = std::array::from_fn(width);
    say(line(&HEADINGS.map(str::to_owned), &widths))?;
    rows.iter().try_for_each(|row| say(line(row, &widths)))?;
    if run.more() > 0 {
        say(format_args!("and {} more", run.more()))?;
    }
    let total: u64 = run.counts.iter().map(|(_, count)| count).sum();
    let differences = if total == 1 { "difference" } else { "differences" };
    say(format_args!("DIFFERS: {total} {differences}, {} unsafe", run.unsafe_count))
}

fn line(cells: &[String; 7], widths: &[usize; 7]) -> String {
    let padded = cells.iter().zip(widths).map(|(cell, width)| format!("{cell:width$}"));
    padded.collect::<Vec<_>>().join("  ").trim_end().to_owned()
}

fn cells(it: &Difference) -> [String; 7] {
    let text = |text: Option<String>| text.unwrap_or_else(|| "-".into());
    let money = |it: Money| format!("{} {}", it.amount, it.currency);
    [
        it.kind.code().to_owned(),
        if it.is_unsafe { "UNSAFE" } else { "" }.to_owned(),
        text(it.attempt.map(|id| id.to_string())),
        // A provider's word: nothing of it may steer the terminal.
        text(it.reference.as_ref().map(|it| it.escape_debug().to_string())),
        text(it.ours.map(money)),
        text(it.theirs.map(money)),
        it.detail.escape_debug().to_string(),
    ]
}
