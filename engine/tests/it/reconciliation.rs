//! Our money against the provider's books: what each pair of records comes to, and runs over pages of them.

use std::time::Duration;

use taquilla_engine::buyer::BuyerId;
use taquilla_engine::id::{AttemptId, HoldId, OrderId};
use taquilla_engine::later::Later;
use taquilla_engine::moment::Moment;
use taquilla_engine::money::{Currency, Money};
use taquilla_engine::payment::memory::MemoryProvider;
use taquilla_engine::payment::reconciliation::{
    Compared, Difference, DifferenceKind, MemorySettlements, NotReconciled, Reconciliation,
    ReconciliationSettings, Settlement, Verdict, compare, reconcile,
};
use taquilla_engine::payment::{
    Attempt, AttemptStatus, GiveBack, MoneyMoved, PaymentProvider, ProviderAnswer, ProviderRecord,
    RecordPage,
};

use crate::desk::{EVENT, buyer, keyed};

const DAY: Duration = Duration::from_secs(24 * 3_600);
const NOW: Moment = Moment(1_800_000_000_000_000);

fn euros(amount: i64) -> Money {
    Money { amount, currency: Currency::parse("EUR").unwrap() }
}

fn attempt(name: &str) -> AttemptId {
    AttemptId::derive(EVENT, &buyer("ann"), name)
}

fn order() -> OrderId {
    OrderId::of(HoldId::derive(EVENT, &buyer("ann"), "hold"))
}

/// Reserved an hour ago under `ref`, and 20.00.
fn record() -> ProviderRecord {
    ProviderRecord {
        reference: "ref".into(),
        attempt: Some(attempt("a")),
        order: Some(order()),
        money: euros(2_000),
        is_reserved: false,
        lapses_at: None,
        captured: 0,
        refunded: 0,
        charged_back: 0,
        created_at: Some(NOW - Duration::from_secs(3_600)),
    }
}

fn taken() -> ProviderRecord {
    ProviderRecord { captured: 2_000, ..record() }
}

fn reserved() -> ProviderRecord {
    ProviderRecord { is_reserved: true, ..record() }
}

/// As we have it, since an hour.
fn ours(status: AttemptStatus) -> Settlement {
    let nothing = status.has_come_to_nothing();
    Settlement {
        attempt: attempt("a"),
        order: order(),
        reference: (!nothing).then(|| "ref".into()),
        status,
        reserved: (!nothing).then(|| euros(2_000)),
        refunded: if status == AttemptStatus::Refunded { 2_000 } else { 0 },
        charged_back: 0,
        refund_due: false,
        created_at: NOW - Duration::from_secs(3_600),
        moved_at: NOW - Duration::from_secs(3_600),
    }
}

