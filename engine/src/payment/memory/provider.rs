//! A provider whose payment methods say what it does.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use parking_lot::Mutex;
use uuid::Uuid;

use crate::id::AttemptId;
use crate::later::Later;
use crate::moment::Moment;
use crate::money::Money;
use crate::payment::{
    Attempt, Authorisation, Failure, GiveBack, GivenBack, MoneyMoved, NextAction, PaymentProvider,
    ProviderAnswer, ProviderRecord, RecordPage,
};

/// What the provider has done for one attempt.
#[derive(Clone, Debug, Default)]
struct Account {
    state: State,
    asked: Option<Money>,
    reserved: Option<Money>,
    refunded: i64,
    /// What was given back and is with its buyer: by name, after how many errors and how much.
    given_back: HashMap<Uuid, (u32, Money)>,
    /// Names and errors of what came back.
    came_back: HashSet<(Uuid, u32)>,
    errors: u32,
    lost: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Opened,
    InProgress,
    Waiting,
    Authorised,
    Captured,
    Cancelled,
    Declined,
}

/// A provider in memory. What it does is in the attempt's payment method:
///
/// | method | what it does |
/// |---|---|
/// | `ok` | authorises |
/// | `lost` | authorises, and the answer is lost |
/// | `short` | authorises less than it was asked for |
/// | `two calls` | opens a record first, and authorises at the second call |
/// | `challenge` | authorises once [`MemoryProvider::answer_challenge`] was called |
/// | `challenge errs` | the same, and answers the first withdrawal with an error |
/// | `errs` | answers with an error first |
/// | `deaf` | never says what became of it |
/// | `takes` | takes the money at once, unasked |
/// | `capture errs` | authorises; the first two captures are errors |
/// | `capture refused` | authorises; does not capture |
/// | `refund refused` | authorises and captures; gives nothing back |
/// | `refund unknown` | authorises and captures; never says whether it gave anything back, and does not |
/// | anything else | declines |
#[derive(Debug, Default)]
pub struct MemoryProvider {
    accounts: Mutex<HashMap<AttemptId, Account>>,
    questions: Mutex<Vec<&'static str>>,
}

