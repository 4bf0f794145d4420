//! How everybody does something: all of them as fast as the server bears it, or some of them over a while.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use tokio::task::JoinSet;

use super::book::Fate;
use super::people::{Leaves, Person};
use super::sale::Sale;
use super::{tally, tricks};
use crate::DrillError;

/// At once; the door has fewer connections.
const WORKERS: u32 = 256;
/// Of those who come over a while, so often some set out.
const SLICE: Duration = Duration::from_millis(100);
const SLICES_A_SECOND: usize = 10;

/// Work that goes on beside.
pub(super) type Errands = JoinSet<Result<(), DrillError>>;

/// Everybody does it, many at once.
pub(super) fn everybody<F, W>(sale: &Arc<Sale>, act: F) -> Errands
where
    F: Fn(Arc<Sale>, u32) -> W + Clone + Send + 'static,
    W: Future<Output = Result<(), DrillError>> + Send,
{
    let next = Arc::new(AtomicU32::new(0));
    let mut workers = JoinSet::new();
    for _ in 0..WORKERS {
        let (sale, next, act) = (Arc::clone(sale), Arc::clone(&next), act.clone());
        workers.spawn(async move {
            loop {
                let buyer = next.fetch_add(1, Ordering::Relaxed);
                if buyer >= sale.plan.buyers {
                    return Ok(());
                }
                act(Arc::clone(&sale), buyer).await?;
            }
        });
    }
    workers
}

/// These do it, spread evenly over so many seconds.
pub(super) async fn spread<F, W>(
    sale: Arc<Sale>,
    buyers: Vec<u32>,
    seconds: u32,
    act: F,
) -> Result<(), DrillError>
where
    F: Fn(Arc<Sale>, u32) -> W,
    W: Future<Output = Result<(), DrillError>> + Send + 'static,
{
    let slices = seconds as usize * SLICES_A_SECOND;
    let mut ticks = tokio::time::interval(SLICE);
    let mut under_way = JoinSet::new();
    let at_once = buyers.len().div_ceil(slices.max(1)).max(1);
    let mut buyers = buyers.into_iter().peekable();
    while buyers.peek().is_some() {
        ticks.tick().await;
        for buyer in buyers.by_ref().take(at_once) {
            under_way.spawn(act(Arc::clone(&sale), buyer));
        }
        while let Some(ended) = under_way.try_join_next() {
            ended.map_err(|error| DrillError::Broken(format!("a buyer: {error}")))??;
        }
    }
    finish(under_way).await
}

/// Waits for all of them; the first error, if there is one.
pub(super) async fn finish(mut errands: Errands) -> Result<(), DrillError> {
    while let Some(ended) = errands.join_next().await {
        ended.map_err(|error| DrillError::Broken(format!("a buyer: {error}")))??;
    }
    Ok(())
}

/// Joins before the opening, if he is one who does.
pub(super) async fn joins_early(sale: Arc<Sale>, buyer: u32) -> Result<(), DrillError> {
    let person = Person::of(&sale.plan, buyer);
    if person.is_late {
        return Ok(());
    }
    match person.trick {
        Some(trick) => tricks::plays_before_the_draw(&sale, buyer, trick).await?,
        None => drop(sale.place(buyer, "POST", false).await?),
    }
    tally::add(&sale.tally.joined, 1);
    if person.leaves == Leaves::BeforeTheDraw {
        leaves(sale, buyer).await?;
    }
    Ok(())
}

/// What one does who comes once the sale is open, or has waited for it.
pub(super) async fn acts_after_the_draw(sale: Arc<Sale>, buyer: u32) -> Result<(), DrillError> {
    let person = Person::of(&sale.plan, buyer);
    if let Some(trick) = person.trick {
        if sale.book.fate(buyer) == Fate::Waiting {
            tricks::plays_after_the_draw(&sale, buyer, trick).await?;
        }
    } else if person.is_late {
        sale.place(buyer, "POST", false).await?;
        tally::add(&sale.tally.joined, 1);
    } else if person.leaves == Leaves::AfterTheDraw {
        if sale.book.fate(buyer) == Fate::Waiting {
            leaves(sale, buyer).await?;
        }
    } else if person.looks {
        sale.place(buyer, "GET", false).await?;
    }
    Ok(())
}

/// Whether one does something then.
pub(super) fn has_something_to_do(person: Person) -> bool {
    let acts = person.is_late || person.looks || person.leaves == Leaves::AfterTheDraw;
    acts && person.trick != Some(tricks::Trick::RacesTheOpening)
        && person.leaves != Leaves::BeforeTheDraw
}

/// Whoever still waits hears that all is sold.
pub(super) async fn hears_the_end(sale: Arc<Sale>, buyer: u32) -> Result<(), DrillError> {
    if sale.book.fate(buyer) == Fate::Waiting {
        sale.hears_the_end(buyer).await?;
    }
    Ok(())
}

async fn leaves(sale: Arc<Sale>, buyer: u32) -> Result<(), DrillError> {
    sale.book.set(buyer, Fate::Left);
    sale.leave(buyer).await
}
