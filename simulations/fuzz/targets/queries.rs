//! Query strings that anybody may send: a form, or errors that each name a parameter. The first byte
//! says of which address.

#![no_main]

#[path = "../said.rs"]
mod said;

use std::pin::pin;
use std::task::{Context, Poll, Waker};

use axum::extract::FromRequestParts;
use axum::http::{Request, Uri};
use libfuzzer_sys::fuzz_target;
use serde::de::DeserializeOwned;
use taquilla_api::forms::event_query::EventQuery;
use taquilla_api::forms::hold_item::ItemQuery;
use taquilla_api::forms::order::{OrderQuery, OrdersQuery};
use taquilla_api::problem::Problem;
use taquilla_api::strict::StrictQuery;

fuzz_target!(|bytes: &[u8]| {
    let Some((which, query)) = bytes.split_first() else { return };
    let Ok(uri) = Uri::try_from([b"/x?", query].concat()) else { return };
    let problem = match which % 4 {
        0 => read::<EventQuery>(uri).and_then(|query| query.check().map(drop)),
        1 => read::<ItemQuery>(uri).and_then(|query| query.check().map(drop)),
        2 => read::<OrdersQuery>(uri).map(drop),
        _ => read::<OrderQuery>(uri).map(|query| {
            let seconds = query.wait_seconds.map_or(0, |it| it.0);
            assert!(seconds <= 30);
        }),
    };
    if let Err(problem) = problem {
        said::is_malformed_request(&problem);
    }
});

/// Nothing is waited for: all of a query is there with its request.
fn read<T: DeserializeOwned>(uri: Uri) -> Result<T, Problem> {
    let (mut parts, ()) = Request::builder().uri(uri).body(()).expect("a path").into_parts();
    let mut reading = pin!(StrictQuery::<T>::from_request_parts(&mut parts, &()));
    match reading.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(read) => read.map(|StrictQuery(query)| query),
        Poll::Pending => unreachable!("a query is read at once"),
    }
}
