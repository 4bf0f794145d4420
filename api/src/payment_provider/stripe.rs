//! Stripe as the engine asks for a payment provider: one payment intent an attempt, captured by hand.
//!
//! It takes two calls to reserve money. *Create* opens the intent and moves nothing; *confirm* asks the
//! bank, and is only sent once the intent's name is recorded here. So an attempt without a reference has
//! no money anywhere, whatever became of its create, and one with a reference is found by it.

mod amount;
mod ask;
mod client;
mod failure;
mod intent;
mod notices;
mod records;
mod search;
mod standing;

use std::sync::Arc;
use std::time::Duration;

use reqwest::Url;
use taquilla_engine::clock::Clock;
use taquilla_engine::later::Later;
use taquilla_engine::moment::Moment;
use taquilla_engine::payment::{
    Attempt, Failure, GiveBack, GivenBack, MoneyMoved, PaymentProvider, ProviderAnswer, RecordPage,
};

pub use client::{ClientError, StripeClient};
pub use notices::StripeNotices;

use super::without_reference;
use ask::{Refusal, Said};
use client::Listed;
use intent::{IntentStatus, Refund, came_to_nothing};
use search::{Found, Refunds};
use standing::standing;

/// The name that attempts carry.
pub const STRIPE: &str = "stripe";

/// How far Stripe's clock may be from ours.
const CLOCKS_DIFFER_MAX: Duration = Duration::from_secs(300);

const TOO_MANY_REFUNDS: &str = "there are too many refunds to look through";

/// How Stripe is used.
#[derive(Clone, Debug)]
pub struct StripeSettings {
    /// Where a bank's page sends the buyer back to. Without it there are no such pages, and Stripe's own
    /// script asks the buyer.
    pub return_url: Option<Url>,
    /// How long Stripe is sure to remember an idempotency key.
    pub key_life: Duration,
    /// How long an attempt may stay unknown.
    pub unknown_max: Duration,
}

/// The adapter.
pub struct StripeProvider {
    client: StripeClient,
    settings: StripeSettings,
    clock: Arc<dyn Clock>,
}

impl StripeProvider {
    /// Asks by this client. The clock says whether Stripe still knows the key of an attempt.
    #[must_use]
    pub fn new(client: StripeClient, settings: StripeSettings, clock: Arc<dyn Clock>) -> Self {
        Self { client, settings, clock }
    }

    /// Opens it, or finds it opened: the same key opens one payment intent.
    async fn open(&self, attempt: &Attempt) -> ProviderAnswer {
        let Some(amount) = amount::at_stripe(attempt.money) else {
            let why = "Stripe cannot take this amount in this currency";
            return ProviderAnswer::Declined(Failure::new("amount_not_payable", why));
        };
        match self.client.create(attempt, amount).await {
            Said::Answer(intent) => standing(intent),
            Said::Refused(refusal) => {
                if !is_about_the_payment(&refusal) {
                    tracing::error!(attempt = %attempt.id, %refusal, "Stripe opens no payment");
                }
                ProviderAnswer::Declined(failure::refused(&refusal))
            }
            Said::Busy(_) => ProviderAnswer::InProgress,
            Said::Erred(why) => ProviderAnswer::Erred(why),
            Said::Nothing(why) => ProviderAnswer::Unknown(why),
        }
    }

    async fn confirm(&self, attempt: &Attempt, reference: &str) -> ProviderAnswer {
        let return_url = self.settings.return_url.as_ref();
        match self.client.confirm(reference, attempt, return_url).await {
            Said::Answer(intent) => standing(intent),
            Said::Refused(refusal) => self.not_confirmed(*refusal, reference).await,
            Said::Busy(_) => ProviderAnswer::InProgress,
            Said::Erred(why) => ProviderAnswer::Erred(why),
            Said::Nothing(why) => ProviderAnswer::Unknown(why),
        }
    }

