//! The churn budget: holding and dropping again and again earns shorter holds, then a pause.
//!
//! Each hold of a buyer that ends unbought by his doing, released or run out, counts one; every `decay` takes
//! one off. What is kept of a buyer is the instant at which his count is nothing again, so time alone forgets
//! him. Rows know nothing of it: a new owner of the event counts anew.

use std::collections::HashMap;
use std::time::Duration;

use crate::buyer::BuyerId;
use crate::moment::Moment;
use crate::refusal::Refusal;

/// However often it was halved, a hold lives so long, unless the sale's own live shorter.
const LIFE_MIN: Duration = Duration::from_secs(60);

/// Buyers who are counted at once, at some 100 bytes each; one more is not, as if he had dropped nothing.
const BUYERS_MAX: usize = 100_000;

/// How many holds one buyer may drop in one event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChurnBudget {
    /// Up to so many cost nothing; each one more halves the life of the next hold.
    pub free: u32,
    /// Beyond so many there is no next hold.
    pub max: u32,
    /// For the count to go down by one.
    pub decay: Duration,
}

/// What buyers have dropped lately.
#[derive(Debug)]
pub(super) struct Churn {
    budget: Option<ChurnBudget>,
    /// When each one's count is nothing again.
    over_at: HashMap<BuyerId, Moment>,
    tidied_at: Moment,
}

impl Churn {
    /// Nobody has dropped anything; without a budget nobody ever will.
    pub(super) fn new(budget: Option<ChurnBudget>, now: Moment) -> Self {
        Self { budget, over_at: HashMap::new(), tidied_at: now }
    }

    /// A hold of the buyer's ended unbought.
    pub(super) fn dropped(&mut self, now: Moment, buyer: &BuyerId) {
        let Some(budget) = self.budget else { return };
        if now.since(self.tidied_at) >= budget.decay {
            self.tidied_at = now;
            self.over_at.retain(|_, over_at| *over_at > now);
        }
        let has_room = self.over_at.len() < BUYERS_MAX;
        match self.over_at.get_mut(buyer) {
            Some(over_at) => *over_at = now.max(*over_at) + budget.decay,
            None if has_room => {
                self.over_at.insert(buyer.clone(), now + budget.decay);
            }
            None => {}
        }
    }

    /// How long the buyer's next hold lives, of a sale whose holds live `whole`.
    pub(super) fn life(&self, now: Moment, buyer: &BuyerId, whole: Duration) -> Duration {
        let Some(budget) = self.budget else { return whole };
        let too_many = budget.count(self.left(now, buyer)).saturating_sub(budget.free);
        let halved = 2_u32.checked_pow(too_many).map_or(Duration::ZERO, |parts| whole / parts);
        halved.max(LIFE_MIN.min(whole))
    }

    /// Whether the buyer may have another hold.
    ///
    /// # Errors
    /// [`Refusal::HoldsDropped`].
    pub(super) fn check(&self, now: Moment, buyer: &BuyerId) -> Result<(), Refusal> {
        let Some(budget) = self.budget else { return Ok(()) };
        let wait = self.left(now, buyer).saturating_sub(budget.decay * budget.max);
        if wait.is_zero() {
            return Ok(());
        }
        let quota = budget.max.saturating_add(1);
        Err(Refusal::HoldsDropped { quota, window: budget.decay * quota, wait })
    }

    /// Until the count is nothing.
    fn left(&self, now: Moment, buyer: &BuyerId) -> Duration {
        self.over_at.get(buyer).map_or(Duration::ZERO, |over_at| over_at.since(now))
    }
}

impl ChurnBudget {
    fn count(&self, left: Duration) -> u32 {
        let count = left.as_nanos().div_ceil(self.decay.as_nanos().max(1));
        u32::try_from(count).unwrap_or(u32::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOLD: Duration = Duration::from_secs(480);
    const BUDGET: ChurnBudget = ChurnBudget { free: 2, max: 4, decay: Duration::from_secs(60) };

    fn at(seconds: i64) -> Moment {
        Moment(seconds * 1_000_000)
    }

    fn buyer(name: &str) -> BuyerId {
        BuyerId::parse(name).expect("a name")
    }

    /// Ann has dropped so many holds just now.
    fn after(drops: u32) -> Churn {
        let mut churn = Churn::new(Some(BUDGET), at(0));
        (0..drops).for_each(|_| churn.dropped(at(0), &buyer("ann")));
        churn
    }

    fn life(churn: &Churn, seconds: i64) -> u64 {
        churn.life(at(seconds), &buyer("ann"), HOLD).as_secs()
    }

    #[test]
    fn beyond_what_is_free_each_drop_halves_the_next_hold() {
        let lives: Vec<u64> = (0..7).map(|drops| life(&after(drops), 0)).collect();
        assert_eq!(lives, [480, 480, 480, 240, 120, 60, 60]);
        let short = Duration::from_secs(30);
        assert_eq!(after(40).life(at(0), &buyer("ann"), short), short, "never longer than whole");
        assert_eq!(after(9).life(at(0), &buyer("bob"), HOLD), HOLD, "each counts for himself");
    }

    #[test]
    fn beyond_the_most_there_is_no_hold_until_enough_is_forgotten() {
        let ann = buyer("ann");
        assert_eq!(after(4).check(at(0), &ann), Ok(()));
        let refused = |wait| {
            let (window, wait) = (Duration::from_secs(300), Duration::from_secs(wait));
            Err(Refusal::HoldsDropped { quota: 5, window, wait })
        };
        assert_eq!(after(5).check(at(0), &ann), refused(60));
        assert_eq!(after(5).check(at(59), &ann), refused(1));
        assert_eq!(after(5).check(at(60), &ann), Ok(()));
        assert_eq!(after(7).check(at(0), &ann), refused(180));
        assert_eq!(after(9).check(at(0), &buyer("bob")), Ok(()));
    }

    #[test]
    fn one_drop_is_forgotten_after_another() {
        let mut churn = after(4);
        assert_eq!([59, 60, 119, 120, 500].map(|now| life(&churn, now)), [120, 240, 240, 480, 480]);
        churn.dropped(at(500), &buyer("ann"));
        assert_eq!(churn.left(at(500), &buyer("ann")), BUDGET.decay, "it begins anew");
    }

    #[test]
    fn without_a_budget_nobody_is_counted() {
        let mut churn = Churn::new(None, at(0));
        (0..100).for_each(|_| churn.dropped(at(0), &buyer("ann")));
        assert_eq!((life(&churn, 0), churn.check(at(0), &buyer("ann"))), (480, Ok(())));
        assert!(churn.over_at.is_empty());
    }

    #[test]
    fn those_who_are_remembered_are_bounded_and_forgotten() {
        let mut churn = Churn::new(Some(BUDGET), at(0));
        for name in 0..=BUYERS_MAX {
            churn.dropped(at(0), &buyer(&name.to_string()));
        }
        assert_eq!(churn.over_at.len(), BUYERS_MAX);
        churn.dropped(at(1), &buyer("7"));
        assert_eq!(churn.left(at(1), &buyer("7")).as_secs(), 119, "who is counted is counted on");
        churn.dropped(at(60), &buyer("ann"));
        let left: Vec<&str> = churn.over_at.keys().map(BuyerId::as_str).collect();
        assert!(left.len() == 2 && left.contains(&"7") && left.contains(&"ann"), "{left:?}");
    }
}
