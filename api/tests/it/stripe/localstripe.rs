//! The adapter against localstripe: its requests are understood, and its answers read. What localstripe
//! does otherwise than Stripe is tested by recorded answers.

use std::sync::Arc;

use taquilla_api::payment_provider::stripe::StripeProvider;
use taquilla_engine::clock::ManualClock;
use taquilla_engine::payment::{
    Attempt, GiveBack, MoneyMoved, NextAction, PaymentProvider, ProviderAnswer,
};
use uuid::Uuid;

use super::local::{ASKS_THE_BUYER, DECLINED, Local, VISA, settings};
use super::recorded::attempt;

struct Shop {
    local: Local,
    stripe: StripeProvider,
}

impl Shop {
    async fn open() -> Self {
        let local = Local::start().await;
        let clock = Arc::new(ManualClock::new(attempt().created_at));
        let stripe = StripeProvider::new(local.client(), settings(), clock);
        Self { local, stripe }
    }

    /// An attempt to pay with this card, opened and not yet confirmed.
    async fn opened(&self, card: &str) -> Attempt {
        let attempt = Attempt { method: self.local.method(card).await, ..attempt() };
        match self.stripe.authorise(&attempt).await {
            ProviderAnswer::Opened { reference } => {
                Attempt { reference: Some(reference), ..attempt }
            }
            answer => panic!("{answer:?}"),
        }
    }

    /// The same, and authorised.
    async fn authorised(&self) -> Attempt {
        let attempt = self.opened(VISA).await;
        let answer = self.stripe.authorise(&attempt).await;
        assert!(matches!(answer, ProviderAnswer::Authorised(_)), "{answer:?}");
        attempt
    }

    /// What the buyer's page needs to go on.
    async fn secret(&self, attempt: &Attempt) -> String {
        match self.stripe.authorise(attempt).await {
            ProviderAnswer::ActionRequired { action: NextAction::ClientSecret(secret), .. } => {
                secret
            }
            answer => panic!("{answer:?}"),
        }
    }
}

#[tokio::test]
async fn money_is_reserved_taken_and_given_back_in_parts() {
    let shop = Shop::open().await;
    let attempt = shop.opened(VISA).await;
    let ProviderAnswer::Authorised(reserved) = shop.stripe.authorise(&attempt).await else {
        panic!("it is a good card");
    };
    assert_eq!(Some(&reserved.reference), attempt.reference.as_ref());
    assert_eq!((reserved.order, reserved.money), (attempt.order, attempt.money));
    assert!(reserved.lapses_at.is_some());
    assert_eq!(shop.stripe.find(&attempt).await, ProviderAnswer::Authorised(reserved.clone()));

    assert_eq!(shop.stripe.capture(&attempt).await, MoneyMoved::Done);
    assert_eq!(shop.stripe.find(&attempt).await, ProviderAnswer::Captured(reserved));
    let again = shop.stripe.capture(&attempt).await;
    assert!(matches!(again, MoneyMoved::Refused(_)), "the runner reads what is so: {again:?}");

    let part = |id, amount| {
        let mut money = attempt.money;
        money.amount = amount;
        GiveBack { id: Uuid::from_u128(id), money, errors: 0 }
    };
    for give_back in [part(1, 500), part(1, 500), part(2, 12_000)] {
        assert_eq!(shop.stripe.refund(&attempt, &give_back).await, MoneyMoved::Done);
    }
    let path = format!("/v1/refunds?payment_intent={}", attempt.reference.expect("it is opened"));
    let refunds = shop.local.get(&path).await;
    let amounts = refunds["data"].as_array().expect("refunds").iter();
    let mut amounts: Vec<_> = amounts.map(|it| it["amount"].as_i64().expect("cents")).collect();
    amounts.sort_unstable();
    assert_eq!(amounts, [500, 12_000], "localstripe ignores keys: the look kept the second away");
}

#[tokio::test]
async fn a_bad_card_is_declined_and_stays_so() {
    let shop = Shop::open().await;
    let attempt = shop.opened(DECLINED).await;
    for answer in [shop.stripe.authorise(&attempt).await, shop.stripe.find(&attempt).await] {
        let ProviderAnswer::Declined(failure) = answer else { panic!("{answer:?}") };
        assert_eq!(failure.code, "card_declined");
        assert_eq!(failure.detail, "Your card was declined.");
    }
    let unknown = Attempt { method: "pm_none".into(), ..super::recorded::attempt() };
    let answer = shop.stripe.authorise(&unknown).await;
    assert!(matches!(answer, ProviderAnswer::Declined(_)), "{answer:?}");
}

#[tokio::test]
async fn a_buyer_who_is_asked_may_do_it_fail_or_be_too_late() {
    let shop = Shop::open().await;
    let does = shop.opened(ASKS_THE_BUYER).await;
    let secret = shop.secret(&does).await;
    let found = shop.stripe.find(&does).await;
    assert!(matches!(found, ProviderAnswer::ActionRequired { .. }), "{found:?}");
    let reference = does.reference.as_deref().expect("it is opened");
    assert!(shop.local.authenticate(reference, &secret, true).await);
    let found = shop.stripe.find(&does).await;
    assert!(matches!(found, ProviderAnswer::Authorised(_)), "{found:?}");

    let fails = shop.opened(ASKS_THE_BUYER).await;
    let secret = shop.secret(&fails).await;
    let reference = fails.reference.as_deref().expect("it is opened");
    assert!(shop.local.authenticate(reference, &secret, false).await);
    let ProviderAnswer::Declined(failure) = shop.stripe.find(&fails).await else {
        panic!("it failed");
    };
    assert_eq!(failure.code, "payment_intent_authentication_failure");

    let late = shop.opened(ASKS_THE_BUYER).await;
    shop.secret(&late).await;
    assert_eq!(shop.stripe.void(&late).await, MoneyMoved::Done);
    assert_eq!(shop.stripe.find(&late).await, ProviderAnswer::Cancelled { reserved: None });
}

#[tokio::test]
async fn what_is_void_stays_void() {
    let shop = Shop::open().await;
    let attempt = shop.authorised().await;
    assert_eq!(shop.stripe.void(&attempt).await, MoneyMoved::Done);
    let again = shop.stripe.void(&attempt).await;
    assert!(matches!(again, MoneyMoved::Refused(_)), "the runner reads what is so: {again:?}");
    assert_eq!(shop.stripe.find(&attempt).await, ProviderAnswer::Cancelled { reserved: None });
}
