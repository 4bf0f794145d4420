//! Reconciliation in rows: our side of the money, runs that take turns, and payments closed and opened.

use std::time::Duration;

use taquilla_engine::id::AttemptId;
use taquilla_engine::moment::Moment;
use taquilla_engine::money::{Currency, Money};
use taquilla_engine::payment::reconciliation::{
    Difference, DifferenceKind, Reconciliation, Settlement, Settlements, Verdict,
};
use taquilla_engine::payment::{AttemptStatus, Attempts, Failure, Opened, Refunds, Step};
use taquilla_persistence::reconciliation::{Begun, Consequence, NewRun, Reconciliations};
use taquilla_persistence::refunds::PostgresRefunds;
use taquilla_persistence::site::Site;
use tokio::task::JoinSet;
use uuid::Uuid;

use crate::box_office::{BoxOffice, PRICE, action};

const HOUR: Duration = Duration::from_secs(3_600);

fn euros(amount: i64) -> Money {
    Money { amount, currency: Currency::parse("EUR").expect("euro") }
}

fn reconciliations(office: &BoxOffice) -> Reconciliations {
    Reconciliations::new(office.database.clone())
}

async fn settlement(office: &BoxOffice, attempt: AttemptId) -> Settlement {
    let found = reconciliations(office).of("simulated", &[attempt]).await.expect("rows");
    assert_eq!(found.len(), 1);
    found.into_iter().next().expect("one")
}

fn new_run(pause: Duration) -> NewRun {
    NewRun {
        id: Uuid::new_v4(),
        provider: "simulated",
        started_by: "command",
        now: Moment(2),
        since: Moment(1),
        pause,
    }
}

/// Of so much that was taken for nobody.
fn orphan(amount: i64) -> Difference {
    Difference {
        kind: DifferenceKind::OrphanCharge,
        is_unsafe: true,
        attempt: None,
        order: None,
        reference: Some("ref".into()),
        ours: None,
        theirs: Some(euros(amount)),
        detail: "taken for nobody".into(),
    }
}

fn found(differences: Vec<Difference>) -> Reconciliation {
    let mut found = Reconciliation { records: 9, attempts: 8, in_flight: 1, ..Default::default() };
    for difference in &differences {
        *found.counts.entry(difference.kind).or_default() += 1;
        found.unsafe_count += u64::from(difference.is_unsafe);
    }
    found.differences = differences;
    found
}

/// A whole run with this finding.
async fn run(rows: &Reconciliations, found: &Reconciliation) -> Consequence {
    run_of(rows, "simulated", found).await
}

/// The same, with this provider's books.
async fn run_of(
    rows: &Reconciliations,
    provider: &'static str,
    found: &Reconciliation,
) -> Consequence {
    let new = NewRun { provider, ..new_run(Duration::ZERO) };
    assert_eq!(rows.begin(&new).await.expect("a turn"), Begun::Now);
    rows.finish(new.id, found, Uuid::new_v4()).await.expect("it is recorded")
}

#[tokio::test]
async fn our_side_is_what_was_reserved_and_what_is_booked() {
    let office = BoxOffice::open("settlements").await;
    let order = office.sell("ana", 0).await;
    let attempt = office.new_attempt("ana", order, "pay-0").id;
    let total = PRICE + 100;
    let sold = settlement(&office, attempt).await;
    assert_eq!((sold.attempt, sold.order, sold.status), (attempt, order, AttemptStatus::Captured));
    assert_eq!((sold.reference.as_deref(), sold.reserved), (Some("ref-pay-0"), Some(euros(total))));
    assert_eq!((sold.refunded, sold.charged_back, sold.refund_due), (0, 0, false));

    office.take_back(order, 1).await;
    let due = settlement(&office, attempt).await;
    assert!(due.refund_due && due.refunded == 0 && due.moved_at > sold.moved_at, "{due:?}");
    let refunds = PostgresRefunds::new(office.database.clone());
    let refund = refunds.due(None, 9).await.expect("rows")[0].clone();
    // One that the provider refuses is on its way to nowhere: what differs is told.
    refunds.refused(refund.id, 0, Duration::from_secs(3_600)).await.expect("rows");
    assert!(!settlement(&office, attempt).await.refund_due);
    refunds.settle(refund.id, 0, office.owed(refund.id).await).await.expect("it is settled");
    let back = settlement(&office, attempt).await;
    assert_eq!((back.refunded, back.refund_due), (refund.money.amount, false));
    assert!(back.moved_at > due.moved_at);
    let charge_back = office.attempts().charge_back(attempt, "n1", euros(7)).await;
    assert!(matches!(charge_back, Ok(Some(_))), "{charge_back:?}");
    let charged = settlement(&office, attempt).await;
    assert_eq!(charged.charged_back, 7);
    assert!(charged.moved_at > back.moved_at);

    let other = reconciliations(&office).of("stripe", &[attempt]).await.expect("rows");
    assert_eq!(other, [], "another provider's");
}

