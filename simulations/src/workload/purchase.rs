//! One purchase: a hold, an order, and payments by drawn methods until there are tickets or the buyer
//! gives up; then perhaps the money back. Judges nothing: what came is recorded.

mod plan;

use std::time::{Duration, Instant};

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use serde_json::{Value, json};

use super::wish;
use crate::DrillError;
use crate::box_office::{FLOOR, OnSale};
use crate::client::{Answer, Bank, Buyer, Request};
use plan::{Afterwards, Answers, Cancels, Plan};

/// Others may have the seats; some are free in a hall that is large enough.
const WISHES_MAX: u32 = 40;
/// Longer than holds live, and than a withdrawn attempt is asked about. What is not at rest by then is
/// left to the drill's end, which is about exactly this.
const SEEN_TO_MAX: Duration = Duration::from_secs(45);
/// Between two looks of somebody who does not wait for changes.
const LOOK_AGAIN: Duration = Duration::from_millis(250);

/// Who buys, and who is asked besides.
#[derive(Debug)]
pub struct Purchase {
    /// Buys.
    pub buyer: Buyer,
    /// Gives back.
    pub operator: Buyer,
    /// The bank of the buyer.
    pub bank: Bank,
    /// What is for sale.
    pub on_sale: OnSale,
    /// Tells the buyer's keys from others'.
    pub number: u32,
    /// Of the buyer's choices.
    pub seed: u64,
}

/// A purchase under way.
struct Buying {
    it: Purchase,
    draw: StdRng,
    plan: Plan,
    keys: u32,
}

impl Purchase {
    /// Sees it through; the order, if one was made.
    ///
    /// # Errors
    /// A request that was never settled; a provider whose pages do not answer.
    pub async fn make(self) -> Result<Option<String>, DrillError> {
        let mut draw = StdRng::seed_from_u64(self.seed);
        let plan = Plan::draw(&mut draw);
        Buying { it: self, draw, plan, keys: 0 }.make().await
    }
}

impl Buying {
    async fn make(mut self) -> Result<Option<String>, DrillError> {
        let Some(hold) = self.hold().await? else { return Ok(None) };
        let ordering = Request::order(&hold, self.key());
        let ordered = self.ask(&ordering).await?;
        if !ordered.is_success() {
            return Ok(None);
        }
        let order = ordered.text("order_id").to_owned();
        if self.plan.cancels == Cancels::Unpaid {
            self.cancel(&order).await?;
            return Ok(Some(order));
        }
        for _ in 0..self.plan.tries {
            let method = plan::method(&mut self.draw);
            let token = self.it.bank.token(method).await?;
            let paying = Request::payment(&order, self.key(), &token);
            if !self.ask(&paying).await?.is_success() {
                break;
            }
            if self.plan.cancels == Cancels::AtOnce {
                self.cancel(&order).await?;
                break;
            }
            if self.see_to(&order).await?.text("status") != "declined" {
                break;
            }
        }
        Ok(Some(order))
    }

    /// A hold of seats side by side, or of places.
    async fn hold(&mut self) -> Result<Option<String>, DrillError> {
        for _ in 0..WISHES_MAX {
            let request = Request::post("/holds", self.key(), self.wish());
            let held = self.ask(&request).await?;
            if held.is_success() {
                return Ok(Some(held.text("hold_id").to_owned()));
            }
        }
        Ok(None)
    }

    fn wish(&mut self) -> Value {
        let (event_id, hall) = (&self.it.on_sale.event_id, self.it.on_sale.hall);
        if self.plan.stands {
            let places = [wish::places(FLOOR, self.plan.seats)];
            return json!({"event_id": event_id, "general": places});
        }
        let section = self.draw.random_range(0..hall.sections);
        let seats = wish::adjacent(hall, section, self.plan.seats, &mut self.draw);
        json!({"event_id": event_id, "seats": seats})
    }

