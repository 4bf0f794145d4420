//! One shopper: a hold, and whatever the shopper means to do with it. Judges nothing: what came is
//! recorded, and the auditor reads it.

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use tokio_util::sync::CancellationToken;

use super::wish::{self, Intent, Slip};
use crate::DrillError;
use crate::box_office::OnSale;
use crate::client::{Buyer, Request, Site, Tokens};

/// An order that is not at its end after so many polls is left to the audit.
const POLLS_MAX: u32 = 15;

pub(super) struct Shopper {
    site: Site,
    tokens: Tokens,
    on_sale: OnSale,
    draw: StdRng,
    number: u32,
    /// How many people this shopper has been: one who may have no more seats leaves for the next.
    people: u32,
    keys: u32,
}

impl Shopper {
    pub(super) fn new(site: Site, tokens: Tokens, on_sale: OnSale, seed: u64, number: u32) -> Self {
        let mut draw = StdRng::seed_from_u64(seed);
        // A stream of one's own: skipping is cheap, and no two numbers share a seed.
        let own = (0..=number).fold(0, |_, _| draw.random());
        let draw = StdRng::seed_from_u64(own);
        Self { site, tokens, on_sale, draw, number, people: 0, keys: 0 }
    }

    pub(super) async fn shop_until(mut self, closing: CancellationToken) -> Result<(), DrillError> {
        let mut buyer = self.next_person().await?;
        while !closing.is_cancelled() {
            if !self.visit(&buyer).await? {
                buyer = self.next_person().await?;
            }
        }
        Ok(())
    }

    async fn next_person(&mut self) -> Result<Buyer, DrillError> {
        self.people += 1;
        let name = format!("shopper-{}-{}", self.number, self.people);
        let token = self.tokens.mint(&name, None).await?;
        Ok(Buyer::new(self.site.clone(), name, token))
    }

    /// Whether the buyer may come again.
    async fn visit(&mut self, buyer: &Buyer) -> Result<bool, DrillError> {
        let wish = wish::hold(&self.on_sale, &mut self.draw);
        let request = Request::post("/holds", self.key(), wish);
        let slip = wish::slip(&mut self.draw);
        let intent = wish::intent(&mut self.draw);

        let held = buyer.ask(&request).await?;
        if slip == Slip::ReusesKey && held.is_success() {
            let other = wish::hold(&self.on_sale, &mut self.draw);
            buyer.ask(&request.with_body(other)).await?;
        }
        if slip == Slip::Repeats {
            buyer.ask(&request).await?;
        }
        if !held.is_success() {
            return Ok(held.slug() != Some("buyer-limit-exceeded"));
        }
        let hold = held.text("hold_id");
        if slip == Slip::Looks {
            self.look(buyer, hold).await;
        }
        match intent {
            Intent::Release => {
                buyer.ask(&Request::delete(format!("/holds/{hold}"))).await?;
            }
            Intent::Abandon => {}
            Intent::BuyLess => {
                let Some(part) = wish::part(&held.body, &mut self.draw) else { return Ok(true) };
                buyer.ask(&Request::delete(format!("/holds/{hold}/items?{part}"))).await?;
                self.look(buyer, hold).await;
                self.order(buyer, hold, intent, slip).await?;
            }
            Intent::Buy | Intent::Cancel | Intent::BuyAfterDecline => {
                self.order(buyer, hold, intent, slip).await?;
            }
        }
        Ok(true)
    }

    /// At the hold, and at all that the buyer holds.
    async fn look(&self, buyer: &Buyer, hold: &str) {
        buyer.send(&Request::get(format!("/holds/{hold}"))).await;
        let own = format!("/events/{}/holds", self.on_sale.event_id);
        buyer.send(&Request::get(own)).await;
    }

    async fn order(
        &mut self,
        buyer: &Buyer,
        hold: &str,
        intent: Intent,
        slip: Slip,
    ) -> Result<(), DrillError> {
        let request = Request::order(hold, self.key());
        let ordered = buyer.ask(&request).await?;
        if !ordered.is_success() {
            return Ok(());
        }
        if slip == Slip::Repeats {
            buyer.ask(&request).await?;
            buyer.ask(&request.with_key(self.key())).await?;
        }
        let order = ordered.text("order_id");
        if intent == Intent::Cancel {
            buyer.ask(&Request::delete(format!("/orders/{order}"))).await?;
            return Ok(());
        }
        if intent == Intent::BuyAfterDecline {
            self.pay(buyer, order, "sim_decline", slip).await?;
        }
        let method = wish::method(&mut self.draw);
        self.pay(buyer, order, method, slip).await?;
        if slip == Slip::Looks {
            buyer.send(&Request::get(format!("/orders/{order}/tickets"))).await;
            buyer.send(&Request::get("/orders")).await;
        }
        Ok(())
    }

    /// Pays, and waits until the attempt has come to something.
    async fn pay(
        &mut self,
        buyer: &Buyer,
        order: &str,
        method: &str,
        slip: Slip,
    ) -> Result<(), DrillError> {
        let request = Request::payment(order, self.key(), method);
        let paying = buyer.ask(&request).await?;
        if slip == Slip::Repeats {
            buyer.ask(&request).await?;
        }
        if !paying.is_success() {
            return Ok(());
        }
        buyer.watch(order, POLLS_MAX, |seen| !seen.is_success() || seen.is_at_rest()).await?;
        Ok(())
    }

    fn key(&mut self) -> String {
        self.keys += 1;
        format!("{}-{}-{}", self.number, self.people, self.keys)
    }
}