#[tokio::test]
async fn attempts_whose_money_the_provider_must_know_are_listed_page_by_page() {
    let office = BoxOffice::open("settlements_pages").await;
    let mut expected = Vec::new();
    for seat in 0..3 {
        let buyer = ["ana", "bob", "eva"][seat as usize];
        let order = office.sell(buyer, seat).await;
        expected.push(office.new_attempt(buyer, order, &format!("pay-{seat}")).id);
    }
    let voided = office.order(office.hold("ida", &[3]).await).await;
    let voided = office.authorize("ida", voided, "void").await;
    office.decide(voided.id, "void_due").await;
    office.attempts().step(voided.id, &Step::Voided).await.expect("rows");
    expected.push(voided.id);
    // Neither of these has to be known to the provider.
    let declined = office.order(office.hold("leo", &[4]).await).await;
    let new = office.new_attempt("leo", declined, "no");
    office.attempts().open(&new).await.expect("rows");
    let no = Step::Declined(Failure::new("card_declined", "no"));
    office.attempts().step(new.id, &no).await.expect("rows");
    office.attempts().open(&office.new_attempt("leo", declined, "open")).await.expect("rows");

    let rows = reconciliations(&office);
    let (mut listed, mut after) = (Vec::new(), None);
    loop {
        let page = rows.with_money("simulated", Moment(0), after, 3).await.expect("rows");
        let Some(last) = page.last() else { break };
        after = Some((last.created_at, last.attempt));
        listed.extend(page.iter().map(|it| it.attempt));
    }
    assert_eq!(listed, expected, "the oldest first, each once");
    let later = rows.with_money("simulated", after.expect("some").0, None, 9).await.expect("rows");
    assert_eq!(later.len(), 1);
}

#[tokio::test]
async fn one_run_at_a_time_and_none_too_soon_and_a_dead_one_is_given_up() {
    let office = BoxOffice::open("reconciliation_turns").await;
    let rows = reconciliations(&office);
    let first = new_run(HOUR);
    assert_eq!(rows.begin(&first).await.expect("a turn"), Begun::Now);
    for pause in [HOUR, Duration::ZERO] {
        let begun = rows.begin(&new_run(pause)).await.expect("an answer");
        assert!(matches!(begun, Begun::AtWork(_)), "{begun:?}");
    }
    assert!(rows.still_at_work(first.id).await.expect("an answer"));
    // One that failed keeps nobody waiting.
    rows.fail(first.id, "the provider is away").await.expect("it is recorded");
    assert!(!rows.still_at_work(first.id).await.expect("an answer"));
    let failed = rows.standing().await.expect("rows");
    assert_eq!(failed.failed.expect("it failed").1, "the provider is away");
    assert_eq!((failed.last, failed.at_work), (None, None));

    let second = new_run(HOUR);
    assert_eq!(rows.begin(&second).await.expect("a turn"), Begun::Now);
    let dead = "UPDATE reconciliations SET holds_until = clock_timestamp() - interval '1 second' \
                 WHERE verdict IS NULL";
    office.call(dead, &[]).await;
    let third = new_run(HOUR);
    assert_eq!(rows.begin(&third).await.expect("a turn"), Begun::Now);
    let lost = rows.finish(second.id, &found(vec![orphan(1)]), Uuid::new_v4()).await;
    assert_eq!(lost.expect("an answer"), Consequence::TurnLost);
    assert_eq!(rows.standing().await.expect("rows").closed, None, "whoever lost it closes nothing");

    let open = rows.finish(third.id, &found(Vec::new()), Uuid::new_v4()).await;
    assert_eq!(open.expect("an answer"), Consequence::Open);
    let begun = rows.begin(&new_run(HOUR)).await.expect("an answer");
    assert!(matches!(begun, Begun::TooSoon(_)), "{begun:?}");
    assert_eq!(rows.begin(&new_run(Duration::ZERO)).await.expect("a turn"), Begun::Now);
}

