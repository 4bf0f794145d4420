//! Money that a buyer's bank takes back, and what of it comes back.

use serde_json::{Value, json};

use super::agreement::taken;
use super::provider::{LocalStripe, Provider, dispute};
use super::shop::{Order, PRICE, Shop};

const SETTLED: &str =
    "SELECT count(*) > 0 AND bool_and(settled_at IS NOT NULL) FROM provider_notices";

impl<P: Provider> Shop<P> {
    /// What our ledger says that banks have.
    async fn charged_back(&self, order: &Order) -> i64 {
        let sql = format!(
            "SELECT coalesce(-sum(amount), 0)::bigint FROM ledger \
              WHERE order_id = '{}' AND kind = 'chargeback' AND account = 'provider'",
            order.id
        );
        self.rows.one(&sql).await
    }

    async fn ticket_statuses(&self, order: &Order) -> Vec<Value> {
        let tickets = self.office.tickets(&order.buyer, &json!(order.id)).await;
        tickets.iter().map(|ticket| ticket["status"].clone()).collect()
    }
}

pub(super) async fn a_chargeback_marks_its_order_and_voids_its_tickets<P: Provider>() {
    let shop = Shop::<P>::open("charged_back").await;
    let order = shop.sold("ana", &["A-1-1", "A-1-2"]).await;
    let kept = shop.sold("bob", &["A-2-1"]).await;
    let attempt = shop.attempt(&order, &["captured"]).await;
    let notice = shop.provider.charge_back("cb1", &order.id, &attempt, order.total).await;
    for _ in 0..2 {
        shop.tell(&notice).await;
    }
    let seen = shop.until(&order, "refunded").await;
    assert_eq!(seen["refunded"], Value::Null, "it was not us who gave it back: {seen}");
    assert_eq!(shop.ticket_statuses(&order).await, ["void", "void"]);
    assert_eq!(shop.ticket_statuses(&kept).await, ["valid"]);
    shop.rows.until(SETTLED).await;
    assert_eq!(shop.charged_back(&order).await, order.total);
    assert_eq!(shop.agreed([&order, &kept]).await, [taken(order.total), taken(PRICE)]);
}

pub(super) async fn a_chargeback_of_a_part_leaves_the_tickets<P: Provider>() {
    let shop = Shop::<P>::open("charged_back_part").await;
    let order = shop.sold("ana", &["A-1-1", "A-1-2"]).await;
    let attempt = shop.attempt(&order, &["captured"]).await;
    let notice = shop.provider.charge_back("cb1", &order.id, &attempt, order.total - 1).await;
    shop.tell(&notice).await;
    shop.rows.until(SETTLED).await;
    assert_eq!(shop.charged_back(&order).await, order.total - 1);
    assert_eq!(shop.read(&order).await["status"], "captured");
    assert_eq!(shop.ticket_statuses(&order).await, ["valid", "valid"]);
    assert_eq!(shop.agreed([&order]).await, [taken(order.total)]);
}

#[tokio::test]
async fn a_dispute_that_is_won_is_booked_and_leaves_void_tickets_void() {
    let shop = Shop::<LocalStripe>::open("dispute_won").await;
    let order = shop.sold("ana", &["A-1-1"]).await;
    let attempt = shop.attempt(&order, &["captured"]).await;
    let notice = shop.provider.charge_back("lost", &order.id, &attempt, PRICE).await;
    shop.tell(&notice).await;
    shop.until(&order, "refunded").await;
    let won = dispute("won", "charge.dispute.funds_reinstated", &attempt, PRICE);
    for _ in 0..2 {
        shop.tell(&won).await;
    }
    shop.rows.until("SELECT count(*) = 2 FROM provider_notices WHERE settled_at IS NOT NULL").await;
    assert_eq!(shop.charged_back(&order).await, 0);
    assert_eq!(shop.ticket_statuses(&order).await, ["void"]);
    assert_eq!(shop.agreed([&order]).await, [taken(PRICE)]);
}

#[tokio::test]
async fn a_dispute_whose_winning_is_told_before_its_losing_is_booked_all_the_same() {
    let shop = Shop::<LocalStripe>::open("dispute_won_first").await;
    let order = shop.sold("ana", &["A-1-1"]).await;
    let attempt = shop.attempt(&order, &["captured"]).await;
    shop.tell(&dispute("won", "charge.dispute.funds_reinstated", &attempt, PRICE)).await;
    shop.rows.until("SELECT again_at IS NOT NULL FROM provider_notices").await;
    assert_eq!(shop.charged_back(&order).await, 0);
    let notice = shop.provider.charge_back("lost", &order.id, &attempt, PRICE).await;
    shop.tell(&notice).await;
    shop.rows.until("SELECT count(*) = 2 FROM provider_notices WHERE settled_at IS NOT NULL").await;
    assert_eq!(shop.charged_back(&order).await, 0);
    assert_eq!(shop.ticket_statuses(&order).await, ["void"]);
}
