//! `taquilla dev` dies by SIGKILL with its Postgres and its provider still running, and is taken up
//! again on the same folder with everything that it promised.

use std::fmt;

use serde_json::json;
use taquilla_auditor::{Evidence, Recorded};

use super::{OPERATOR, find_nothing, found_nothing, keep};
use crate::DrillError;
use crate::box_office::Hall;
use crate::client::{Answer, Buyer, Recorder, Request, Site, Tokens};
use crate::figures::Figures;
use crate::server::dev::DevServer;

/// Everything that was promised.
#[derive(Debug)]
pub struct Outcome {
    order: String,
    figures: Figures,
}

const HALL: Hall =
    Hall { sections: 1, rows: 1, row_seats: 10, hold_ttl_seconds: 300, buyer_seats_max: 4 };
const POLLS_MAX: u32 = 20;

/// Buys, kills, starts again, asks for what was bought, and has it audited.
///
/// # Errors
/// A server that does not come back; an answer that is not what it was; what the audit finds.
pub async fn run() -> Result<Outcome, DrillError> {
    println!("dev-kill");
    let mut dev = DevServer::start().await?;
    let recorder = Recorder::default();
    let site = Site::new(dev.url(), recorder.clone())?;
    let bought = buy_over_a_kill(&mut dev, site).await;
    let recorded = recorder.take();
    let figures = Figures::of(&recorded);
    let verdict = match bought {
        Ok(order) => audited(&dev, &recorded, &figures).await.map(|()| order),
        Err(error) => Err(error),
    };
    match &verdict {
        Ok(_) => dev.went_well(),
        Err(_) => keep(&recorded, &figures, dev.folder()),
    }
    verdict.map(|order| Outcome { order, figures })
}

async fn buy_over_a_kill(dev: &mut DevServer, site: Site) -> Result<String, DrillError> {
    let tokens = Tokens::of_dev(dev.data_dir());
    let operator = tokens.mint(OPERATOR, Some("operator")).await?;
    let on_sale = HALL.open(&Buyer::new(site.clone(), OPERATOR.into(), operator)).await?;
    let buyer = Buyer::new(site, "ann".into(), tokens.mint("ann", None).await?);

    let seats = [HALL.label(0, 0, 0), HALL.label(0, 0, 1)];
    let wish = json!({"event_id": on_sale.event_id, "seats": seats});
    let holding = Request::post("/holds", "seats", wish);
    let held = answered(&buyer, &holding, 201).await?;
    let ordering = Request::order(held.text("hold_id"), "order");
    let ordered = answered(&buyer, &ordering, 201).await?;
    let order = ordered.text("order_id").to_owned();
    // The provider takes three seconds over it.
    let paying = Request::payment(&order, "money", "sim_slow");
    let paid = answered(&buyer, &paying, 202).await?;
    is_open(&answered(&buyer, &Request::get(format!("/orders/{order}")), 200).await?)?;

    dev.kill().await?;
    dev.start_again().await?;

    same(&held, &answered(&buyer, &holding, 201).await?, "hold_id")?;
    same(&ordered, &answered(&buyer, &ordering, 201).await?, "order_id")?;
    same(&paid, &answered(&buyer, &paying, 202).await?, "attempt_id")?;
    let captured = |seen: &Answer| seen.text("status") == "captured";
    if captured(&buyer.watch(&order, POLLS_MAX, captured).await?) {
        return Ok(order);
    }
    Err(DrillError::Broken(format!("order {order} was not captured")))
}

async fn audited(
    dev: &DevServer,
    recorded: &[Recorded],
    figures: &Figures,
) -> Result<(), DrillError> {
    let (rows, books) = (dev.settled_rows().await?, dev.books().await?);
    find_nothing(&Evidence { rows, books, recorded: recorded.to_vec() }, figures)?;
    found_nothing(dev.own_audit().await?)
}

/// The kill would show nothing if the payment were over.
fn is_open(order: &Answer) -> Result<(), DrillError> {
    if order.text("status") == "authorizing" {
        return Ok(());
    }
    Err(DrillError::Broken(format!("no payment is under way: {order:?}")))
}

async fn answered(buyer: &Buyer, request: &Request, status: u16) -> Result<Answer, DrillError> {
    let answer = buyer.ask(request).await?;
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
        writeln!(f, "  order {} was taken up and captured", self.order)?;
        write!(f, "{}", self.figures)
    }
}
