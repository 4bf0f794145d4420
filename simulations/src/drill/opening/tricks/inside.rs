//! Tricks with admissions: somebody else's, one that nobody signed, another event's, one that is over.

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};

use super::Trick;
use crate::DrillError;
use crate::drill::opening::door::Ask;
use crate::drill::opening::sale::{Sale, name};

/// The other event lets all its few in within seconds.
const LET_IN_MAX: u32 = 60;

/// Tries to shop with a token that is not his, while he waits.
pub(in crate::drill::opening) async fn plays_during_the_sale(
    sale: &Arc<Sale>,
    buyer: u32,
    trick: Trick,
) -> Result<(), DrillError> {
    match trick {
        Trick::OthersAdmission => {
            for shown in sale.shown().iter().filter(|it| it.buyer != buyer).take(3) {
                let why = format!("the admission of {}", shown.buyer);
                sale.is_kept_out(buyer, &shown.token, &why).await?;
            }
            Ok(())
        }
        Trick::Forges => {
            for (nth, token) in (0..).zip(forged(sale.shown().first().map_or("", |it| &it.token))) {
                sale.is_kept_out(buyer, &token, &format!("forgery {nth}")).await?;
            }
            Ok(())
        }
        Trick::OtherEvent => with_the_other_events(sale, buyer).await,
        Trick::ManyConnections
        | Trick::LeavesBeforeTheDraw
        | Trick::LeavesAfterTheDraw
        | Trick::Refreshes
        | Trick::OtherDevice
        | Trick::RacesTheOpening
        | Trick::Headers
        | Trick::LeavesAndJoinsAtOnce => Ok(()),
    }
}

/// Edits of a good token: letters changed all along it, shortened, made longer, or made up.
fn forged(token: &str) -> Vec<String> {
    let changed = (0..token.len()).step_by(7).map(|place| {
        let mut bytes = token.as_bytes().to_vec();
        bytes[place] = if bytes[place] == b'A' { b'B' } else { b'A' };
        String::from_utf8_lossy(&bytes).into_owned()
    });
    let shorter = token.get(1..).unwrap_or_default().to_owned();
    let made_up = ["", "null", "0"].map(String::from);
    changed.chain([shorter, format!("{token}A"), "A".repeat(71)]).chain(made_up).collect()
}

async fn with_the_other_events(sale: &Arc<Sale>, buyer: u32) -> Result<(), DrillError> {
    let path = format!("/events/{}/queue", sale.other);
    for method in ["POST"].into_iter().chain(std::iter::repeat_n("GET", LET_IN_MAX as usize)) {
        let (answer, _) = sale.door.settle(&sale.ask(buyer, method, &*path)).await?;
        let token = answer.text("admission_token");
        if !token.is_empty() {
            return sale.is_kept_out(buyer, token, "another event's admission").await;
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    sale.book.fault(format!("{} is not let in to the other event", name(buyer)));
    Ok(())
}

/// The tab and the telephone of one buyer have the same admission.
pub(in crate::drill::opening) async fn has_one_admission(
    sale: &Sale,
    buyer: u32,
    token: &str,
) -> Result<(), DrillError> {
    let pass = sale.passes.of(&name(buyer), 1, "");
    let ask = Ask::new("GET", format!("/events/{}/queue", sale.event), pass);
    let (answer, _) = sale.door.settle(&ask).await?;
    sale.book.told(buyer, &answer.body, false);
    if answer.text("admission_token") != token {
        sale.book.fault(format!("{} has two admissions: {answer:?}", name(buyer)));
    }
    Ok(())
}

/// Those whose admission is over are kept out with it. Returns how many there were to try.
pub(in crate::drill::opening) async fn shows_what_is_over(
    sale: &Sale,
) -> Result<usize, DrillError> {
    let mut tried = 0;
    for shown in sale.shown() {
        let until = DateTime::parse_from_rfc3339(&shown.until);
        if until.is_ok_and(|until| until + Duration::from_secs(1) < Utc::now()) {
            sale.is_kept_out(shown.buyer, &shown.token, "an admission that is over").await?;
            tried += 1;
        }
    }
    Ok(tried)
}