    /// Watches the order until it is at rest, does what the bank wants of its buyer, and what is meant to
    /// happen to it afterwards.
    async fn see_to(&mut self, order: &str) -> Result<Answer, DrillError> {
        let deadline = Instant::now() + SEEN_TO_MAX;
        let query = if self.plan.waits { "?wait_seconds=2" } else { "" };
        let look = Request::get(format!("/orders/{order}{query}"));
        let (mut answered, mut looks) = (false, 0);
        loop {
            let seen = self.it.buyer.ask(&look).await?;
            looks += 1;
            if !answered && let Some(attempt) = challenged(&seen.body) {
                answered = true;
                self.answer(attempt).await?;
            }
            // Just after the bank was answered, or wherever the payment stands.
            if self.plan.cancels == Cancels::Midway && (answered || looks >= self.plan.patience) {
                self.cancel(order).await?;
                return Ok(seen);
            }
            let gives_back = match seen.text("status") {
                "confirmed" => self.plan.gives_back_early(),
                // What is given back of the latter was never taken.
                "captured" | "capture_failed" => self.plan.afterwards != Afterwards::Nothing,
                _ => false,
            };
            if gives_back {
                return self.take_back(order, seen).await;
            }
            if seen.is_at_rest() {
                self.it.buyer.ask(&Request::get(format!("/orders/{order}/tickets"))).await?;
                return Ok(seen);
            }
            if Instant::now() >= deadline {
                return Ok(seen);
            }
            if !self.plan.waits {
                tokio::time::sleep(LOOK_AGAIN).await;
            }
        }
    }

    async fn answer(&self, attempt: &Value) -> Result<(), DrillError> {
        match self.plan.answers {
            Answers::Yes => self.it.bank.answer_challenge(attempt, true).await,
            Answers::No => self.it.bank.answer_challenge(attempt, false).await,
            Answers::Nothing => Ok(()),
        }
    }

    async fn take_back(&mut self, order: &str, seen: Answer) -> Result<Answer, DrillError> {
        match self.plan.afterwards {
            Afterwards::Nothing => {}
            Afterwards::RefundAll => self.refund(order, json!({"reason": "all of it"})).await?,
            Afterwards::RefundByTicket => {
                let tickets = seen.body["tickets"].as_array().cloned().unwrap_or_default();
                for ticket in tickets.iter().take(2) {
                    let one = json!({"reason": "one", "tickets": [ticket["ticket_id"]]});
                    self.refund(order, one).await?;
                }
            }
            Afterwards::ChargeBack => {
                let total = seen.body["total"]["amount"].as_i64().unwrap_or_default();
                if let Some(reference) = captured_under(&seen.body) {
                    self.it.bank.charge_back(reference, total).await;
                }
            }
        }
        Ok(seen)
    }

    async fn refund(&mut self, order: &str, body: Value) -> Result<(), DrillError> {
        let request = Request::post(format!("/admin/orders/{order}/refunds"), self.key(), body);
        for _ in 0..=u32::from(self.plan.repeats) {
            self.it.operator.ask(&request).await?;
        }
        Ok(())
    }

    async fn cancel(&self, order: &str) -> Result<(), DrillError> {
        self.it.buyer.ask(&Request::delete(format!("/orders/{order}"))).await?;
        Ok(())
    }

    /// Asks, and where the buyer is careless asks again under the same key; the first answer.
    async fn ask(&self, request: &Request) -> Result<Answer, DrillError> {
        let answer = self.it.buyer.ask(request).await?;
        if self.plan.repeats {
            self.it.buyer.ask(request).await?;
        }
        Ok(answer)
    }

    fn key(&mut self) -> String {
        self.keys += 1;
        format!("{}-{}", self.it.number, self.keys)
    }
}

/// The attempt whose buyer the bank wants an answer of.
fn challenged(order: &Value) -> Option<&Value> {
    let latest = order["attempts"].as_array()?.last()?;
    latest["next_action"].is_object().then_some(latest)
}

/// The provider's name for the money that was taken.
fn captured_under(order: &Value) -> Option<&str> {
    let mut attempts = order["attempts"].as_array()?.iter();
    attempts.find(|it| it["status"] == "captured")?["provider_reference"].as_str()
}