/// What the provider says, what we say, and what that comes to.
type Row = (ProviderRecord, Option<Settlement>, &'static [(DifferenceKind, bool)]);

/// The kinds, each with whether it is unsafe.
fn told(record: &ProviderRecord, ours: Option<&Settlement>) -> Vec<(DifferenceKind, bool)> {
    match compare(record, ours, NOW, NOW - Duration::from_secs(300)) {
        Compared::InFlight => panic!("in flight: {record:?} {ours:?}"),
        Compared::Told(differences) => {
            differences.iter().map(|it| (it.kind, it.is_unsafe)).collect()
        }
    }
}

#[test]
fn every_pair_of_records_comes_to_what_it_means() {
    use AttemptStatus as Is;
    use DifferenceKind as Kind;
    let with = |status| Some(ours(status));
    let yen = Money { amount: 2_000, currency: Currency::parse("JPY").unwrap() };
    let given_back = |amount| ProviderRecord { refunded: amount, ..taken() };
    let we_gave_back = |amount| Some(Settlement { refunded: amount, ..ours(Is::Captured) });
    let let_go = ProviderRecord { lapses_at: Some(NOW), ..reserved() };
    let table: Vec<Row> = vec![
        // Both say the same.
        (taken(), with(Is::Captured), &[]),
        (given_back(2_000), with(Is::Refunded), &[]),
        (given_back(500), we_gave_back(500), &[]),
        (record(), with(Is::Voided), &[]),
        (record(), with(Is::Declined), &[]),
        (record(), with(Is::Failed), &[]),
        (record(), None, &[]),
        (reserved(), with(Is::CaptureFailed), &[]),
        (let_go.clone(), with(Is::Voided), &[]),
        (let_go, None, &[]),
        // Taken, and with its buyer again: no money is anywhere.
        (given_back(2_000), None, &[]),
        (given_back(2_000), with(Is::Failed), &[]),
        (given_back(2_000), with(Is::Voided), &[]),
        (ProviderRecord { charged_back: 2_000, ..taken() }, None, &[]),
        // Money that is nobody's.
        (taken(), None, &[(Kind::OrphanCharge, true)]),
        (taken(), with(Is::Declined), &[(Kind::OrphanCharge, true)]),
        (taken(), with(Is::Failed), &[(Kind::OrphanCharge, true)]),
        (given_back(1_999), None, &[(Kind::OrphanCharge, true)]),
        (
            ProviderRecord { reference: "second".into(), ..taken() },
            with(Is::Captured),
            &[(Kind::OrphanCharge, true)],
        ),
        (reserved(), None, &[(Kind::AuthorisationLeft, false)]),
        (reserved(), with(Is::Failed), &[(Kind::AuthorisationLeft, false)]),
        (reserved(), with(Is::Voided), &[(Kind::AuthorisationLeft, false)]),
        // Taken or not.
        (reserved(), with(Is::Captured), &[(Kind::MissingCapture, false)]),
        (record(), with(Is::Captured), &[(Kind::MissingCapture, false)]),
        (record(), with(Is::Refunded), &[(Kind::MissingCapture, false)]),
        (taken(), with(Is::Voided), &[(Kind::UnaskedCapture, true)]),
        (taken(), with(Is::CaptureFailed), &[(Kind::UnaskedCapture, true)]),
        // How much.
        (
            ProviderRecord { captured: 1_999, ..taken() },
            with(Is::Captured),
            &[(Kind::AmountDiffers, true)],
        ),
        (
            ProviderRecord { captured: 2_001, ..taken() },
            with(Is::Captured),
            &[(Kind::AmountDiffers, true)],
        ),
        (
            ProviderRecord { money: yen, ..taken() },
            with(Is::Captured),
            &[(Kind::CurrencyDiffers, true)],
        ),
        (given_back(501), we_gave_back(500), &[(Kind::RefundDiffers, true)]),
        (given_back(499), we_gave_back(500), &[(Kind::RefundDiffers, false)]),
        (given_back(1_999), with(Is::Refunded), &[(Kind::RefundDiffers, false)]),
        (
            ProviderRecord { charged_back: 1, ..taken() },
            with(Is::Captured),
            &[(Kind::ChargedBackUnbooked, false)],
        ),
        (
            ProviderRecord { captured: 2_001, refunded: 1, ..taken() },
            with(Is::Captured),
            &[(Kind::AmountDiffers, true), (Kind::RefundDiffers, true)],
        ),
    ];
    let mut seen: Vec<DifferenceKind> = Vec::new();
    for (record, ours, expected) in &table {
        assert_eq!(told(record, ours.as_ref()), *expected, "{record:?}\n{ours:?}");
        seen.extend(expected.iter().map(|(kind, _)| *kind));
    }
    for kind in DifferenceKind::ALL {
        assert!(seen.contains(&kind) || kind == Kind::MissingRecord, "{kind:?} is in no row");
        assert_eq!(DifferenceKind::parse(kind.code()), Some(kind));
    }
}

#[test]
fn what_moved_just_now_or_is_not_at_its_end_is_in_flight() {
    let settled_by = NOW - Duration::from_secs(300);
    let moved = Settlement {
        moved_at: settled_by + Duration::from_micros(1),
        ..ours(AttemptStatus::Failed)
    };
    let at_last = Settlement { moved_at: settled_by, ..moved.clone() };
    let due = Settlement { refund_due: true, ..ours(AttemptStatus::Captured) };
    for ours in
        AttemptStatus::ALL.into_iter().filter(|it| !it.is_final()).map(ours).chain([moved, due])
    {
        assert_eq!(compare(&taken(), Some(&ours), NOW, settled_by), Compared::InFlight, "{ours:?}");
    }
    assert_eq!(told(&taken(), Some(&at_last)), [(DifferenceKind::OrphanCharge, true)]);
    let young = ProviderRecord { created_at: Some(NOW), ..taken() };
    let failed = ours(AttemptStatus::Failed);
    assert_eq!(compare(&young, Some(&failed), NOW, settled_by), Compared::InFlight);
    assert_eq!(told(&young, None), [(DifferenceKind::OrphanCharge, true)], "no intent, no payment");
}

async fn run(provider: &dyn PaymentProvider, rows: Vec<Settlement>) -> Reconciliation {
    let settings =
        ReconciliationSettings { differences_max: 3, ..ReconciliationSettings::default() };
    reconcile(provider, &MemorySettlements(rows), NOW, settings, &|_| ()).await.unwrap()
}

/// The attempt as its provider gets it.
fn asked(name: &str) -> Attempt {
    Attempt {
        id: attempt(name),
        order: order(),
        buyer: BuyerId::parse("ann").unwrap(),
        fingerprint: keyed(name, "").fingerprint,
        method: "ok".into(),
        provider: "memory".into(),
        money: euros(2_000),
        status: AttemptStatus::Pending,
        reference: Some(format!("memory-{}", attempt(name))),
        failure: None,
        next_action: None,
        errors: 0,
        reserved: None,
        lapses_at: None,
        wanted_until: None,
        created_at: NOW,
        resolved_at: None,
    }
}

fn row(name: &str, status: AttemptStatus) -> Settlement {
    let reference = format!("memory-{}", attempt(name));
    Settlement { attempt: attempt(name), reference: Some(reference), ..ours(status) }
}

#[tokio::test]
async fn a_run_turns_all_pages_and_finds_what_the_provider_never_showed() {
    let provider = MemoryProvider::default();
    let mut rows = Vec::new();
    for number in 0..11 {
        let name = format!("sold {number}");
        let asked = asked(&name);
        assert!(matches!(provider.authorise(&asked).await, ProviderAnswer::Authorised(_)));
        assert_eq!(provider.capture(&asked).await, MoneyMoved::Done);
        rows.push(row(&name, AttemptStatus::Captured));
    }
    let clean = run(&provider, rows.clone()).await;
    assert_eq!((clean.records, clean.attempts, clean.verdict()), (11, 11, Verdict::Clean));
    assert!(provider.questions().iter().filter(|it| **it == "list").count() > 2, "one page");

    // One that the provider knows nothing of, in the window and before it; one that is on its way.
    let lost = row("lost", AttemptStatus::Captured);
    let old = Settlement { created_at: NOW - 9 * DAY, ..row("old", AttemptStatus::Captured) };
    let moving = Settlement { moved_at: NOW, ..row("moving", AttemptStatus::Voided) };
    rows.extend([lost, old, moving]);
    let found = run(&provider, rows.clone()).await;
    assert_eq!((found.verdict(), found.in_flight, found.attempts), (Verdict::Differing, 1, 13));
    let missing: Vec<_> = found.differences.iter().map(|it| (it.kind, it.attempt)).collect();
    assert_eq!(missing, [(DifferenceKind::MissingRecord, Some(attempt("lost")))]);

    // A refund behind our back: unsafe, so it is told first.
    let back = GiveBack { id: uuid::Uuid::from_u128(1), money: euros(5), errors: 0 };
    for _ in 0..2 {
        assert_eq!(provider.refund(&asked("sold 3"), &back).await, MoneyMoved::Done);
    }
    let found = run(&provider, rows).await;
    assert_eq!((found.verdict(), found.unsafe_count, found.total()), (Verdict::Unsafe, 1, 2));
    let first: &Difference = &found.differences[0];
    assert_eq!(first.kind, DifferenceKind::RefundDiffers);
    assert_eq!((first.ours, first.theirs), (Some(euros(0)), Some(euros(5))));
}

/// Pages of its own.
struct Books(Vec<(Option<&'static str>, Result<RecordPage, String>)>);

impl PaymentProvider for Books {
    fn name(&self) -> &'static str {
        "books"
    }

    fn unknown_max(&self) -> Duration {
        DAY
    }

    fn authorise<'a>(&'a self, _: &'a Attempt) -> Later<'a, ProviderAnswer> {
        unreachable!("nobody pays")
    }

    fn find<'a>(&'a self, _: &'a Attempt) -> Later<'a, ProviderAnswer> {
        unreachable!("nobody pays")
    }

    fn capture<'a>(&'a self, _: &'a Attempt) -> Later<'a, MoneyMoved> {
        unreachable!("nobody pays")
    }

    fn void<'a>(&'a self, _: &'a Attempt) -> Later<'a, MoneyMoved> {
        unreachable!("nobody pays")
    }

    fn refund<'a>(&'a self, _: &'a Attempt, _: &'a GiveBack) -> Later<'a, MoneyMoved> {
        unreachable!("nobody pays")
    }

    fn list<'a>(
        &'a self,
        _: Moment,
        after: Option<&'a str>,
    ) -> Later<'a, Result<RecordPage, String>> {
        let page = self.0.iter().find(|(at, _)| *at == after).map(|(_, page)| page.clone());
        Box::pin(async { page.expect("a page that was told of") })
    }
}

