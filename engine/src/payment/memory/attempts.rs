//! A record of attempts beside the journal in memory.

mod refunds;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;

use crate::clock::Clock;
use crate::hold::HoldStatus;
use crate::id::{AttemptId, OrderId, RefundId};
use crate::journal::memory::MemoryJournal;
use crate::later::Later;
use crate::moment::Moment;
use crate::money::{Currency, Money};
use crate::order::{OrderStatus, Verdict};
use crate::payment::{
    Attempt, AttemptStatus, Attempts, NewAttempt, NotOpened, Opened, Step, StoreUnavailable,
};
use crate::refund::SoldOrder;

/// Attempts for as long as the process lives, all in one currency.
pub struct MemoryAttempts {
    journal: Arc<MemoryJournal>,
    clock: Arc<dyn Clock>,
    currency: Currency,
    rows: Mutex<HashMap<AttemptId, Attempt>>,
    paid_back: Mutex<HashSet<RefundId>>,
    /// Of what was cut down, or was paid.
    amounts: Mutex<HashMap<RefundId, i64>>,
    errors_of: Mutex<HashMap<RefundId, u32>>,
    refused: Mutex<HashMap<RefundId, Moment>>,
    put_off: Mutex<HashMap<AttemptId, Moment>>,
    takes_no_steps: AtomicBool,
    /// What banks took back, and as less than nothing what they returned, by attempt and notice.
    taken_back: Mutex<HashMap<(AttemptId, String), Money>>,
}

impl MemoryAttempts {
    /// No attempts yet; orders are those of the journal.
    pub fn new(journal: Arc<MemoryJournal>, clock: Arc<dyn Clock>, currency: Currency) -> Self {
        Self {
            journal,
            clock,
            currency,
            rows: Mutex::default(),
            paid_back: Mutex::default(),
            amounts: Mutex::default(),
            errors_of: Mutex::default(),
            refused: Mutex::default(),
            put_off: Mutex::default(),
            takes_no_steps: AtomicBool::default(),
            taken_back: Mutex::default(),
        }
    }

    /// From now on no step can be stored, or each can again.
    pub fn take_no_steps(&self, is_so: bool) {
        self.takes_no_steps.store(is_so, Ordering::Relaxed);
    }

