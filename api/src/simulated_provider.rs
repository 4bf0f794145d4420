//! A payment provider of our own, for `taquilla dev`, tests and drills: a server with its own books.
//!
//! It is honest the way a real one is. An entry is on the disk before its answer leaves; work goes
//! on when the caller has gone; the same key never books twice; a kill at any instant loses nothing
//! that was answered, and nothing survives that was not booked. It knows nothing of taquilla and
//! shares no type with it, the client in [`crate::provider_client`] included.
//!
//! | request | answer |
//! |---|---|
//! | `POST /authorisations` `{order_id, attempt_id, amount, currency, payment_method}` | 201, the authorisation; a repeat too |
//! | `GET /authorisations?idempotency_key=` | 200, the authorisation, its status `pending` and its reference null until it is booked; 404 |
//! | `GET /authorisations/{reference}` | 200; 404 |
//! | `POST /authorisations/{reference}/capture`, `/void` | 200, the authorisation; 409 |
//! | `POST /authorisations/{reference}/refund` `{amount}` | 200, the authorisation; 409 |
//! | `GET /books` | 200, all entries that moved money, in the order of booking (declines moved none), in one piece |
//! | `GET /healthz` | 200 `{instance, pid}` |
//!
//! The authorisation is `{reference, status: "authorised"|"declined", failure: {code, detail}|null,
//! order_id, attempt_id, amount, currency, captured, voided, refunded_amount}`, amounts in minor
//! units. A refusal is `{code, detail}`, with `authorisation` as it stands beside a 409.
//!
//! Every POST needs an `Idempotency-Key`; all operations share one namespace of keys. Same key and
//! same request: the same status, and the authorisation as it is now. Same key, other request: 422.
//! Refusals are not remembered. Capture and void take the whole amount, once: a second one with
//! another key is a 409 (`already_captured`, `already_voided`), as is one after the other. Several
//! refunds may be made until they reach the capture.
//!
//! An authorisation is booked half-way through its time, so a kill can fall before or after it. One
//! that was not booked has never happened: its key is unknown, and a repeat begins it anew.
//!
//! Payment methods: `sim_ok` (50 to 300 ms, drawn from the key), `sim_slow` (3 s), `sim_decline`
//! (as `sim_ok`, with the code `card_declined`). Another name is a 400 that lists them.

mod authorisation;
mod books;
mod entry;
mod idempotency_key;
mod ledger;
mod money;
mod payment_method;
mod processor;
mod provider_file;
mod refusal;
mod routes;

use std::io;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

pub use books::{Books, BooksError};
pub use processor::Processor;
pub use routes::router;

use provider_file::ProviderFile;

/// How long a stop waits for requests and work: longer than the slowest method.
const DRAIN_MAX: Duration = Duration::from_secs(5);

/// Why the provider ended other than by being told to.
#[derive(Debug, thiserror::Error)]
pub enum ProviderError {
    /// The books failed; what was not answered is known after a new start.
    #[error("the books stopped")]
    Books(#[from] BooksError),
    /// The listener, or the file that announces it, failed.
    #[error("the listener or provider.json failed")]
    Io(#[from] io::Error),
}

/// Serves the provider on `listener` until `shutdown`, and announces it in `provider.json`
/// `{url, pid, instance}` in the directory of the books.
///
/// At `shutdown` it takes no more connections, ends what is in work (5 s at most), removes the
/// announcement and closes the books. It ends by itself, with the error, if the books fail.
pub async fn run(
    listener: TcpListener,
    mut books: Books,
    shutdown: CancellationToken,
) -> Result<(), ProviderError> {
    let processor = Processor::new(&books);
    let address = listener.local_addr()?;
    let provider_file = ProviderFile::write(books.dir(), address, books.instance()).await?;
    tracing::info!(%address, instance = %books.instance(), "simulated provider listens");

    let told_to_stop = shutdown.clone().cancelled_owned();
    let serving = async {
        axum::serve(listener, router(processor.clone()))
            .with_graceful_shutdown(told_to_stop)
            .await?;
        processor.finish().await;
        Ok::<_, ProviderError>(())
    };
    let patience = async {
        shutdown.cancelled().await;
        sleep(DRAIN_MAX).await;
    };
    tokio::select! {
        served = serving => served?,
        () = patience => tracing::warn!("simulated provider stops with requests in flight"),
        stopped = books.stopped() => {
            stopped?;
            return Err(io::Error::other("the books were closed under the provider").into());
        }
    }
    provider_file.remove().await?;
    books.close().await?;
    Ok(())
}
