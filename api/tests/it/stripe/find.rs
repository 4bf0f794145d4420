//! Finding out what became of an attempt.

use std::time::Duration;

use serde_json::{Value, json};
use taquilla_engine::moment::Moment;
use taquilla_engine::payment::{Attempt, PaymentProvider, ProviderAnswer};

use super::recorded::{
    CREATED_AT, KEY_LIFE, Recorded, Says, attempt, error, failed, intent, ok, opened, with,
};

/// A part of the listing.
fn page(intents: &[Value], has_more: bool) -> Says {
    ok(
        json!({"object": "list", "url": "/v1/payment_intents", "data": intents, "has_more": has_more}),
    )
}

fn strangers(name: &str) -> Value {
    let named = with(intent("succeeded"), "id", json!(format!("pi_{name}")));
    with(named, "metadata", json!({}))
}

#[tokio::test]
async fn what_has_a_reference_is_read_by_it() {
    let stripe = Recorded::with([ok(intent("requires_capture"))]).await;
    let found = stripe.provider.find(&opened()).await;
    assert!(matches!(found, ProviderAnswer::Authorised(_)), "{found:?}");
    let asked = stripe.asked();
    assert_eq!(asked[0].what, "GET /v1/payment_intents/pi_1");
    assert_eq!(asked[0].parameter("expand[]"), Some("latest_charge"));
    assert_eq!(asked[0].key, None);
    for unclear in [
        failed(),
        Says::Half,
        error(
            404,
            json!({"type": "invalid_request_error", "code": "resource_missing",
            "param": "intent", "message": "No such payment_intent: 'pi_1'"}),
        ),
    ] {
        let stripe = Recorded::with([unclear]).await;
        let found = stripe.provider.find(&opened()).await;
        assert!(matches!(found, ProviderAnswer::Unknown(_)), "{found:?}");
    }
}

#[tokio::test]
async fn a_confirm_whose_answer_was_lost_is_found_by_its_reference() {
    let stripe = Recorded::with([Says::Half, ok(intent("requires_capture"))]).await;
    let lost = stripe.provider.authorise(&opened()).await;
    assert!(matches!(lost, ProviderAnswer::Unknown(_)), "{lost:?}");
    let found = stripe.provider.find(&opened()).await;
    assert!(matches!(found, ProviderAnswer::Authorised(_)), "{found:?}");
    let what = ["POST /v1/payment_intents/pi_1/confirm", "GET /v1/payment_intents/pi_1"];
    assert_eq!(stripe.asked_what(), what);
}

#[tokio::test]
async fn a_create_whose_answer_was_lost_is_repeated_under_its_key_and_read_afresh() {
    let answers = [Says::Nothing, ok(intent("requires_confirmation")), ok(intent("canceled"))];
    let stripe = Recorded::with(answers).await;
    let lost = stripe.provider.authorise(&attempt()).await;
    assert!(matches!(lost, ProviderAnswer::Unknown(_)), "{lost:?}");
    stripe.clock.advance(KEY_LIFE - Duration::from_micros(1));
    assert_eq!(
        stripe.provider.find(&attempt()).await,
        ProviderAnswer::Cancelled { reserved: None }
    );
    let asked = stripe.asked();
    assert_eq!((&asked[0].what, &asked[0].key), (&asked[1].what, &asked[1].key));
    assert_eq!(
        asked[0].parameters, asked[1].parameters,
        "another request under the key is refused"
    );
    assert_eq!(asked[2].what, "GET /v1/payment_intents/pi_1");
}

#[tokio::test]
async fn an_error_is_repeated_for_its_key_and_not_for_the_next() {
    // Stripe gives the first result again, and the next key is another try.
    let stripe = Recorded::with([
        failed(),
        failed(),
        ok(intent("requires_confirmation")),
        ok(intent("requires_confirmation")),
    ])
    .await;
    for _ in 0..2 {
        let said = stripe.provider.find(&attempt()).await;
        assert!(matches!(said, ProviderAnswer::Erred(_)), "{said:?}");
    }
    let next = Attempt { errors: 1, ..attempt() };
    let found = stripe.provider.find(&next).await;
    assert_eq!(found, ProviderAnswer::Opened { reference: "pi_1".into() });
    let keys: Vec<_> = stripe.asked().into_iter().filter_map(|asked| asked.key).collect();
    let key = |errors| format!("{}-create-{errors}", attempt().id);
    assert_eq!(keys, [key(0), key(0), key(1)]);
}

#[tokio::test]
async fn once_the_key_may_be_forgotten_the_listing_is_read_to_its_end() {
    let ours = intent("requires_confirmation");
    let pages =
        [page(&[strangers("a"), strangers("b")], true), page(&[strangers("c"), ours], true)];
    let stripe = Recorded::with(pages).await;
    stripe.clock.advance(KEY_LIFE);
    let found = stripe.provider.find(&attempt()).await;
    assert_eq!(found, ProviderAnswer::Opened { reference: "pi_1".into() });
    let asked = stripe.asked();
    assert!(asked.iter().all(|asked| asked.what == "GET /v1/payment_intents"), "{asked:?}");
    assert_eq!(asked[0].parameter("starting_after"), None);
    assert_eq!(asked[1].parameter("starting_after"), Some("pi_b"));
    let (first, last) = (CREATED_AT - 300, CREATED_AT + 1_000 + 300);
    for asked in asked {
        assert_eq!(asked.parameter("limit"), Some("100"));
        assert_eq!(asked.parameter("created[gte]"), Some(first.to_string().as_str()));
        assert_eq!(asked.parameter("created[lte]"), Some(last.to_string().as_str()));
    }
}

#[tokio::test]
async fn not_there_is_only_said_of_a_listing_that_was_read_whole() {
    let old = async |answers: Vec<Says>| {
        let stripe = Recorded::with(answers).await;
        stripe.clock.advance(KEY_LIFE);
        let found = stripe.provider.find(&attempt()).await;
        stripe.asked();
        found
    };
    let whole = vec![page(&[strangers("a")], true), page(&[], false)];
    assert_eq!(old(whole).await, ProviderAnswer::NoSuchKey);
    let lost = old(vec![page(&[strangers("a")], true), Says::Half]).await;
    assert!(matches!(lost, ProviderAnswer::Unknown(_)), "{lost:?}");
    let failed = old(vec![failed()]).await;
    assert!(matches!(failed, ProviderAnswer::Unknown(_)), "{failed:?}");
    let endless = (0..10).map(|n| page(&[strangers(&n.to_string())], true)).collect();
    assert_eq!(old(endless).await, ProviderAnswer::InProgress);
}

#[tokio::test]
async fn the_books_are_listed_from_a_moment_on_and_without_an_end() {
    let stripe = Recorded::with([page(&[strangers("a")], true)]).await;
    let since = Moment(CREATED_AT * 1_000_000 + 1);
    let page = stripe.provider.list(since, Some("pi_0")).await.expect("a page");
    assert_eq!(page.next.as_deref(), Some("pi_a"));
    let asked = stripe.asked();
    assert_eq!(asked[0].parameter("starting_after"), Some("pi_0"));
    assert_eq!(asked[0].parameter("created[gte]"), Some(CREATED_AT.to_string().as_str()));
    assert_eq!(asked[0].parameter("created[lte]"), None);
    assert_eq!(asked[0].parameter("expand[]"), Some("data.latest_charge"));
}
