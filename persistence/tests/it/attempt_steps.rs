use std::time::Duration;

use taquilla_engine::id::AttemptId;
use taquilla_engine::moment::Moment;
use taquilla_engine::money::{Currency, Money};
use taquilla_engine::payment::{
    Attempt, AttemptStatus, Attempts, Failure, NextAction, STEPS, Step, StepKind, StoreUnavailable,
};

use crate::box_office::{BoxOffice, buyer};

#[tokio::test]
async fn a_step_moves_an_attempt_as_the_table_says_and_leaves_it_otherwise() {
    let office = BoxOffice::open("steps").await;
    let attempt = opened(&office).await.id;
    for from in AttemptStatus::ALL {
        for kind in StepKind::ALL {
            put(&office, attempt, from).await;
            let leads = STEPS.iter().find(|(was, step, _)| *was == from && *step == kind);
            let to = leads.map_or(from, |(_, _, to)| *to);
            let after = step(&office, attempt, kind).await;
            assert_eq!(after.status, to, "{kind:?} from {from:?}");
            let moved_to_an_end = leads.is_some() && to.is_final();
            assert_eq!(after.resolved_at.is_some(), moved_to_an_end, "{kind:?} from {from:?}");
            let again = step(&office, attempt, kind).await;
            let errors = after.errors + u32::from(kind == StepKind::Erred && leads.is_some());
            assert_eq!(again, Attempt { errors, ..after }, "{kind:?} is taken once");
        }
    }
}

#[tokio::test]
async fn a_step_records_what_it_carries() {
    let office = BoxOffice::open("step_carries").await;
    let attempt = opened(&office).await.id;

    put(&office, attempt, AttemptStatus::Pending).await;
    let after = step(&office, attempt, StepKind::Authorized).await;
    assert_eq!((after.reference.as_deref(), &after.failure), (Some("new"), &None));
    assert_eq!((after.reserved, after.lapses_at), (Some(after.money), Some(Moment(7))));

    put(&office, attempt, AttemptStatus::Pending).await;
    let after = step(&office, attempt, StepKind::ActionRequired).await;
    let there = Some(NextAction::Redirect("there".into()));
    assert_eq!(after.next_action, there);
    let after = step(&office, attempt, StepKind::Erred).await;
    assert_eq!((after.next_action, after.errors), (there, 1), "the buyer still has to act");
    let after = step(&office, attempt, StepKind::Authorized).await;
    assert_eq!(after.next_action, None, "done");

    put(&office, attempt, AttemptStatus::Pending).await;
    let after = step(&office, attempt, StepKind::Mismatched).await;
    assert_eq!((after.reference.as_deref(), after.failure), (Some("new"), Some(failure())));
    assert_eq!(after.reserved.map(|money| money.amount), Some(7), "not what is owed");

    let after = step(&office, attempt, StepKind::Voided).await;
    assert_eq!(after.failure, Some(failure()), "kept");

    put(&office, attempt, AttemptStatus::Verifying).await;
    let after = step(&office, attempt, StepKind::Declined).await;
    assert_eq!((after.reference.as_deref(), after.failure), (Some("old"), Some(failure())));
}

#[tokio::test]
async fn a_step_of_an_unknown_attempt_says_so() {
    let office = BoxOffice::open("step_unknown").await;
    let attempt = AttemptId::derive(office.event.event(), &buyer("ana"), "never");
    let stepped = office.attempts().step(attempt, &Step::Captured).await;
    let Err(StoreUnavailable(why)) = stepped else { panic!("{stepped:?}") };
    assert!(why.contains("no AttemptId"), "{why}");
    assert_eq!(office.attempts().find(attempt).await, Ok(None));
}

