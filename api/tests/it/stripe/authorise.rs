//! Opening and confirming: what each of Stripe's answers means.

use serde_json::json;
use taquilla_engine::moment::Moment;
use taquilla_engine::payment::{
    Attempt, Authorisation, Failure, NextAction, PaymentProvider, ProviderAnswer,
};

use super::recorded::{
    CREATED_AT, Recorded, Says, attempt, error, failed, intent, ok, opened, with,
};

/// What a buyer reads where Stripe speaks of our request, or our account.
const NOT_THE_CARD: &str = "The payment could not be made.";

async fn answer(attempt: &Attempt, answers: impl IntoIterator<Item = Says>) -> ProviderAnswer {
    let stripe = Recorded::with(answers).await;
    let answer = stripe.provider.authorise(attempt).await;
    stripe.asked();
    answer
}

fn reserved(lapses_at: i64) -> Authorisation {
    Authorisation {
        reference: "pi_1".into(),
        order: attempt().order,
        money: attempt().money,
        lapses_at: Some(Moment(lapses_at * 1_000_000)),
    }
}

#[tokio::test]
async fn an_attempt_without_a_reference_is_opened_and_moves_nothing() {
    let stripe = Recorded::with([ok(intent("requires_confirmation"))]).await;
    let answer = stripe.provider.authorise(&attempt()).await;
    assert_eq!(answer, ProviderAnswer::Opened { reference: "pi_1".into() });
    let asked = stripe.asked();
    let attempt = attempt();
    assert_eq!(asked[0].what, "POST /v1/payment_intents");
    assert_eq!(asked[0].key, Some(format!("{}-create-0", attempt.id)));
    assert_eq!(
        (asked[0].version.as_str(), asked[0].bearer.as_str()),
        ("2024-06-20", "Bearer sk_test_1")
    );
    let (order, id) = (attempt.order.to_string(), attempt.id.to_string());
    let sent: Vec<_> = asked[0].parameters.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
    assert_eq!(
        sent,
        [
            ("amount", "12500"),
            ("currency", "eur"),
            ("capture_method", "manual"),
            ("payment_method", "pm_card_visa"),
            ("payment_method_types[]", "card"),
            ("metadata[order_id]", order.as_str()),
            ("metadata[attempt_id]", id.as_str()),
        ]
    );
}

#[tokio::test]
async fn an_attempt_with_a_reference_is_confirmed_and_the_charge_says_how_long_it_lasts() {
    let details =
        json!({"type": "card", "card": {"brand": "visa", "capture_before": CREATED_AT + 99}});
    let charge = json!({"id": "ch_1", "object": "charge", "payment_method_details": details});
    let expanded = with(intent("requires_capture"), "latest_charge", charge);
    let stripe = Recorded::with([ok(expanded)]).await;
    let said = stripe.provider.authorise(&opened()).await;
    assert_eq!(said, ProviderAnswer::Authorised(reserved(CREATED_AT + 99)));
    let asked = stripe.asked();
    assert_eq!(asked[0].what, "POST /v1/payment_intents/pi_1/confirm");
    assert_eq!(asked[0].key, Some(format!("{}-confirm-0", attempt().id)));
    assert_eq!(asked[0].parameter("expand[]"), Some("latest_charge"));
    assert_eq!(asked[0].parameter("return_url"), None);

    let named = with(intent("requires_capture"), "latest_charge", json!("ch_1"));
    let seven_days = CREATED_AT + 2 + 7 * 86_400;
    for without in [named, intent("requires_capture")] {
        let said = answer(&opened(), [ok(without)]).await;
        assert_eq!(said, ProviderAnswer::Authorised(reserved(seven_days)));
    }
}

