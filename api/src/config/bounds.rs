//! From where to where each number may be set. Above, it would be no bound any more, or more than what
//! it is handed to can take.

use std::ops::RangeInclusive;

use super::{Config, ConfigError};

/// A lane gives a batch up after five seconds: a caller is to be answered before.
const DECISION_DEADLINE_MS: RangeInclusive<u64> = 1..=4_999;
/// Nobody has so many at one address.
const CONNECTIONS: RangeInclusive<u64> = 1..=1_000_000;
/// 0 is no limit; above, no process would notice one.
const PER_SECOND: RangeInclusive<u64> = 0..=1_000_000;
/// At once.
const BURST: RangeInclusive<u64> = 1..=1_000_000;
/// Shorter, a provider's whole network would be one caller; no address is longer.
const IPV6_PREFIX: RangeInclusive<u64> = 32..=128;
/// Ten million hashes are a minute or more on a telephone.
const DIFFICULTY: RangeInclusive<u64> = 1..=10_000_000;
/// Shorter, a slow telephone is never in time; longer, solutions are kept in stock.
const CHALLENGE_SECONDS: RangeInclusive<u64> = 30..=3_600;
/// 0 is no end of them; who drops so many has all seats in his hands.
const DROPPED_HOLDS: RangeInclusive<u64> = 0..=1_000;
/// Nobody waits longer for a process to end.
const DRAIN_SECONDS: RangeInclusive<u64> = 0..=3_600;
/// A server of Postgres takes a few hundred in all.
const DATABASE_CONNECTIONS: RangeInclusive<u64> = 1..=1_000;
/// A provider that takes longer has lost the question.
const PATIENCE_MS: RangeInclusive<u64> = 1..=120_000;
/// What waits takes memory; a million is some gigabytes.
const WAITING: RangeInclusive<u64> = 1..=1_000_000;
/// Each is an authorisation that a bank sees.
const ATTEMPTS: RangeInclusive<u64> = 1..=100;
/// Stripe forgets a key after a day, at the earliest. Under a minute none would ever be repeated.
const KEY_LIFE_SECONDS: RangeInclusive<u64> = 60..=86_400;
/// A card's reservation lasts seven days.
const UNKNOWN_SECONDS: RangeInclusive<u64> = 60..=604_800;
/// An event is over by then.
const GRACE_HOURS: RangeInclusive<u64> = 0..=8_760;
/// A week without one is as good as none.
const EVERY_MINUTES: RangeInclusive<u64> = 1..=10_080;
/// Ten years of books.
const WINDOW_DAYS: RangeInclusive<u64> = 1..=3_650;
/// What is on its way for a day is stuck.
const IN_FLIGHT_SECONDS: RangeInclusive<u64> = 0..=86_400;
/// A batch is one statement, and one message to the database.
const BATCH: RangeInclusive<u64> = 1..=20_000;
/// What a room's table of places holds.
const MEMBERS: RangeInclusive<u64> = 1..=16_000_000;
/// Nobody waits a day for his turn to be taken.
const GRACE_SECONDS: RangeInclusive<u64> = 1..=86_400;
/// Postgres commits no more in a second.
const RATE: RangeInclusive<u64> = 0..=100_000;
/// Beyond it nothing is answered in time any more.
const LATENCY_MS: RangeInclusive<u64> = 1..=60_000;
/// Ten years.
const KEPT_HOURS: RangeInclusive<u64> = 0..=87_600;
const KEPT_DAYS: RangeInclusive<u64> = 1..=3_650;
/// Some hundred bytes each.
const KEYS: RangeInclusive<u64> = 1..=100_000_000;

