//! Capture, void and refund.

use serde_json::{Value, json};
use taquilla_engine::payment::{
    Attempt, Failure, GiveBack, GivenBack, MoneyMoved, PaymentProvider,
};
use uuid::Uuid;

use super::recorded::{Recorded, Says, attempt, error, failed, intent, ok, opened};

const REFUND: Uuid = Uuid::from_u128(9);

fn give_back(errors: u32) -> GiveBack {
    GiveBack { id: REFUND, money: attempt().money, errors }
}

fn refund(id: Uuid, status: &str) -> Value {
    json!({"id": "re_1", "object": "refund", "amount": 12_500, "currency": "eur",
           "charge": "ch_1", "payment_intent": "pi_1", "status": status,
           "metadata": {"refund_id": id.to_string()}})
}

fn refunds(of: &[Value], has_more: bool) -> Says {
    ok(json!({"object": "list", "url": "/v1/refunds", "data": of, "has_more": has_more}))
}

fn unexpected(status: &str) -> Says {
    error(
        400,
        json!({"type": "invalid_request_error", "code": "payment_intent_unexpected_state",
        "message": "It has another status.", "payment_intent": intent(status)}),
    )
}

#[tokio::test]
async fn a_capture_takes_all_of_it_once_for_its_key() {
    let stripe = Recorded::with([ok(intent("succeeded")), ok(intent("succeeded"))]).await;
    assert_eq!(stripe.provider.capture(&opened()).await, MoneyMoved::Done);
    let after = Attempt { errors: 1, ..opened() };
    assert_eq!(stripe.provider.capture(&after).await, MoneyMoved::Done);
    let asked = stripe.asked();
    for (asked, errors) in asked.iter().zip(0..) {
        assert_eq!(asked.what, "POST /v1/payment_intents/pi_1/capture");
        assert_eq!(asked.key, Some(format!("{}-capture-{errors}", attempt().id)));
        assert_eq!(asked.parameters, []);
    }
}

#[tokio::test]
async fn a_void_has_no_key_since_an_error_would_be_repeated_for_it() {
    let stripe = Recorded::with([failed(), ok(intent("canceled"))]).await;
    let erred = stripe.provider.void(&opened()).await;
    assert!(matches!(erred, MoneyMoved::Erred(_)), "{erred:?}");
    assert_eq!(stripe.provider.void(&opened()).await, MoneyMoved::Done);
    for asked in stripe.asked() {
        assert_eq!(
            (asked.what.as_str(), asked.key),
            ("POST /v1/payment_intents/pi_1/cancel", None)
        );
    }
}

#[tokio::test]
async fn what_did_not_move_is_refused_erred_or_unknown() {
    let answered = [
        (unexpected("succeeded"), "refused"),
        (
            error(400, json!({"code": "charge_expired_for_capture", "message": "Too late."})),
            "refused",
        ),
        (failed(), "erred"),
        (error(400, json!({"type": "idempotency_error", "message": "Other parameters."})), "erred"),
        (error(409, json!({"code": "idempotency_key_in_use"})), "unknown"),
        (error(429, json!({"code": "lock_timeout"})), "unknown"),
        (error(401, json!({"message": "Invalid API Key"})), "unknown"),
        (ok(intent("processing")), "unknown"),
        (Says::Half, "unknown"),
        (Says::Nothing, "unknown"),
    ];
    for (says, expected) in answered {
        let stripe = Recorded::with([says]).await;
        let moved = stripe.provider.capture(&opened()).await;
        let is = match &moved {
            MoneyMoved::Done => "done",
            MoneyMoved::Refused(_) => "refused",
            MoneyMoved::Erred(_) => "erred",
            MoneyMoved::Unknown(_) => "unknown",
        };
        assert_eq!(is, expected, "{moved:?}");
    }
}

#[tokio::test]
async fn without_a_reference_nothing_is_asked() {
    let stripe = Recorded::with([]).await;
    let give_back = give_back(0);
    for moved in [
        stripe.provider.capture(&attempt()).await,
        stripe.provider.void(&attempt()).await,
        stripe.provider.refund(&attempt(), &give_back).await,
    ] {
        let MoneyMoved::Refused(failure) = moved else { panic!("{moved:?}") };
        assert_eq!(failure.code, "no_reference");
    }
    assert_eq!(stripe.asked_what(), [""; 0]);
}

#[tokio::test]
async fn a_refund_is_looked_for_and_then_made_under_its_own_name() {
    let stripe = Recorded::with([
        refunds(&[refund(Uuid::from_u128(8), "succeeded")], false),
        ok(refund(REFUND, "pending")),
    ])
    .await;
    let moved = stripe.provider.refund(&opened(), &give_back(1)).await;
    assert_eq!(moved, MoneyMoved::Done, "what is pending is up to the bank");
    let asked = stripe.asked();
    assert_eq!(asked[0].what, "GET /v1/refunds");
    assert_eq!(asked[0].parameter("payment_intent"), Some("pi_1"));
    assert_eq!(asked[1].what, "POST /v1/refunds");
    assert_eq!(asked[1].key, Some(format!("{REFUND}-refund-12500-1")));
    assert_eq!(asked[1].parameter("payment_intent"), Some("pi_1"));
    assert_eq!(asked[1].parameter("amount"), Some("12500"));
    assert_eq!(asked[1].parameter("metadata[refund_id]"), Some(REFUND.to_string().as_str()));
}

