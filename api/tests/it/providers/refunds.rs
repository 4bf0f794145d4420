//! Money on its way back.

use serde_json::{Value, json};

use super::agreement::{NOTHING, given_back, taken};
use super::provider::{Books, Provider};
use super::shop::{PRICE, Shop};

pub(super) async fn everything_is_given_back_once_for_its_key<P: Provider>() {
    let shop = Shop::<P>::open("refund_all").await;
    let order = shop.sold("ana", &["A-1-1", "A-1-2"]).await;
    let asked = shop.give_back(&order, "all", None).await;
    assert_eq!(asked["amount"]["amount"], order.total);
    shop.until(&order, "refunded").await;
    let again = shop.give_back(&order, "all", None).await;
    assert_eq!(
        (&again["refund_id"], &again["status"]),
        (&asked["refund_id"], &json!("settled")),
        "{again}"
    );
    let body = json!({"reason": "rain"});
    let more = shop.office.refund("another", &json!(order.id), &body).send().await;
    more.problem(409, "refund-not-possible");
    assert_eq!(shop.agreed([&order]).await, [given_back(order.total)]);
}

pub(super) async fn tickets_are_given_back_in_parts_whose_sum_is_the_charge<P: Provider>() {
    let shop = Shop::<P>::open("refund_parts").await;
    let order = shop.sold("ana", &["A-1-1", "A-1-2", "B-1-1"]).await;
    let tickets = shop.office.tickets("ana", &json!(order.id)).await;
    let mut back = 0;
    for (ticket, left) in tickets.iter().zip((0..tickets.len()).rev()) {
        assert_eq!(shop.read(&order).await["status"], "captured");
        let ids = [ticket["ticket_id"].clone()];
        let key = format!("part-{left}");
        let asked = shop.give_back(&order, &key, Some(&ids)).await;
        let twice = shop.give_back(&order, &key, Some(&ids)).await;
        assert_eq!(asked["refund_id"], twice["refund_id"]);
        back += asked["amount"]["amount"].as_i64().expect("cents");
        let is_back = |seen: &Value| seen["refunded"]["amount"] == back;
        shop.once(&order, format!("{back} given back"), is_back).await;
        let books = Books { captured: order.total, refunded: back, ..NOTHING };
        assert_eq!(shop.agreed([&order]).await, [books]);
    }
    assert_eq!((tickets.len(), back), (3, order.total));
    shop.until(&order, "refunded").await;
}

pub(super) async fn a_cancelled_event_gives_everyone_their_money_back<P: Provider>() {
    let shop = Shop::<P>::open("cancelled_event").await;
    let whole = shop.sold("ana", &["A-1-1", "B-1-1"]).await;
    let part = shop.sold("bob", &["A-1-2", "A-1-3"]).await;
    let tickets = shop.office.tickets("bob", &json!(part.id)).await;
    shop.give_back(&part, "one", Some(&[tickets[0]["ticket_id"].clone()])).await;
    let (asked, _) = shop.asked("cleo", &["A-2-1"]).await;
    let elsewhere = shop.office.create_event(&other_event()).await;
    let kept = shop.order_at(&elsewhere, "dora", &["A-1-1"]).await;
    shop.buy(&kept).await;

    shop.office.cancel(&shop.event, "flood").send().await.ok(202);
    assert_eq!(shop.office.cancellations().round().await.expect("rows"), 2);
    for order in [&whole, &part] {
        shop.until(order, "refunded").await;
    }
    shop.until(&asked, "cancelled").await;
    let done = shop.office.cancellation(&shop.event).await;
    assert_eq!(done["status"], "done", "{done}");
    assert_eq!(
        shop.agreed([&whole, &part, &asked, &kept]).await,
        [given_back(whole.total), given_back(2 * PRICE), NOTHING, taken(PRICE)]
    );
}

fn other_event() -> Value {
    let mut form = crate::edge::event_form();
    form["slug"] = json!("otra");
    form
}
