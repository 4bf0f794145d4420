//! Amounts in currencies of every kind, and fees to the minor unit.

use axum::http::Method;
use serde_json::{Value, json};

use super::box_office::{BoxOffice, event_form};

async fn hold_in(name: &str, currency: &str, price: u64, fees: Value) -> Value {
    let office = BoxOffice::empty(name).await;
    let mut form = event_form();
    form["currency"] = json!(currency);
    form["price_tiers"][0]["amount"] = json!(price);
    form["fees"] = fees;
    let event = office.create_event(&form).await;
    office.hold("ana", "k", &event, &["A-1-1", "A-1-2", "A-1-3"]).send().await.ok(201)
}

#[tokio::test]
async fn amounts_are_minor_units_whatever_the_currency_has() {
    let fees = || json!([{"name": "service", "percent": "5.00", "fixed": 0}]);
    let yen = hold_in("yen", "JPY", 9_001, fees()).await;
    // 450.05 a ticket, rounded for each: 450.
    assert_eq!(yen["fees"][0]["amount"], json!({"amount": 1_350, "currency": "JPY"}));
    assert_eq!(yen["total"], json!({"amount": 28_353, "currency": "JPY"}));
    let dinar = hold_in("dinar", "KWD", 12_345, fees()).await;
    // 617.25 a ticket: 617.
    assert_eq!(dinar["total"], json!({"amount": 3 * (12_345 + 617), "currency": "KWD"}));
}

#[tokio::test]
async fn fees_are_rounded_half_up_for_each_ticket() {
    let fees = json!([{"name": "a", "percent": "5.00", "fixed": 0},
                      {"name": "b", "percent": "0.0001", "fixed": 7}]);
    let hold = hold_in("half_up", "EUR", 10, fees).await;
    let amounts: Vec<_> = hold["fees"].as_array().expect("fees").iter().collect();
    assert_eq!(amounts[0]["amount"]["amount"], 3, "0.5 a ticket is 1 a ticket");
    assert_eq!(amounts[1]["amount"]["amount"], 21);
    assert_eq!(hold["total"]["amount"], 54);
}

#[tokio::test]
async fn prices_fees_and_currencies_are_bounded() {
    let (office, _) = BoxOffice::open("bounds").await;
    let create = async |change: fn(&mut Value)| {
        let mut form = event_form();
        form["venue_id"] = json!("00000000-0000-0000-0000-000000000000");
        form["slug"] = json!("otra");
        change(&mut form);
        office.operator(Method::POST, "/admin/events").json(&form).send().await.pointers()
    };
    let pointers = create(|form| form["currency"] = json!("EURO")).await;
    assert_eq!(pointers, ["/currency"]);
    assert_eq!(create(|form| form["currency"] = json!("XXX")).await, ["/currency"]);
    let pointers =
        create(|form| form["price_tiers"][0]["amount"] = json!(400_000_000_000_u64)).await;
    assert_eq!(pointers, ["/price_tiers/0/amount"]);
    let pointers = create(|form| form["price_tiers"][0]["amount"] = json!(-1)).await;
    assert_eq!(pointers, ["/price_tiers/0/amount"]);
    let pointers = create(|form| form["price_tiers"][0]["amount"] = json!(1.5)).await;
    assert_eq!(pointers, ["/price_tiers/0/amount"]);
    let pointers = create(|form| form["fees"][0]["percent"] = json!("100.01")).await;
    assert_eq!(pointers, ["/fees/0/percent"]);
    let pointers = create(|form| form["fees"][0]["percent"] = json!(5)).await;
    assert_eq!(pointers, ["/fees/0/percent"]);
}
