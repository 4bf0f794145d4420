//! One program in three parts: the bench with the product in it, its provider, and its buyers. The first
//! starts itself again as each of the others.

use std::process::ExitCode;

use tokio::runtime::Runtime;

use crate::generator::{self, Generator};
use crate::product::Product;
use crate::provider;
use crate::purchases::Purchases;
use crate::scale::Scale;

/// Plays the part that this program was started for; the bench is told by its caller.
pub fn play(scale: &Scale, bench: impl AsyncFnOnce(&Scale)) -> ExitCode {
    if provider::is_wanted() {
        return taquilla_api::cli::run();
    }
    Runtime::new().expect("threads").block_on(async {
        match generator::told::<5>() {
            Some([address, event_id, method, at_once, first]) => {
                let [at_once, first] = [at_once, first].map(|it| it.parse().expect("a number"));
                let mut buyers = Purchases::new(scale, address, event_id, method, at_once, first);
                generator::serve_slices(&mut buyers).await;
            }
            None => bench(scale).await,
        }
    });
    ExitCode::SUCCESS
}

/// Starts so many buyers at once in this product's shop, who pay by this method of the provider and buy the
/// hall's pairs of seats from the first on.
#[must_use]
pub fn start_buyers(product: &Product, method: &str, at_once: u32, first: u32) -> Generator {
    let (address, event) = (product.address().to_string(), product.stage.ids[0].to_string());
    Generator::start(&[&address, &event, method, &at_once.to_string(), &first.to_string()])
}
