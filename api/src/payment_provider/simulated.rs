//! The simulated provider as the engine asks for one. An attempt's id is the key of its authorisation,
//! and with the step's name of whatever follows; after each error of the provider's the key is another.

use std::time::Duration;

use chrono::{DateTime, Utc};
use taquilla_engine::id::{AttemptId, OrderId};
use taquilla_engine::later::Later;
use taquilla_engine::moment::Moment;
use taquilla_engine::money::{Currency, Money};
use taquilla_engine::payment::{
    Attempt, Authorisation, Failure, GiveBack, GivenBack, MoneyMoved, NextAction, PaymentProvider,
    ProviderAnswer, ProviderRecord, RecordPage,
};

use uuid::Uuid;

use super::without_reference;
use crate::provider_client::{
    self as client, AuthorisationRequest, Item, Lookup, Moved, Outcome, RequiredAction,
    SimulatedProviderClient, Status,
};

/// The name that attempts carry.
pub const SIMULATED: &str = "simulated";

/// How long it may leave an attempt unknown: many times as long as its slowest method takes.
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
            let key = keyed(attempt.id.to_string(), attempt.errors);
            match self.0.authorise(&key, &request).await {
                Outcome::Authorised(found) => standing(found),
                Outcome::RequiresAction(action) => action_required(action),
                Outcome::Declined(declined) => ProviderAnswer::Declined(failure(declined.failure)),
                // Nothing was booked: the request itself cannot be understood.
                Outcome::Refused(refused) if refused.status.as_u16() == 400 => {
                    ProviderAnswer::Declined(Failure::new(refused.code, refused.detail))
                }
                Outcome::Refused(refused) => ProviderAnswer::Unknown(refused.to_string()),
                Outcome::Failed(failed) => ProviderAnswer::Erred(failed.to_string()),
                Outcome::Unknown(unknown) => ProviderAnswer::Unknown(unknown.to_string()),
            }
        })
    }

    fn find<'a>(&'a self, attempt: &'a Attempt) -> Later<'a, ProviderAnswer> {
        Box::pin(async move {
            match self.0.find_by_attempt(attempt.id.uuid()).await {
                Lookup::Authorised(found) => standing(found),
                Lookup::RequiresAction(action) => action_required(action),
                Lookup::Declined(declined) => ProviderAnswer::Declined(failure(declined.failure)),
                Lookup::Pending => ProviderAnswer::InProgress,
                Lookup::Absent => ProviderAnswer::NoSuchKey,
                Lookup::Refused(refused) => ProviderAnswer::Unknown(refused.to_string()),
                Lookup::Unknown(unknown) => ProviderAnswer::Unknown(unknown.to_string()),
            }
        })
    }

    fn capture<'a>(&'a self, attempt: &'a Attempt) -> Later<'a, MoneyMoved> {
        Box::pin(async move {
            let Some(reference) = &attempt.reference else { return without_reference() };
            let key = keyed(format!("{}-capture", attempt.id), attempt.errors);
            moved(self.0.capture(reference, &key).await)
        })
    }

    fn void<'a>(&'a self, attempt: &'a Attempt) -> Later<'a, MoneyMoved> {
        Box::pin(async move {
            let Some(reference) = &attempt.reference else { return without_reference() };
            let key = keyed(format!("{}-void", attempt.id), attempt.errors);
            moved(self.0.void(reference, &key).await)
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
            let key = keyed(format!("{}-refund-{amount}", give_back.id), give_back.errors);
            moved(self.0.refund(reference, &key, give_back.id, amount).await)
        })
    }

    /// What it gives back stays with the buyer: it has no bank that sends it back.
    fn find_refund<'a>(
        &'a self,
        attempt: &'a Attempt,
        give_back: &'a GiveBack,
    ) -> Later<'a, GivenBack> {
        Box::pin(async move {
            let found = match self.0.find_by_attempt(attempt.id.uuid()).await {
                Lookup::Authorised(found) => found,
                Lookup::RequiresAction(_) | Lookup::Declined(_) | Lookup::Absent => {
                    return GivenBack::Absent;
                }
                Lookup::Pending => return GivenBack::Unknown("it is in work".into()),
                Lookup::Refused(refused) => return GivenBack::Unknown(refused.to_string()),
                Lookup::Unknown(unknown) => return GivenBack::Unknown(unknown.to_string()),
            };
            given_back(&found, give_back.id)
        })
    }

    /// From the beginning of its books: it knows no other.
    fn list<'a>(
        &'a self,
        _since: Moment,
        after: Option<&'a str>,
    ) -> Later<'a, Result<RecordPage, String>> {
        Box::pin(async move {
            let page = self.0.list(after).await.map_err(|error| error.to_string())?;
            let records = page.items.into_iter().map(record).collect::<Result<_, _>>()?;
            Ok(RecordPage { records, unreadable: Vec::new(), next: page.next_cursor })
        })
    }
}

