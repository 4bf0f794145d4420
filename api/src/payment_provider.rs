//! The simulated provider as the engine asks for one: an attempt's id is the key of its
//! authorisation, and with a suffix the key of its capture or void.

use taquilla_engine::id::OrderId;
use taquilla_engine::later::Later;
use taquilla_engine::money::{Currency, Money};
use taquilla_engine::payment::{
    Attempt, Authorisation, Failure, MoneyMoved, PaymentProvider, ProviderAnswer,
};

use crate::provider_client::{
    self as client, AuthorisationRequest, Lookup, Moved, Outcome, SimulatedProviderClient,
};

/// The name that attempts carry.
pub const SIMULATED: &str = "simulated";

/// The adapter.
pub struct SimulatedProvider(SimulatedProviderClient);

impl SimulatedProvider {
    /// Asks by this client.
    #[must_use]
    pub fn new(client: SimulatedProviderClient) -> Self {
        Self(client)
    }
}

impl PaymentProvider for SimulatedProvider {
    fn name(&self) -> &'static str {
        SIMULATED
    }

    fn authorise<'a>(&'a self, attempt: &'a Attempt) -> Later<'a, ProviderAnswer> {
        Box::pin(async move {
            let Ok(amount) = u64::try_from(attempt.money.amount) else {
                return ProviderAnswer::Unknown("an amount is never negative".into());
            };
            let request = AuthorisationRequest {
                order_id: attempt.order.uuid(),
                attempt_id: attempt.id.uuid(),
                amount,
                currency: attempt.money.currency.to_string(),
                payment_method: attempt.method.clone(),
            };
            match self.0.authorise(&attempt.id.to_string(), &request).await {
                Outcome::Authorised(found) => authorised(found),
                Outcome::Declined(declined) => ProviderAnswer::Declined(failure(declined.failure)),
                // Nothing was booked: the request itself cannot be understood.
                Outcome::Refused(refused) if refused.status.as_u16() == 400 => {
                    ProviderAnswer::Declined(Failure { code: refused.code, detail: refused.detail })
                }
                Outcome::Refused(refused) => ProviderAnswer::Unknown(refused.detail),
                Outcome::RequiresAction(_) => ProviderAnswer::InProgress,
                Outcome::Failed(failed) => ProviderAnswer::Unknown(failed.to_string()),
                Outcome::Unknown(unknown) => ProviderAnswer::Unknown(unknown.to_string()),
            }
        })
    }

    fn find<'a>(&'a self, attempt: &'a Attempt) -> Later<'a, ProviderAnswer> {
        Box::pin(async move {
            match self.0.find_by_key(&attempt.id.to_string()).await {
                Lookup::Authorised(found) => authorised(found),
                Lookup::Declined(declined) => ProviderAnswer::Declined(failure(declined.failure)),
                Lookup::Pending | Lookup::RequiresAction(_) => ProviderAnswer::InProgress,
                Lookup::Absent => ProviderAnswer::NoSuchKey,
                Lookup::Refused(refused) => ProviderAnswer::Unknown(refused.detail),
                Lookup::Unknown(unknown) => ProviderAnswer::Unknown(unknown.to_string()),
            }
        })
    }

    fn capture<'a>(&'a self, attempt: &'a Attempt) -> Later<'a, MoneyMoved> {
        Box::pin(async move {
            let Some(reference) = &attempt.reference else { return without_reference() };
            moved(self.0.capture(reference, &format!("{}-capture", attempt.id)).await)
        })
    }

    fn void<'a>(&'a self, attempt: &'a Attempt) -> Later<'a, MoneyMoved> {
        Box::pin(async move {
            let Some(reference) = &attempt.reference else { return without_reference() };
            moved(self.0.void(reference, &format!("{}-void", attempt.id)).await)
        })
    }
}

fn authorised(found: client::Authorisation) -> ProviderAnswer {
    let parsed = OrderId::parse(found.order_id)
        .zip(Currency::parse(&found.currency))
        .zip(i64::try_from(found.amount).ok());
    match parsed {
        Some(((order, currency), amount)) => ProviderAnswer::Authorised(Authorisation {
            reference: found.reference,
            order,
            money: Money { amount, currency },
        }),
        None => ProviderAnswer::Unknown("the provider's record cannot be read".into()),
    }
}

fn failure(failure: client::Failure) -> Failure {
    Failure { code: failure.code, detail: failure.detail }
}

fn moved(outcome: Moved) -> MoneyMoved {
    match outcome {
        Moved::Done(_) => MoneyMoved::Done,
        Moved::Refused(refused) => {
            MoneyMoved::Refused(Failure { code: refused.code, detail: refused.detail })
        }
        Moved::Failed(failed) => MoneyMoved::Unknown(failed.to_string()),
        Moved::Unknown(unknown) => MoneyMoved::Unknown(unknown.to_string()),
    }
}

fn without_reference() -> MoneyMoved {
    let detail = "the attempt has no reference, though its status needs one".into();
    MoneyMoved::Refused(Failure { code: "no_reference".into(), detail })
}
