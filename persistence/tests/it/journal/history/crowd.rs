//! Buyers who want anything at all, from a seed.

use std::collections::HashMap;
use std::time::Duration;

use rand::rngs::StdRng;
use rand::seq::{IndexedRandom, IteratorRandom};
use rand::{Rng, SeedableRng};
use taquilla_engine::command::{Command, Wish};
use taquilla_engine::hold::Claim;
use taquilla_engine::id::{AttemptId, HoldId, OrderId, SeatIndex};

use crate::journal::box_office::{BoxOffice, EVENT, FLOOR, hold_of, seats};
use crate::journal::owner::{Owner, buyer, keyed, order, release};
use crate::journal::returns::{asked, back};

const BUYERS: [&str; 8] = ["ann", "bob", "cid", "dan", "eve", "fay", "gus", "hal"];

pub(crate) struct Crowd {
    random: StdRng,
    /// As they were asked for, with by whom; some were refused.
    holds: Vec<(&'static str, HoldId)>,
    /// What was asked for last.
    claims: HashMap<HoldId, Claim>,
    attempts: u32,
}

impl Crowd {
    pub(crate) fn new(seed: u64) -> Crowd {
        Crowd {
            random: StdRng::seed_from_u64(seed),
            holds: Vec::new(),
            claims: HashMap::new(),
            attempts: 0,
        }
    }

    /// Every hold that anybody asked for, with who did.
    pub(crate) fn holds(&self) -> impl Iterator<Item = (&'static str, HoldId)> {
        self.holds.iter().copied()
    }

    /// One to eight commands, and some time between them. Holds live a minute, and an hour is left
    /// for everything.
    pub(crate) async fn ask_something(&mut self, owner: &mut Owner, office: &BoxOffice) {
        for _ in 0..self.random.random_range(1..=8) {
            owner.pass(Duration::from_millis(self.random.random_range(0..4_000)));
            let who = *BUYERS.choose(&mut self.random).expect("eight");
            let command = match self.random.random_range(0..15) {
                0..=4 => self.a_place(who),
                5 | 6 => self.a_release(who),
                7 | 8 => self.an_order(who),
                9 => self.a_cancel(who),
                10 => self.a_confirmation(office).await,
                11 => self.a_part(who),
                12 | 13 => self.a_return(office).await,
                _ => {
                    owner.tick();
                    None
                }
            };
            let read = Command::ReadHolds { buyer: buyer(who) };
            owner.ask(command.unwrap_or(read));
        }
    }

    /// Now and then with a key used before, or seats that are taken.
    fn a_place(&mut self, who: &'static str) -> Option<Command> {
        let key = self.random.random_range(0..40).to_string();
        self.holds.push((who, hold_of(who, &key)));
        let mut claim = Claim::default();
        if self.random.random_ratio(1, 5) {
            claim.places.push((FLOOR, self.random.random_range(1..=4)));
        }
        let from = 10 * self.random.random_range(0..u32::from(FLOOR.0));
        let wanted = self.random.random_range(1..=2);
        claim.seats = seats(&(from..from + 10).choose_multiple(&mut self.random, wanted));
        if self.random.random_ratio(1, 5) {
            // In another section: none of those above.
            let other = (from + 10) % (10 * u32::from(FLOOR.0));
            claim.seats.push(SeatIndex(other + self.random.random_range(0..10)));
        }
        self.claims.insert(hold_of(who, &key), claim.clone());
        let wish = Wish::Claim { claim, accept_fewer: self.random.random_ratio(1, 4) };
        let (buyer, keyed) = (buyer(who), keyed(&key));
        Some(Command::PlaceHold { buyer, keyed, wish, admission: None })
    }

    fn a_release(&mut self, who: &'static str) -> Option<Command> {
        self.one_of(who).map(|hold| release(who, hold))
    }

    /// Of a hold that may have ended, or never had this.
    fn a_part(&mut self, who: &'static str) -> Option<Command> {
        let hold = self.one_of(who)?;
        let claim = self.claims.get(&hold)?;
        let part = match claim.seats.choose(&mut self.random) {
            Some(seat) => Claim::of_seats(vec![*seat]),
            None => Claim::of_places(FLOOR, 1),
        };
        Some(Command::GiveBack { buyer: buyer(who), hold, part: Ok(part) })
    }

    fn an_order(&mut self, who: &'static str) -> Option<Command> {
        let key = self.random.random_range(0..40).to_string();
        self.one_of(who).map(|hold| order(who, &key, hold))
    }

    fn a_cancel(&mut self, who: &'static str) -> Option<Command> {
        let buyer = buyer(who);
        self.one_of(who).map(|hold| Command::CancelOrder { buyer, order: OrderId::of(hold) })
    }

    /// Of an order that costs something and has no attempt yet; it may have ended.
    async fn a_confirmation(&mut self, office: &BoxOffice) -> Option<Command> {
        let sql = "SELECT order_id FROM orders WHERE total > 0 AND NOT EXISTS (SELECT FROM \
            payment_attempts a WHERE a.order_id = orders.order_id) ORDER BY status, order_id LIMIT 2";
        let orders = office.client.query(sql, &[]).await.expect("orders");
        let order = OrderId::parse(orders.choose(&mut self.random)?.get(0)).expect("our own id");
        self.attempts += 1;
        let attempt = AttemptId::derive(EVENT, &buyer("any"), &self.attempts.to_string());
        office.authorize(attempt.uuid(), order.uuid()).await;
        Some(Command::ConfirmOrder { order, attempt })
    }

    /// Of an order that was sold; now and then of one that was not, or of what came back before.
    async fn a_return(&mut self, office: &BoxOffice) -> Option<Command> {
        let sql = "SELECT order_id, hold_id, buyer FROM orders \
            WHERE status = 1 OR order_id < $1 ORDER BY created_at DESC, order_id LIMIT 12";
        let few = OrderId::of(hold_of("ann", "none")).uuid();
        let orders = office.client.query(sql, &[&few]).await.expect("orders");
        let row = orders.choose(&mut self.random)?;
        let hold = HoldId::parse(row.get(1)).expect("our own id");
        let places = [self.random.random_range(0..2)];
        let places = self.random.random_ratio(5, 6).then_some(&places[..]);
        let key = self.random.random_range(0..400).to_string();
        Some(back(asked(row.get(2), hold, &key, places)))
    }

    /// One of the buyer's latest, which may live.
    fn one_of(&mut self, who: &str) -> Option<HoldId> {
        let own = self.holds.iter().rev().filter(|(buyer, _)| *buyer == who).map(|(_, hold)| *hold);
        own.take(2).choose(&mut self.random)
    }
}
