//! The admission that a request shows.

use std::convert::Infallible;
use std::sync::Arc;

use axum::extract::{FromRef, FromRequestParts};
use axum::http::request::Parts;
use taquilla_engine::buyer::BuyerId;
use taquilla_engine::waiting_room::admission::Admission;

use crate::app::Shared;
use crate::desk::EventDesk;
use crate::problem::Problem;
use crate::waiting_rooms::WaitingRooms;

/// The header that shows an admission.
const ADMISSION_TOKEN: &str = "admission-token";

/// The admission token that a request shows, unread.
pub(in crate::routes) struct AdmissionShown {
    rooms: Arc<WaitingRooms>,
    token: Option<String>,
}

impl FromRequestParts<Shared> for AdmissionShown {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &Shared) -> Result<Self, Infallible> {
        let mut shown = parts.headers.get_all(ADMISSION_TOKEN).iter();
        let token = match (shown.next(), shown.next()) {
            (Some(token), None) => token.to_str().ok().map(str::to_owned),
            (Some(_), Some(_)) | (None, _) => None,
        };
        Ok(Self { rooms: FromRef::from_ref(state), token })
    }
}

impl AdmissionShown {
    /// What it is worth at this event, to this buyer; nothing where the sale has no waiting room.
    ///
    /// # Errors
    /// As [`WaitingRooms::tokens`]: what cannot be read is not worth nothing.
    pub(in crate::routes) async fn at(
        &self,
        event: &EventDesk,
        buyer: &BuyerId,
    ) -> Result<Option<Admission>, Problem> {
        let Some(token) = self.token.as_deref() else { return Ok(None) };
        let tokens = self.rooms.tokens(event).await?;
        let Some(admission) = tokens.and_then(|tokens| tokens.read(buyer, token)) else {
            return Ok(None);
        };
        // Who has left is over by now; what he holds from before he may order.
        let now = event.handle.now();
        let until =
            if self.rooms.has_left(event, buyer, admission) { now } else { admission.until };
        Ok(Some(Admission { until: until.min(admission.until), ..admission }))
    }
}
