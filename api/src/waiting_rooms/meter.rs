//! What a sale measures of itself, once a second: its event's owner, the payments of this process, and what
//! operators have stopped.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use taquilla_engine::buyer::BuyerId;
use taquilla_engine::id::EventNumber;
use taquilla_engine::moment::Moment;
use taquilla_engine::runtime::{EventHandle, Node, Payments, PaymentsMeasured, SaleGauge};
use taquilla_engine::sale::SaleStatus;
use taquilla_engine::waiting_room::rate::SaleSignals;
use taquilla_persistence::catalogue::EventRecord;
use tokio::time::Instant;

use crate::listings::Listings;

/// What was seen of payments loses a part of its weight with each look: the mean is of the last half minute, about.
const KEPT: f64 = 0.97;

pub(super) struct Meter {
    event: EventNumber,
    /// As it was first listed.
    opens_at: Moment,
    handle: EventHandle,
    sold: Sold,
    looked: Mutex<Look>,
}

/// What all sales of the process have in common.
pub(super) struct Sold {
    pub(super) node: Arc<Node>,
    pub(super) payments: Arc<Payments>,
    pub(super) listings: Arc<Listings>,
    pub(super) payments_closed: Arc<AtomicBool>,
}

/// What there was when it was looked at last.
struct Look {
    at: Instant,
    payments: PaymentsMeasured,
    /// Payments that ended of late, and how long they took in sum.
    ended: f64,
    lasted: Duration,
}

impl Meter {
    pub(super) fn new(listed: &EventRecord, handle: EventHandle, sold: Sold) -> Self {
        let payments = sold.payments.measure();
        let looked = Look { at: Instant::now(), payments, ended: 0.0, lasted: Duration::ZERO };
        // From now on who buys is kept for whoever asks.
        let _nobody = handle.bought();
        Self {
            event: listed.summary.id.event(),
            opens_at: listed.summary.sale.opens_at,
            handle,
            sold,
            looked: Mutex::new(looked),
        }
    }

    fn listed(&self) -> Option<Arc<EventRecord>> {
        self.sold.listings.numbered(self.event)
    }

    fn may_go_on(&self) -> bool {
        let Some(listed) = self.listed() else { return false };
        let sale = &listed.summary.sale;
        // While a sale does without its waiting room nobody can come who is called.
        sale.waiting_room
            && sale.status(self.handle.now()) == SaleStatus::Open
            && self.sold.node.purchases_paused().is_none()
            && !self.sold.payments_closed.load(Ordering::Relaxed)
    }
}

impl Look {
    fn next(&self, payments: PaymentsMeasured) -> Self {
        let ended = (payments.ended - self.payments.ended) as f64;
        let lasted = payments.lasted - self.payments.lasted;
        Self {
            at: Instant::now(),
            payments,
            ended: self.ended * KEPT + ended,
            lasted: self.lasted.mul_f64(KEPT) + lasted,
        }
    }

    /// How long one takes, on average; zero before the first.
    fn payment(&self) -> Duration {
        if self.ended > 0.0 { self.lasted.div_f64(self.ended) } else { Duration::ZERO }
    }
}

impl SaleGauge for Meter {
    fn measure(&self) -> SaleSignals {
        let mut looked = self.looked.lock();
        let now = looked.next(self.sold.payments.measure());
        let before = std::mem::replace(&mut *looked, now);
        let signals = self.handle.measure(before.at.elapsed());
        SaleSignals {
            may_go_on: signals.may_go_on && self.may_go_on(),
            payments: looked.payments.in_work,
            payment: looked.payment(),
            provider_asked: count(looked.payments.asked - before.payments.asked),
            provider_failed: count(looked.payments.failed - before.payments.failed),
            ..signals
        }
    }

    fn opens_at(&self) -> Moment {
        self.listed().map_or(self.opens_at, |event| event.summary.sale.opens_at)
    }

    fn bought(&self) -> Vec<BuyerId> {
        self.handle.bought()
    }
}

/// Of one second.
fn count(how_many: u64) -> u32 {
    u32::try_from(how_many).unwrap_or(u32::MAX)
}
