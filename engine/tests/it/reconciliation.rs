//! Our money against the provider's books: what each pair of records comes to.

mod runs;

use std::time::Duration;

use taquilla_engine::id::{AttemptId, HoldId, OrderId};
use taquilla_engine::moment::Moment;
use taquilla_engine::money::{Currency, Money};
use taquilla_engine::payment::reconciliation::{Compared, DifferenceKind, Settlement, compare};
use taquilla_engine::payment::{AttemptStatus, ProviderRecord};

use crate::desk::{EVENT, buyer};

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
        charged_back: Some(0),
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
    let charged_back = |amount| ProviderRecord { charged_back: amount, ..taken() };
    let we_booked = |amount| Some(Settlement { charged_back: amount, ..ours(Is::Captured) });
    let let_go = ProviderRecord { lapses_at: Some(NOW), ..reserved() };
    let table: Vec<Row> = vec![
        // Both say the same.
        (taken(), with(Is::Captured), &[]),
        (given_back(2_000), with(Is::Refunded), &[]),
        (given_back(500), we_gave_back(500), &[]),
        (charged_back(Some(500)), we_booked(500), &[]),
        // The provider does not say, and may not be taken at no word.
        (charged_back(None), with(Is::Captured), &[]),
        (charged_back(None), we_booked(500), &[]),
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
        (charged_back(Some(2_000)), None, &[]),
        // Money that is nobody's.
        (taken(), None, &[(Kind::OrphanCharge, true)]),
        (charged_back(None), None, &[(Kind::OrphanCharge, true)]),
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
        (charged_back(Some(1)), with(Is::Captured), &[(Kind::ChargedBackUnbooked, false)]),
        (charged_back(Some(501)), we_booked(500), &[(Kind::ChargedBackUnbooked, false)]),
        (charged_back(Some(500)), we_booked(1_000), &[(Kind::ChargedBackOverbooked, false)]),
        (charged_back(Some(0)), we_booked(500), &[(Kind::ChargedBackOverbooked, false)]),
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
        // These are told without a record, or without one that can be compared.
        let is_elsewhere = matches!(kind, Kind::MissingRecord | Kind::UnreadableRecord);
        assert!(seen.contains(&kind) || is_elsewhere, "{kind:?} is in no row");
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