impl MemoryProvider {
    /// Every question so far, in order.
    #[must_use]
    pub fn questions(&self) -> Vec<&'static str> {
        self.questions.lock().clone()
    }

    /// Money taken under this attempt and not given back.
    #[must_use]
    pub fn captured(&self, attempt: AttemptId) -> bool {
        let accounts = self.accounts.lock();
        accounts.get(&attempt).is_some_and(|it| it.state == State::Captured && it.refunded == 0)
    }

    /// Money reserved under this attempt, and neither taken nor given free.
    #[must_use]
    pub fn reserved(&self, attempt: AttemptId) -> bool {
        self.accounts.lock().get(&attempt).is_some_and(|it| it.state == State::Authorised)
    }

    /// The buyer does what the bank wanted.
    pub fn answer_challenge(&self, attempt: AttemptId) {
        if let Some(account) = self.accounts.lock().get_mut(&attempt)
            && account.state == State::Waiting
        {
            (account.state, account.reserved) = (State::Authorised, account.asked);
        }
    }

    /// The provider authorises what it had declined or given up.
    pub fn change_its_mind(&self, attempt: &Attempt) {
        let mut accounts = self.accounts.lock();
        let account = accounts.entry(attempt.id).or_default();
        (account.state, account.reserved) = (State::Authorised, Some(attempt.money));
    }

    /// Somebody takes so much at the provider, whatever it had said.
    pub fn take(&self, attempt: &Attempt, money: Money) {
        let mut accounts = self.accounts.lock();
        let account = accounts.entry(attempt.id).or_default();
        (account.state, account.reserved) = (State::Captured, Some(money));
    }

    /// All that was given back of this attempt comes back: no buyer's bank takes it.
    pub fn fail_refunds(&self, attempt: AttemptId) {
        if let Some(account) = self.accounts.lock().get_mut(&attempt) {
            account.refunded = 0;
            let failed = std::mem::take(&mut account.given_back);
            account.came_back.extend(failed.into_iter().map(|(id, (errors, _))| (id, errors)));
        }
    }

    fn heard(&self, question: &'static str) {
        self.questions.lock().push(question);
    }

    fn record(&self, attempt: &Attempt) -> ProviderAnswer {
        let accounts = self.accounts.lock();
        let Some(account) = accounts.get(&attempt.id) else { return ProviderAnswer::NoSuchKey };
        let reference = format!("memory-{}", attempt.id);
        let authorisation = || Authorisation {
            reference: reference.clone(),
            order: attempt.order,
            money: account.reserved.unwrap_or(attempt.money),
            lapses_at: None,
        };
        match account.state {
            State::Opened if attempt.method == "errs" => ProviderAnswer::NoSuchKey,
            State::Opened => ProviderAnswer::Opened { reference },
            State::InProgress => ProviderAnswer::InProgress,
            State::Waiting => {
                let action = NextAction::Redirect("memory:".into());
                ProviderAnswer::ActionRequired { reference, action }
            }
            State::Authorised => ProviderAnswer::Authorised(authorisation()),
            State::Captured => ProviderAnswer::Captured(authorisation()),
            State::Cancelled => ProviderAnswer::Cancelled {
                reserved: account.reserved.is_some().then(authorisation),
            },
            State::Declined => {
                ProviderAnswer::Declined(Failure::new("card_declined", "the card was declined"))
            }
        }
    }

    /// Whether this call is answered by the record, and by what if not.
    fn authorise_once(&self, attempt: &Attempt) -> Option<ProviderAnswer> {
        let mut accounts = self.accounts.lock();
        let known = accounts.contains_key(&attempt.id);
        let account = accounts.entry(attempt.id).or_default();
        let money = attempt.money;
        match attempt.method.as_str() {
            _ if known && account.state != State::Opened => {}
            "two calls" if !known => {}
            "errs" if account.errors == 0 || attempt.errors == 0 => {
                account.errors += 1;
                return Some(ProviderAnswer::Erred("out of order".into()));
            }
            "ok" | "lost" | "two calls" | "errs" | "capture errs" | "capture refused"
            | "refund refused" | "refund unknown" | "refund unheard" => {
                (account.state, account.reserved) = (State::Authorised, Some(money));
            }
            "short" => {
                let less = Money { amount: money.amount - 1, ..money };
                (account.state, account.reserved) = (State::Authorised, Some(less));
            }
            "takes" => (account.state, account.reserved) = (State::Captured, Some(money)),
            "challenge" | "challenge errs" => {
                (account.state, account.asked) = (State::Waiting, Some(money))
            }
            "deaf" => account.state = State::InProgress,
            _ => account.state = State::Declined,
        }
        let lost = attempt.method == "lost" && !account.lost;
        account.lost |= lost;
        lost.then(|| ProviderAnswer::Unknown("the answer was lost".into()))
    }

    fn capture_once(&self, attempt: &Attempt) -> MoneyMoved {
        let mut accounts = self.accounts.lock();
        let account = accounts.entry(attempt.id).or_default();
        match attempt.method.as_str() {
            "capture errs" if account.errors < 2 || attempt.errors < 2 => {
                account.errors += 1;
                MoneyMoved::Erred("out of order".into())
            }
            "capture refused" => {
                MoneyMoved::Refused(Failure::new("capture_refused", "it does not want to"))
            }
            _ => account.moves(attempt, &[State::Authorised, State::Captured], State::Captured),
        }
    }
}

/// How many records a page has: few, so that pages are turned.
const PAGE: usize = 4;

impl Account {
    /// The record, if money was ever asked for.
    fn listed(&self, attempt: AttemptId) -> Option<ProviderRecord> {
        let money = self.reserved?;
        let taken = self.state == State::Captured;
        Some(ProviderRecord {
            reference: format!("memory-{attempt}"),
            attempt: Some(attempt),
            order: None,
            money,
            is_reserved: self.state == State::Authorised,
            lapses_at: None,
            captured: if taken { money.amount } else { 0 },
            refunded: self.refunded,
            charged_back: Some(0),
            created_at: None,
        })
    }

    /// By the reference alone, as real providers do it.
    fn moves(&mut self, attempt: &Attempt, from: &[State], to: State) -> MoneyMoved {
        if attempt.reference.is_none() {
            return MoneyMoved::Refused(Failure::new("no_reference", "which one is not said"));
        }
        if from.contains(&self.state) {
            self.state = to;
            return MoneyMoved::Done;
        }
        MoneyMoved::Refused(Failure::new("wrong_state", "the authorisation is in another state"))
    }
}