    /// The bank's no, or Stripe's because it is not to be confirmed (any more): the record says which.
    async fn not_confirmed(&self, mut refusal: Refusal, reference: &str) -> ProviderAnswer {
        let failure = failure::refused(&refusal);
        let record = match refusal.payment_intent.take() {
            Some(intent) => standing(*intent),
            None => self.look(reference).await,
        };
        match record {
            ProviderAnswer::Opened { .. } | ProviderAnswer::Declined(_) => {
                ProviderAnswer::Declined(failure)
            }
            ProviderAnswer::ActionRequired { .. }
            | ProviderAnswer::Authorised(_)
            | ProviderAnswer::Captured(_)
            | ProviderAnswer::Cancelled { .. }
            | ProviderAnswer::InProgress
            | ProviderAnswer::NoSuchKey
            | ProviderAnswer::Erred(_)
            | ProviderAnswer::Unknown(_) => record,
        }
    }

    /// What Stripe's own record says now.
    async fn look(&self, reference: &str) -> ProviderAnswer {
        match self.client.retrieve(reference).await.answered() {
            Ok(intent) => standing(intent),
            Err(why) => ProviderAnswer::Unknown(why),
        }
    }

    /// Under which name Stripe knows an attempt whose create was not answered. While its key lives, the
    /// same create tells; its answer is that of the first time, so the record is read behind it.
    async fn find_unnamed(&self, attempt: &Attempt) -> ProviderAnswer {
        if self.clock.now() < attempt.created_at + self.settings.key_life {
            return match self.open(attempt).await {
                ProviderAnswer::Opened { reference } => self.look(&reference).await,
                answer => answer,
            };
        }
        let (id, listed) = (attempt.id.to_string(), self.opened_within(attempt));
        match search::payment_intent(&self.client, &id, &listed).await {
            Found::It(intent) => standing(intent),
            Found::Absent => ProviderAnswer::NoSuchKey,
            // It cannot have money, since it was never confirmed.
            Found::TooMany => ProviderAnswer::InProgress,
            Found::Unanswered(why) => ProviderAnswer::Unknown(why),
        }
    }

    /// The seconds in which the attempt may have been opened.
    fn opened_within(&self, attempt: &Attempt) -> Listed {
        let first = attempt.created_at - CLOCKS_DIFFER_MAX;
        let last = attempt.created_at + self.settings.key_life + CLOCKS_DIFFER_MAX;
        Listed { since: seconds(first), until: Some(seconds(last)) }
    }
}

