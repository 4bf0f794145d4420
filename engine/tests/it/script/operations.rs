//! What operators do, in a script:
//!
//! ```text
//! olga block A1 A2              -> done, 2 blocked
//! olga blocks A3 free A1        (both at once)
//! olga capacity F 8 G 2 why too hot
//! olga sale pause
//! olga terms limit 2 hold 60s closes 900s price A 500 B 700
//! ```
//! `site pause <reason>` and `site resume` are said to the door itself.

use std::time::Duration;

use taquilla_engine::id::{SeatIndex, SectionIndex};
use taquilla_engine::operation::{Deed, EventChange, Operation, SaleAction, SalePatch, TermsPatch};
use taquilla_engine::refusal::{SalesConflict, TermsDefect};
use uuid::Uuid;

use super::{Stage, moment};

impl Stage {
    pub(super) fn operation(&self, who: &str, verb: &str, words: &[&str]) -> Operation {
        let (change, what) = match verb {
            "block" => (self.blocks(words, &[]), "block"),
            "unblock" => (self.blocks(&[], words), "block"),
            "blocks" => {
                let free = words.iter().position(|word| *word == "free").unwrap();
                (self.blocks(&words[..free], &words[free + 1..]), "block")
            }
            "capacity" => (self.capacities(words), "change_terms"),
            "sale" => (EventChange::Sale(action(words[0])), "change_sale"),
            "terms" => (self.patch(words), "change_terms"),
            _ => panic!("no such verb: {verb}"),
        };
        let id = Uuid::from_u128(u128::try_from(self.lines).unwrap());
        let deed = Deed { id, who: who.into(), what, why: "".into(), detail: "{}".into() };
        Operation { deed, change }
    }

    fn blocks(&self, block: &[&str], unblock: &[&str]) -> EventChange {
        let seats = |labels: &[&str]| -> Vec<SeatIndex> {
            labels.iter().map(|label| self.terms.plan.seat_of(label).unwrap()).collect()
        };
        EventChange::Blocks { block: seats(block), unblock: seats(unblock) }
    }

    fn capacities(&self, words: &[&str]) -> EventChange {
        let capacity = |pair: &[&str]| -> (SectionIndex, u32) {
            (self.terms.plan.section_of(pair[0]).unwrap(), pair[1].parse().unwrap())
        };
        let capacities = words.chunks(2).map(capacity).collect();
        EventChange::Terms(Box::new(TermsPatch { capacities, ..TermsPatch::default() }))
    }

    fn patch(&self, words: &[&str]) -> EventChange {
        let value = |name: &str| {
            let place = words.iter().position(|word| *word == name)?;
            words.get(place + 1).copied()
        };
        let sale = SalePatch {
            opens_at: value("opens").map(moment),
            closes_at: value("closes").map(moment),
            hold_ttl: value("hold").map(|ttl| Duration::from_secs_f64(seconds(ttl))),
            buyer_seats_max: value("limit").map(|limit| limit.parse().unwrap()),
            waiting_room: value("room").map(|room| room == "on"),
            verifying_extension: value("extension").map(|it| Duration::from_secs_f64(seconds(it))),
        };
        let prices = words.iter().position(|word| *word == "price");
        let prices = prices.map_or(&[][..], |place| &words[place + 1..]);
        let price = |pair: &[&str]| (pair[0].into(), pair[1].parse().unwrap());
        let prices = prices.chunks(2).map(price).collect();
        EventChange::Terms(Box::new(TermsPatch { sale, prices, ..TermsPatch::default() }))
    }

    pub(super) fn render_conflict(&self, conflict: &SalesConflict) -> String {
        let SalesConflict { sold, held, asked, seats, sections } = conflict;
        let mut text = format!("sold {sold} held {held} asked {asked}");
        for seat in seats {
            text += &format!(" {}", self.terms.plan.seat(*seat).label());
        }
        for of in sections {
            let name = &self.terms.plan.section(of.section).name;
            text += &format!(", {name} sold {} held {} asked {}", of.sold, of.held, of.asked);
        }
        text
    }

    pub(super) fn render_defects(&self, defects: &[TermsDefect]) -> String {
        let word = |defect: &TermsDefect| match defect {
            TermsDefect::ClosesFirst { opens_at, closes_at } => {
                format!("opens {} closes {}", opens_at.0 / 1_000_000, closes_at.0 / 1_000_000)
            }
            TermsDefect::UnknownTier(tier) => format!("no tier {tier}"),
            TermsDefect::TierMissing { tier, used_by: Some(user) } => {
                format!("{tier} missing for {user}")
            }
            TermsDefect::TierMissing { tier, used_by: None } => format!("{tier} missing"),
            TermsDefect::TotalTooLarge { tier } => format!("{tier} too dear"),
            TermsDefect::NotGeneral(section) => {
                format!("{} is seated", self.terms.plan.section(*section).name)
            }
            TermsDefect::NotPaused(status) => format!("sale is {}", status.code()),
            TermsDefect::SeatDropped(seat) => {
                format!("{} is dropped", self.terms.plan.seat(*seat).label())
            }
        };
        defects.iter().map(word).collect::<Vec<_>>().join(", ")
    }
}

fn action(word: &str) -> SaleAction {
    match word {
        "open" => SaleAction::Open,
        "pause" => SaleAction::Pause,
        "resume" => SaleAction::Resume,
        "close" => SaleAction::Close,
        "cancel" => SaleAction::Cancel,
        _ => panic!("no such action: {word}"),
    }
}

fn seconds(text: &str) -> f64 {
    text.strip_suffix('s').and_then(|n| n.parse().ok()).unwrap()
}
