//! What people try to improve a place: each trick is played by some of the buyers, who then wait like the
//! others. Whatever they are told goes into the book, which complains of a place that is better, or another.

mod after;
mod before;
mod inside;

use std::fmt;
use std::sync::Arc;

use tokio::task::JoinSet;

use super::sale::Sale;
use crate::DrillError;

pub(super) use after::{plays_after_the_draw, races_the_opening};
pub(super) use before::plays_before_the_draw;
pub(super) use inside::{has_one_admission, plays_during_the_sale, shows_what_is_over};

/// Of each, at the least and at the most.
const PLAYERS: std::ops::RangeInclusive<u32> = 4..=250;
/// One buyer in so many plays each of them, within these bounds.
const ONE_IN: u32 = 500;

/// The tricks, in the order of docs/drills.md.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trick {
    ManyConnections,
    LeavesBeforeTheDraw,
    LeavesAfterTheDraw,
    Refreshes,
    OtherDevice,
    OthersAdmission,
    Forges,
    OtherEvent,
    RacesTheOpening,
    Headers,
    LeavesAndJoinsAtOnce,
}

impl Trick {
    pub(super) const ALL: [Self; 11] = [
        Self::ManyConnections,
        Self::LeavesBeforeTheDraw,
        Self::LeavesAfterTheDraw,
        Self::Refreshes,
        Self::OtherDevice,
        Self::OthersAdmission,
        Self::Forges,
        Self::OtherEvent,
        Self::RacesTheOpening,
        Self::Headers,
        Self::LeavesAndJoinsAtOnce,
    ];

    /// How many of so many buyers play each.
    pub(super) fn players(buyers: u32) -> u32 {
        (buyers / ONE_IN).clamp(*PLAYERS.start(), *PLAYERS.end())
    }

    /// The trick of this buyer of so many.
    pub(super) fn of(buyers: u32, buyer: u32) -> Option<Self> {
        let every = Self::every(buyers);
        let number = (buyer / every) as usize;
        let most = Self::players(buyers) as usize * Self::ALL.len();
        let plays = buyer.is_multiple_of(every) && number < most;
        plays.then(|| Self::ALL[number % Self::ALL.len()])
    }

    /// All who play it.
    pub(super) fn players_of(self, buyers: u32) -> impl Iterator<Item = u32> {
        (0..buyers)
            .step_by(Self::every(buyers) as usize)
            .filter(move |buyer| Self::of(buyers, *buyer) == Some(self))
    }

    fn every(buyers: u32) -> u32 {
        let tricks = u32::try_from(Self::ALL.len()).unwrap_or(u32::MAX);
        (buyers / (Self::players(buyers) * tricks)).max(1)
    }
}

impl fmt::Display for Trick {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ManyConnections => "joins by many connections at once",
            Self::LeavesBeforeTheDraw => "leaves and joins before the draw",
            Self::LeavesAfterTheDraw => "leaves and joins after the draw",
            Self::Refreshes => "refreshes in a storm",
            Self::OtherDevice => "comes with another device's token",
            Self::OthersAdmission => "shows another buyer's admission",
            Self::Forges => "shows a forged or edited admission",
            Self::OtherEvent => "shows another event's admission",
            Self::RacesTheOpening => "joins at the opening's very instant",
            Self::Headers => "plays with headers and the path",
            Self::LeavesAndJoinsAtOnce => "leaves and joins at once",
        })
    }
}

/// All of these at once; the first error, if there is one.
async fn at_once(
    sale: &Arc<Sale>,
    tasks: impl Iterator<Item = impl Future<Output = Result<(), DrillError>> + Send + 'static>,
) -> Result<(), DrillError> {
    let mut all = JoinSet::new();
    tasks.for_each(|task| drop(all.spawn(task)));
    while let Some(ended) = all.join_next().await {
        match ended {
            Ok(played) => played?,
            Err(error) => sale.book.fault(format!("a trick: {error}")),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::Trick;

    #[test]
    fn each_trick_has_its_players() {
        for buyers in [200, 2_000, 5_000, 500_000] {
            for trick in Trick::ALL {
                let players = trick.players_of(buyers).count();
                assert_eq!(players, Trick::players(buyers) as usize, "{trick} of {buyers}");
            }
        }
    }
}
