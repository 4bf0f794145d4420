//! One whose turn it is: in with a token, a hold, an order, a payment, and out again. Who waits is a few bytes
//! in the book; only who is inside is a task.

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Value, json};
use tokio::time::sleep;

use super::book::Fate;
use super::door::Ask;
use super::hall::BUYER_SEATS_MAX;
use super::people::{Dice, Person};
use super::sale::{Sale, Shown};
use super::tally::add;
use super::tricks;
use crate::DrillError;
use crate::box_office::FLOOR;
use crate::client::Answer;

/// Wishes before somebody takes a breath; nothing may be left until somebody else gives up.
const WISHES: u32 = 4;
/// One who found nothing looks again after so many milliseconds, to twice that.
const BREATH_MS: u64 = 3_000;
/// Nobody begins to buy so shortly before his admission is over.
const BEFORE_THE_END: TimeDelta = TimeDelta::seconds(3);
/// Between two looks at an order under way.
const LOOK_AGAIN: Duration = Duration::from_millis(350);

/// Sees a buyer who has been called through the sale.
///
/// # Errors
/// A request that was never settled.
pub(super) async fn visit(sale: Arc<Sale>, buyer: u32) -> Result<(), DrillError> {
    let dice = Dice::of(sale.plan.seed, buyer, 1);
    let mut shopper = Shopper {
        sale: &sale,
        buyer,
        dice,
        token: String::new(),
        until: DateTime::UNIX_EPOCH,
        keys: 0,
    };
    shopper.pauses(0, 2_000).await;
    if !shopper.comes_in().await? {
        sale.book.set(buyer, Fate::Waiting);
        return Ok(());
    }
    match shopper.shops().await? {
        Some(fate) => {
            sale.book.set(buyer, fate);
            if fate == Fate::Waiting {
                return Ok(());
            }
            // Few close the window without a word.
            if !shopper.dice.of_thousand(60) {
                sale.leave(buyer).await?;
            }
            Ok(())
        }
        None => sale.hears_the_end(buyer).await,
    }
}

struct Shopper<'a> {
    sale: &'a Sale,
    buyer: u32,
    dice: Dice,
    token: String,
    until: DateTime<Utc>,
    keys: u32,
}

/// What came of a hold.
enum Bought {
    Fate(Fate),
    /// It ended too early.
    RanOut,
}