impl PaymentProvider for StripeProvider {
    fn name(&self) -> &'static str {
        STRIPE
    }

    fn unknown_max(&self) -> Duration {
        self.settings.unknown_max
    }

    fn authorise<'a>(&'a self, attempt: &'a Attempt) -> Later<'a, ProviderAnswer> {
        Box::pin(async move {
            match &attempt.reference {
                Some(reference) => self.confirm(attempt, reference).await,
                None => self.open(attempt).await,
            }
        })
    }

    fn find<'a>(&'a self, attempt: &'a Attempt) -> Later<'a, ProviderAnswer> {
        Box::pin(async move {
            match &attempt.reference {
                Some(reference) => self.look(reference).await,
                None => self.find_unnamed(attempt).await,
            }
        })
    }

    fn capture<'a>(&'a self, attempt: &'a Attempt) -> Later<'a, MoneyMoved> {
        Box::pin(async move {
            let Some(reference) = &attempt.reference else { return without_reference() };
            let said = self.client.capture(reference, attempt).await;
            moved(said.map(|intent| reached(intent.status, IntentStatus::Succeeded)))
        })
    }

    fn void<'a>(&'a self, attempt: &'a Attempt) -> Later<'a, MoneyMoved> {
        Box::pin(async move {
            let Some(reference) = &attempt.reference else { return without_reference() };
            let said = self.client.cancel(reference).await;
            moved(said.map(|intent| reached(intent.status, IntentStatus::Canceled)))
        })
    }

    /// Looks for it first: Stripe forgets keys after a day, and after an error the key is another.
    fn refund<'a>(
        &'a self,
        attempt: &'a Attempt,
        give_back: &'a GiveBack,
    ) -> Later<'a, MoneyMoved> {
        Box::pin(async move {
            let Some(reference) = &attempt.reference else { return without_reference() };
            let id = give_back.id.to_string();
            let failed = match search::refunds(&self.client, reference, &id).await {
                Found::It(Refunds { stands: Some(it), .. }) => {
                    return match amount::from_stripe(it.amount, &it.currency) {
                        Some(stands) if stands == give_back.money => MoneyMoved::Done,
                        Some(_) | None => MoneyMoved::Refused(Failure::new(
                            "refund_differs",
                            "another amount was given back under this name",
                        )),
                    };
                }
                Found::It(Refunds { stands: None, failed, .. }) => failed,
                Found::Absent => 0,
                Found::TooMany => return MoneyMoved::Unknown(TOO_MANY_REFUNDS.into()),
                Found::Unanswered(why) => return MoneyMoved::Unknown(why),
            };
            let Some(amount) = amount::at_stripe(give_back.money) else {
                let why = "Stripe cannot give back this amount in this currency";
                return MoneyMoved::Refused(Failure::new("amount_not_payable", why));
            };
            // The key of one that came to nothing would answer with that one for ever. Both counts only grow,
            // so no sum of them comes twice.
            let errors = give_back.errors.saturating_add(failed);
            let give_back = GiveBack { errors, ..give_back.clone() };
            moved(self.client.refund(reference, &give_back, amount).await.map(given_back))
        })
    }

    fn find_refund<'a>(
        &'a self,
        attempt: &'a Attempt,
        give_back: &'a GiveBack,
    ) -> Later<'a, GivenBack> {
        Box::pin(async move {
            let Some(reference) = &attempt.reference else { return GivenBack::Absent };
            let id = give_back.id.to_string();
            match search::refunds(&self.client, reference, &id).await {
                Found::It(Refunds { stands: Some(it), .. }) => {
                    match amount::from_stripe(it.amount, &it.currency) {
                        Some(money) => GivenBack::Stands(money),
                        None => GivenBack::Unknown("the refund's amount cannot be read".into()),
                    }
                }
                Found::It(Refunds { latest_failed, .. }) => {
                    GivenBack::Failed(why_failed(latest_failed.and_then(|it| it.failure_reason)))
                }
                Found::Absent => GivenBack::Absent,
                Found::TooMany => GivenBack::Unknown(TOO_MANY_REFUNDS.into()),
                Found::Unanswered(why) => GivenBack::Unknown(why),
            }
        })
    }

    fn list<'a>(
        &'a self,
        since: Moment,
        after: Option<&'a str>,
    ) -> Later<'a, Result<RecordPage, String>> {
        Box::pin(async move {
            let listed = Listed { since: seconds(since), until: None };
            let page = self.client.list(&listed, after).await?;
            let next = search::next(&page, |intent| &intent.id);
            let (mut records, mut unreadable) = (Vec::new(), Vec::new());
            for intent in &page.data {
                match records::record(intent) {
                    Some(record) => records.push(record),
                    None => unreadable.push(records::unreadable(intent)),
                }
            }
            Ok(RecordPage { records, unreadable, next })
        })
    }
}

/// Whether a refusal is about what this buyer pays with, or how much; else it is about us.
fn is_about_the_payment(refusal: &Refusal) -> bool {
    matches!(refusal.param.as_deref(), Some("payment_method" | "amount" | "currency"))
}

fn reached(status: IntentStatus, wanted: IntentStatus) -> MoneyMoved {
    if status == wanted {
        MoneyMoved::Done
    } else {
        MoneyMoved::Unknown(format!("it is {status:?} now, not {wanted:?}"))
    }
}

/// What becomes of it is up to the bank from then on.
fn given_back(refund: Refund) -> MoneyMoved {
    if came_to_nothing(refund.status.as_deref()) {
        return MoneyMoved::Refused(why_failed(refund.failure_reason));
    }
    MoneyMoved::Done
}

fn why_failed(reason: Option<String>) -> Failure {
    let why = reason.unwrap_or_else(|| "the refund came to nothing".into());
    Failure::new("refund_failed", why)
}

fn moved(said: Said<MoneyMoved>) -> MoneyMoved {
    match said {
        Said::Answer(moved) => moved,
        Said::Refused(refusal) => MoneyMoved::Refused(failure::refused(&refusal)),
        Said::Busy(why) | Said::Nothing(why) => MoneyMoved::Unknown(why),
        Said::Erred(why) => MoneyMoved::Erred(why),
    }
}

/// As Stripe counts time: since 1970.
fn seconds(at: Moment) -> i64 {
    at.0.div_euclid(1_000_000)
}
