//! Stripe's books as reconciliation reads them.

use serde_json::{Value, json};
use taquilla_engine::moment::Moment;
use taquilla_engine::payment::PaymentProvider;

use super::recorded::{CREATED_AT, Recorded, attempt, intent, ok, with};

fn named(name: &str, intent: Value) -> Value {
    with(intent, "id", json!(name))
}

#[tokio::test]
async fn records_say_what_is_reserved_taken_and_given_back() {
    let charge = json!({"id": "ch_1", "object": "charge", "amount_refunded": 500});
    let intents = [
        named("pi_reserved", intent("requires_capture")),
        named("pi_taken", with(intent("succeeded"), "latest_charge", charge)),
        // As versions and fakes may leave it out.
        named("pi_silent", with(intent("succeeded"), "amount_received", json!(null))),
        named("pi_let_go", intent("canceled")),
        named("pi_ended", intent("requires_payment_method")),
    ];
    let page = json!({"object": "list", "data": intents, "has_more": true});
    let stripe = Recorded::with([ok(page)]).await;
    let since = Moment(CREATED_AT * 1_000_000);
    let page = stripe.provider.list(since, Some("pi_before")).await.expect("a page");
    assert_eq!(page.next.as_deref(), Some("pi_ended"));
    let money = page.records.iter().map(|record| {
        assert_eq!((record.attempt, record.order), (Some(attempt().id), Some(attempt().order)));
        assert_eq!((record.money, record.charged_back), (attempt().money, None));
        (record.reference.as_str(), record.is_reserved, record.captured, record.refunded)
    });
    let expected = [
        ("pi_reserved", true, 0, 0),
        ("pi_taken", false, 12_500, 500),
        ("pi_silent", false, 12_500, 0),
        ("pi_let_go", false, 0, 0),
        ("pi_ended", false, 0, 0),
    ];
    assert_eq!(money.collect::<Vec<_>>(), expected);
    let asked = stripe.asked();
    assert_eq!(asked[0].what, "GET /v1/payment_intents");
    assert_eq!(asked[0].parameter("expand[]"), Some("data.latest_charge"));
    assert_eq!(asked[0].parameter("starting_after"), Some("pi_before"));
    assert_eq!(asked[0].parameter("created[gte]"), Some(CREATED_AT.to_string().as_str()));
}

#[tokio::test]
async fn a_record_in_no_money_that_we_know_is_told_and_not_left_out() {
    let charge = |refunded: i64| json!({"id": "ch_1", "amount_refunded": refunded});
    let euro = |name, status| with(named(name, intent(status)), "currency", json!("euro"));
    let intents = [
        named("pi_whose", with(intent("succeeded"), "currency", json!("euro"))),
        named("pi_less", with(intent("requires_capture"), "amount", json!(-1))),
        named("pi_fraction", with(intent("canceled"), "currency", json!("isk"))),
        named("pi_back", with(intent("succeeded"), "latest_charge", charge(-1))),
        with(euro("pi_part", "succeeded"), "latest_charge", charge(12_499)),
        with(euro("pi_whole", "succeeded"), "latest_charge", charge(12_500)),
        with(euro("pi_silent", "succeeded"), "amount_received", json!(null)),
        with(euro("pi_unheard", "unheard_of"), "amount_received", json!(1)),
        named(
            "pi_new",
            with(with(intent("unheard_of"), "currency", json!("")), "metadata", json!({})),
        ),
        named("pi_good", intent("succeeded")),
    ];
    let mut intents = intents.to_vec();
    intents[2]["amount"] = json!(12_501);
    let page = json!({"object": "list", "data": intents, "has_more": false});
    let stripe = Recorded::with([ok(page)]).await;
    let page = stripe.provider.list(Moment(0), None).await.expect("a page");
    let read: Vec<&str> = page.records.iter().map(|record| record.reference.as_str()).collect();
    assert_eq!(read, ["pi_good"]);
    let told = page.unreadable.iter().map(|it| (it.reference.as_str(), it.may_be_taken));
    let expected = [
        ("pi_whose", true),
        ("pi_less", false),
        ("pi_fraction", false),
        ("pi_back", true),
        ("pi_part", true),
        ("pi_whole", false),
        ("pi_silent", true),
        ("pi_unheard", true),
        ("pi_new", false),
    ];
    assert_eq!(told.collect::<Vec<_>>(), expected);
    let [first, .., last] = page.unreadable.as_slice() else { panic!("nine") };
    assert_eq!((first.attempt, first.order), (Some(attempt().id), Some(attempt().order)));
    assert_eq!(first.created_at, Some(Moment((CREATED_AT + 2) * 1_000_000)));
    assert!(first.says.contains("12500 of \"euro\", 12500 received"), "{}", first.says);
    assert_eq!((last.attempt, last.order), (None, None));
}
