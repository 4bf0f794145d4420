//! The rule of sold tickets that come back: what is sold comes free. Whose it was is in the event's book;
//! here a sold seat is somebody's, and no more is known of it.

use smallvec::smallvec;

use super::SectionEvent;
use super::decide::{Decision, Unsettled};
use super::seats::Cell;
use super::state::{Section, Stock};
use crate::hold::Portion;
use crate::id::HoldId;
use crate::refusal::Refusal;

impl Section {
    /// Takes the portion back. That it is not sold contradicts the book, which asked: then nothing is
    /// done, and the audit says where rows differ.
    pub(super) fn decide_return(
        &self,
        hold: HoldId,
        portion: &Portion,
        off_sale: bool,
    ) -> Result<Decision, Unsettled> {
        let unsettled = match portion {
            Portion::Seats(seats) => seats.iter().any(|seat| self.prepared.touches_seat(*seat)),
            Portion::Places(_) => self.prepared.touches_hold(hold),
        };
        if unsettled {
            return Err(Unsettled);
        }
        let sold = match (portion, &self.stock) {
            (Portion::Seats(seats), Stock::Seated { .. }) => {
                seats.iter().all(|seat| self.seat(*seat) == Cell::Sold)
            }
            (Portion::Places(places), Stock::General { sold, .. }) => places <= sold,
            (Portion::Seats(_), Stock::General { .. })
            | (Portion::Places(_), Stock::Seated { .. }) => false,
        };
        if !sold {
            return Ok(Decision::refused(Refusal::RefundNotPossible));
        }
        let portion = portion.clone();
        Ok(Decision::granted(smallvec![SectionEvent::TicketsReturned { hold, portion, off_sale }]))
    }
}
