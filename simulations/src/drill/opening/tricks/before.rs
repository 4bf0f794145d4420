//! Tricks of those who join before the opening.

use std::sync::Arc;

use super::{Trick, at_once};
use crate::DrillError;
use crate::drill::opening::sale::{Sale, name};

/// Tabs of somebody who has many.
const TABS: usize = 8;
const ROUNDS: usize = 3;

/// Joins as his trick wants it.
pub(in crate::drill::opening) async fn plays_before_the_draw(
    sale: &Arc<Sale>,
    buyer: u32,
    trick: Trick,
) -> Result<(), DrillError> {
    match trick {
        Trick::ManyConnections => joins_at_once(sale, buyer).await,
        Trick::LeavesBeforeTheDraw => leaves_and_joins(sale, buyer).await,
        Trick::Headers => with_headers(sale, buyer).await,
        Trick::LeavesAndJoinsAtOnce => {
            sale.place(buyer, "POST", false).await?;
            at_the_same_time(sale, buyer).await
        }
        Trick::LeavesAfterTheDraw
        | Trick::Refreshes
        | Trick::OtherDevice
        | Trick::OthersAdmission
        | Trick::Forges
        | Trick::OtherEvent
        | Trick::RacesTheOpening => sale.place(buyer, "POST", false).await.map(drop),
    }
}

pub(super) async fn joins_at_once(sale: &Arc<Sale>, buyer: u32) -> Result<(), DrillError> {
    let tabs = (0..TABS).map(|_| {
        let sale = Arc::clone(sale);
        async move { sale.place(buyer, "POST", false).await.map(drop) }
    });
    at_once(sale, tabs).await
}

async fn leaves_and_joins(sale: &Arc<Sale>, buyer: u32) -> Result<(), DrillError> {
    sale.place(buyer, "POST", false).await?;
    for _ in 0..ROUNDS {
        sale.leave(buyer).await?;
        let gone = sale.place(buyer, "GET", false).await?;
        if gone["state"] != "left" {
            sale.book.fault(format!("buyer {buyer} left: {gone}"));
        }
        sale.place(buyer, "POST", false).await?;
    }
    Ok(())
}

/// Headers that a proxy, a clock or a careless client may send, and the event by all its names.
async fn with_headers(sale: &Arc<Sale>, buyer: u32) -> Result<(), DrillError> {
    let games = [
        ("X-Forwarded-For", "203.0.113.7"),
        ("Forwarded", "for=203.0.113.8;proto=https"),
        ("Idempotency-Key", "a-key-of-somebody"),
        ("Date", "Tue, 01 Jan 2019 00:00:00 GMT"),
        ("X-Request-Id", "first"),
    ];
    for (header, value) in games {
        let ask = sale.queue(buyer, "POST").with(header, value);
        let (answer, _) = sale.door.settle(&ask).await?;
        sale.book.told(buyer, &answer.body, false);
    }
    let upper = sale.event.to_uppercase();
    let bare = sale.event.replace('-', "");
    let names = [&*upper, &*bare, "noche", "NOCHE", "noche%20", "%20noche", "Noche"];
    for event in names {
        let path = format!("/events/{event}/queue");
        let (answer, _) = sale.door.settle(&sale.ask(buyer, "POST", path)).await?;
        match answer.status {
            // The same event, by another of its names.
            Some(200 | 201) => sale.book.told(buyer, &answer.body, false),
            Some(404) => {}
            _ => sale.book.fault(format!("{} at {event}: {answer:?}", name(buyer))),
        }
    }
    Ok(())
}

async fn at_the_same_time(sale: &Arc<Sale>, buyer: u32) -> Result<(), DrillError> {
    for _ in 0..ROUNDS {
        let (left, joined) = tokio::join!(sale.leave(buyer), sale.place(buyer, "POST", false));
        left?;
        joined?;
    }
    // Whichever was last, he is in the line.
    sale.place(buyer, "POST", false).await.map(drop)
}
