//! A payment attempt as its buyer sees it.

use serde::Serialize;
use taquilla_engine::payment::{Attempt, Failure, NextAction};
use utoipa::ToSchema;
use uuid::Uuid;

use super::MoneyView;
use crate::instant::Instant;

/// One try to pay an order.
#[derive(Serialize, ToSchema)]
#[schema(as = Attempt)]
pub struct AttemptView {
    /// Its id.
    pub attempt_id: Uuid,
    /// `pending`, `requires_action`, `verifying`, `authorized`, `captured`, `declined`, `voided`,
    /// `refunded` or `failed`.
    #[schema(example = "pending")]
    pub status: &'static str,
    /// The order's total.
    pub amount: MoneyView,
    /// Who is asked for the money.
    pub provider: String,
    /// The provider's name for the authorisation, once there is one.
    pub provider_reference: Option<String>,
    /// Why it brought no money.
    pub failure: Option<FailureView>,
    /// What the buyer must do before the money can be had, while there is something.
    pub next_action: Option<NextActionView>,
    /// When it was opened.
    pub created_at: Instant,
    /// When it came to its end.
    pub resolved_at: Option<Instant>,
}

/// What the buyer's bank wants of the buyer (3-D Secure).
#[derive(Serialize, ToSchema)]
#[schema(as = NextAction)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum NextActionView {
    /// Open this address.
    Redirect {
        /// Where.
        url: String,
    },
    /// Go through the provider's own steps in the page, by this secret.
    ClientSecret {
        /// The secret.
        client_secret: String,
    },
}

/// Why an attempt brought no money.
#[derive(Serialize, ToSchema)]
#[schema(as = Failure)]
pub struct FailureView {
    /// The provider's code.
    pub code: String,
    /// In words.
    pub detail: String,
}

impl From<Attempt> for AttemptView {
    fn from(attempt: Attempt) -> Self {
        let failure = attempt.failure.map(|Failure { code, detail }| FailureView { code, detail });
        Self {
            attempt_id: attempt.id.uuid(),
            status: attempt.status.shown(),
            amount: attempt.money.into(),
            provider: attempt.provider,
            provider_reference: attempt.reference,
            failure,
            next_action: attempt.next_action.map(NextActionView::from),
            created_at: Instant(attempt.created_at),
            resolved_at: attempt.resolved_at.map(Instant),
        }
    }
}

impl From<NextAction> for NextActionView {
    fn from(action: NextAction) -> Self {
        match action {
            NextAction::Redirect(url) => Self::Redirect { url },
            NextAction::ClientSecret(client_secret) => Self::ClientSecret { client_secret },
        }
    }
}
