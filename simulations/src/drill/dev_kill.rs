//! `taquilla dev` dies by SIGKILL with its Postgres and its provider still running, and is taken up
//! again on the same folder with everything that it promised.

use std::fmt;

use serde_json::json;

use super::OPERATOR;
use crate::DrillError;
use crate::box_office::Hall;
use crate::client::{Answer, Buyer, Recorder, Request, Site, Tokens};
use crate::server::dev::DevServer;

/// Everything that was promised, in one line.
#[derive(Debug)]
pub struct Outcome {
    order: String,
}

const HALL: Hall =
    Hall { sections: 1, rows: 1, row_seats: 10, hold_ttl_seconds: 300, buyer_seats_max: 4 };
const POLLS_MAX: u32 = 20;

/// Buys, kills, starts again, and asks for what was bought.
///
/// # Errors
/// A server that does not come back; an answer that is not what it was.
pub async fn run() -> Result<Outcome, DrillError> {
    println!("dev-kill");
    let mut dev = DevServer::start().await?;
    let site = Site::new(dev.url(), Recorder::default())?;
    let tokens = Tokens::of_dev(dev.data_dir());
    let operator = tokens.mint(OPERATOR, Some("operator")).await?;
    let on_sale = HALL.open(&Buyer::new(site.clone(), OPERATOR.into(), operator)).await?;
    let buyer = Buyer::new(site, "ann".into(), tokens.mint("ann", None).await?);

    let seats = [HALL.label(0, 0, 0), HALL.label(0, 0, 1)];
    let wish = json!({"event_id": on_sale.event_id, "seats": seats});
    let holding = Request::post("/holds", "seats", wish);
    let held = answered(&buyer, &holding, 201).await?;
    let ordering = Request::post("/orders", "order", json!({"hold_id": held.text("hold_id")}));
    let ordered = answered(&buyer, &ordering, 201).await?;
    let order = ordered.text("order_id").to_owned();
    let paying = Request::post(
        format!("/orders/{order}/payments"),
        "money",
        json!({"payment_method": "sim_ok"}),
    );
    let paid = answered(&buyer, &paying, 202).await?;

    // While the payment is under way.
    dev.kill().await?;
    dev.start_again().await?;

    same(&held, &answered(&buyer, &holding, 201).await?, "hold_id")?;
    same(&ordered, &answered(&buyer, &ordering, 201).await?, "order_id")?;
    same(&paid, &answered(&buyer, &paying, 202).await?, "attempt_id")?;
    let look = Request::get(format!("/orders/{order}?wait_seconds=2"));
    for _ in 0..POLLS_MAX {
        if answered(&buyer, &look, 200).await?.text("status") == "captured" {
            return Ok(Outcome { order });
        }
    }
    Err(DrillError::Broken(format!("order {order} was not captured")))
}

async fn answered(buyer: &Buyer, request: &Request, status: u16) -> Result<Answer, DrillError> {
    let answer = buyer.ask(request).await;
    let answer = answer.map_err(|it| DrillError::Broken(format!("never settled: {it}")))?;
    if answer.status == Some(status) {
        return Ok(answer);
    }
    Err(DrillError::Broken(format!("{request:?} was answered {answer:?}, not {status}")))
}

fn same(first: &Answer, again: &Answer, id: &str) -> Result<(), DrillError> {
    if first.text(id) == again.text(id) {
        return Ok(());
    }
    Err(DrillError::Broken(format!("{first:?}, and after the kill {again:?}")))
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "  order {} was taken up and captured", self.order)
    }
}
