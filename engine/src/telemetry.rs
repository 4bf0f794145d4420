//! Every metric of the engine, by name. No label carries an id; `docs/metrics.md` lists them.

use std::time::Duration;

use metrics::{counter, gauge, histogram};

use crate::event::availability::SectionCount;
use crate::waiting_room::line::Line;
use crate::waiting_room::rate::{Decided, Signals};

/// A decision left for its caller. Labels: the command's and the outcome's code.
pub(crate) fn decided(command: &'static str, outcome: &'static str) {
    counter!("taquilla_decisions_total", "command" => command, "outcome" => outcome).increment(1);
}

/// A command came back without a decision.
pub(crate) fn unanswered(command: &'static str, why: &'static str) {
    counter!("taquilla_unanswered_total", "command" => command, "reason" => why).increment(1);
}

/// From the sending of a batch to its answer.
pub(crate) fn committed(result: &'static str, took: Duration) {
    histogram!("taquilla_commit_seconds", "result" => result).record(took.as_secs_f64());
}

/// What a batch tells of: holds, orders, tickets, verdicts. A mere check of the head tells nothing.
pub(crate) fn batch(facts: usize) {
    histogram!("taquilla_batch_facts").record(facts as f64);
}

/// How long a message lay in a mailbox.
pub(crate) fn mailbox_age(mailbox: &'static str, age: Duration) {
    histogram!("taquilla_mailbox_age_seconds", "mailbox" => mailbox).record(age.as_secs_f64());
}

/// Commands that hold a permit of an event: in its mailbox or waiting for their commit.
pub(crate) fn mailbox_depth(entered: bool) {
    let depth = gauge!("taquilla_mailbox_depth", "mailbox" => "event");
    if entered { depth.increment(1.0) } else { depth.decrement(1.0) }
}

/// An owner tried to take its event over.
pub(crate) fn takeover(result: &'static str, took: Duration) {
    counter!("taquilla_takeovers_total", "result" => result).increment(1);
    histogram!("taquilla_rebuild_seconds").record(took.as_secs_f64());
}

/// An owner died; labels: why.
pub(crate) fn owner_died(why: &'static str) {
    counter!("taquilla_owner_deaths_total", "reason" => why).increment(1);
}

/// An owner keeps so many more, or fewer, sections apart than the one before.
pub(crate) fn quarantined(before: usize, after: usize) {
    gauge!("taquilla_sections_quarantined").increment(after as f64 - before as f64);
}

/// The seats of all events of this node moved from one published count to the next.
pub(crate) fn seats(before: &[SectionCount], after: &[SectionCount]) {
    const STATES: [&str; 4] = ["available", "held", "sold", "blocked"];
    let sums = |counts: &[SectionCount]| {
        counts.iter().fold([0.0; 4], |sums, count| {
            let of = [count.available, count.held, count.sold, count.blocked].map(f64::from);
            [0, 1, 2, 3].map(|state| sums[state] + of[state])
        })
    };
    for ((state, before), after) in STATES.into_iter().zip(sums(before)).zip(sums(after)) {
        gauge!("taquilla_seats", "state" => state).increment(after - before);
    }
}

/// So many refusals will not be told to operators. Labels: why.
pub(crate) fn refusals_dropped(why: &'static str, how_many: u64) {
    counter!("taquilla_refusals_dropped_total", "reason" => why).increment(how_many);
}

/// A payment attempt took a step.
pub(crate) fn attempt(status: &'static str) {
    counter!("taquilla_payment_attempts_total", "status" => status).increment(1);
}

/// From the question to a provider to its answer. Labels: the question and the answer.
pub(crate) fn provider(question: &'static str, answer: &'static str, took: Duration) {
    histogram!("taquilla_provider_seconds", "question" => question, "answer" => answer)
        .record(took.as_secs_f64());
}

/// A try to give money back came to this.
pub(crate) fn refund(status: &'static str) {
    counter!("taquilla_refunds_total", "status" => status).increment(1);
}

/// Something about money that somebody should look at. Labels: what.
pub fn payment_alert(what: &'static str) {
    counter!("taquilla_payment_alerts_total", "what" => what).increment(1);
}

/// Attempts whose reserved money the provider lets go by itself before long.
pub(crate) fn authorisations_lapsing(how_many: u64) {
    gauge!("taquilla_authorisations_lapsing").set(how_many as f64);
}

/// What is told of one room's admission; all rooms of a node make the sums. Taken back when its owner ends.
#[derive(Debug, Default)]
pub(crate) struct AdmissionTold([f64; ADMISSION.len()]);

/// Each a gauge of its own.
const ADMISSION: [&str; 7] = [
    "taquilla_admission_rate",
    "taquilla_admission_active",
    "taquilla_admission_waiting",
    "taquilla_admission_holds_rate",
    "taquilla_admission_open_holds",
    "taquilla_admission_stock",
    "taquilla_admission_lane_busy",
];