    /// The row, with what the lane has written about it.
    fn read(&self, id: AttemptId) -> Option<Attempt> {
        let mut rows = self.rows.lock();
        let attempt = rows.get_mut(&id)?;
        let snapshot = self.journal.peek(id.event());
        let order = snapshot.orders.iter().find(|order| order.id == attempt.order);
        if attempt.status == AttemptStatus::Authorized {
            match order.and_then(|order| order.verdict(id)) {
                Some(Verdict::Confirmed) => attempt.status = AttemptStatus::Confirmed,
                Some(Verdict::VoidDue) => attempt.status = AttemptStatus::VoidDue,
                None => {}
            }
        }
        let hold = order.filter(|order| order.status == OrderStatus::Open);
        let hold = hold.and_then(|order| snapshot.holds.iter().find(|it| it.id == order.hold));
        let active = hold.filter(|hold| hold.status == HoldStatus::Active);
        attempt.wanted_until = active.map(|hold| hold.expires_at);
        let again_at = self.put_off.lock().get(&id).copied();
        attempt.is_put_off = again_at.is_some_and(|at| at > self.clock.now());
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
            next_action: None,
            errors: 0,
            reserved: None,
            lapses_at: None,
            wanted_until: Some(hold.expires_at),
            created_at: now,
            resolved_at: None,
            is_put_off: false,
        };
        rows.insert(new.id, attempt.clone());
        Opened::Created(attempt)
    }

    fn sold_order(&self, order: OrderId) -> Option<SoldOrder> {
        let snapshot = self.journal.peek(order.event());
        let order = snapshot.orders.into_iter().find(|it| it.id == order)?;
        let hold = snapshot.holds.into_iter().find(|it| it.id == order.hold)?;
        Some(SoldOrder { hold, order })
    }

    fn is_given_back(&self, order: OrderId) -> bool {
        self.sold_order(order).is_some_and(|SoldOrder { hold, order }| {
            let void = order.refunds.iter().map(|refund| refund.tickets.len()).sum::<usize>();
            void >= hold.claim.quantity() as usize
        })
    }

    fn step_now(&self, id: AttemptId, step: &Step) -> Option<Attempt> {
        // With what the lane has written.
        self.read(id)?;
        let mut rows = self.rows.lock();
        let attempt = rows.get_mut(&id)?;
        let is_of_that_try = step.asked_after().is_none_or(|after| after == attempt.errors);
        let moves = step.moves().find(|(from, _)| *from == attempt.status);
        if let Some((_, to)) = moves.filter(|_| is_of_that_try) {
            record(attempt, step);
            attempt.status = to;
            attempt.resolved_at = to.is_final().then(|| self.clock.now());
            if let Some(again_after) = step.puts_off() {
                self.put_off.lock().insert(id, self.clock.now() + again_after);
            }
        }
        drop(rows);
        self.read(id)
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
            if self.takes_no_steps.load(Ordering::Relaxed) {
                return Err(StoreUnavailable("it takes no steps".into()));
            }
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
            attempts.retain(|it| !it.status.is_final() && !it.is_put_off);
            attempts.retain(|it| after.is_none_or(|at| place(it) > at));
            attempts.sort_by_key(place);
            attempts.truncate(max as usize);
            Ok(attempts)
        })
    }

    fn capture_failed(
        &self,
        before: Moment,
        max: u32,
    ) -> Later<'_, Result<Vec<Attempt>, StoreUnavailable>> {
        Box::pin(async move {
            let rows = self.rows.lock();
            let failed = rows.values().filter(|it| it.status == AttemptStatus::CaptureFailed);
            let over = failed.filter(|it| {
                it.resolved_at.is_some_and(|at| at < before) || self.is_given_back(it.order)
            });
            Ok(over.take(max as usize).cloned().collect())
        })
    }

    fn sold(&self, order: OrderId) -> Later<'_, Result<Option<SoldOrder>, StoreUnavailable>> {
        Box::pin(async move { Ok(self.sold_order(order)) })
    }

    fn charge_back<'a>(
        &'a self,
        attempt: AttemptId,
        notice: &'a str,
        money: Money,
    ) -> Later<'a, Result<Option<i64>, StoreUnavailable>> {
        Box::pin(async move {
            let Some(found) = self.read(attempt) else { return Ok(None) };
            let given_back: i64 = self.refunds_of(attempt).map(|it| it.money.amount).sum();
            let mut taken_back = self.taken_back.lock();
            let name = (attempt, notice.to_owned());
            let of_it = taken_back.iter().filter(|((id, _), _)| *id == attempt);
            let gone: i64 = of_it.map(|(_, it)| it.amount).sum();
            let taken = if found.status.has_taken_money() { found.money.amount } else { 0 };
            let is_there = (1..=taken - gone).contains(&money.amount);
            let is_ours = money.currency == found.money.currency;
            match taken_back.get(&name) {
                Some(booked) if booked.amount < 0 => return Ok(None),
                Some(_) => return Ok(Some(taken - gone - given_back)),
                None if is_there && is_ours => {}
                None => return Ok(None),
            }
            taken_back.insert(name, money);
            Ok(Some(taken - gone - money.amount - given_back))
        })
    }

    fn reinstate<'a>(
        &'a self,
        attempt: AttemptId,
        notice: &'a str,
        money: Money,
    ) -> Later<'a, Result<bool, StoreUnavailable>> {
        Box::pin(async move {
            let mut taken_back = self.taken_back.lock();
            let name = (attempt, notice.to_owned());
            if let Some(booked) = taken_back.get(&name) {
                return Ok(booked.amount < 0);
            }
            let of_it = taken_back.iter().filter(|((id, _), _)| *id == attempt);
            let of_it = of_it.filter(|(_, it)| it.currency == money.currency);
            let left: i64 = of_it.map(|(_, it)| it.amount).sum();
            let is_taken_back = (1..=left).contains(&money.amount);
            if is_taken_back {
                taken_back.insert(name, Money { amount: -money.amount, ..money });
            }
            Ok(is_taken_back)
        })
    }

    fn lapsing(&self, before: Moment) -> Later<'_, Result<u64, StoreUnavailable>> {
        Box::pin(async move {
            let rows = self.rows.lock();
            let reserved = |it: &&Attempt| it.status.has_money_reserved();
            let lapsing = rows.values().filter(reserved);
            let lapsing = lapsing.filter(|it| it.lapses_at.is_some_and(|at| at < before));
            Ok(lapsing.count() as u64)
        })
    }
}

/// What a step carries.
fn record(attempt: &mut Attempt, step: &Step) {
    let owed = attempt.money;
    if !matches!(step, Step::Erred { .. }) {
        attempt.next_action = None;
    }
    match step {
        Step::Opened { reference } => attempt.reference = Some(reference.clone()),
        Step::ActionRequired { reference, action } => {
            attempt.reference = Some(reference.clone());
            attempt.next_action = Some(action.clone());
        }
        Step::Authorized { reference, lapses_at } => {
            attempt.reference = Some(reference.clone());
            (attempt.reserved, attempt.lapses_at) = (Some(owed), *lapses_at);
        }
        Step::Mismatched { reference, reserved, failure } => {
            attempt.reference = Some(reference.clone());
            (attempt.reserved, attempt.failure) = (Some(*reserved), Some(failure.clone()));
        }
        Step::LetGo { reference, was_reserved } => {
            attempt.reference = Some(reference.clone());
            attempt.reserved = Some(*was_reserved);
        }
        Step::Taken { reference, taken } => {
            attempt.reference = Some(reference.clone());
            attempt.reserved = Some(*taken);
        }
        Step::Declined(failure) | Step::GivenUp(failure) | Step::CaptureRefused(failure) => {
            attempt.failure = Some(failure.clone());
        }
        Step::Erred { .. } | Step::RefundFailed { .. } => attempt.errors += 1,
        Step::Unclear
        | Step::Captured
        | Step::GraceOver
        | Step::TicketsReturned
        | Step::Voided
        | Step::Refunded { .. }
        | Step::RefundRefused { .. } => {}
    }
}
