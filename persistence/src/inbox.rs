//! The inbox: what payment providers told by themselves, kept before it is acknowledged, and looked
//! into until whatever it tells of has been. A notice may come early, late, twice, or for nobody; it
//! is kept for longer than any provider repeats it.

use std::time::Duration;

use taquilla_engine::id::AttemptId;
use taquilla_engine::moment::Moment;
use taquilla_engine::money::{Currency, Money};
use tokio_postgres::Row;
use tokio_postgres::types::{ToSql, Type};
use uuid::Uuid;

use crate::columns::{self, BrokenRow};
use crate::database::{Database, DatabaseError};
use crate::session::ACKNOWLEDGED_COMMIT;
use crate::stamp::Stamp;

/// How long notices are kept: Stripe repeats one for three days, and lists it for thirty.
const KEPT_DAYS: i32 = 90;

/// What a notice is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoticeKind {
    /// Something became of an attempt; the provider's record says what.
    News,
    /// The buyer's bank took money back.
    ChargedBack,
    /// The buyer's bank returned what it had taken back.
    Reinstated,
    /// Money that was given back came back to us.
    RefundFailed,
    /// Nothing that concerns us.
    Other,
    /// The provider signed it, and nobody here can read it.
    Unreadable,
}

impl NoticeKind {
    const ALL: [Self; 6] = [
        Self::News,
        Self::ChargedBack,
        Self::Reinstated,
        Self::RefundFailed,
        Self::Other,
        Self::Unreadable,
    ];

    fn code(self) -> &'static str {
        match self {
            Self::News => "news",
            Self::ChargedBack => "charged_back",
            Self::Reinstated => "reinstated",
            Self::RefundFailed => "refund_failed",
            Self::Other => "other",
            Self::Unreadable => "unreadable",
        }
    }

    fn parse(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.code() == code)
    }
}

/// What a provider told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// The provider's name.
    pub provider: String,
    /// The provider's name for it: it is one notice however often it comes.
    pub id: String,
    /// What it is about.
    pub kind: NoticeKind,
    /// The attempt in its metadata, if it names one.
    pub attempt: Option<AttemptId>,
    /// The provider's name for the authorisation, if it names one.
    pub reference: Option<String>,
    /// How much it is about, if it says so.
    pub money: Option<Money>,
}

/// A notice that has not been looked into.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsettled {
    /// What was told.
    pub notice: Notice,
    /// The attempt that it is about, by its id or its reference, once there is one.
    pub matches: Option<AttemptId>,
    /// When it came.
    pub received_at: Moment,
    /// Whether nobody has looked into it before.
    pub is_new: bool,
}

const STORE: &str = "/* store_notice */ \
    INSERT INTO provider_notices \
           (provider, notice_id, kind, attempt_id, reference, amount, currency, body) \
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (provider, notice_id) DO NOTHING";

const UNSETTLED: &str = "/* unsettled_notices */ \
    SELECT n.provider, n.notice_id, n.kind, n.attempt_id, n.reference, n.amount, n.currency, \
           n.received_at, n.again_at IS NULL AS is_new, coalesce( \
               (SELECT a.attempt_id FROM payment_attempts a WHERE a.attempt_id = n.attempt_id), \
               (SELECT a.attempt_id FROM payment_attempts a \
                 WHERE a.reference = n.reference AND a.provider = n.provider LIMIT 1)) AS matches \
      FROM provider_notices n \
     WHERE settled_at IS NULL AND kind <> 'unreadable' \
       AND (again_at IS NULL OR again_at <= clock_timestamp()) \
       AND (received_at, notice_id) > ($1, $2) \
     ORDER BY received_at, notice_id LIMIT $3";

const SETTLE: &str = "/* settle_notices */ \
    UPDATE provider_notices SET settled_at = clock_timestamp() \
     WHERE (provider, notice_id) IN (SELECT * FROM unnest($1::text[], $2::text[])) \
       AND settled_at IS NULL";

const PUT_OFF: &str = "/* put_notices_off */ \
    UPDATE provider_notices n SET again_at = clock_timestamp() + make_interval(secs => pause) \
      FROM unnest($1::text[], $2::text[], $3::float8[]) AS off (provider, notice_id, pause) \
     WHERE n.provider = off.provider AND n.notice_id = off.notice_id AND settled_at IS NULL";

const PRUNE: &str = "/* prune_notices */ DELETE FROM provider_notices \
     WHERE received_at < clock_timestamp() - make_interval(days => $1)";

/// The store. Clones share the connections.
#[derive(Clone, Debug)]
pub struct Inbox {
    database: Database,
}

impl Inbox {
    /// On this database.
    #[must_use]
    pub fn new(database: Database) -> Self {
        Self { database }
    }

    /// How many connections it shares with everybody else who reads or writes rows.
    #[must_use]
    pub fn connections_max(&self) -> usize {
        self.database.connections_max()
    }