impl AdmissionTold {
    /// Once a second.
    pub(crate) fn tell(&mut self, decided: &Decided, signals: &Signals, line: &Line) {
        let sale = &signals.sale;
        self.move_to([
            decided.rate,
            signals.active.into(),
            (line.joined() - line.served()).into(),
            sale.holds,
            sale.open_holds.into(),
            sale.stock.into(),
            sale.lane_busy,
        ]);
        let limited_by = decided.limited_by.code();
        counter!("taquilla_admission_decisions_total", "limited_by" => limited_by).increment(1);
        counter!("taquilla_admission_let_in_total").increment(signals.let_in.into());
        let failures = [("turned-away", sale.turned_away), ("provider", sale.provider_failed)];
        for (what, failures) in failures {
            let counted = counter!("taquilla_admission_failures_total", "signal" => what);
            counted.increment(failures.into());
        }
        // Payments are the process's, and every room sees the same of them.
        gauge!("taquilla_admission_payments").set(f64::from(sale.payments));
        let latencies =
            [("commit", sale.commit), ("decision", sale.wait), ("payment", sale.payment)];
        for (signal, took) in latencies.into_iter().filter(|(_, took)| !took.is_zero()) {
            histogram!("taquilla_admission_signal_seconds", "signal" => signal)
                .record(took.as_secs_f64());
        }
    }

    fn move_to(&mut self, now: [f64; ADMISSION.len()]) {
        for ((name, before), now) in ADMISSION.into_iter().zip(&mut self.0).zip(now) {
            gauge!(name).increment(now - *before);
            *before = now;
        }
    }
}

impl Drop for AdmissionTold {
    fn drop(&mut self) {
        self.move_to([0.0; ADMISSION.len()]);
    }
}

/// Tells the recorder what each metric means. Called once, at the start.
pub fn describe() {
    use metrics::{Unit, describe_counter, describe_gauge, describe_histogram};
    describe_counter!("taquilla_decisions_total", "decisions, by command and outcome");
    describe_counter!("taquilla_unanswered_total", "commands without a decision, by reason");
    describe_histogram!("taquilla_commit_seconds", Unit::Seconds, "from a batch to its answer");
    describe_histogram!("taquilla_batch_facts", "what a batch tells of; 0 for a mere check");
    describe_histogram!(
        "taquilla_mailbox_age_seconds",
        Unit::Seconds,
        "how long a message lay in a mailbox"
    );
    describe_gauge!("taquilla_mailbox_depth", "commands in a mailbox or waiting for their commit");
    describe_counter!("taquilla_takeovers_total", "takeovers of events, by result");
    describe_histogram!("taquilla_rebuild_seconds", Unit::Seconds, "how long a takeover took");
    describe_counter!("taquilla_owner_deaths_total", "owners of events that died, by reason");
    describe_gauge!("taquilla_sections_quarantined", "sections kept apart: an invariant is broken");
    describe_gauge!("taquilla_seats", "seats and places of this node's events, by state");
    describe_counter!("taquilla_refusals_dropped_total", "refusals not kept, by reason");
    describe_counter!("taquilla_payment_attempts_total", "steps of payment attempts, by status");
    describe_counter!("taquilla_refunds_total", "steps of refunds, by status");
    describe_counter!(
        "taquilla_payment_alerts_total",
        "what somebody should look at in payments, by what it is"
    );
    describe_gauge!("taquilla_admission_rate", "admissions a second, of all rooms");
    describe_gauge!("taquilla_admission_active", "admissions alive, and calls not followed yet");
    describe_gauge!("taquilla_admission_waiting", "places that have not been called");
    describe_gauge!("taquilla_admission_holds_rate", "durable holds a second that rooms measured");
    describe_gauge!("taquilla_admission_open_holds", "holds alive in sales with a waiting room");
    describe_gauge!("taquilla_admission_payments", "payments under way that rooms measured");
    describe_gauge!("taquilla_admission_stock", "what is left in sales with a waiting room");
    describe_gauge!("taquilla_admission_lane_busy", "part of a second that lanes were busy");
    describe_counter!("taquilla_admission_decisions_total", "rates decided, by what limits them");
    describe_counter!("taquilla_admission_let_in_total", "places that were called");
    describe_counter!("taquilla_admission_failures_total", "failures that rooms measured");
    describe_histogram!(
        "taquilla_admission_signal_seconds",
        Unit::Seconds,
        "latencies that rooms measured, once a second"
    );
    describe_gauge!(
        "taquilla_authorisations_lapsing",
        "payment attempts whose reserved money the provider lets go within a day"
    );
    describe_histogram!(
        "taquilla_provider_seconds",
        Unit::Seconds,
        "from a question to a provider to its answer"
    );
}
