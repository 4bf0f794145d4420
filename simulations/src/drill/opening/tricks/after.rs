//! Tricks at the opening, and of those who wait once positions are known.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use super::before::joins_at_once;
use super::{Trick, at_once};
use crate::DrillError;
use crate::drill::opening::sale::{Sale, name};

const STORM: usize = 40;
const DEVICES: u8 = 4;
/// Around the opening, all of these join: half of them before it.
const AROUND: Duration = Duration::from_millis(120);

/// Joins within a moment of the opening, by many connections: some before it, some after it.
pub(in crate::drill::opening) async fn races_the_opening(
    sale: Arc<Sale>,
    opening: Instant,
) -> Result<(), DrillError> {
    let buyers: Vec<u32> = Trick::RacesTheOpening.players_of(sale.plan.buyers).collect();
    let count = u32::try_from(buyers.len()).unwrap_or(1).max(1);
    let racers = (0..).zip(buyers).map(|(nth, buyer)| {
        let sale = Arc::clone(&sale);
        let at = opening - AROUND / 2 + AROUND * nth / count;
        async move {
            sleep_until(at).await;
            joins_at_once(&sale, buyer).await
        }
    });
    at_once(&sale, racers).await
}

/// Plays on while he waits.
pub(in crate::drill::opening) async fn plays_after_the_draw(
    sale: &Arc<Sale>,
    buyer: u32,
    trick: Trick,
) -> Result<(), DrillError> {
    match trick {
        Trick::LeavesAfterTheDraw => falls_back(sale, buyer).await,
        Trick::Refreshes | Trick::ManyConnections => storms(sale, buyer).await,
        Trick::OtherDevice => by_other_devices(sale, buyer).await,
        Trick::LeavesAndJoinsAtOnce => at_the_same_time(sale, buyer).await,
        Trick::LeavesBeforeTheDraw
        | Trick::OthersAdmission
        | Trick::Forges
        | Trick::OtherEvent
        | Trick::RacesTheOpening
        | Trick::Headers => sale.place(buyer, "GET", false).await.map(drop),
    }
}

async fn falls_back(sale: &Arc<Sale>, buyer: u32) -> Result<(), DrillError> {
    let before = sale.book.position(buyer);
    sale.leave(buyer).await?;
    sale.place(buyer, "POST", true).await?;
    let after = sale.book.position(buyer);
    if after <= before {
        sale.book.fault(format!("{} left at {before:?}, joined at {after:?}", name(buyer)));
    }
    Ok(())
}

async fn storms(sale: &Arc<Sale>, buyer: u32) -> Result<(), DrillError> {
    let storm = (0..STORM).map(|nth| {
        let sale = Arc::clone(sale);
        let method = if nth % 2 == 0 { "GET" } else { "POST" };
        async move { sale.place(buyer, method, false).await.map(drop) }
    });
    at_once(sale, storm).await
}

async fn by_other_devices(sale: &Arc<Sale>, buyer: u32) -> Result<(), DrillError> {
    for device in 1..=DEVICES {
        let mut ask = sale.queue(buyer, "POST");
        ask.pass = sale.passes.of(&name(buyer), device, "");
        let (answer, _) = sale.door.settle(&ask).await?;
        sale.book.told(buyer, &answer.body, false);
    }
    Ok(())
}

async fn at_the_same_time(sale: &Arc<Sale>, buyer: u32) -> Result<(), DrillError> {
    let (left, joined) = tokio::join!(sale.leave(buyer), sale.queue_again(buyer));
    left?;
    joined?;
    // Whichever was first, he is in the line, and no further in front.
    sale.place(buyer, "POST", true).await.map(drop)
}
