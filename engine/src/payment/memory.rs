//! Reference implementations in memory: a record of attempts beside the journal in memory, and a
//! provider whose payment methods say what it does.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use parking_lot::Mutex;

use super::{
    Attempt, AttemptStatus, Attempts, Authorisation, Failure, MoneyMoved, NewAttempt, NotOpened,
    Opened, PaymentProvider, ProviderAnswer, Step, StoreUnavailable,
};
use crate::clock::Clock;
use crate::hold::HoldStatus;
use crate::id::AttemptId;
use crate::journal::memory::MemoryJournal;
use crate::later::Later;
use crate::moment::Moment;
use crate::money::{Currency, Money};
use crate::order::{OrderStatus, Verdict};

/// Attempts for as long as the process lives, all in one currency.
pub struct MemoryAttempts {
    journal: Arc<MemoryJournal>,
    clock: Arc<dyn Clock>,
    currency: Currency,
    rows: Mutex<HashMap<AttemptId, Attempt>>,
}

impl MemoryAttempts {
    /// No attempts yet; orders are those of the journal.
    pub fn new(journal: Arc<MemoryJournal>, clock: Arc<dyn Clock>, currency: Currency) -> Self {
        Self { journal, clock, currency, rows: Mutex::default() }
    }

    /// The row, with what the lane has written about it.
    fn read(&self, id: AttemptId) -> Option<Attempt> {
        let mut rows = self.rows.lock();
        let attempt = rows.get_mut(&id)?;
        if attempt.status == AttemptStatus::Authorized {
            let orders = self.journal.peek(id.event()).orders;
            let order = orders.iter().find(|order| order.id == attempt.order);
            match order.and_then(|order| order.verdict(id)) {
                Some(Verdict::Confirmed) => attempt.status = AttemptStatus::Confirmed,
                Some(Verdict::VoidDue) => attempt.status = AttemptStatus::VoidDue,
                None => {}
            }
        }
        Some(attempt.clone())
    }

    fn open_now(&self, new: &NewAttempt) -> Opened {
        if let Some(attempt) = self.read(new.id) {
            let same = attempt.fingerprint == new.fingerprint;
            return if same { Opened::Replayed(attempt) } else { Opened::KeyReused };
        }
        let snapshot = self.journal.peek(new.id.event());
        let order = snapshot.orders.iter().find(|o| o.id == new.order && o.buyer == new.buyer);
        let hold = order.and_then(|order| snapshot.holds.iter().find(|h| h.id == order.hold));
        let Some((order, hold)) = order.zip(hold) else { return Opened::NotFound };
        let now = self.clock.now();
        match hold.status_at(now) {
            HoldStatus::Active => {}
            status @ (HoldStatus::Released | HoldStatus::Expired | HoldStatus::Converted) => {
                return Opened::HoldNotActive { status, replayed: false };
            }
        }
        let mut rows = self.rows.lock();
        let open = rows.values().any(|other| other.order == new.order && other.status.is_open());
        if order.status != OrderStatus::Open || open {
            return Opened::OrderNotPayable { status: "authorizing".into(), replayed: false };
        }
        let attempt = Attempt {
            id: new.id,
            order: new.order,
            buyer: new.buyer.clone(),
            fingerprint: new.fingerprint,
            method: new.method.clone(),
            provider: new.provider.clone(),
            money: Money { amount: order.total, currency: self.currency },
            status: AttemptStatus::Pending,
            reference: None,
            failure: None,
            created_at: now,
            resolved_at: None,
        };
        rows.insert(new.id, attempt.clone());
        Opened::Created(attempt)
    }

    fn step_now(&self, id: AttemptId, step: &Step) -> Option<Attempt> {
        let status = self.read(id)?.status;
        let mut rows = self.rows.lock();
        let attempt = rows.get_mut(&id)?;
        if let Some((_, to)) = step.moves().find(|(from, _)| *from == status) {
            attempt.status = to;
            match step {
                Step::Authorized { reference } => attempt.reference = Some(reference.clone()),
                Step::Mismatched { reference, failure } => {
                    attempt.reference = Some(reference.clone());
                    attempt.failure = Some(failure.clone());
                }
                Step::Declined(failure) => attempt.failure = Some(failure.clone()),
                Step::Unclear | Step::Captured | Step::Voided => {}
            }
            attempt.resolved_at = to.is_final().then(|| self.clock.now());
        }
        Some(attempt.clone())
    }
}

impl Attempts for MemoryAttempts {
    fn open<'a>(&'a self, new: &'a NewAttempt) -> Later<'a, Result<Opened, NotOpened>> {
        Box::pin(async move { Ok(self.open_now(new)) })
    }

