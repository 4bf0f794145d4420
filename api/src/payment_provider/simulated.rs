//! The simulated provider as the engine asks for one: an attempt's id is the key of its
//! authorisation, and with a suffix the key of its capture or void.

use std::time::Duration;

use taquilla_engine::id::OrderId;
use taquilla_engine::later::Later;
use taquilla_engine::money::{Currency, Money};
use taquilla_engine::payment::{
    Attempt, Authorisation, Failure, GiveBack, MoneyMoved, PaymentProvider, ProviderAnswer,
};

use crate::provider_client::{
    self as client, AuthorisationRequest, Lookup, Outcome, SimulatedProviderClient,
};

/// The name that attempts carry.
pub const SIMULATED: &str = "simulated";

/// How long it may leave an attempt unknown: longer than its slowest method takes.
const UNKNOWN_MAX: Duration = Duration::from_secs(600);

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

    fn unknown_max(&self) -> Duration {
        UNKNOWN_MAX
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
                Outcome::Unknown(unknown) => ProviderAnswer::Unknown(unknown.to_string()),
            }
        })
    }

    fn find<'a>(&'a self, attempt: &'a Attempt) -> Later<'a, ProviderAnswer> {
        Box::pin(async move {
            match self.0.find_by_key(&attempt.id.to_string()).await {
                Lookup::Authorised(found) => authorised(found),
                Lookup::Declined(declined) => ProviderAnswer::Declined(failure(declined.failure)),
                Lookup::Pending => ProviderAnswer::InProgress,
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

    fn refund<'a>(
        &'a self,
        attempt: &'a Attempt,
        give_back: &'a GiveBack,
    ) -> Later<'a, MoneyMoved> {
        Box::pin(async move {
            let amount = u64::try_from(give_back.money.amount);
            let Some((reference, amount)) = attempt.reference.as_ref().zip(amount.ok()) else {
                return without_reference();
            };
            moved(self.0.refund(reference, &format!("{}-refund", give_back.name), amount).await)
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
            lapses_at: None,
        }),
        None => ProviderAnswer::Unknown("the provider's record cannot be read".into()),
    }
}

fn failure(failure: client::Failure) -> Failure {
    Failure { code: failure.code, detail: failure.detail }
}

fn moved(outcome: Outcome) -> MoneyMoved {
    match outcome {
        Outcome::Authorised(_) => MoneyMoved::Done,
        Outcome::Declined(declined) => MoneyMoved::Refused(failure(declined.failure)),
        Outcome::Refused(refused) => {
            MoneyMoved::Refused(Failure { code: refused.code, detail: refused.detail })
        }
        Outcome::Unknown(unknown) => MoneyMoved::Unknown(unknown.to_string()),
    }
}

fn without_reference() -> MoneyMoved {
    let detail = "the attempt has no reference, though its status needs one".into();
    MoneyMoved::Refused(Failure { code: "no_reference".into(), detail })
}