/// The key itself, and after so many errors another one.
fn keyed(key: String, errors: u32) -> String {
    if errors == 0 { key } else { format!("{key}-{errors}") }
}

/// What was given back of it under this name.
fn given_back(found: &client::Authorisation, id: Uuid) -> GivenBack {
    let Some(refund) = found.refunds.iter().find(|it| it.refund_id == id) else {
        return GivenBack::Absent;
    };
    match i64::try_from(refund.amount).ok().zip(Currency::parse(&found.currency)) {
        Some((amount, currency)) => GivenBack::Stands(Money { amount, currency }),
        None => GivenBack::Unknown("the refund's amount cannot be read".into()),
    }
}

/// What an authorised amount has come to since.
fn standing(found: client::Authorisation) -> ProviderAnswer {
    let parsed = OrderId::parse(found.order_id)
        .zip(Currency::parse(&found.currency))
        .zip(i64::try_from(found.amount).ok());
    let Some(((order, currency), amount)) = parsed else {
        return ProviderAnswer::Unknown("the provider's record cannot be read".into());
    };
    let authorisation = Authorisation {
        reference: found.reference,
        order,
        money: Money { amount, currency },
        lapses_at: found.expires_at.map(moment),
    };
    if found.voided {
        ProviderAnswer::Cancelled { reserved: Some(authorisation) }
    } else if found.captured {
        ProviderAnswer::Captured(authorisation)
    } else {
        ProviderAnswer::Authorised(authorisation)
    }
}

/// A record as reconciliation reads it.
fn record(item: Item) -> Result<ProviderRecord, String> {
    let found = item.authorisation;
    let minor = |amount: u64| i64::try_from(amount).ok();
    let read = || {
        let currency = Currency::parse(&found.currency)?;
        Some(ProviderRecord {
            reference: found.reference.clone(),
            attempt: AttemptId::parse(found.attempt_id),
            order: OrderId::parse(found.order_id),
            money: Money { amount: minor(found.amount)?, currency },
            is_reserved: item.status == Status::Authorised && !found.captured && !found.voided,
            lapses_at: found.expires_at.map(moment),
            captured: minor(found.captured_amount)?,
            refunded: minor(found.refunded_amount)?,
            charged_back: Some(minor(found.charged_back_amount)?),
            created_at: found.authorised_at.map(moment),
        })
    };
    read().ok_or_else(|| format!("the record {} cannot be read", found.reference))
}

fn action_required(action: RequiredAction) -> ProviderAnswer {
    let RequiredAction { reference, url, .. } = action;
    ProviderAnswer::ActionRequired { reference, action: NextAction::Redirect(url) }
}

fn failure(failure: client::Failure) -> Failure {
    Failure::new(failure.code, failure.detail)
}

fn moment(at: DateTime<Utc>) -> Moment {
    Moment(at.timestamp_micros())
}

fn moved(moved: Moved) -> MoneyMoved {
    match moved {
        Moved::Done(_) => MoneyMoved::Done,
        Moved::Refused(refused) => MoneyMoved::Refused(Failure::new(refused.code, refused.detail)),
        Moved::Failed(failed) => MoneyMoved::Erred(failed.to_string()),
        Moved::Unknown(unknown) => MoneyMoved::Unknown(unknown.to_string()),
    }
}