impl Shopper<'_> {
    /// Whether he is in; else he came too late, and stands behind all others.
    async fn comes_in(&mut self) -> Result<bool, DrillError> {
        loop {
            let told = self.sale.place(self.buyer, "GET", false).await?;
            match told["state"].as_str().unwrap_or_default() {
                "admitted" => {
                    self.is_in(&told).await?;
                    return Ok(true);
                }
                "waiting" if told["ahead"] == 0 => self.pauses(200, 400).await,
                "expired" => {
                    add(&self.sale.tally.lost_turns, 1);
                    self.sale.place(self.buyer, "POST", true).await?;
                    return Ok(false);
                }
                _ => {
                    let fault = format!("buyer {} was called: {told}", self.buyer);
                    self.sale.book.fault(fault);
                    return Ok(false);
                }
            }
        }
    }

    async fn is_in(&mut self, told: &Value) -> Result<(), DrillError> {
        let text = |member: &str| told[member].as_str().unwrap_or_default();
        let at = DateTime::parse_from_rfc3339(text("as_of"));
        self.sale.book.admitted(self.buyer, at.map_or(1, |at| at.timestamp_millis()));
        add(&self.sale.tally.admitted, 1);
        let until = DateTime::parse_from_rfc3339(text("admission_expires_at"));
        self.until = until.map_or(DateTime::UNIX_EPOCH, |it| it.to_utc());
        let (token, until) = (text("admission_token").to_owned(), text("admission_expires_at"));
        if Person::of(&self.sale.plan, self.buyer).trick == Some(tricks::Trick::OtherDevice) {
            tricks::has_one_admission(self.sale, self.buyer, &token).await?;
        }
        self.sale.show(Shown { buyer: self.buyer, token: token.clone(), until: until.into() });
        self.token = token;
        Ok(())
    }

    /// What became of him; `None` when there was nothing left.
    async fn shops(&mut self) -> Result<Option<Fate>, DrillError> {
        for wishes in 0.. {
            if self.sale.is_sold_out() {
                return Ok(None);
            }
            // His time is over, and nothing came back in it.
            if self.until <= Utc::now() + BEFORE_THE_END {
                return Ok(Some(Fate::Waiting));
            }
            if wishes >= WISHES {
                self.pauses(BREATH_MS, 2 * BREATH_MS).await;
            }
            let Some(hold) = self.holds(wishes).await? else { continue };
            if let Bought::Fate(fate) = self.buys(&hold).await? {
                return Ok(Some(fate));
            }
            add(&self.sale.tally.ran_out, 1);
        }
        Ok(None)
    }

    async fn holds(&mut self, wishes: u32) -> Result<Option<Answer>, DrillError> {
        let mut body = self.wish(wishes);
        body["event_id"] = self.sale.event.as_str().into();
        let ask = self.keyed("/holds").body(body).with("Admission-Token", &*self.token);
        let held = self.asks(&ask).await?;
        if held.status == Some(201) {
            add(&self.sale.tally.holds, 1);
            return Ok(Some(held));
        }
        let is_over = self.until <= Utc::now() + BEFORE_THE_END;
        if held.slug() == Some("seats-unavailable") {
            add(&self.sale.tally.refusals, 1);
        } else if !is_over {
            self.sale.book.fault(format!("buyer {} holds: {held:?}", self.buyer));
        }
        Ok(None)
    }

    /// The more often somebody was refused, the less he wants.
    fn wish(&mut self, wishes: u32) -> Value {
        let count = 1 + u32::try_from(self.dice.number() % u64::from(BUYER_SEATS_MAX)).unwrap_or(0);
        let kind = self.dice.number() % 100;
        match wishes {
            0 | 1 if kind < 25 => {
                let numbers = [(); 3].map(|()| self.dice.number());
                json!({"seats": self.sale.house.beside(numbers, count), "accept_fewer": kind < 10})
            }
            0..=2 if kind < 40 => json!({"general": [{"section": FLOOR, "quantity": count}]}),
            0 => json!({"best_available": {"quantity": count, "adjacent": true}}),
            1 => json!({"best_available": {"quantity": count}}),
            _ if wishes.is_multiple_of(2) => json!({"best_available": {"quantity": 1}}),
            _ => json!({"general": [{"section": FLOOR, "quantity": 1}]}),
        }
    }

    async fn buys(&mut self, hold: &Answer) -> Result<Bought, DrillError> {
        let hold_id = hold.text("hold_id");
        self.pauses(300, 1_500).await;
        match self.dice.number() % 1_000 {
            // Neither pays nor says so.
            0..10 => return Ok(Bought::Fate(Fate::Left)),
            10..40 => {
                let ask = self.sale.ask(self.buyer, "DELETE", format!("/holds/{hold_id}"));
                self.asks(&ask).await?;
                return Ok(Bought::Fate(Fate::Left));
            }
            _ => {}
        }
        let ordering = self.keyed("/orders").body(json!({"hold_id": hold_id}));
        let ordered = self.asks(&ordering.with("Admission-Token", &*self.token)).await?;
        if !ordered.is_success() {
            self.expects(&ordered, "hold-not-active");
            return Ok(Bought::RanOut);
        }
        let order = format!("/orders/{}", ordered.text("order_id"));
        let seats = seats_of(&hold.body);
        let mut is_second = false;
        loop {
            let method = self.method(is_second);
            let paying = self.keyed(&format!("{order}/payments"));
            let paid = self.asks(&paying.body(json!({"payment_method": method}))).await?;
            if !paid.is_success() {
                self.expects(&paid, "order-not-payable");
            }
            let seen = self.follows(&order).await?;
            match seen.text("status") {
                "captured" => {
                    add(&self.sale.tally.sold, seats);
                    return Ok(Bought::Fate(Fate::Served));
                }
                "declined" if !is_second && self.dice.of_thousand(500) => is_second = true,
                "declined" => {
                    let ask = self.sale.ask(self.buyer, "DELETE", order);
                    self.asks(&ask).await?;
                    return Ok(Bought::Fate(Fate::Declined));
                }
                _ => return Ok(Bought::RanOut),
            }
        }
    }

    /// A provider that takes three seconds at the 99th percentile.
    fn method(&mut self, is_second: bool) -> &'static str {
        match self.dice.number() % 1_000 {
            0..15 => "sim_slow",
            15..75 if !is_second => "sim_decline",
            _ => "sim_ok",
        }
    }

    async fn follows(&mut self, order: &str) -> Result<Answer, DrillError> {
        loop {
            sleep(LOOK_AGAIN).await;
            let seen = self.asks(&self.sale.ask(self.buyer, "GET", order)).await?;
            if seen.is_at_rest() || !seen.is_success() {
                return Ok(seen);
            }
        }
    }

    async fn asks(&self, ask: &Ask) -> Result<Answer, DrillError> {
        if self.buyer.is_multiple_of(self.sale.plan.recorded_each()) {
            return self.sale.recorded(self.buyer, ask).await;
        }
        let (answer, took) = self.sale.door.settle(ask).await?;
        self.sale.tally.sale.add(took);
        Ok(answer)
    }

    fn keyed(&mut self, path: &str) -> Ask {
        self.keys += 1;
        let ask = self.sale.ask(self.buyer, "POST", path);
        ask.with("Idempotency-Key", format!("{}-{}", self.buyer, self.keys))
    }

    fn expects(&self, answer: &Answer, slug: &str) {
        if answer.slug() != Some(slug) {
            self.sale.book.fault(format!("buyer {}: not {slug}: {answer:?}", self.buyer));
        }
    }

    async fn pauses(&mut self, from_ms: u64, to_ms: u64) {
        let ms = from_ms + self.dice.number() % (to_ms - from_ms).max(1);
        sleep(Duration::from_millis(ms)).await;
    }
}

/// How many seats and places this hold has.
fn seats_of(hold: &Value) -> u32 {
    let items = hold["items"].as_array().into_iter().flatten();
    let seats = items.map(|item| item["quantity"].as_u64().unwrap_or(1)).sum::<u64>();
    u32::try_from(seats).unwrap_or(0)
}
