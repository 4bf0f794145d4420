//! Where buyers are written to.

use taquilla_engine::buyer::BuyerId;
use tokio_postgres::types::{ToSql, Type};

use crate::database::{Database, DatabaseError};

const KEEP: &str = "/* keep_contact */ \
    INSERT INTO buyer_contacts AS c (buyer, email, seen_at) VALUES ($1, $2, clock_timestamp()) \
        ON CONFLICT (buyer) DO UPDATE SET email = excluded.email, seen_at = excluded.seen_at \
     WHERE c.email <> excluded.email";

/// The addresses' rows. Clones share the connections.
#[derive(Clone, Debug)]
pub struct Contacts {
    database: Database,
}

impl Contacts {
    /// On this database.
    #[must_use]
    pub fn new(database: Database) -> Contacts {
        Contacts { database }
    }

    /// From now on the buyer is written to there.
    ///
    /// # Errors
    /// [`DatabaseError`]; it may be kept all the same.
    pub async fn keep(&self, buyer: &BuyerId, email: &str) -> Result<(), DatabaseError> {
        let kept = self.database.write("keep_contact", async |transaction| {
            let params: [(&(dyn ToSql + Sync), Type); 2] =
                [(&buyer.as_str(), Type::TEXT), (&email, Type::TEXT)];
            transaction.query_typed(KEEP, &params).await.map(drop)
        });
        kept.await
    }
}
