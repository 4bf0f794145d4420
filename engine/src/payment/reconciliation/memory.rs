//! A record of settlements in memory.

use super::{AttemptId, Moment, Settlement, Settlements, StoreUnavailable};
use crate::later::Later;

/// Settlements of one provider as they are, whatever its name.
#[derive(Clone, Debug, Default)]
pub struct MemorySettlements(pub Vec<Settlement>);

impl Settlements for MemorySettlements {
    fn of<'a>(
        &'a self,
        _provider: &'a str,
        attempts: &'a [AttemptId],
    ) -> Later<'a, Result<Vec<Settlement>, StoreUnavailable>> {
        let found = self.0.iter().filter(|it| attempts.contains(&it.attempt));
        Box::pin(async { Ok(found.cloned().collect()) })
    }

    fn with_money<'a>(
        &'a self,
        _provider: &'a str,
        since: Moment,
        after: Option<(Moment, AttemptId)>,
        max: u32,
    ) -> Later<'a, Result<Vec<Settlement>, StoreUnavailable>> {
        let is_meant = |it: &&Settlement| {
            it.status.is_final()
                && !it.status.has_come_to_nothing()
                && it.created_at >= since
                && after.is_none_or(|after| (it.created_at, it.attempt) > after)
        };
        let mut found: Vec<_> = self.0.iter().filter(is_meant).cloned().collect();
        found.sort_by_key(|it| (it.created_at, it.attempt));
        found.truncate(max as usize);
        Box::pin(async { Ok(found) })
    }
}
