//! When and on what terms an event sells; every member has a default.

use std::time::Duration;

use serde::Deserialize;
use taquilla_engine::moment::Moment;
use taquilla_engine::sale::Sale;
use utoipa::ToSchema;

use crate::strict::FormErrors;
use crate::views::Instant;

/// One order is one bill; nobody buys more without talking to somebody.
const BUYER_SEATS_MAX: u32 = 1_000;

/// The sale of an event.
#[derive(Deserialize, ToSchema, Default)]
#[serde(deny_unknown_fields)]
#[schema(as = SaleTerms)]
pub(super) struct SaleForm {
    /// Now, unless said.
    opens_at: Option<Instant>,
    /// When the event starts, unless said.
    closes_at: Option<Instant>,
    /// 1 to 3,600; 480 unless said.
    hold_ttl_seconds: Option<u32>,
    /// 1 to 1,000; 6 unless said.
    max_seats_per_buyer: Option<u32>,
    /// False unless said.
    waiting_room: Option<bool>,
    /// 0 to 3,600; 0 unless said.
    verifying_extension_seconds: Option<u32>,
}

impl SaleForm {
    /// The sale and the extension of a hold whose payment is being verified.
    pub(super) fn check(
        self,
        errors: &mut FormErrors,
        starts_at: Moment,
        now: Moment,
    ) -> (Sale, Duration) {
        let opens_at = self.opens_at.map_or(now, |at| at.0);
        let closes_at = self.closes_at.map_or(starts_at, |at| at.0);
        let in_order = opens_at < closes_at;
        errors.require(in_order, "/sale/closes_at", "the sale opens before it closes");
        let hold_ttl = self.hold_ttl_seconds.unwrap_or(480);
        let fits = (1..=3_600).contains(&hold_ttl);
        errors.require(fits, "/sale/hold_ttl_seconds", "1 to 3600");
        let buyer_seats_max = self.max_seats_per_buyer.unwrap_or(6);
        let fits = (1..=BUYER_SEATS_MAX).contains(&buyer_seats_max);
        errors.require(fits, "/sale/max_seats_per_buyer", "1 to 1000");
        let extension = self.verifying_extension_seconds.unwrap_or_default();
        let fits = extension <= 3_600;
        errors.require(fits, "/sale/verifying_extension_seconds", "0 to 3600");
        let sale = Sale {
            opens_at,
            closes_at,
            hold_ttl: Duration::from_secs(hold_ttl.into()),
            buyer_seats_max,
            waiting_room: self.waiting_room.unwrap_or_default(),
        };
        (sale, Duration::from_secs(extension.into()))
    }
}
