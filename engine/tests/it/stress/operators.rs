//! An operator among the buyers: seats are blocked, a general section grows and shrinks, the limit and
//! the sale change, while holds are under way. Each batch meets what the database would hold against
//! it at that moment.

use taquilla_engine::command::Command;
use taquilla_engine::event::Batch;
use taquilla_engine::id::{SeatIndex, SectionIndex};
use taquilla_engine::operation::{Deed, EventChange, Operation, SaleAction, SalePatch, TermsPatch};
use uuid::Uuid;

use super::{PLACES, SEATS, SECTIONS, Sale};

/// What the rows allow.
pub(super) struct Allowed {
    seats_max: u32,
    places: u32,
    taken: u32,
    deeds: usize,
}

impl Default for Allowed {
    fn default() -> Self {
        Self { seats_max: 4, places: PLACES, taken: 0, deeds: 0 }
    }
}

impl Sale {
    pub(super) fn operate(&mut self) {
        let change = match self.dice.roll(5) {
            0 | 1 => {
                let mut seats = [Vec::new(), Vec::new()];
                for seat in 0..u32::from(SECTIONS) * SEATS {
                    if self.dice.roll(6) == 0 {
                        seats[self.dice.roll(2) as usize].push(SeatIndex(seat));
                    }
                }
                let [block, mut unblock] = seats;
                if block.is_empty() && unblock.is_empty() {
                    unblock.push(SeatIndex(0));
                }
                EventChange::Blocks { block, unblock }
            }
            2 => EventChange::Sale(match self.dice.roll(3) {
                0 => SaleAction::Pause,
                _ => SaleAction::Resume,
            }),
            _ => {
                let mut patch = TermsPatch::default();
                if self.dice.roll(2) == 0 {
                    let limit = 1 + self.dice.roll(4) as u32;
                    patch.sale = SalePatch { buyer_seats_max: Some(limit), ..patch.sale };
                }
                if self.dice.roll(2) == 0 {
                    patch.capacities = vec![(SectionIndex(SECTIONS), self.dice.roll(6) as u32)];
                }
                EventChange::Terms(Box::new(patch))
            }
        };
        let id = Uuid::from_u128(self.asked.len() as u128);
        let (who, why, detail) = ("olga".into(), "".into(), "{}".into());
        let deed = Deed { id, who, what: "operate", why, detail };
        let command = Command::Operate(Box::new(Operation { deed, change }));
        self.submit(command);
    }

    /// Writes the batch, if the rules that stand beside the rows let it.
    pub(super) fn write(&mut self, batch: &Batch) {
        let Allowed { seats_max, places, taken, deeds } = &mut self.allowed;
        for (buyer, change) in &batch.buyers {
            let grows = change.becomes > change.was;
            assert!(!grows || change.becomes <= *seats_max, "{buyer} of {seats_max}: {change:?}");
        }
        if let Some(change) = batch.places.get(&SectionIndex(SECTIONS)) {
            *taken = change.becomes.held + change.becomes.sold;
        }
        assert!(*taken <= *places, "{taken} taken of {places}");
        if let Some(change) = batch.capacities.get(&SectionIndex(SECTIONS)) {
            assert_eq!(change.was, *places, "memory believes another capacity");
            *places = change.becomes;
            assert!(*taken <= *places, "{taken} taken of {places}");
        }
        if let Some((amendment, _)) = &batch.terms {
            *seats_max = amendment.sale.as_ref().map_or(*seats_max, |sale| sale.buyer_seats_max);
        }
        *deeds += batch.deeds.len();
        self.journal.write(batch).unwrap();
    }
}

#[test]
fn nothing_that_was_decided_by_old_terms_is_written_under_new_ones() {
    let (mut answered, mut deeds) = (0, 0);
    for seed in 0..400 {
        let mut sale = Sale::new(seed);
        sale.operators = true;
        let run = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            for _ in 0..600 {
                sale.step();
            }
            sale.settle();
            sale.audit();
        }));
        assert!(run.is_ok(), "seed {seed} replays this");
        answered += sale.answered;
        deeds += sale.allowed.deeds;
    }
    assert!(answered > 20_000 && deeds > 2_000, "{answered} answers, {deeds} deeds");
}