#[tokio::test]
async fn what_the_buyer_has_to_do_is_a_page_of_the_banks_or_stripes_own_script() {
    let page = "https://hooks.stripe.example/3d/1";
    let redirect = json!({"type": "redirect_to_url",
        "redirect_to_url": {"return_url": "https://shop.example/paid", "url": page}});
    let required = with(intent("requires_action"), "next_action", redirect);
    let stripe = Recorded::set(Some("https://shop.example/paid"), [ok(required)]).await;
    let answer_by_page = stripe.provider.authorise(&opened()).await;
    let action = NextAction::Redirect(page.into());
    assert_eq!(answer_by_page, ProviderAnswer::ActionRequired { reference: "pi_1".into(), action });
    assert_eq!(stripe.asked()[0].parameter("return_url"), Some("https://shop.example/paid"));

    let script =
        json!({"type": "use_stripe_sdk", "use_stripe_sdk": {"type": "three_d_secure_redirect"}});
    let required = with(intent("requires_action"), "next_action", script);
    let action = NextAction::ClientSecret("pi_1_secret_abc".into());
    let by_script = answer(&opened(), [ok(required)]).await;
    assert_eq!(by_script, ProviderAnswer::ActionRequired { reference: "pi_1".into(), action });
}

#[tokio::test]
async fn the_banks_no_is_a_decline_with_its_own_reason_and_suspicions_are_kept() {
    let no = |decline_code: &str| {
        let failed = with(
            intent("requires_payment_method"),
            "last_payment_error",
            json!({"type": "card_error", "code": "card_declined", "decline_code": decline_code,
                   "message": "Your card has insufficient funds."}),
        );
        error(
            402,
            json!({"type": "card_error", "code": "card_declined",
            "decline_code": decline_code, "charge": "ch_1",
            "message": "Your card has insufficient funds.", "payment_intent": failed}),
        )
    };
    let declined = answer(&opened(), [no("insufficient_funds")]).await;
    let failure = Failure::new("insufficient_funds", "Your card has insufficient funds.");
    assert_eq!(declined, ProviderAnswer::Declined(failure));
    let stolen = answer(&opened(), [no("stolen_card")]).await;
    let failure = Failure::new("generic_decline", "The card was declined.");
    assert_eq!(stolen, ProviderAnswer::Declined(failure));
}

#[tokio::test]
async fn what_stripe_says_of_us_is_not_shown_to_a_buyer() {
    let inside = "Your account acct_1 cannot currently make live charges.";
    for kind in ["invalid_request_error", "api_error", "authentication_error"] {
        let no = json!({"type": kind, "code": "account_invalid", "message": inside});
        let failure = Failure::new("account_invalid", NOT_THE_CARD);
        let opening = answer(&attempt(), [error(400, no.clone())]).await;
        assert_eq!(opening, ProviderAnswer::Declined(failure.clone()), "{kind}");
        // The same in the record.
        let failed = with(intent("requires_payment_method"), "last_payment_error", no);
        assert_eq!(answer(&opened(), [ok(failed)]).await, ProviderAnswer::Declined(failure));
    }
}

#[tokio::test]
async fn a_method_that_does_not_exist_is_declined_and_nothing_is_open() {
    let no = error(
        400,
        json!({"type": "invalid_request_error", "code": "resource_missing",
        "param": "payment_method", "message": "No such PaymentMethod: 'pm_none'"}),
    );
    let failure = Failure::new("resource_missing", NOT_THE_CARD);
    assert_eq!(answer(&attempt(), [no]).await, ProviderAnswer::Declined(failure));
}

#[tokio::test]
async fn an_amount_that_stripe_cannot_take_is_declined_without_asking() {
    let mut fils = attempt();
    fils.money.currency = taquilla_engine::money::Currency::parse("KWD").expect("a currency");
    fils.money.amount = 12_345;
    let ProviderAnswer::Declined(failure) = answer(&fils, []).await else { panic!("declined") };
    assert_eq!(failure.code, "amount_not_payable");
}

