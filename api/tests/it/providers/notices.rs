//! What the provider tells by itself: whenever and however often it comes, it moves nothing by itself.
//!
//! Payments here ask nothing again by themselves, so what moves after an answer was, a notice has moved.

use axum::http::Method;
use reqwest::Url;
use serde_json::{Value, json};
use taquilla_api::connections::{Bounds, serve};
use taquilla_engine::buyer::BuyerId;
use taquilla_engine::id::{AttemptId, EventId};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::agreement::taken;
use super::provider::{Pays, Provider};
use super::shop::{PRICE, Pace, SECRET, Shop};
use super::wire::{Fault, Step};
use crate::edge::Call;
use crate::stripe::events::signature;

const KEPT: &str = "SELECT count(*) FROM provider_notices";
const LOOKED_INTO: &str =
    "SELECT count(*) > 0 AND bool_and(settled_at IS NOT NULL) FROM provider_notices";

impl<P: Provider> Shop<P> {
    /// The provider's notice of this name, signed with this.
    fn signed(&self, secret: &str, notice: &Value) -> Call {
        let (body, at) = (notice.to_string(), self.office.app.clock.now().0 / 1_000_000);
        let path = format!("/payments/webhooks/{}", P::NAME);
        let call =
            self.office.anyone(Method::POST, &path).header("content-type", "application/json");
        call.header(P::SIGNATURE, &signature(secret, at, &body)).raw(&body)
    }

    pub(super) async fn tell(&self, notice: &Value) {
        self.signed(SECRET, notice).send().await.ok(204);
    }

    /// From now on the provider's own notices come in.
    pub(super) async fn listen(&self) {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let edge = listener.local_addr().expect("an address");
        let (bounds, stopping) = (Bounds::default(), CancellationToken::new());
        tokio::spawn(serve(listener, self.office.front(), bounds, stopping));
        let url = format!("http://{edge}/payments/webhooks/{}", P::NAME);
        self.provider.tell(&Url::parse(&url).expect("a URL"), SECRET).await;
    }
}

pub(super) async fn the_same_notice_three_times_is_one<P: Provider>() {
    let shop = Shop::<P>::with("notice_thrice", Pace::ByNotice, 480).await;
    let (order, attempt) = shop.asked("ana", &["A-1-1"]).await;
    assert!(shop.provider.answer(&attempt, true).await);
    for _ in 0..3 {
        shop.tell(&P::notice("one", &order.id, &attempt)).await;
    }
    shop.until(&order, "captured").await;
    shop.tell(&P::notice("one", &order.id, &attempt)).await;
    shop.tell(&P::notice("late", &order.id, &attempt)).await;
    shop.rows.until(LOOKED_INTO).await;
    assert_eq!(shop.rows.one::<i64>(KEPT).await, 2);
    assert_eq!(shop.agreed([&order]).await, [taken(PRICE)]);
}

pub(super) async fn a_notice_may_come_before_the_answer<P: Provider>() {
    let shop = Shop::<P>::with("notice_early", Pace::ByNotice, 480).await;
    let order = shop.order("ana", &["A-1-1"]).await;
    let answer = shop.wire.hold(Step::Authorise);
    shop.pay(&order, "pay", Pays::Well).await;
    answer.until_done().await;
    let attempt = shop.attempt(&order, &["pending"]).await;
    shop.tell(&P::notice("early", &order.id, &attempt)).await;
    shop.rows.until(LOOKED_INTO).await;
    drop(answer);
    shop.until(&order, "captured").await;
    assert_eq!(shop.agreed([&order]).await, [taken(PRICE)]);
}

pub(super) async fn a_notice_brings_what_an_answer_did_not<P: Provider>() {
    let shop = Shop::<P>::with("notice_instead", Pace::ByNotice, 480).await;
    let order = shop.order("ana", &["A-1-1"]).await;
    shop.wire.spoil(Step::Authorise, Fault::LosesAnswer);
    shop.pay(&order, "pay", Pays::Well).await;
    let attempt = shop.attempt(&order, &["verifying"]).await;
    shop.tell(&P::notice("instead", &order.id, &attempt)).await;
    shop.until(&order, "captured").await;
    assert_eq!(shop.agreed([&order]).await, [taken(PRICE)]);
}

pub(super) async fn a_notice_of_nobodys_attempt_is_kept_and_asks_nothing<P: Provider>() {
    let shop = Shop::<P>::open("notice_nobodys").await;
    let event = EventId::parse(shop.event.parse().expect("a UUID")).expect("an event").event();
    let attempt = AttemptId::derive(event, &BuyerId::parse("nobody").expect("a buyer"), "pay");
    let attempt = json!({"attempt_id": attempt.uuid(), "provider_reference": "pi_nobody",
        "amount": {"amount": PRICE, "currency": "EUR"}});
    let notice = P::notice("nobodys", &Uuid::from_u128(1).to_string(), &attempt);
    for _ in 0..2 {
        shop.tell(&notice).await;
    }
    let order = shop.sold("ana", &["A-1-1"]).await;
    shop.tell(&P::notice("anas", &order.id, &shop.attempt(&order, &["captured"]).await)).await;
    shop.rows
        .until("SELECT settled_at IS NOT NULL FROM provider_notices WHERE notice_id = 'anas'")
        .await;
    let waits = "SELECT count(*) FROM provider_notices WHERE settled_at IS NULL";
    assert_eq!(shop.rows.one::<i64>(waits).await, 1, "until there is such an attempt");
    assert_eq!(shop.wire.asked(), P::STEPS[..P::STEPS.len() - 1], "only of ana's");
    assert_eq!(shop.agreed([&order]).await, [taken(PRICE)]);
}

pub(super) async fn a_forged_notice_is_refused_and_asks_nothing<P: Provider>() {
    let shop = Shop::<P>::with("notice_forged", Pace::ByNotice, 480).await;
    let (order, attempt) = shop.asked("ana", &["A-1-1"]).await;
    assert!(shop.provider.answer(&attempt, true).await);
    let asked = shop.wire.asked();
    let notice = P::notice("forged", &order.id, &attempt);
    shop.signed("somebody else's", &notice).send().await.problem(401, "unauthenticated");
    assert_eq!(shop.rows.one::<i64>(KEPT).await, 0);
    assert_eq!(shop.wire.asked(), asked);
    assert_eq!(shop.attempt(&order, &["requires_action"]).await["status"], "requires_action");
    shop.tell(&notice).await;
    shop.until(&order, "captured").await;
    assert_eq!(shop.agreed([&order]).await, [taken(PRICE)]);
}

pub(super) async fn the_providers_own_notices_are_taken<P: Provider>() {
    let shop = Shop::<P>::open("notice_own").await;
    shop.listen().await;
    let order = shop.sold("ana", &["A-1-1"]).await;
    shop.rows.until(LOOKED_INTO).await;
    assert_eq!(shop.agreed([&order]).await, [taken(PRICE)]);
}

pub(super) async fn its_own_notice_alone_brings_a_challenge_to_its_end<P: Provider>() {
    let shop = Shop::<P>::with("notice_own_alone", Pace::ByNotice, 480).await;
    shop.listen().await;
    let (order, attempt) = shop.asked("ana", &["A-1-1"]).await;
    assert!(shop.provider.answer(&attempt, true).await);
    shop.until(&order, "captured").await;
    assert_eq!(shop.agreed([&order]).await, [taken(PRICE)]);
}