#[tokio::test]
async fn a_refund_that_is_there_is_not_made_again() {
    let others: Vec<_> = (0..2).map(|n| refund(Uuid::from_u128(n), "succeeded")).collect();
    let pages = [refunds(&others, true), refunds(&[refund(REFUND, "succeeded")], false)];
    let stripe = Recorded::with(pages).await;
    assert_eq!(stripe.provider.refund(&opened(), &give_back(0)).await, MoneyMoved::Done);
    assert_eq!(stripe.asked_what(), ["GET /v1/refunds", "GET /v1/refunds"]);
    assert_eq!(stripe.asked()[1].parameter("starting_after"), Some("re_1"));

    for silent in [failed(), Says::Half] {
        let stripe = Recorded::with([silent]).await;
        let moved = stripe.provider.refund(&opened(), &give_back(0)).await;
        assert!(matches!(moved, MoneyMoved::Unknown(_)), "{moved:?}");
        assert_eq!(stripe.asked_what(), ["GET /v1/refunds"], "not before the look");
    }
}

#[tokio::test]
async fn a_refund_that_came_to_nothing_is_made_again_under_another_key() {
    let nothing = [refund(REFUND, "failed"), refund(REFUND, "canceled")];
    for (errors, failed) in [(0, 1), (0, 2), (1, 2)] {
        let listed = refunds(&nothing[..failed], false);
        let stripe = Recorded::with([listed, ok(refund(REFUND, "pending"))]).await;
        assert_eq!(stripe.provider.refund(&opened(), &give_back(errors)).await, MoneyMoved::Done);
        let key = format!("{REFUND}-refund-12500-{}", errors as usize + failed);
        assert_eq!(stripe.asked()[1].key, Some(key), "no earlier one");
    }
    // What stands is not made again, whatever came to nothing before it, or is listed before it.
    let pages = [refunds(&nothing, true), refunds(&[refund(REFUND, "succeeded")], false)];
    let stripe = Recorded::with(pages).await;
    assert_eq!(stripe.provider.refund(&opened(), &give_back(0)).await, MoneyMoved::Done);
    assert_eq!(stripe.asked_what(), ["GET /v1/refunds", "GET /v1/refunds"]);
    // And one that comes to nothing at once is refused, for now.
    let stripe = Recorded::with([refunds(&nothing, false), ok(refund(REFUND, "failed"))]).await;
    let moved = stripe.provider.refund(&opened(), &give_back(0)).await;
    assert!(matches!(&moved, MoneyMoved::Refused(no) if no.code == "refund_failed"), "{moved:?}");
}

#[tokio::test]
async fn a_refund_has_failed_if_nothing_of_its_name_stands() {
    let closed = || {
        let mut failed = refund(REFUND, "failed");
        failed["failure_reason"] = json!("expired_or_canceled_card");
        failed
    };
    let others = refund(Uuid::from_u128(8), "failed");
    let for_nothing = |why: &str| GivenBack::Failed(Failure::new("refund_failed", why));
    let listed = [
        (vec![refund(REFUND, "succeeded")], GivenBack::Stands(attempt().money)),
        (vec![refund(REFUND, "pending"), closed()], GivenBack::Stands(attempt().money)),
        (vec![closed(), refund(REFUND, "pending")], GivenBack::Stands(attempt().money)),
        (vec![closed(), refund(REFUND, "canceled")], for_nothing("expired_or_canceled_card")),
        (vec![refund(REFUND, "canceled")], for_nothing("the refund came to nothing")),
        (vec![others], GivenBack::Absent),
    ];
    for (listed, expected) in listed {
        let stripe = Recorded::with([refunds(&listed, false)]).await;
        assert_eq!(stripe.provider.find_refund(&opened(), &give_back(0)).await, expected);
        assert_eq!(stripe.asked_what(), ["GET /v1/refunds"], "nothing is moved");
    }
    let stripe = Recorded::with([failed()]).await;
    let found = stripe.provider.find_refund(&opened(), &give_back(0)).await;
    assert!(matches!(found, GivenBack::Unknown(_)), "{found:?}");
}

#[tokio::test]
async fn a_refund_of_more_than_was_taken_is_refused() {
    let too_much = error(
        400,
        json!({"type": "invalid_request_error", "param": "amount",
        "message": "Refund amount is greater than unrefunded amount on charge."}),
    );
    let stripe = Recorded::with([refunds(&[], false), too_much]).await;
    let moved = stripe.provider.refund(&opened(), &give_back(0)).await;
    assert!(matches!(moved, MoneyMoved::Refused(_)), "{moved:?}");
}