#[tokio::test]
async fn a_confirm_that_is_refused_is_what_the_record_says() {
    let refused = |body: serde_json::Value| error(400, body);
    let unexpected = |status: &str| {
        json!({"type": "invalid_request_error", "code": "payment_intent_unexpected_state",
               "message": "It cannot be confirmed.", "payment_intent": intent(status)})
    };
    let seven_days = CREATED_AT + 2 + 7 * 86_400;
    let authorised = ProviderAnswer::Authorised(reserved(seven_days));
    assert_eq!(answer(&opened(), [refused(unexpected("requires_capture"))]).await, authorised);
    let captured = ProviderAnswer::Captured(reserved(seven_days));
    assert_eq!(answer(&opened(), [refused(unexpected("succeeded"))]).await, captured);
    let cancelled = answer(&opened(), [refused(unexpected("canceled"))]).await;
    assert_eq!(cancelled, ProviderAnswer::Cancelled { reserved: None });

    let without = || refused(json!({"type": "invalid_request_error", "message": "Used before."}));
    let looked = answer(&opened(), [without(), ok(intent("requires_capture"))]).await;
    assert_eq!(looked, authorised);
    let never = answer(&opened(), [without(), ok(intent("requires_confirmation"))]).await;
    assert_eq!(never, ProviderAnswer::Declined(Failure::new("refused", NOT_THE_CARD)));
    let silent = answer(&opened(), [without(), failed()]).await;
    assert!(matches!(silent, ProviderAnswer::Unknown(_)), "{silent:?}");
}

#[tokio::test]
async fn an_error_of_stripes_is_no_silence_and_the_next_try_has_another_key() {
    for attempt in [attempt(), opened()] {
        for erred in [failed(), Says::Text(502, "<html>Bad gateway</html>".into())] {
            let said = answer(&attempt, [erred]).await;
            assert!(matches!(said, ProviderAnswer::Erred(_)), "{said:?}");
        }
        let again = Attempt { errors: 2, ..attempt };
        let stripe = Recorded::with([ok(intent("requires_confirmation"))]).await;
        stripe.provider.authorise(&again).await;
        let key = stripe.asked()[0].key.clone().expect("a key");
        assert!(key.ends_with("-2"), "{key}");
    }
}

#[tokio::test]
async fn a_key_that_another_request_had_is_never_used_again() {
    let reused = error(
        400,
        json!({"type": "idempotency_error",
        "message": "Keys for idempotent requests can only be used with the same parameters."}),
    );
    let said = answer(&opened(), [reused]).await;
    assert!(matches!(said, ProviderAnswer::Erred(_)), "{said:?}");
}

#[tokio::test]
async fn what_stripe_is_still_at_work_on_is_in_progress() {
    let in_use = || {
        error(
            409,
            json!({"type": "idempotency_error", "code": "idempotency_key_in_use",
        "message": "There is currently another in-progress request using this key."}),
        )
    };
    for attempt in [attempt(), opened()] {
        assert_eq!(answer(&attempt, [in_use()]).await, ProviderAnswer::InProgress);
    }
    let lock = error(409, json!({"type": "invalid_request_error", "message": "Locked."}));
    assert_eq!(answer(&opened(), [lock]).await, ProviderAnswer::InProgress);
    assert_eq!(answer(&opened(), [ok(intent("processing"))]).await, ProviderAnswer::InProgress);
}

#[tokio::test]
async fn everything_else_is_unknown_and_the_same_key_is_right() {
    let broken = with(intent("requires_capture"), "metadata", json!({"order_id": "mine"}));
    for unclear in [
        Says::Half,
        Says::Nothing,
        ok(json!({"id": "pi_1"})),
        ok(with(intent("requires_capture"), "status", json!("something_new"))),
        ok(broken),
        ok(intent("requires_action")["none"].clone()),
        Says::Text(400, "not Stripe's".into()),
        ok(with(intent("requires_capture"), "description", json!("x".repeat(5 * 1024 * 1024)))),
        Says::Elsewhere,
        error(429, json!({"type": "invalid_request_error", "code": "rate_limit"})),
        error(401, json!({"type": "invalid_request_error", "message": "Invalid API Key provided"})),
        error(403, json!({"type": "invalid_request_error", "message": "No permission."})),
    ] {
        let stripe = Recorded::with([unclear]).await;
        let said = stripe.provider.authorise(&opened()).await;
        assert!(matches!(said, ProviderAnswer::Unknown(_)), "{said:?}");
        assert_eq!(stripe.asked_what(), ["POST /v1/payment_intents/pi_1/confirm"]);
    }
}
