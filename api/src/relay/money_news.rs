//! What became of orders' money, as messages.

use serde_json::{Value, json};
use taquilla_persistence::order_outbox::Told as News;
use taquilla_persistence::relay::MoneyNews;

use super::message::{Message, Told};
use crate::views::MoneyView;

/// The message. Versions count within the order, from 1 and without a gap.
pub(super) fn of(news: &MoneyNews) -> Message {
    let (order, version) = (news.news.order.uuid(), news.news.version);
    let (kind, what) = told(&news.news.told);
    let mut data = json!({"order_id": order, "amount": MoneyView::from(news.news.money)});
    for (name, value) in what {
        data[name] = value;
    }
    let told = Told { kind, subject: Some(order.to_string()), at: news.at, data };
    let (id, source) = (format!("{order}.{version}"), format!("/orders/{order}"));
    Message::new(id, news.event, source, format!("{version:012}"), &told)
}

fn told(news: &News) -> (&'static str, Vec<(&'static str, Value)>) {
    match news {
        News::Attempt(attempt, status) => (
            "taquilla.attempt.moved.v1",
            vec![("attempt_id", json!(attempt.uuid())), ("status", json!(status.code()))],
        ),
        News::Refund(refund, status) => (
            "taquilla.refund.moved.v1",
            vec![("refund_id", json!(refund.uuid())), ("status", json!(status.shown()))],
        ),
        News::ChargedBack(notice) => {
            ("taquilla.chargeback.booked.v1", vec![("notice", json!(notice))])
        }
        News::ChargebackReturned(notice) => {
            ("taquilla.chargeback.returned.v1", vec![("notice", json!(notice))])
        }
    }
}
