//! One program in three parts: the bench with the product in it, its provider, and its buyers. The first
//! starts itself again as each of the others.

use std::process::ExitCode;

use tokio::runtime::Runtime;

use crate::generator;
use crate::provider;
use crate::purchases::Purchases;
use crate::scale::Scale;

/// Plays the part that this program was started for; the bench is told by its caller.
pub fn play(scale: &Scale, bench: impl AsyncFnOnce(&Scale)) -> ExitCode {
    if provider::is_wanted() {
        return taquilla_api::cli::run();
    }
    Runtime::new().expect("threads").block_on(async {
        match generator::told::<3>() {
            Some([address, event_id, method]) => {
                let mut buyers = Purchases::new(scale, address, event_id, method);
                generator::serve_slices(&mut buyers).await;
            }
            None => bench(scale).await,
        }
    });
    ExitCode::SUCCESS
}
