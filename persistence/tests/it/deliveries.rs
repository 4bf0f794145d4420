//! The log of what was posted to webhooks.

use std::collections::HashSet;
use std::time::Duration;

use taquilla_persistence::deliveries::{Deliveries, Delivery, DeliveryOutcome, MessageName, Tried};

use crate::box_office::BoxOffice;
use crate::plain::in_time;

const SINK: &str = "crm";

async fn log(name: &str) -> (BoxOffice, Deliveries) {
    let office = BoxOffice::open(name).await;
    let deliveries = Deliveries::new(office.database.clone());
    (office, deliveries)
}

async fn note(office: &BoxOffice, deliveries: &Deliveries, id: &str, tried: Tried) -> u32 {
    let message = MessageName { id, kind: "taquilla.hold.placed.v1", event: office.event };
    let noted = deliveries.note(SINK, message, &tried, Duration::from_secs(60));
    in_time(noted).await.expect("an answer").refusals
}

async fn all(deliveries: &Deliveries, outcome: Option<DeliveryOutcome>) -> Vec<Delivery> {
    in_time(deliveries.list(SINK, outcome, None, 100)).await.expect("an answer").items
}

#[tokio::test]
async fn only_a_refusal_counts_against_a_message_and_what_was_delivered_stays_so() {
    let (office, log) = log("deliveries_tries").await;
    let away = || Tried::Away { status: Some(503), error: "busy".into() };
    assert_eq!(note(&office, &log, "1", away()).await, 0);
    assert_eq!(note(&office, &log, "1", Tried::Refused { status: 422 }).await, 1);
    assert_eq!(note(&office, &log, "1", Tried::Refused { status: 422 }).await, 2);
    assert_eq!(note(&office, &log, "1", Tried::Delivered { status: 204 }).await, 2);
    assert_eq!(note(&office, &log, "1", away()).await, 2);
    in_time(log.park(SINK, "1")).await.expect("an answer");
    let listed = all(&log, None).await;
    let [only] = listed.as_slice() else { panic!("{listed:?}") };
    assert_eq!((only.tries, only.status, only.error.as_deref()), (5, Some(503), Some("busy")));
    assert_eq!(only.outcome, DeliveryOutcome::Delivered);
    note(&office, &log, "2", Tried::Refused { status: 422 }).await;
    in_time(log.park(SINK, "2")).await.expect("an answer");
    note(&office, &log, "2", away()).await;
    assert_eq!(all(&log, Some(DeliveryOutcome::Parked)).await.len(), 1, "it is not tried again");
    note(&office, &log, "2", Tried::Delivered { status: 200 }).await;
    assert_eq!(all(&log, Some(DeliveryOutcome::Delivered)).await.len(), 2);
    assert_eq!(only.event, office.event);
}

#[tokio::test]
async fn messages_are_listed_by_what_became_of_them_and_a_page_ends_where_the_next_begins() {
    let (office, log) = log("deliveries_list").await;
    note(&office, &log, "pending", Tried::Refused { status: 400 }).await;
    note(&office, &log, "parked", Tried::Refused { status: 400 }).await;
    in_time(log.park(SINK, "parked")).await.expect("an answer");
    note(&office, &log, "delivered", Tried::Delivered { status: 200 }).await;
    for outcome in [DeliveryOutcome::Pending, DeliveryOutcome::Parked, DeliveryOutcome::Delivered] {
        let listed = all(&log, Some(outcome)).await;
        let ids: Vec<_> = listed.iter().map(|it| it.message_id.as_str()).collect();
        assert_eq!(ids, [outcome.code()]);
    }
    let (mut seen, mut after) = (Vec::new(), None);
    loop {
        let page = in_time(log.list(SINK, None, after, 1)).await.expect("an answer");
        seen.extend(page.items.into_iter().map(|it| it.message_id));
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    assert_eq!(seen, ["delivered", "parked", "pending"], "the latest first");
    let settled = in_time(log.settled(SINK, &["pending", "parked", "delivered", "other"]));
    let expected = HashSet::from(["parked".to_owned(), "delivered".to_owned()]);
    assert_eq!(settled.await.expect("an answer"), expected);
}

#[tokio::test]
async fn what_is_still_tried_is_never_forgotten() {
    let (office, log) = log("deliveries_forget").await;
    note(&office, &log, "pending", Tried::Refused { status: 400 }).await;
    note(&office, &log, "delivered", Tried::Delivered { status: 200 }).await;
    let old = "UPDATE webhook_deliveries SET tried_at = clock_timestamp() - interval '2 days'";
    office.call(old, &[]).await;
    note(&office, &log, "young", Tried::Delivered { status: 200 }).await;
    let day = Duration::from_secs(86_400);
    assert_eq!(in_time(log.forget(day)).await.expect("an answer"), 1);
    let left: HashSet<_> = all(&log, None).await.into_iter().map(|it| it.message_id).collect();
    assert_eq!(left, HashSet::from(["pending".to_owned(), "young".to_owned()]));
}
