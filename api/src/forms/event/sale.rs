//! When and on what terms an event sells; every member has a default.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use taquilla_engine::moment::Moment;
use taquilla_engine::operation::SalePatch;
use taquilla_engine::sale::Sale;
use utoipa::ToSchema;

use crate::instant::Instant;
use crate::strict::FormErrors;

/// One order is one bill; nobody buys more without talking to somebody.
const BUYER_SEATS_MAX: u32 = 1_000;

/// The sale of an event.
#[derive(Deserialize, Serialize, ToSchema, Default)]
#[serde(deny_unknown_fields)]
#[schema(as = SaleTerms)]
pub(in crate::forms) struct SaleForm {
    /// Now, unless said.
    #[serde(skip_serializing_if = "Option::is_none")]
    opens_at: Option<Instant>,
    /// When the event starts, unless said.
    #[serde(skip_serializing_if = "Option::is_none")]
    closes_at: Option<Instant>,
    /// 1 to 3,600; 480 unless said.
    #[serde(skip_serializing_if = "Option::is_none")]
    hold_ttl_seconds: Option<u32>,
    /// 1 to 1,000; 6 unless said.
    #[serde(skip_serializing_if = "Option::is_none")]
    max_seats_per_buyer: Option<u32>,
    /// False unless said.
    #[serde(skip_serializing_if = "Option::is_none")]
    waiting_room: Option<bool>,
    /// 0 to 3,600; 0 unless said.
    #[serde(skip_serializing_if = "Option::is_none")]
    verifying_extension_seconds: Option<u32>,
}

impl SaleForm {
    /// The sale.
    pub(super) fn check(self, errors: &mut FormErrors, starts_at: Moment, now: Moment) -> Sale {
        let opens_at = self.opens_at.map_or(now, |at| at.0);
        let closes_at = self.closes_at.map_or(starts_at, |at| at.0);
        let in_order = opens_at < closes_at;
        errors.require(in_order, "/sale/closes_at", "the sale opens before it closes");
        self.check_ranges(errors);
        let hold_ttl = self.hold_ttl_seconds.unwrap_or(480);
        let buyer_seats_max = self.max_seats_per_buyer.unwrap_or(6);
        let extension = self.verifying_extension_seconds.unwrap_or_default();
        Sale {
            opens_at,
            closes_at,
            hold_ttl: Duration::from_secs(hold_ttl.into()),
            buyer_seats_max,
            waiting_room: self.waiting_room.unwrap_or_default(),
            paused: false,
            verifying_extension: Duration::from_secs(extension.into()),
            cancelled: false,
        }
    }

    fn check_ranges(&self, errors: &mut FormErrors) {
        let fits = self.hold_ttl_seconds.is_none_or(|ttl| (1..=3_600).contains(&ttl));
        errors.require(fits, "/sale/hold_ttl_seconds", "1 to 3600");
        let fits = self.max_seats_per_buyer.is_none_or(|max| (1..=BUYER_SEATS_MAX).contains(&max));
        errors.require(fits, "/sale/max_seats_per_buyer", "1 to 1000");
        let fits = self.verifying_extension_seconds.is_none_or(|extension| extension <= 3_600);
        errors.require(fits, "/sale/verifying_extension_seconds", "0 to 3600");
    }

    /// What changes of a sale; what is not named stays.
    pub(in crate::forms) fn patch(&self, errors: &mut FormErrors) -> SalePatch {
        self.check_ranges(errors);
        let seconds = |seconds: u32| Duration::from_secs(seconds.into());
        SalePatch {
            opens_at: self.opens_at.map(|at| at.0),
            closes_at: self.closes_at.map(|at| at.0),
            hold_ttl: self.hold_ttl_seconds.map(seconds),
            buyer_seats_max: self.max_seats_per_buyer,
            waiting_room: self.waiting_room,
            verifying_extension: self.verifying_extension_seconds.map(seconds),
        }
    }
}
