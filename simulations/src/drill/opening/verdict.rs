//! What must have come of it: everybody has an end, nobody a better place, those let in came in their order,
//! the rate followed the database, and nothing was lost or doubled in rows and books.

use std::time::Duration;

use chrono::DateTime;
use taquilla_auditor::{Evidence, Line, OrderStatus, Recorded, Rows, TicketStatus, read_line};
use uuid::Uuid;

use secrecy::ExposeSecret;

use super::book::{Admitted, Fate};
use super::curves::Followed;
use super::evening::Evening;
use super::people::Person;
use super::report::Outcome;
use super::sale::Sale;
use super::{tally, tricks};
use crate::DrillError;
use crate::drill::{find_nothing, found_nothing, keep};
use crate::figures::{Figures, Spread};
use crate::stage::Stage;

/// How long whoever is called may take: what is set unless something else is.
const GRACE: Duration = Duration::from_secs(120);
/// An admission is told as of the answer, which leaves a little after it was given.
const ANSWERED_IN: Duration = Duration::from_secs(5);
/// A mean that is so many standard deviations off is nobody's luck.
const DEVIATIONS_MAX: f64 = 5.0;

/// Judges the evening.
///
/// # Errors
/// Whatever is not as it must be.
pub(super) async fn of(
    stage: &Stage,
    sale: &Sale,
    evening: &Evening,
) -> Result<Outcome, DrillError> {
    let recorded = sale.recorder.take();
    let figures = Figures::of(&recorded);
    let verdict = judge(stage, sale, evening, &recorded, &figures).await;
    if verdict.is_err() {
        keep(&recorded, &figures, stage.folder());
    }
    verdict
}

async fn judge(
    stage: &Stage,
    sale: &Sale,
    evening: &Evening,
    recorded: &[Recorded],
    figures: &Figures,
) -> Result<Outcome, DrillError> {
    let memory_mb = memory_mb();
    let over_shown = tricks::shows_what_is_over(sale).await?;
    let rows = stage.settled_rows().await?;
    let books = stage.books().await?;
    check_ends(sale, &rows)?;
    find_nothing(&Evidence { rows, books, recorded: recorded.to_vec() }, figures)?;
    found_nothing(stage.own_audit().await?)?;
    let event = Uuid::parse_str(&sale.event).map_err(|it| DrillError::Broken(it.to_string()))?;
    let url = stage.database_url().expose_secret();
    let line = read_line(url, event, f64::from(sale.plan.admission_seconds())).await?;
    check_line(sale, &line.unwrap_or_default())?;
    if let Some(complaint) = sale.book.complaint() {
        return Err(DrillError::Broken(complaint));
    }
    let slow = evening.slow.clone();
    let slow = slow.ok_or_else(|| DrillError::Broken("the database was never slow".into()))?;
    let followed = Followed::of(&evening.watched.seconds, &slow, evening.killed_at);
    // A sale of a few hundred seats is over before its rate is near what a slow database bears.
    let must_follow = !sale.plan.is_small();
    if let Some(complaint) = followed.complaint().filter(|_| must_follow) {
        return Err(DrillError::Broken(complaint));
    }
    let restarts = Spread::of(evening.restarts.clone());
    let (requests, unanswered) = sale.door.count();
    Ok(Outcome {
        plan: sale.plan,
        fates: sale.book.fates(),
        joined_after: evening.joined_after,
        sold_after: evening.sold_after,
        told_after: evening.told_after,
        restarts: restarts.ok_or_else(|| DrillError::Broken("nothing was killed".into()))?,
        followed,
        limits: evening.watched.limits.clone(),
        requests,
        unanswered,
        recorded_requests: recorded.len(),
        compared: sale.book.compared(),
        admitted: tally::of(&sale.tally.admitted),
        holds: tally::of(&sale.tally.holds),
        refusals: tally::of(&sale.tally.refusals),
        lost_turns: tally::of(&sale.tally.lost_turns),
        ran_out: tally::of(&sale.tally.ran_out),
        over_shown,
        memory_mb,
    })
}

