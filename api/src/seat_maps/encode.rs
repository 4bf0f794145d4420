//! From a view to bytes. Compression is the same layer's that compresses whole routers elsewhere, run
//! once on one answer, so that no second gzip is linked in.

use std::convert::Infallible;

use axum::body::{Body, Bytes, to_bytes};
use axum::http::header::{ACCEPT_ENCODING, CONTENT_TYPE};
use axum::http::{Request, Response};
use sha2::{Digest, Sha256};
use tokio::runtime::Handle;
use tower::{ServiceExt, service_fn};
use tower_http::compression::Compression;

use super::EncodedSeatMap;
use crate::turns::apart;
use crate::views::SeatMapView;

/// Encodes away from the threads that serve requests, with what it takes to be allowed to.
pub(super) async fn encode<H: Send + 'static>(view: SeatMapView, held: H) -> (EncodedSeatMap, H) {
    let runtime = Handle::current();
    let work = move || {
        let json = Bytes::from(serde_json::to_vec(&view).expect("a seat map is plain JSON"));
        let gzip = runtime.block_on(compress(json.clone()));
        let tag = hex::encode(&Sha256::digest(&json)[..16]);
        EncodedSeatMap { tag, json, gzip }
    };
    apart(held, work).await.expect("encoding a seat map does not panic")
}

async fn compress(json: Bytes) -> Bytes {
    let answer = service_fn(|_: Request<Body>| {
        let json = json.clone();
        async move {
            let response = Response::builder().header(CONTENT_TYPE, "application/json");
            Ok::<_, Infallible>(response.body(Body::from(json)).expect("a header of ours is valid"))
        }
    });
    let request = Request::builder().header(ACCEPT_ENCODING, "gzip").body(Body::empty());
    let request = request.expect("a header of ours is valid");
    let Ok(response) = Compression::new(answer).oneshot(request).await;
    let body = Body::new(response.into_body());
    to_bytes(body, usize::MAX).await.expect("bytes in memory can be read and compressed")
}
