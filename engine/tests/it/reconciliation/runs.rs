//! Runs over pages of the provider's books, and what it never showed.

use std::time::Duration;

use taquilla_engine::buyer::BuyerId;
use taquilla_engine::later::Later;
use taquilla_engine::moment::Moment;
use taquilla_engine::payment::memory::MemoryProvider;
use taquilla_engine::payment::reconciliation::{
    Difference, DifferenceKind, MemorySettlements, NotReconciled, Reconciliation,
    ReconciliationSettings, Settlement, Verdict, reconcile,
};
use taquilla_engine::payment::{
    Attempt, AttemptStatus, GiveBack, GivenBack, MoneyMoved, PaymentProvider, ProviderAnswer,
    ProviderRecord, RecordPage, UnreadableRecord,
};

use super::{DAY, NOW, attempt, euros, order, ours, reserved, taken};
use crate::desk::keyed;

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
        is_put_off: false,
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

    fn find_refund<'a>(&'a self, _: &'a Attempt, _: &'a GiveBack) -> Later<'a, GivenBack> {
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
    let records = (0..8).map(orphan).chain([old]).collect();
    let page = RecordPage { records, ..RecordPage::default() };
    let found = run(&Books(vec![(None, Ok(page))]), Vec::new()).await;
    let told = found.differences.len();
    assert_eq!((found.records, found.total(), found.unsafe_count, told), (8, 8, 4, 3));
    let told: Vec<_> = found.differences.iter().map(|it| it.reference.clone().unwrap()).collect();
    assert_eq!(told, ["orphan 0", "orphan 2", "orphan 4"]);
}

#[tokio::test]
async fn books_that_cannot_be_read_or_never_end_are_no_finding() {
    let page = |next: &str| Ok(RecordPage { next: Some(next.into()), ..RecordPage::default() });
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

#[tokio::test]
async fn what_cannot_be_read_is_told_and_unsafe_where_money_may_have_been_taken() {
    let unreadable = |reference: &str, may_be_taken: bool, created_at: Moment| UnreadableRecord {
        reference: reference.into(),
        attempt: may_be_taken.then(|| attempt("taken")),
        order: None,
        may_be_taken,
        created_at: Some(created_at),
        says: "5 xyz".into(),
    };
    let page = |unreadable: Vec<UnreadableRecord>| {
        Books(vec![(None, Ok(RecordPage { unreadable, ..RecordPage::default() }))])
    };
    let harmless = unreadable("opened", false, NOW);
    let books = page(vec![harmless.clone(), unreadable("old", true, NOW - 9 * DAY)]);
    let found = run(&books, Vec::new()).await;
    assert_eq!((found.records, found.total(), found.verdict()), (1, 1, Verdict::Differing));

    let books = page(vec![harmless, unreadable("taken", true, NOW)]);
    let found = run(&books, vec![row("taken", AttemptStatus::Captured)]).await;
    assert_eq!((found.records, found.total(), found.verdict()), (2, 2, Verdict::Unsafe));
    let first = &found.differences[0];
    assert_eq!(
        (first.kind, first.attempt),
        (DifferenceKind::UnreadableRecord, Some(attempt("taken")))
    );
    assert_eq!(first.reference.as_deref(), Some("taken"));
    assert_eq!(first.detail, "the provider's record cannot be read: 5 xyz");
}