/// Everybody has an end, and each seat a buyer.
fn check_ends(sale: &Sale, rows: &Rows) -> Result<(), DrillError> {
    let broken = |what: String| Err(DrillError::Broken(what));
    let [waiting, inside, served, ..] = sale.book.fates();
    if waiting + inside > 0 {
        let some = [Fate::Waiting, Fate::Inside].map(|fate| sale.book.some_of(fate));
        return broken(format!("{waiting} still wait, {inside} are still inside: {some:?}"));
    }
    let sold = rows.tickets.iter().filter(|it| it.status != TicketStatus::Void).count();
    let paid = rows.orders.iter().filter(|it| it.status == OrderStatus::Confirmed).count();
    if sold != sale.plan.seats as usize {
        return broken(format!("{sold} tickets of {} seats", sale.plan.seats));
    }
    if paid != served {
        return broken(format!("{paid} orders are paid, {served} buyers are served"));
    }
    Ok(())
}

fn check_line(sale: &Sale, line: &Line) -> Result<(), DrillError> {
    for (rule, count) in &line.broken {
        sale.book.fault(format!("{count} rows contradict: {rule}"));
    }
    let (present, _) = sale.book.compared();
    if i64::from(line.present) != i64::from(present) {
        sale.book.fault(format!("{} were present, the proof has {present}", line.present));
    }
    for admitted in sale.book.all_admitted() {
        if let Some(fault) = out_of_turn(line, admitted) {
            sale.book.fault(fault);
        }
    }
    for trick in tricks::Trick::ALL {
        if let Some(deviations) = luck(sale, trick).filter(|it| *it < -DEVIATIONS_MAX) {
            sale.book.fault(format!("who {trick} stands {deviations:.1} deviations in front"));
        }
    }
    Ok(())
}

/// Whoever was let in had been called, and not too long before.
fn out_of_turn(line: &Line, admitted: Admitted) -> Option<String> {
    let Admitted { buyer, position, at_ms } = admitted;
    let at = DateTime::from_timestamp_millis(at_ms)?;
    let Some(called_at) = line.called_at(position) else {
        return Some(format!("buyer {buyer} at {position} was let in, and never called"));
    };
    // Told in milliseconds, kept in microseconds.
    let early = at + Duration::from_millis(1) < called_at;
    let late = at > called_at + GRACE + ANSWERED_IN;
    let fault = || format!("buyer {buyer} at {position}, called at {called_at}, is in at {at}");
    (early || late).then(fault)
}

/// How far in front those who play this stand, in standard deviations of so many drawn honestly; negative is
/// in front. Only of those who are in the draw.
fn luck(sale: &Sale, trick: tricks::Trick) -> Option<f64> {
    let (present, _) = sale.book.compared();
    let players = trick.players_of(sale.plan.buyers);
    let players = players.filter(|buyer| !Person::of(&sale.plan, *buyer).is_late);
    let positions = players.filter_map(|buyer| sale.book.position(buyer));
    let positions: Vec<f64> = positions.filter(|it| *it < present).map(f64::from).collect();
    let count = positions.len() as f64;
    if count < 1.0 {
        return None;
    }
    let mean = positions.iter().sum::<f64>() / count / f64::from(present);
    Some((mean - 0.5) * (12.0 * count).sqrt())
}

/// The most that this process has used, in megabytes.
fn memory_mb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let most = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = most.and_then(|it| it.trim().trim_end_matches(" kB").parse::<u64>().ok());
    kilobytes.unwrap_or(0) / 1_024
}

/// What fates are called in a report.
pub(super) fn word(fate: Fate) -> &'static str {
    match fate {
        Fate::Waiting => "without an end",
        Fate::Inside => "still inside",
        Fate::Served => "served",
        Fate::Declined => "declined",
        Fate::SoldOut => "told it is sold out",
        Fate::Left => "left by themselves",
    }
}
