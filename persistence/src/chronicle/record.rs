//! One refusal as it is stored: indexes and raw numbers, microseconds of the database's clock. Fields
//! may be added; what is not there was not said.

use serde::{Deserialize, Serialize};
use taquilla_engine::buyer::BuyerId;
use taquilla_engine::chronicle::Refused;
use taquilla_engine::command::{BestWish, Command, Wish};
use taquilla_engine::hold::Claim;
use taquilla_engine::id::{EventNumber, HoldId};
use taquilla_engine::refusal::Refusal;
use uuid::Uuid;

/// Who was refused what, and why.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RefusalRecord {
    /// When it was decided.
    pub at: i64,
    /// Who asked.
    pub buyer: String,
    /// The command's code, such as `place_hold`.
    pub asked: String,
    /// The refusal's code, such as `seats-unavailable`.
    pub why: String,
    /// The hold that it was about, or that it would have made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hold: Option<Uuid>,
    /// The order that it was about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order: Option<Uuid>,
    /// Seats asked for, by index.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub seats: Vec<u32>,
    /// General sections asked for, by index, and how many places.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<(u16, u32)>,
    /// The best there was, asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub best: Option<BestWanted>,
    /// Of the seats, those that could not be had.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub no_seats: Vec<u32>,
    /// Of the sections, those that had too few places.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub no_sections: Vec<u16>,
    /// How many seats one buyer may have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// How many this one had.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held: Option<u32>,
    /// What the hold was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hold_status: Option<String>,
    /// What the sale was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sale_status: Option<String>,
    /// When it opens or did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub opens_at: Option<i64>,
}

/// Seats that the house was to choose.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct BestWanted {
    /// How many.
    pub quantity: u32,
    /// Only in this section, by index.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub section: Option<u16>,
    /// Only of this price class, by index.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tier: Option<u16>,
    /// All next to each other.
    pub adjacent: bool,
    /// Accessible seats.
    pub accessible: bool,
}

impl RefusalRecord {
    pub(super) fn of(event: EventNumber, refused: &Refused) -> Self {
        let command = &refused.request.command;
        let mut record = Self {
            at: refused.at.0,
            asked: command.code().to_owned(),
            why: refused.refusal.code().to_owned(),
            ..Self::default()
        };
        record.ask(event, command);
        record.answer(&refused.refusal);
        record
    }

    fn ask(&mut self, event: EventNumber, command: &Command) {
        match command {
            Command::PlaceHold { buyer, keyed, wish, .. } => {
                self.about(buyer, HoldId::derive(event, buyer, &keyed.key));
                match wish {
                    Wish::Claim { claim, .. } => self.claim(claim),
                    Wish::Best { wish, .. } => self.best = Some(BestWanted::of(wish)),
                    Wish::Unknown(_) => {}
                }
            }
            Command::GiveBack { buyer, hold, part } => {
                self.about(buyer, *hold);
                if let Ok(part) = part {
                    self.claim(part);
                }
            }
            Command::ReleaseHold { buyer, hold } | Command::PlaceOrder { buyer, hold, .. } => {
                self.about(buyer, *hold);
            }
            Command::CancelOrder { buyer, order } => {
                self.buyer = buyer.as_str().to_owned();
                self.order = Some(order.uuid());
            }
            Command::ReturnTickets(asked) => {
                self.buyer = asked.buyer.as_str().to_owned();
                self.order = Some(asked.order.uuid());
            }
            Command::Operate(_) => {}
            Command::ConfirmOrder { order, .. } | Command::ExtendHold { order, .. } => {
                self.order = Some(order.uuid())
            }
            Command::ReadHold { buyer, .. } | Command::ReadHolds { buyer } => {
                self.buyer = buyer.as_str().to_owned();
            }
        }
    }

    fn about(&mut self, buyer: &BuyerId, hold: HoldId) {
        self.buyer = buyer.as_str().to_owned();
        self.hold = Some(hold.uuid());
    }

    fn claim(&mut self, claim: &Claim) {
        self.seats = claim.seats.iter().map(|seat| seat.0).collect();
        self.places = claim.places.iter().map(|(section, n)| (section.0, *n)).collect();
    }

    fn answer(&mut self, refusal: &Refusal) {
        match refusal {
            Refusal::SaleNotOpen { opens_at, status } => {
                self.opens_at = Some(opens_at.0);
                self.sale_status = Some(status.code().to_owned());
            }
            Refusal::HoldNotActive(status) => self.hold_status = Some(status.code().to_owned()),
            Refusal::BuyerLimitExceeded { limit, held } => {
                (self.limit, self.held) = (Some(*limit), Some(*held));
            }
            Refusal::SeatsUnavailable { seats, sections } => {
                self.no_seats = seats.iter().map(|seat| seat.0).collect();
                self.no_sections = sections.iter().map(|section| section.0).collect();
            }
            Refusal::NotFound
            | Refusal::KeyReused
            | Refusal::UnknownSeats(_)
            | Refusal::PartTooLarge { .. }
            | Refusal::UnknownTickets(_)
            | Refusal::RefundNotPossible
            | Refusal::TermsInvalid(_)
            | Refusal::PurchasesPaused(_)
            | Refusal::AdmissionRequired
            | Refusal::HoldsDropped { .. }
            | Refusal::ConflictsWithSales(_)
            | Refusal::OrderNotCancellable => {}
        }
    }
}

impl BestWanted {
    fn of(wish: &BestWish) -> Self {
        Self {
            quantity: wish.quantity,
            section: wish.section.map(|section| section.0),
            tier: wish.tier,
            adjacent: wish.adjacent,
            accessible: wish.accessible,
        }
    }
}
