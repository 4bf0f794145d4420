//! Whether both sides' books are equal, once nothing moves any more.

use std::sync::Arc;
use std::time::Duration;

use axum::http::Method;
use taquilla_api::reconciliation::{Made, Reconciler};
use taquilla_engine::payment::reconciliation::{ReconciliationSettings, Verdict};

use super::provider::{Books, Provider};
use super::shop::{Order, Shop};

/// Whether no attempt, refund or cancellation is on its way.
const AT_REST: &str = "SELECT NOT EXISTS (SELECT FROM payment_attempts WHERE status NOT IN \
     ('capture_failed', 'captured', 'declined', 'voided', 'refunded', 'failed')) \
     AND NOT EXISTS (SELECT FROM refunds WHERE status = 'due')";

impl<P: Provider> Shop<P> {
    /// Our ledger's word of the order.
    pub(super) async fn ours(&self, order: &Order) -> Books {
        let sum = async |signed: &str, which: &str| {
            let sql = format!(
                "SELECT coalesce(sum({signed}), 0)::bigint FROM ledger \
                  WHERE order_id = '{}' AND {which}",
                order.id
            );
            self.rows.one::<i64>(&sql).await
        };
        Books {
            reserved: sum("amount", "account = 'reserved'").await,
            captured: sum("amount", "account = 'provider' AND kind = 'capture'").await,
            refunded: sum("-amount", "account = 'provider' AND kind = 'refund'").await,
        }
    }

    /// What both books say of each order, once nothing moves any more: the same, order by order; and
    /// reconciliation and audit find nothing.
    pub(super) async fn agreed<const N: usize>(&self, orders: [&Order; N]) -> [Books; N] {
        self.rows.until(AT_REST).await;
        self.wire.assert_met();
        let mut agreed = [Books::default(); N];
        for (order, agreed) in orders.iter().zip(&mut agreed) {
            let theirs = self.provider.books(&order.id).await;
            assert_eq!(self.ours(order).await, theirs, "ours, theirs of {}'s", order.buyer);
            *agreed = theirs;
        }
        self.reconciled().await;
        let path = format!("/admin/events/{}/audit", self.event);
        let audit = self.office.operator(Method::GET, &path).send().await.ok(200);
        assert_eq!(audit["ok"], true, "{audit}");
        agreed
    }

    /// Nothing is in flight, and nothing differs.
    pub(super) async fn reconciled(&self) {
        let in_flight = Duration::ZERO;
        let settings = ReconciliationSettings { in_flight, ..ReconciliationSettings::default() };
        let (adapter, clock) = (Arc::clone(&self.adapter), Arc::clone(&self.office.app.clock));
        let rows = self.office.app.reconciliations.clone();
        let reconciler = Reconciler::new(adapter, rows, clock, settings);
        let run = reconciler.run("test", Duration::ZERO, &|_| ());
        // Boxed: its layout within those of all tests is deeper than the compiler goes.
        let made = Box::pin(run).await.expect("a run");
        let Made::Now(_, found) = made else { panic!("{made:?}") };
        assert_eq!((found.verdict(), found.in_flight), (Verdict::Clean, 0), "{found:?}");
        let attempts: i64 = self.rows.one("SELECT count(*) FROM payment_attempts").await;
        assert!(attempts == 0 || found.records > 0, "the books have pages: {found:?}");
    }
}

/// Reserved and taken, once.
pub(super) fn taken(amount: i64) -> Books {
    Books { captured: amount, ..Books::default() }
}

/// Taken and given back, once.
pub(super) fn given_back(amount: i64) -> Books {
    Books { captured: amount, refunded: amount, ..Books::default() }
}

/// Nothing is with anybody but the buyer.
pub(super) const NOTHING: Books = Books { reserved: 0, captured: 0, refunded: 0 };
