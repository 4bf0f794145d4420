//! Payments in flight: what the product keeps in memory for each, and whether any has a thread of its own.
//! The provider answers after three seconds; it and the buyers are each a process of its own.

use std::process::ExitCode;
use std::time::Duration;

use taquilla_benches::load::{Clients, Until};
use taquilla_benches::meter::{resident_bytes, threads};
use taquilla_benches::product::Product;
use taquilla_benches::roles;
use taquilla_benches::scale::Scale;
use taquilla_benches::stage::Stage;
use tokio_postgres::Client;

/// As in the server.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Authorised after 3 s.
const METHOD: &str = "sim_slow";

/// Each buyer pays three times.
const LASTS: Duration = Duration::from_secs(7);

const LOOK_EVERY: Duration = Duration::from_millis(50);

/// With so few in flight, buyers have connected, and hold and order; what comes then is what payments take.
const FEW: i64 = 20;

/// Recorded, and not answered by the provider.
const IN_FLIGHT: &str =
    "/* in_flight */ SELECT count(*) FROM payment_attempts WHERE status = 'pending'";

/// What there is at one instant.
#[derive(Clone, Copy, Debug)]
struct Seen {
    in_flight: i64,
    resident: usize,
    threads: usize,
}

fn main() -> ExitCode {
    roles::play(&Scale::of_arguments(), measure)
}

async fn measure(scale: &Scale) {
    let product = Product::start(Stage::set(scale).await).await;
    let stage = &product.stage;
    let at_once = 2 * u32::try_from(scale.in_flight).expect("a few");
    let mut buyers = roles::start_buyers(&product, METHOD, at_once, 0);
    let client = stage.connect("").await;
    let idle = look(&client).await;
    buyers.run(Until::Elapsed(Duration::ZERO)).await;
    let connected = look(&client).await;
    assert_eq!((idle.in_flight, connected.in_flight), (0, 0));
    let (slice, arrived, most) = {
        let (mut arrived, mut most) = (connected, connected);
        let mut looks = tokio::time::interval(LOOK_EVERY);
        let mut buying = buyers.run(Until::Elapsed(LASTS));
        loop {
            tokio::select! {
                slice = &mut buying => break (slice, arrived, most),
                _ = looks.tick() => most = most.or(look(&client).await),
            }
            if most.in_flight < FEW {
                arrived = most;
            }
        }
    };
    let left = look(&client).await;
    drop(buyers);
    let mb = |bytes: usize| bytes as f64 / 1e6;
    println!(
        "{} purchases, each paid in 3 s; at most {} payments in flight",
        slice.granted, most.in_flight
    );
    for (when, seen) in [
        ("idle", idle),
        ("connected", connected),
        ("all there", arrived),
        ("at most", most),
        ("afterwards", left),
    ] {
        println!(
            "{when:<12}{:>8.1} MB resident,{:>6.1} above idle,{:>6.1} above connected;{:>4} threads",
            mb(seen.resident),
            mb(seen.resident) - mb(idle.resident),
            mb(seen.resident) - mb(connected.resident),
            seen.threads,
        );
    }
    product.stop().await;
}

async fn look(client: &Client) -> Seen {
    let row = client.query_one(IN_FLIGHT, &[]).await.expect("attempts can be counted");
    Seen { in_flight: row.get(0), resident: resident_bytes(), threads: threads() }
}

impl Seen {
    /// Of each figure the larger one.
    fn or(self, other: Self) -> Self {
        Self {
            in_flight: self.in_flight.max(other.in_flight),
            resident: self.resident.max(other.resident),
            threads: self.threads.max(other.threads),
        }
    }
}
