//! What Stripe tells by itself.

use axum::http::{HeaderMap, HeaderValue};
use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use sha2::Sha256;
use taquilla_api::payment_provider::stripe::StripeNotices;
use taquilla_api::payment_provider::{Forged, NoticeReader, SignedWith, Unreadable};
use taquilla_engine::moment::Moment;
use taquilla_engine::money::{Currency, Money};
use taquilla_persistence::inbox::{Notice, NoticeKind};

use super::recorded::{CREATED_AT, attempt, intent};

/// A body's signature as Stripe makes it, and the simulated provider after it, at this second.
pub(crate) fn signature(secret: &str, at: i64, body: &str) -> String {
    let mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("any length");
    let mac = mac.chain_update(format!("{at}.{body}")).finalize().into_bytes();
    let hex: String = mac.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("t={at},v1={hex}")
}

fn signed(secret: &str, body: &str) -> HeaderMap {
    let header = HeaderValue::try_from(signature(secret, CREATED_AT, body)).expect("ASCII");
    HeaderMap::from_iter([("stripe-signature".parse().expect("a name"), header)])
}

fn read_as(secret: &str, body: &str) -> Result<Notice, Unreadable> {
    let reader = StripeNotices::new(SignedWith::new(["whsec_old".into(), "whsec_new".into()]));
    let now = Moment(CREATED_AT * 1_000_000);
    reader.read(&signed(secret, body), body.as_bytes(), now)
}

fn read(kind: &str, object: Value) -> Notice {
    let event = json!({"id": "evt_1", "object": "event", "api_version": "2020-08-27",
        "created": CREATED_AT, "type": kind, "livemode": false, "data": {"object": object}});
    read_as("whsec_new", &event.to_string()).expect("it is Stripe's")
}

fn euros(amount: i64) -> Option<Money> {
    Some(Money { amount, currency: Currency::parse("EUR").expect("a currency") })
}

#[test]
fn news_of_a_payment_intent_names_its_attempt() {
    for kind in ["payment_intent.amount_capturable_updated", "payment_intent.canceled"] {
        let notice = read(kind, intent("requires_capture"));
        let expected = Notice {
            provider: "stripe".into(),
            id: "evt_1".into(),
            kind: NoticeKind::News,
            attempt: Some(attempt().id),
            reference: Some("pi_1".into()),
            money: euros(12_500),
        };
        assert_eq!(notice, expected, "{kind}");
    }
}

#[test]
fn a_dispute_takes_money_back_when_it_is_withdrawn_and_returns_it_when_it_is_reinstated() {
    let dispute = json!({"id": "dp_1", "object": "dispute", "amount": 12_500, "currency": "eur",
        "charge": "ch_1", "payment_intent": "pi_1", "reason": "fraudulent", "metadata": {}});
    let withdrawn = read("charge.dispute.funds_withdrawn", dispute.clone());
    assert_eq!(withdrawn.kind, NoticeKind::ChargedBack);
    assert_eq!((withdrawn.reference.as_deref(), withdrawn.money), (Some("pi_1"), euros(12_500)));
    let reinstated = read("charge.dispute.funds_reinstated", dispute.clone());
    assert_eq!(reinstated.kind, NoticeKind::Reinstated);
    assert_eq!((reinstated.reference.as_deref(), reinstated.money), (Some("pi_1"), euros(12_500)));
    for kind in ["charge.dispute.created", "charge.dispute.closed"] {
        assert_eq!(read(kind, dispute.clone()).kind, NoticeKind::News, "{kind}");
    }
}

#[test]
fn a_refund_has_failed_whichever_event_says_so() {
    let refund = |status: &str| {
        json!({"id": "re_1", "object": "refund", "amount": 500, "currency": "eur",
            "charge": "ch_1", "payment_intent": "pi_1", "status": status, "metadata": {}})
    };
    let kinds = ["refund.created", "refund.updated", "charge.refund.updated", "refund.failed"];
    for kind in kinds {
        for status in ["failed", "canceled"] {
            let notice = read(kind, refund(status));
            assert_eq!(notice.kind, NoticeKind::RefundFailed, "{kind} {status}");
            assert_eq!(notice.reference.as_deref(), Some("pi_1"));
        }
    }
    for (kind, status) in kinds[..3].iter().zip(["pending", "succeeded", "requires_action"]) {
        assert_eq!(read(kind, refund(status)).kind, NoticeKind::News, "{kind} {status}");
    }
    let alone = json!({"id": "re_2", "object": "refund", "charge": "ch_2", "status": "failed"});
    assert_eq!(read("refund.failed", alone).kind, NoticeKind::Other, "none of ours");
}

#[test]
fn news_of_charges_and_refunds_goes_by_the_reference() {
    let charge = json!({"id": "ch_1", "object": "charge", "amount": 12_500, "currency": "eur",
        "amount_refunded": 500, "payment_intent": "pi_1", "metadata": {}});
    for kind in ["charge.refunded", "charge.expired", "refund.updated", "charge.refund.updated"] {
        let notice = read(kind, charge.clone());
        assert_eq!((notice.kind, notice.attempt), (NoticeKind::News, None), "{kind}");
        assert_eq!(notice.reference.as_deref(), Some("pi_1"));
    }
    let alone = json!({"id": "ch_2", "object": "charge", "amount": 1, "currency": "eur",
        "payment_intent": null, "metadata": {}});
    assert_eq!(read("charge.succeeded", alone).kind, NoticeKind::Other, "none of ours");
}

#[test]
fn what_does_not_concern_us_is_taken_all_the_same() {
    for object in [json!({"id": 1}), json!([]), json!(null)] {
        let notice = read("account.updated", object);
        assert_eq!((notice.kind, notice.reference), (NoticeKind::Other, None));
    }
    let mut strangers = intent("succeeded");
    strangers["metadata"] = json!({"attempt_id": "theirs"});
    let notice = read("payment_intent.succeeded", strangers);
    assert_eq!((notice.kind, notice.attempt), (NoticeKind::News, None));
}

#[test]
fn either_secret_is_right_while_one_is_being_replaced_and_no_other() {
    let body = json!({"id": "evt_1", "type": "account.updated", "data": {"object": {}}});
    for secret in ["whsec_old", "whsec_new"] {
        assert!(read_as(secret, &body.to_string()).is_ok(), "{secret}");
    }
    let forged = read_as("whsec_theirs", &body.to_string());
    assert!(matches!(forged, Err(Unreadable::Forged(Forged::Wrong))), "{forged:?}");
}

#[test]
fn what_stripe_signed_and_is_no_event_is_malformed() {
    for body in ["", "{}", "[]", r#"{"id":"evt_1","type":"charge.refunded","data":{"object":7}}"#] {
        let said = read_as("whsec_new", body);
        assert!(matches!(said, Err(Unreadable::Malformed(_))), "{body}: {said:?}");
    }
}
