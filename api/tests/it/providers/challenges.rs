//! The bank asks the buyer first: who does it, fails, or comes too late.

use super::agreement::{NOTHING, taken};
use super::provider::{Pays, Provider};
use super::shop::{PRICE, Pace, Shop};
use super::wire::Step;

/// Long enough for an order whose buyer is asked; the tests wait for its end.
const SHORT_SECONDS: u32 = 3;

pub(super) async fn a_challenge_that_is_done_buys<P: Provider>() {
    let shop = Shop::<P>::open("challenge_done").await;
    let (order, attempt) = shop.asked("ana", &["A-1-1"]).await;
    assert_eq!(shop.provider.books(&order.id).await, NOTHING);
    assert!(shop.provider.answer(&attempt, true).await);
    shop.until(&order, "captured").await;
    assert_eq!(shop.agreed([&order]).await, [taken(PRICE)]);
}

pub(super) async fn a_challenge_that_failed_declines_and_another_method_buys<P: Provider>() {
    let shop = Shop::<P>::open("challenge_failed").await;
    let (order, attempt) = shop.asked("ana", &["A-1-1"]).await;
    assert!(shop.provider.answer(&attempt, false).await);
    let declined = shop.until(&order, "declined").await;
    assert!(declined["attempts"][0]["failure"]["code"].is_string(), "{declined}");
    shop.pay(&order, "again", Pays::Well).await;
    shop.until(&order, "captured").await;
    assert_eq!(shop.agreed([&order]).await, [taken(PRICE)]);
}

pub(super) async fn a_challenge_is_withdrawn_at_the_holds_end<P: Provider>() {
    let shop = Shop::<P>::with("withdrawn", Pace::Quick, SHORT_SECONDS).await;
    let (order, attempt) = shop.asked("ana", &["A-1-1"]).await;
    shop.until(&order, "expired").await;
    assert!(!shop.provider.answer(&attempt, true).await, "the bank's page has nothing to ask");
    let resold = shop.sold("bob", &["A-1-1"]).await;
    assert_eq!(shop.agreed([&order, &resold]).await, [NOTHING, taken(PRICE)]);
    assert_eq!(shop.read(&order).await["status"], "expired");
}

pub(super) async fn a_challenge_answered_too_late_to_be_withdrawn_is_let_go<P: Provider>() {
    let shop = Shop::<P>::with("too_late", Pace::Quick, SHORT_SECONDS).await;
    shop.wire.cut(Step::Void);
    let (order, attempt) = shop.asked("ana", &["A-1-1"]).await;
    // The hold is over, and the withdrawal does not arrive.
    shop.wire.until_met(1).await;
    let resold = shop.sold("bob", &["A-1-1"]).await;
    assert!(shop.provider.answer(&attempt, true).await);
    shop.attempt(&order, &["authorized"]).await;
    shop.wire.mend(Step::Void);
    let voided = shop.until(&order, "voided").await;
    assert_eq!(voided["attempts"][0]["status"], "voided");
    assert_eq!(shop.agreed([&order, &resold]).await, [NOTHING, taken(PRICE)]);
}