    /// Keeps a notice with its raw bytes, durably, and says whether it is a new one.
    ///
    /// # Errors
    /// [`DatabaseError`]: it may be kept or not, and may come again.
    pub async fn store(&self, notice: &Notice, body: &[u8]) -> Result<bool, DatabaseError> {
        let attempt = notice.attempt.map(AttemptId::uuid);
        let amount = notice.money.map(|money| money.amount);
        let currency = notice.money.map(|money| money.currency.to_string());
        let stored = self.database.write_at_once("store_notice", async |client| {
            let params: [(&(dyn ToSql + Sync), Type); 8] = [
                (&notice.provider, Type::TEXT),
                (&notice.id, Type::TEXT),
                (&notice.kind.code(), Type::TEXT),
                (&attempt, Type::UUID),
                (&notice.reference, Type::TEXT),
                (&amount, Type::INT8),
                (&currency, Type::TEXT),
                (&body, Type::BYTEA),
            ];
            let stored = client.execute_typed(STORE, &params).await?;
            if stored == 0 {
                // Whoever wrote what was there may not be durable yet.
                client.batch_execute(ACKNOWLEDGED_COMMIT).await?;
            }
            Ok(stored)
        });
        Ok(stored.await? > 0)
    }

    /// Notices that are to be looked into now, oldest first: so many at the most, behind this one. What nobody can
    /// read waits for people, and is not among them.
    ///
    /// # Errors
    /// [`DatabaseError`].
    pub async fn unsettled(
        &self,
        after: Option<&Unsettled>,
        max: u32,
    ) -> Result<Vec<Unsettled>, DatabaseError> {
        let at = after.map_or(Stamp::BEFORE_ALL, |it| Stamp(it.received_at));
        let id = after.map_or("", |it| it.notice.id.as_str());
        let max = i64::from(max);
        let found = self.database.read("unsettled_notices", async |client| {
            let params: &[(&(dyn ToSql + Sync), Type)] =
                &[(&at, Type::TIMESTAMPTZ), (&id, Type::TEXT), (&max, Type::INT8)];
            client.query_typed(UNSETTLED, params).await
        });
        Ok(found.await?.iter().map(read).collect::<Result<_, _>>()?)
    }

    /// These have been looked into.
    ///
    /// # Errors
    /// [`DatabaseError`]; they are looked into again.
    pub async fn settle(&self, notices: &[&Notice]) -> Result<(), DatabaseError> {
        let providers: Vec<&str> = notices.iter().map(|it| it.provider.as_str()).collect();
        let ids: Vec<&str> = notices.iter().map(|it| it.id.as_str()).collect();
        let settled = self.database.write_at_once("settle_notices", async |client| {
            let params: &[(&(dyn ToSql + Sync), Type)] =
                &[(&providers, Type::TEXT_ARRAY), (&ids, Type::TEXT_ARRAY)];
            client.execute_typed(SETTLE, params).await
        });
        settled.await.map(drop)
    }

    /// These could not be settled: none is looked into again before its pause is over.
    ///
    /// # Errors
    /// [`DatabaseError`]; they are looked into again by the next sweep.
    pub async fn put_off(&self, notices: &[(&Notice, Duration)]) -> Result<(), DatabaseError> {
        let providers: Vec<&str> = notices.iter().map(|(it, _)| it.provider.as_str()).collect();
        let ids: Vec<&str> = notices.iter().map(|(it, _)| it.id.as_str()).collect();
        let pauses: Vec<f64> = notices.iter().map(|(_, pause)| pause.as_secs_f64()).collect();
        let put_off = self.database.write_at_once("put_notices_off", async |client| {
            let params: &[(&(dyn ToSql + Sync), Type)] = &[
                (&providers, Type::TEXT_ARRAY),
                (&ids, Type::TEXT_ARRAY),
                (&pauses, Type::FLOAT8_ARRAY),
            ];
            client.execute_typed(PUT_OFF, params).await
        });
        put_off.await.map(drop)
    }

    /// Forgets notices that are too old to come again, and says how many.
    ///
    /// # Errors
    /// [`DatabaseError`].
    pub async fn prune(&self) -> Result<u64, DatabaseError> {
        let pruned = self.database.within(Duration::from_secs(60));
        let pruned = pruned.write("prune_notices", async |transaction| {
            transaction.execute_typed(PRUNE, &[(&KEPT_DAYS, Type::INT4)]).await
        });
        pruned.await
    }
}

fn read(row: &Row) -> Result<Unsettled, BrokenRow> {
    let id = |column| match columns::get::<Option<Uuid>>(row, column)? {
        Some(id) => {
            AttemptId::parse(id).map(Some).ok_or_else(|| BrokenRow::new(column, "no attempt"))
        }
        None => Ok(None),
    };
    let amount: Option<i64> = columns::get(row, "amount")?;
    let currency: Option<String> = columns::get(row, "currency")?;
    let currency = currency.and_then(|code| Currency::parse(&code));
    let notice = Notice {
        provider: columns::get(row, "provider")?,
        id: columns::get(row, "notice_id")?,
        kind: columns::parse(row, "kind", NoticeKind::parse)?,
        attempt: id("attempt_id")?,
        reference: columns::get(row, "reference")?,
        money: amount.zip(currency).map(|(amount, currency)| Money { amount, currency }),
    };
    Ok(Unsettled {
        notice,
        matches: id("matches")?,
        received_at: columns::moment(row, "received_at")?,
        is_new: columns::get(row, "is_new")?,
    })
}
