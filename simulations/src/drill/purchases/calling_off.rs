//! The event is called off, and the server dies several times a second until all of it is given back.

use std::cell::Cell;
use std::time::Duration;

use rand::Rng;
use rand::rngs::StdRng;
use serde_json::json;

use crate::box_office::FLOOR;
use crate::client::{Answer, Buyer, Request};
use crate::drill::Scene;
use crate::workload::wish;
use crate::{DrillError, patience};

/// Some hundred orders, a few of which are given back between two deaths.
const GIVEN_BACK_MAX: Duration = Duration::from_secs(120);
/// Between two looks at how far it has come.
const LOOK_AGAIN: Duration = Duration::from_millis(50);
/// A kill falls so many milliseconds after the server is back.
const INSTANT_MS: std::ops::Range<u64> = 200..1_000;

/// Calls the event off amid kills; how long each restart took. Somebody has an open order until then.
pub(super) async fn call_off(
    scene: &mut Scene,
    draw: &mut StdRng,
) -> Result<Vec<Duration>, DrillError> {
    scene.stage.spare_the_wire(false);
    let latecomer = Latecomer::come(scene).await?;
    let (operator, event) = (scene.operator.clone(), scene.on_sale.event_id.clone());
    let is_given_back = Cell::new(false);
    let giving_back = async {
        give_back(&operator, &event).await?;
        is_given_back.set(true);
        Ok(())
    };
    let killing = async {
        let mut restarts = Vec::new();
        while !is_given_back.get() {
            // The instant of the fault, not a wait for anything.
            tokio::time::sleep(Duration::from_millis(draw.random_range(INSTANT_MS))).await;
            scene.stage.kill_server().await?;
            restarts.push(scene.stage.start_server().await?);
        }
        Ok::<_, DrillError>(restarts)
    };
    let ((), restarts) = tokio::try_join!(giving_back, killing)?;
    latecomer.finds_it_called_off().await?;
    Ok(restarts)
}

/// A last look at what has been given back, for the audit: the money has moved since.
pub(super) async fn look(scene: &Scene) -> Result<(), DrillError> {
    let progress = scene.operator.ask(&Request::get(cancellation(&scene.on_sale.event_id))).await?;
    println!("  called off: {}", figures(&progress));
    Ok(())
}

fn cancellation(event: &str) -> String {
    format!("/admin/events/{event}/cancellation")
}

async fn give_back(operator: &Buyer, event: &str) -> Result<(), DrillError> {
    let cancel = format!("/admin/events/{event}/cancel");
    let cancelled = operator.ask(&Request::make(cancel, json!({"reason": "flood"}))).await?;
    if cancelled.status != Some(202) {
        return Err(DrillError::Broken(format!("a cancellation: {cancelled:?}")));
    }
    let look = Request::get(cancellation(event));
    let mut said = String::new();
    patience::until("all given back", GIVEN_BACK_MAX, LOOK_AGAIN, async || {
        let progress = operator.ask(&look).await?;
        let figures = figures(&progress);
        if figures != said {
            println!("  calling off: {figures}");
            said = figures;
        }
        Ok((progress.text("status") == "done").then_some(()))
    })
    .await
}

fn figures(progress: &Answer) -> String {
    let Answer { body, .. } = progress;
    let (holds, orders, done) = (&body["holds"], &body["orders"], &body["done"]);
    format!("{holds} holds, {done} of {orders} orders done, {} owed", body["amount"]["amount"])
}

/// Somebody who has ordered and not paid when the event is called off.
struct Latecomer {
    buyer: Buyer,
    order: String,
    place: Request,
}

impl Latecomer {
    async fn come(scene: &Scene) -> Result<Self, DrillError> {
        let name = "latecomer".to_owned();
        let token = scene.tokens.mint(&name, None).await?;
        let buyer = Buyer::new(scene.site.clone(), name, token);
        let wish = json!({"event_id": scene.on_sale.event_id, "general": [wish::places(FLOOR, 1)]});
        let place = Request::post("/holds", "late-1", wish);
        let held = buyer.ask(&place).await?;
        let ordered = buyer.ask(&Request::order(held.text("hold_id"), "late-2")).await?;
        if !ordered.is_success() {
            return Err(DrillError::Broken(format!("no order: {ordered:?}")));
        }
        let order = ordered.text("order_id").to_owned();
        Ok(Self { buyer, order, place })
    }

    /// The order is over, and there will be no other.
    async fn finds_it_called_off(&self) -> Result<(), DrillError> {
        let order = self.buyer.ask(&Request::get(format!("/orders/{}", self.order))).await?;
        if order.text("status") != "cancelled" {
            return Err(DrillError::Broken(format!("its event is called off: {order:?}")));
        }
        let again = self.buyer.ask(&self.place.with_key("late-3")).await?;
        if again.slug() == Some("sale-not-open") && again.text("sale_status") == "cancelled" {
            return Ok(());
        }
        Err(DrillError::Broken(format!("a hold of what was called off: {again:?}")))
    }
}
