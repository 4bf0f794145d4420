//! The drills in their short form, each with a seed of its own that a failure can be repeated with.

mod crowd;
mod first_purchase;
mod line;
mod model;
mod reading;

use std::fmt::Display;
use std::time::Duration;

use taquilla_simulations::DrillError;
use taquilla_simulations::drill::{
    bus_stop, database_stop, dev_kill, kill, opening, purchases, race, watchers,
};
use taquilla_simulations::server::binary;
use tokio::sync::Mutex;

/// One drill at a time: each wants the whole machine.
static MACHINE: Mutex<()> = Mutex::const_new(());
/// A drill that hangs is a failure, not a wait. An attempt that the provider does not know is given up after
/// a minute, which is most of what the longest takes.
const DRILL_MAX: Duration = Duration::from_secs(300);

async fn passes(drill: impl Future<Output = Result<impl Display, DrillError>>) {
    let _machine = MACHINE.lock().await;
    // Building it takes as long as it takes.
    binary::taquilla().expect("the binary is built");
    match tokio::time::timeout(DRILL_MAX, drill).await {
        Ok(Ok(outcome)) => println!("{outcome}"),
        Ok(Err(error)) => {
            panic!("{error}: {:?}", std::error::Error::source(&error).map(ToString::to_string))
        }
        Err(_) => panic!("not done after {} s", DRILL_MAX.as_secs()),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn six_kills_lose_and_double_nothing() {
    passes(kill::run(kill::Plan { kills: 6, crowd: 32, seed: 20_261 })).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn four_hundred_buyers_race_for_ten_seats() {
    passes(race::run(race::Plan { buyers: 400, seats: 10, seed: 20_262 })).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_sale_outlives_three_outages_of_its_database() {
    passes(database_stop::run(database_stop::Plan { crowd: 32, seconds: 7, seed: 20_263 })).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_watches_through_a_cache_puts_the_map_together() {
    let plan = watchers::Plan { watchers: 100, buyers: 8, seats: 2_000, lasting: 5, seed: 20_268 };
    passes(watchers::run(plan)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bus_that_was_away_has_everything_once_and_in_order() {
    let plan = bus_stop::Plan { crowd: 32, seconds: 5, seed: 20_269 };
    passes(bus_stop::run(plan)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_dev_server_is_taken_up_again() {
    passes(dev_kill::run()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn forty_purchases_come_to_their_end_over_faults_and_kills() {
    passes(purchases::run(forty(purchases::Provider::Simulated, 20_264))).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn forty_purchases_by_stripe_come_to_their_end_over_a_bad_wire_and_kills() {
    passes(purchases::run(forty(purchases::Provider::Stripe, 20_265))).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_thousand_people_at_the_door_of_four_hundred_seats_all_have_their_end() {
    let curves = tempfile::tempdir().expect("a folder for the curves");
    let plan = opening::Plan { buyers: 2_000, seats: 400, seed: 20_266 };
    passes(opening::run(plan, curves.path())).await;
}

fn forty(provider: purchases::Provider, seed: u64) -> purchases::Plan {
    purchases::Plan { purchases: 40, concurrency: 40, kills: 3, provider, seed }
}