#[tokio::test]
async fn turns_that_are_asked_for_at_once_are_given_to_one() {
    let office = BoxOffice::open("reconciliation_race").await;
    let rows = reconciliations(&office);
    let mut beginning = JoinSet::new();
    for _ in 0..8 {
        let rows = rows.clone();
        beginning.spawn(async move { rows.begin(&new_run(HOUR)).await });
    }
    let begun = beginning.join_all().await;
    let ours = begun.iter().filter(|it| matches!(it, Ok(Begun::Now))).count();
    assert_eq!(ours, 1, "{begun:?}");
    assert!(begun.iter().all(Result::is_ok), "{begun:?}");
}

#[tokio::test]
async fn an_unsafe_run_closes_new_payments_and_a_safe_one_opens_them() {
    let office = BoxOffice::open("reconciliation_closes").await;
    let rows = reconciliations(&office);
    let attempts = office.attempts();
    let paid = office.order(office.hold("ana", &[0]).await).await;
    let earlier = office.new_attempt("ana", paid, "before");
    assert!(matches!(attempts.open(&earlier).await, Ok(Opened::Created(_))));
    let order = office.order(office.hold("bob", &[1]).await).await;
    let new = office.new_attempt("bob", order, "k1");

    let report = found(vec![
        orphan(5),
        Difference {
            kind: DifferenceKind::MissingRecord,
            is_unsafe: false,
            ours: Some(euros(3)),
            theirs: None,
            ..orphan(0)
        },
    ]);
    assert_eq!(run(&rows, &report).await, Consequence::Closed);
    assert_eq!(attempts.open(&new).await, Ok(Opened::PaymentsClosed));
    let replayed = attempts.open(&earlier).await;
    assert!(matches!(replayed, Ok(Opened::Replayed(_))), "{replayed:?}");
    let standing = rows.standing().await.expect("rows");
    let last = standing.last.expect("it was made");
    assert_eq!(
        (last.verdict, last.records, last.attempts, last.in_flight),
        (Verdict::Unsafe, 9, 8, 1)
    );
    assert_eq!((&last.differences, last.more(), last.unsafe_count), (&report.differences, 0, 1));
    let counts = [(DifferenceKind::OrphanCharge, 1), (DifferenceKind::MissingRecord, 1)];
    assert_eq!(last.counts, counts);
    let (why, since) = standing.closed.expect("closed");
    assert!(why.starts_with("1 difference of reconciliation"), "{why}");

    // Still closed, and since then.
    assert_eq!(run(&rows, &report).await, Consequence::Closed);
    assert_eq!(rows.standing().await.expect("rows").closed.expect("closed").1, since);

    let told = found(vec![Difference { is_unsafe: false, ..orphan(5) }]);
    assert_eq!(run(&rows, &told).await, Consequence::Open);
    assert!(matches!(attempts.open(&new).await, Ok(Opened::Created(_))), "the key was not used up");
    let trail: Vec<String> = office.one("SELECT array_agg(who || ' ' || what || ' ' || why ORDER BY at) FROM operator_actions WHERE what LIKE '%payments'").await;
    let expected = [
        "taquilla close_payments reconciliation is unsafe",
        "taquilla open_payments reconciliation is safe",
    ];
    assert_eq!(trail, expected, "once each");
}