impl PaymentProvider for MemoryProvider {
    fn name(&self) -> &'static str {
        "memory"
    }

    fn unknown_max(&self) -> Duration {
        Duration::from_secs(600)
    }

    fn authorise<'a>(&'a self, attempt: &'a Attempt) -> Later<'a, ProviderAnswer> {
        Box::pin(async move {
            self.heard("authorise");
            self.authorise_once(attempt).unwrap_or_else(|| self.record(attempt))
        })
    }

    fn find<'a>(&'a self, attempt: &'a Attempt) -> Later<'a, ProviderAnswer> {
        Box::pin(async move {
            self.heard("find");
            self.record(attempt)
        })
    }

    fn capture<'a>(&'a self, attempt: &'a Attempt) -> Later<'a, MoneyMoved> {
        Box::pin(async move {
            self.heard("capture");
            self.capture_once(attempt)
        })
    }

    fn void<'a>(&'a self, attempt: &'a Attempt) -> Later<'a, MoneyMoved> {
        Box::pin(async move {
            self.heard("void");
            if attempt.method == "challenge errs" && attempt.errors == 0 {
                return MoneyMoved::Erred("out of order".into());
            }
            let from = [State::Opened, State::Waiting, State::Authorised, State::Cancelled];
            let mut accounts = self.accounts.lock();
            accounts.entry(attempt.id).or_default().moves(attempt, &from, State::Cancelled)
        })
    }

    fn refund<'a>(
        &'a self,
        attempt: &'a Attempt,
        give_back: &'a GiveBack,
    ) -> Later<'a, MoneyMoved> {
        Box::pin(async move {
            self.heard("refund");
            if attempt.method == "refund refused" {
                return MoneyMoved::Refused(Failure::new("refund_refused", "it is too old"));
            }
            if attempt.method == "refund unknown" {
                return MoneyMoved::Unknown("no answer came".into());
            }
            let mut accounts = self.accounts.lock();
            let account = accounts.entry(attempt.id).or_default();
            let GiveBack { id, money, errors } = *give_back;
            // The same key has the same answer for ever, whatever became of it.
            let is_done =
                account.came_back.contains(&(id, errors)) || account.given_back.contains_key(&id);
            if account.given_back.get(&id).is_some_and(|(_, given)| *given != money) {
                let why = "another amount was given back under this name";
                return MoneyMoved::Refused(Failure::new("refund_differs", why));
            }
            if account.state == State::Captured && !is_done {
                account.given_back.insert(id, (errors, money));
                account.refunded += money.amount;
            }
            if attempt.method == "refund unheard" {
                return MoneyMoved::Unknown("no answer came".into());
            }
            account.moves(attempt, &[State::Captured], State::Captured)
        })
    }

    fn find_refund<'a>(
        &'a self,
        attempt: &'a Attempt,
        give_back: &'a GiveBack,
    ) -> Later<'a, GivenBack> {
        Box::pin(async move {
            self.heard("find refund");
            let accounts = self.accounts.lock();
            let Some(account) = accounts.get(&attempt.id) else { return GivenBack::Absent };
            if let Some((_, given)) = account.given_back.get(&give_back.id) {
                GivenBack::Stands(*given)
            } else if account.came_back.iter().any(|(id, _)| *id == give_back.id) {
                GivenBack::Failed(Failure::new("refund_failed", "the bank does not take it"))
            } else {
                GivenBack::Absent
            }
        })
    }

    /// By attempt.
    fn list<'a>(
        &'a self,
        _since: Moment,
        after: Option<&'a str>,
    ) -> Later<'a, Result<RecordPage, String>> {
        Box::pin(async move {
            self.heard("list");
            let accounts = self.accounts.lock();
            let mut all: Vec<_> =
                accounts.iter().filter_map(|(attempt, account)| account.listed(*attempt)).collect();
            all.sort_by(|one, other| one.reference.cmp(&other.reference));
            let behind =
                |record: &ProviderRecord| after.is_none_or(|it| record.reference.as_str() > it);
            let mut records: Vec<_> = all.into_iter().filter(behind).collect();
            let has_more = records.len() > PAGE;
            records.truncate(PAGE);
            let last = records.last().filter(|_| has_more);
            let next = last.map(|record| record.reference.clone());
            Ok(RecordPage { records, unreadable: Vec::new(), next })
        })
    }
}