#[tokio::test]
async fn a_step_of_one_try_is_not_taken_of_another() {
    let office = BoxOffice::open("step_tries").await;
    let attempts = office.attempts();
    let attempt = opened(&office).await.id;
    put(&office, attempt, AttemptStatus::RefundDue).await;
    let hour = Duration::from_secs(3_600);
    let take = async |step: Step| {
        let after = attempts.step(attempt, &step).await.expect("the store is there");
        (after.status, after.errors, after.is_put_off)
    };
    assert_eq!(take(Step::Refunded { errors: 1 }).await, (AttemptStatus::RefundDue, 0, false));
    for _ in 0..2 {
        let erred = take(Step::Erred { errors: 0 }).await;
        assert_eq!(erred, (AttemptStatus::RefundDue, 1, false), "one error");
    }
    let stale = Step::RefundRefused { errors: 0, again_after: hour };
    assert_eq!(take(stale).await, (AttemptStatus::RefundDue, 1, false));
    assert_eq!(take(Step::Refunded { errors: 0 }).await, (AttemptStatus::RefundDue, 1, false));
    assert_eq!(take(Step::Refunded { errors: 1 }).await, (AttemptStatus::Refunded, 1, false));
    let failed = |errors| Step::RefundFailed { errors, again_after: hour };
    assert_eq!(take(failed(0)).await, (AttemptStatus::Refunded, 1, false));
    assert_eq!(take(failed(1)).await, (AttemptStatus::RefundDue, 2, true));
    assert_eq!(take(Step::Refunded { errors: 1 }).await, (AttemptStatus::RefundDue, 2, true));
}

#[tokio::test]
async fn what_is_not_given_back_is_not_carried_on_before_its_pause_is_over() {
    let office = BoxOffice::open("step_put_off").await;
    let attempts = office.attempts();
    let attempt = opened(&office).await.id;
    put(&office, attempt, AttemptStatus::RefundDue).await;
    let left = async || attempts.unfinished(None, 9).await.expect("rows").len();
    assert_eq!(left().await, 1);
    let again_after = Duration::from_secs(3_600);
    let refused = Step::RefundRefused { errors: 0, again_after };
    let after = attempts.step(attempt, &refused).await.expect("rows");
    assert!(after.is_put_off && left().await == 0, "{after:?}");
    let again = "UPDATE payment_attempts SET again_at = again_at - interval '2 hours'";
    office.call(again, &[]).await;
    let found = attempts.find(attempt).await.expect("rows").expect("an attempt");
    assert!(!found.is_put_off && left().await == 1, "{found:?}");
}

async fn opened(office: &BoxOffice) -> Attempt {
    let order = office.order(office.hold("ana", &[0]).await).await;
    office.authorize("ana", order, "k1").await
}

/// The row as it would be in this status, whatever it was.
async fn put(office: &BoxOffice, attempt: AttemptId, status: AttemptStatus) {
    office
        .call(
            "UPDATE payment_attempts SET status = $2, reference = 'old', failure_code = NULL, \
                    failure_detail = NULL, resolved_at = NULL, reserved = NULL, \
                    reserved_in = NULL, next_redirect = NULL, lapses_at = NULL \
              WHERE attempt_id = $1",
            &[&attempt.uuid(), &status.code()],
        )
        .await;
}

async fn step(office: &BoxOffice, attempt: AttemptId, kind: StepKind) -> Attempt {
    let (reference, euro) = ("new".to_owned(), Currency::parse("EUR").expect("a currency"));
    let money = Money { amount: 7, currency: euro };
    let found = office.attempts().find(attempt).await.expect("rows").expect("an attempt");
    let (errors, again_after) = (found.errors, Duration::ZERO);
    let step = match kind {
        StepKind::Opened => Step::Opened { reference },
        StepKind::Erred => Step::Erred { errors },
        StepKind::Unclear => Step::Unclear,
        StepKind::ActionRequired => {
            Step::ActionRequired { reference, action: NextAction::Redirect("there".into()) }
        }
        StepKind::Authorized => Step::Authorized { reference, lapses_at: Some(Moment(7)) },
        StepKind::Mismatched => Step::Mismatched { reference, reserved: money, failure: failure() },
        StepKind::Taken => Step::Taken { reference, taken: money },
        StepKind::Declined => Step::Declined(failure()),
        StepKind::GivenUp => Step::GivenUp(failure()),
        StepKind::Captured => Step::Captured,
        StepKind::CaptureRefused => Step::CaptureRefused(failure()),
        StepKind::GraceOver => Step::GraceOver,
        StepKind::TicketsReturned => Step::TicketsReturned,
        StepKind::LetGo => Step::LetGo { reference, was_reserved: money },
        StepKind::Voided => Step::Voided,
        StepKind::Refunded => Step::Refunded { errors },
        StepKind::RefundRefused => Step::RefundRefused { errors, again_after },
        StepKind::RefundFailed => Step::RefundFailed { errors, again_after },
    };
    office.attempts().step(attempt, &step).await.expect("the store is there")
}

fn failure() -> Failure {
    Failure { code: "code".into(), detail: "detail".into() }
}