#[tokio::test]
async fn an_operator_opens_payments_and_what_he_saw_does_not_close_them_again() {
    let office = BoxOffice::open("reconciliation_accepted").await;
    let (rows, site) = (reconciliations(&office), Site::new(office.database.clone()));
    let order = office.order(office.hold("ana", &[0]).await).await;
    let new = office.new_attempt("ana", order, "k1");
    assert_eq!(run(&rows, &found(vec![orphan(5), orphan(6)])).await, Consequence::Closed);

    site.pause_purchases(None, &action(), || ()).await.expect("it is written");
    assert_eq!(rows.standing().await.expect("rows").closed, None);
    assert_eq!(
        rows.standing().await.expect("rows").last.expect("one").accepted.expect("seen").0,
        "olga"
    );
    assert!(matches!(office.attempts().open(&new).await, Ok(Opened::Created(_))));
    let said: String = office
        .one("SELECT detail ->> 'payments_were_closed' FROM operator_actions WHERE what = 'resume_purchases'")
        .await;
    assert!(said.starts_with("2 differences of"), "{said}");

    for (differences, consequence) in [
        (vec![orphan(6), orphan(5)], Consequence::Open),
        (vec![orphan(5)], Consequence::Open),
        (vec![orphan(5), orphan(7)], Consequence::Closed),
    ] {
        assert_eq!(run(&rows, &found(differences.clone())).await, consequence, "{differences:?}");
    }
    // What cannot be read is known by its name, whatever else is told of it.
    let unreadable = |reference: &str, detail: &str| Difference {
        kind: DifferenceKind::UnreadableRecord,
        reference: Some(reference.into()),
        detail: detail.into(),
        theirs: None,
        ..orphan(0)
    };
    let seen = unreadable("ref", "1 refunded");
    assert_eq!(run(&rows, &found(vec![seen.clone(), orphan(1)])).await, Consequence::Closed);
    site.pause_purchases(None, &action(), || ()).await.expect("it is written");
    for (differences, consequence) in [
        (vec![unreadable("ref", "2 refunded")], Consequence::Open),
        (vec![seen.clone(), orphan(1)], Consequence::Open),
        (vec![unreadable("another", "1 refunded")], Consequence::Closed),
        (vec![seen, Difference { detail: "since".into(), ..orphan(1) }], Consequence::Closed),
    ] {
        assert_eq!(run(&rows, &found(differences.clone())).await, consequence, "{differences:?}");
    }
    assert_eq!(run(&rows, &found(vec![orphan(5), orphan(7)])).await, Consequence::Closed);
    // Of what is only counted nobody has seen anything.
    site.pause_purchases(None, &action(), || ()).await.expect("it is written");
    let mut many = found(vec![orphan(5), orphan(7)]);
    assert_eq!(run(&rows, &many).await, Consequence::Open);
    many.unsafe_count += 1;
    assert_eq!(run(&rows, &many).await, Consequence::Closed);

    // A resumption of what is open accepts nothing.
    run(&rows, &found(Vec::new())).await;
    site.pause_purchases(None, &action(), || ()).await.expect("it is written");
    let accepted: i64 =
        office.one("SELECT count(*) FROM reconciliations WHERE accepted_at IS NOT NULL").await;
    assert_eq!(accepted, 3);
}

#[tokio::test]
async fn a_run_is_shown_by_its_id_whoever_made_one_since() {
    let office = BoxOffice::open("reconciliation_by_id").await;
    let rows = reconciliations(&office);
    let first = new_run(Duration::ZERO);
    assert_eq!(rows.begin(&first).await.expect("a turn"), Begun::Now);
    let unsafe_one = found(vec![orphan(5)]);
    rows.finish(first.id, &unsafe_one, Uuid::new_v4()).await.expect("it is recorded");
    run(&rows, &found(vec![])).await;
    let last = rows.standing().await.expect("rows").last.expect("a run");
    assert_eq!((last.verdict, last.id == first.id), (Verdict::Clean, false));
    let standing = rows.standing_after(first.id).await.expect("rows");
    let shown = standing.last.expect("the first");
    assert_eq!((shown.verdict, shown.id), (Verdict::Unsafe, first.id));
    assert_eq!(standing.closed, None, "what holds is of now");
    let nobodys = rows.standing_after(Uuid::new_v4()).await.expect("rows");
    assert_eq!(nobodys.last, None);
}

#[tokio::test]
async fn what_one_providers_books_have_closed_anothers_do_not_open() {
    let office = BoxOffice::open("reconciliation_providers").await;
    let rows = reconciliations(&office);
    let bad = found(vec![orphan(10)]);
    assert_eq!(run_of(&rows, "stripe", &bad).await, Consequence::Closed);
    assert_eq!(run_of(&rows, "simulated", &found(Vec::new())).await, Consequence::Closed);
    assert!(rows.standing().await.expect("rows").closed.is_some());
    // Those of the one that closed them do, or an operator.
    assert_eq!(run_of(&rows, "stripe", &found(Vec::new())).await, Consequence::Open);
    assert_eq!(run_of(&rows, "stripe", &bad).await, Consequence::Closed);
    let site = Site::new(office.database.clone());
    site.pause_purchases(None, &action(), || ()).await.expect("an operator has seen it");
    assert_eq!(run_of(&rows, "simulated", &found(Vec::new())).await, Consequence::Open);
    assert_eq!(run_of(&rows, "stripe", &bad).await, Consequence::Open, "it is accepted");
}