pub(super) fn check(config: &Config) -> Result<(), ConfigError> {
    let Config { http, limits, shedding, challenge, database, payments, .. } = config;
    let Config { reconciliation, waiting_room: room, outbox, nats, engine, .. } = config;
    let stripe = &payments.stripe;
    let no_less_than_is_free = limits.hold_churn_free.into()..=*DROPPED_HOLDS.end();
    let below_the_limit = 1..=shedding.concurrency_max as u64;
    let bounds = [
        ("http.decision_deadline_ms", http.decision_deadline_ms, DECISION_DEADLINE_MS),
        ("http.connections_max", http.connections_max as u64, CONNECTIONS),
        ("http.drain_seconds", http.drain_seconds, DRAIN_SECONDS),
        ("limits.per_address_per_second", limits.per_address_per_second.into(), PER_SECOND),
        ("limits.per_address_burst", limits.per_address_burst.into(), BURST),
        ("limits.per_account_per_second", limits.per_account_per_second.into(), PER_SECOND),
        ("limits.per_account_burst", limits.per_account_burst.into(), BURST),
        ("limits.map_reads_per_second", limits.map_reads_per_second.into(), PER_SECOND),
        ("limits.ipv6_prefix", limits.ipv6_prefix.into(), IPV6_PREFIX),
        ("challenge.difficulty", challenge.difficulty.into(), DIFFICULTY),
        ("challenge.expires_seconds", challenge.expires_seconds, CHALLENGE_SECONDS),
        ("limits.hold_churn_free", limits.hold_churn_free.into(), DROPPED_HOLDS),
        ("limits.hold_churn_max", limits.hold_churn_max.into(), no_less_than_is_free),
        ("limits.hold_churn_decay_seconds", limits.hold_churn_decay_seconds, GRACE_SECONDS),
        ("shedding.target_ms", shedding.target_ms, LATENCY_MS),
        ("shedding.concurrency_max", shedding.concurrency_max as u64, CONNECTIONS),
        ("shedding.concurrency_min", shedding.concurrency_min as u64, below_the_limit),
        ("database.writers", database.writers as u64, DATABASE_CONNECTIONS),
        ("database.readers", database.readers as u64, DATABASE_CONNECTIONS),
        ("payments.patience_ms", payments.patience_ms, PATIENCE_MS),
        ("payments.in_work_max", payments.in_work_max as u64, WAITING),
        ("payments.attempts_max", payments.attempts_max.into(), ATTEMPTS),
        ("payments.capture_grace_hours", payments.capture_grace_hours, GRACE_HOURS),
        ("payments.stripe.key_life_seconds", stripe.key_life_seconds, KEY_LIFE_SECONDS),
        ("payments.stripe.unknown_max_seconds", stripe.unknown_max_seconds, UNKNOWN_SECONDS),
        ("reconciliation.every_minutes", reconciliation.every_minutes, EVERY_MINUTES),
        ("reconciliation.window_days", reconciliation.window_days, WINDOW_DAYS),
        ("reconciliation.in_flight_seconds", reconciliation.in_flight_seconds, IN_FLIGHT_SECONDS),
        ("engine.event_commands_max", engine.event_commands_max as u64, WAITING),
        ("engine.section_commands_max", engine.section_commands_max as u64, WAITING),
        ("engine.batch_max", engine.batch_max as u64, BATCH),
        ("engine.keys_max", engine.keys_max as u64, KEYS),
        ("engine.open_holds_max", engine.open_holds_max.into(), WAITING),
        ("outbox.retention_hours", outbox.retention_hours, KEPT_HOURS),
        ("outbox.deliveries_days", outbox.deliveries_days, KEPT_DAYS),
        ("nats.stream_days", nats.stream_days, KEPT_DAYS),
        ("waiting_room.members_max", room.members_max.into(), MEMBERS),
        ("waiting_room.grace_seconds", room.grace_seconds, GRACE_SECONDS),
        ("waiting_room.admission_seconds", room.admission_seconds, GRACE_SECONDS),
        ("waiting_room.rate_start", room.rate_start.into(), RATE),
        ("waiting_room.rate_floor", room.rate_floor.into(), 0..=room.rate_ceiling.into()),
        ("waiting_room.rate_ceiling", room.rate_ceiling.into(), RATE),
        ("waiting_room.active_max", room.active_max.into(), WAITING),
        ("waiting_room.commit_max_ms", room.commit_max_ms, LATENCY_MS),
        ("waiting_room.decision_max_ms", room.decision_max_ms, LATENCY_MS),
    ];
    match bounds.into_iter().find(|(_, value, range)| !range.contains(value)) {
        Some((key, value, range)) => {
            let rule = format!("is {} to {}, not {value}", range.start(), range.end());
            Err(ConfigError::value(key, &rule))
        }
        None => target_can_be_met(config),
    }
}

/// No decision is answered later than its deadline.
fn target_can_be_met(config: &Config) -> Result<(), ConfigError> {
    let (target, deadline) = (config.shedding.target_ms, config.http.decision_deadline_ms);
    if config.shedding.enabled && target > deadline {
        let rule =
            format!("is at most http.decision_deadline_ms, which is {deadline}, not {target}");
        return Err(ConfigError::value("shedding.target_ms", &rule));
    }
    Ok(())
}