#[tokio::test]
async fn a_report_counts_all_and_spells_out_so_many_the_unsafe_ones_first() {
    let orphan = |number: u8| ProviderRecord {
        reference: format!("orphan {number}"),
        attempt: None,
        ..if number.is_multiple_of(2) { taken() } else { reserved() }
    };
    let old = ProviderRecord { created_at: Some(NOW - 9 * DAY), ..orphan(0) };
    let page = RecordPage { records: (0..8).map(orphan).chain([old]).collect(), next: None };
    let found = run(&Books(vec![(None, Ok(page))]), Vec::new()).await;
    assert_eq!((found.records, found.total(), found.unsafe_count, found.more()), (8, 8, 4, 5));
    let told: Vec<_> = found.differences.iter().map(|it| it.reference.clone().unwrap()).collect();
    assert_eq!(told, ["orphan 0", "orphan 2", "orphan 4"]);
}

#[tokio::test]
async fn books_that_cannot_be_read_or_never_end_are_no_finding() {
    let page = |next: &str| Ok(RecordPage { records: Vec::new(), next: Some(next.into()) });
    for (books, says) in [
        (vec![(None, page("1")), (Some("1"), Err("it is away".to_owned()))], "it is away"),
        (vec![(None, page("1")), (Some("1"), page("1"))], "no last page"),
    ] {
        let rows = MemorySettlements::default();
        let settings = ReconciliationSettings::default();
        let run = reconcile(&Books(books), &rows, NOW, settings, &|_| ()).await;
        let Err(NotReconciled::Provider(why)) = run else { panic!("{run:?}") };
        assert!(why.contains(says), "{why}");
    }
}
