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
//! | `GET /authorisations?attempt_id=`, `?idempotency_key=` | 200, the authorisation, its status `pending` and its reference null until it is booked; 404 |
//! | `GET /authorisations?cursor=&limit=` | 200 `{items, next_cursor}`: 1 to 100 of all, 100 unless said, in the order of booking |
//! | `GET /authorisations/{reference}` | 200; 404 |
//! | `POST /authorisations/{reference}/capture`, `/void` | 200, the authorisation; 409 |
//! | `POST /authorisations/{reference}/refund` `{amount, refund_id}` | 200, the authorisation; 409 |
//! | `POST /authorisations/{reference}/chargeback` `{amount}` | 200: the bank takes it back, at a test's or operator's word; 409 |
//! | `GET` or `POST /challenges/{reference}`, `?answer=decline` | 200, a page; 409 if it was withdrawn |
//! | `PUT /webhook-endpoint` `{url, secret}` | 204: webhooks go there from now on, also after a restart |
//! | `GET /books` | 200, all entries that moved money, in the order of booking (declines moved none), in one piece |
//! | `GET /healthz` | 200 `{instance, pid}` |
//!
//! The authorisation is `{reference, status: "authorised"|"requires_action"|"declined", failure:
//! {code, detail}|null, next_action: {type: "redirect", url}|null, order_id, attempt_id, amount,
//! currency, authorised_at, expires_at, captured, captured_amount, captured_at, voided, voided_at,
//! refunded_amount, refunds: [{refund_id, amount, at}], charged_back_amount}`, amounts in minor
//! units. A refusal is `{code, detail}`, with `authorisation` as it stands beside a 409.
//!
//! Every POST but a challenge's needs an `Idempotency-Key`; all operations share one namespace of
//! keys. Same key and same request: the same status, and the authorisation as it is now. Same key,
//! other request: 422. Refusals are not remembered; errors are, and a key that got a
//! `simulated_error` gets it for ever. An attempt has one authorisation, or one decline, under
//! whichever keys it is asked for, and a `refund_id` one refund; with other facts: 422.
//!
//! Capture and void take the whole amount, once: a second one with another key is a 409
//! (`already_captured`, `already_voided`), as is one after the other. A capture from `expires_at` on
//! is one as well (`authorisation_expired`). Refunds, 100 at most, and chargebacks may be made until
//! they reach the capture. The void of what still waits for its buyer withdraws it: its status is
//! then `declined`, its failure `withdrawn`.
//!
//! An authorisation is booked half-way through its time, so a kill can fall before or after it. One
//! that was not booked has never happened: its key is unknown, and a repeat begins it anew.
//!
//! | payment method | what it does |
//! |---|---|
//! | `sim_ok` | authorises after 50 to 300 ms, drawn from the key; so do those below, but for what they say |
//! | `sim_slow` | after 3 s |
//! | `sim_decline` | declines as `card_declined` |
//! | `sim_timeout_ok`, `sim_timeout_decline` | authorises, declines; no POST for it is ever answered: its connection is closed after 60 s |
//! | `sim_error_ok` | the attempt's first POST ends in a 500, with nothing booked |
//! | `sim_webhook_twice` | each of its webhooks is sent twice |
//! | `sim_webhook_early` | one delivery of the webhook is tried before the answer leaves |
//! | `sim_capture_fails_twice` | the first two captures end in a 500, with nothing booked |
//! | `sim_capture_refused` | captures are a 409 `capture_refused` |
//! | `sim_challenge` | `requires_action`; authorised or declined, and booked, when `next_action.url` is opened |
//!
//! Another name is a 400 that lists them. [`Faults`] make any of them go wrong in other ways.
//!
//! Webhooks are `authorisation.requires_action`, `.authorised`, `.declined`, `.captured`, `.voided`
//! (withdrawn ones too), `.refunded` and `.charged_back`: a POST of `{id, type, created_at, order_id,
//! attempt_id, reference, amount, currency, refund_id?}`, `amount` being what moved, with the header
//! `Simulated-Signature: t=<unix seconds>,v1=<hex HMAC-SHA256 of "t.body">`. Each is sent until it is
//! answered with a 2xx within 10 s, at least once, in no promised order: again after 200 ms to 60 s,
//! for three days. Without an endpoint they wait.

mod authorisation;
mod books;
mod entry;
mod faults;
mod idempotency_key;
mod ledger;
mod money;
mod payment_method;
mod processor;
mod provider_file;
mod refusal;
mod routes;
mod serving;
mod settings;
mod webhooks;

use std::io;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

pub use books::{Books, BooksError};
pub use faults::Faults;
pub use processor::Processor;
pub use routes::router;
pub use settings::Settings;

use provider_file::ProviderFile;
use serving::serve;
use webhooks::Postman;

/// How long a stop waits for requests and work: longer than the slowest method.
const DRAIN_MAX: Duration = Duration::from_secs(5);

/// Why the provider ended other than by being told to.
#[derive(Debug, thiserror::Error)]
pub enum ProviderError {
    /// The books failed; what was not answered is known after a new start.
    #[error("the books stopped")]
    Books(#[from] BooksError),
    /// The listener, the file that announces it, or what webhooks are sent by failed.
    #[error("the listener, provider.json or the sender of webhooks failed")]
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
    let postman = Postman::new(&books).map_err(io::Error::other)?;
    let address = listener.local_addr()?;
    let provider_file = ProviderFile::write(books.dir(), address, books.instance()).await?;
    tracing::info!(%address, instance = %books.instance(), "simulated provider listens");

    let settings = books.settings().clone();
    let serving = async {
        serve(listener, router(processor.clone()), &settings, shutdown.clone()).await;
        processor.finish().await;
    };
    let patience = async {
        shutdown.cancelled().await;
        sleep(DRAIN_MAX).await;
    };
    tokio::select! {
        () = serving => {}
        never = postman.deliver() => match never {},
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
