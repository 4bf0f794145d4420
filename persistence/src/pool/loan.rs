//! A connection out of the pool, and when it may go back.

use std::ops::Deref;
use std::sync::Arc;
use std::time::Instant;

use deadpool::managed::Object;
use tokio_postgres::Client;

use super::prepared::Prepared;
use super::{Connections, Pooled};
use crate::metric;

/// A connection on loan. It goes back when dropped, unless an answer on it is in doubt.
#[derive(Debug)]
pub struct PooledConnection {
    /// `None` only while it is being dropped.
    object: Option<Object<Connections>>,
    in_doubt: bool,
}

impl PooledConnection {
    pub(super) fn new(object: Object<Connections>) -> PooledConnection {
        metric::pooled_connections_lent(1.0);
        PooledConnection { object: Some(object), in_doubt: false }
    }

    fn pooled(&self) -> &Pooled {
        self.object.as_ref().expect("present until dropped")
    }
}

impl Deref for PooledConnection {
    type Target = Client;

    fn deref(&self) -> &Client {
        &self.pooled().driven.client
    }
}

impl Drop for PooledConnection {
    fn drop(&mut self) {
        metric::pooled_connections_lent(-1.0);
        if self.in_doubt
            && let Some(object) = self.object.take()
        {
            drop(Object::take(object));
        }
    }
}

/// A connection lent to a closure. It is an owned value, not a reference, so that what the closure
/// returns can be sent between threads; keeping it beyond the closure closes the connection.
#[derive(Debug, Clone)]
pub struct PooledClient(Arc<PooledConnection>);

impl PooledClient {
    pub(super) fn prepared(&self) -> &Prepared {
        &self.0.pooled().prepared
    }
}

impl Deref for PooledClient {
    type Target = Client;

    fn deref(&self) -> &Client {
        &self.0
    }
}

/// In doubt until it ends: a caller that is dropped on the way leaves an answer underway, or a
/// transaction open.
pub(super) struct Loan(Arc<PooledConnection>);

impl Loan {
    pub(super) fn new(mut connection: PooledConnection) -> Loan {
        connection.in_doubt = true;
        Loan(Arc::new(connection))
    }

    pub(super) fn client(&self) -> PooledClient {
        PooledClient(Arc::clone(&self.0))
    }

    /// An answer that is not in doubt shows that the server is there.
    pub(super) fn end(self, in_doubt: bool) {
        if let Some(mut connection) = Arc::into_inner(self.0) {
            connection.in_doubt = in_doubt;
            let pooled = connection.object.as_mut().expect("present until dropped");
            pooled.sound_at = (!in_doubt).then(Instant::now);
        }
    }
}