    fn step<'a>(
        &'a self,
        attempt: AttemptId,
        step: &'a Step,
    ) -> Later<'a, Result<Attempt, StoreUnavailable>> {
        Box::pin(async move {
            self.step_now(attempt, step).ok_or_else(|| StoreUnavailable("no such attempt".into()))
        })
    }

    fn find(&self, attempt: AttemptId) -> Later<'_, Result<Option<Attempt>, StoreUnavailable>> {
        Box::pin(async move { Ok(self.read(attempt)) })
    }

    fn unfinished(
        &self,
        after: Option<(Moment, AttemptId)>,
        max: u32,
    ) -> Later<'_, Result<Vec<Attempt>, StoreUnavailable>> {
        Box::pin(async move {
            let ids: Vec<AttemptId> = self.rows.lock().keys().copied().collect();
            let mut attempts: Vec<Attempt> =
                ids.into_iter().filter_map(|id| self.read(id)).collect();
            let place = |attempt: &Attempt| (attempt.created_at, attempt.id);
            attempts.retain(|it| !it.status.is_final() && after.is_none_or(|at| place(it) > at));
            attempts.sort_by_key(place);
            attempts.truncate(max as usize);
            Ok(attempts)
        })
    }
}

/// What the provider has done under one key.
#[derive(Clone, Debug, Default)]
struct Account {
    authorised: Option<Money>,
    declined: bool,
    captured: bool,
    voided: bool,
}

/// A provider in memory. Methods: `ok`; `decline`; `lost` authorises, and its answer is lost; `short`
/// authorises less than it was asked for. Anything else is declined.
#[derive(Debug, Default)]
pub struct MemoryProvider {
    accounts: Mutex<HashMap<AttemptId, Account>>,
    questions: Mutex<Vec<(&'static str, AttemptId)>>,
    lost: Mutex<HashSet<AttemptId>>,
}

impl MemoryProvider {
    /// Every question so far, in order.
    #[must_use]
    pub fn questions(&self) -> Vec<&'static str> {
        self.questions.lock().iter().map(|(question, _)| *question).collect()
    }

    /// Money taken under this key.
    #[must_use]
    pub fn captured(&self, attempt: AttemptId) -> bool {
        self.accounts.lock().get(&attempt).is_some_and(|account| account.captured)
    }

    /// Money reserved under this key, and neither taken nor given back.
    #[must_use]
    pub fn reserved(&self, attempt: AttemptId) -> bool {
        let accounts = self.accounts.lock();
        let reserved = |a: &Account| a.authorised.is_some() && !a.captured && !a.voided;
        accounts.get(&attempt).is_some_and(reserved)
    }

    fn heard(&self, question: &'static str, attempt: &Attempt) {
        self.questions.lock().push((question, attempt.id));
    }

    fn answer(&self, attempt: &Attempt) -> ProviderAnswer {
        match self.accounts.lock().get(&attempt.id) {
            None => ProviderAnswer::NoSuchKey,
            Some(Account { declined: true, .. }) => ProviderAnswer::Declined(Failure {
                code: "card_declined".into(),
                detail: "the card was declined".into(),
            }),
            Some(Account { authorised: Some(money), .. }) => {
                ProviderAnswer::Authorised(Authorisation {
                    reference: format!("memory-{}", attempt.id),
                    order: attempt.order,
                    money: *money,
                })
            }
            Some(_) => ProviderAnswer::InProgress,
        }
    }
}

impl PaymentProvider for MemoryProvider {
    fn name(&self) -> &'static str {
        "memory"
    }

    fn authorise<'a>(&'a self, attempt: &'a Attempt) -> Later<'a, ProviderAnswer> {
        Box::pin(async move {
            self.heard("authorise", attempt);
            let money = attempt.money;
            self.accounts.lock().entry(attempt.id).or_insert_with(|| {
                match attempt.method.as_str() {
                    "ok" | "lost" => Account { authorised: Some(money), ..Account::default() },
                    "short" => {
                        let less = Money { amount: money.amount - 1, ..money };
                        Account { authorised: Some(less), ..Account::default() }
                    }
                    _ => Account { declined: true, ..Account::default() },
                }
            });
            if attempt.method == "lost" && self.lost.lock().insert(attempt.id) {
                return ProviderAnswer::Unknown("the answer was lost".into());
            }
            self.answer(attempt)
        })
    }

    fn find<'a>(&'a self, attempt: &'a Attempt) -> Later<'a, ProviderAnswer> {
        Box::pin(async move {
            self.heard("find", attempt);
            self.answer(attempt)
        })
    }

    fn capture<'a>(&'a self, attempt: &'a Attempt) -> Later<'a, MoneyMoved> {
        Box::pin(async move {
            self.heard("capture", attempt);
            let mut accounts = self.accounts.lock();
            let account = accounts.entry(attempt.id).or_default();
            account.captured = account.authorised.is_some() && !account.voided;
            moved(account.captured)
        })
    }

    fn void<'a>(&'a self, attempt: &'a Attempt) -> Later<'a, MoneyMoved> {
        Box::pin(async move {
            self.heard("void", attempt);
            let mut accounts = self.accounts.lock();
            let account = accounts.entry(attempt.id).or_default();
            account.voided = account.authorised.is_some() && !account.captured;
            moved(account.voided)
        })
    }
}

fn moved(done: bool) -> MoneyMoved {
    if done {
        return MoneyMoved::Done;
    }
    let detail = "the authorisation is in another state".into();
    MoneyMoved::Refused(Failure { code: "wrong_state".into(), detail })
}
