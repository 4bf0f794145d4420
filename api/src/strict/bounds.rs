//! Bounds that hold before a body is parsed: bytes, time and depth.

use std::future::poll_fn;
use std::pin::Pin;
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use bytes::BytesMut;
use serde::de::DeserializeOwned;
use tokio::time::timeout;

use super::FormError;
use crate::problem::{Problem, table};

/// Deeper than any request of ours, and shallow enough for every recursive reader behind it.
const DEPTH_MAX: usize = 32;

/// For a venue's plan over a slow line; a buyer's body is one packet or two.
const PATIENCE: Duration = Duration::from_secs(20);

/// What a body may be.
pub trait RequestBody: DeserializeOwned {
    /// The most bytes that it may have. A buyer's largest request names a hundred seats; this is ten
    /// times that.
    const BYTES_MAX: usize = 64 * 1024;
}

/// The whole body, or that it is too large, too slow or broken.
pub(crate) async fn read(body: Body, bytes_max: usize) -> Result<Bytes, Problem> {
    if body.size_hint().lower() > bytes_max as u64 {
        return Err(too_large(bytes_max));
    }
    let read = timeout(PATIENCE, collect(body, bytes_max)).await;
    read.unwrap_or_else(|_| {
        let seconds = PATIENCE.as_secs();
        let detail = format!("the body did not come within {seconds} seconds");
        Err(FormError::at("", detail).into())
    })
}

async fn collect(mut body: Body, bytes_max: usize) -> Result<Bytes, Problem> {
    let mut bytes = BytesMut::new();
    while let Some(frame) = poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await {
        let frame = frame
            .map_err(|_| FormError::at("", "the body breaks off, or its chunks are broken"))?;
        // Trailers say nothing to us.
        let Ok(data) = frame.into_data() else { continue };
        if bytes.len() + data.len() > bytes_max {
            return Err(too_large(bytes_max));
        }
        bytes.extend_from_slice(&data);
    }
    Ok(bytes.freeze())
}

fn too_large(bytes_max: usize) -> Problem {
    let detail = format!("the body may have {bytes_max} bytes at most");
    Problem::new(&table::PAYLOAD_TOO_LARGE, detail)
}

/// Whether the text nests no deeper than any request needs to. Counts brackets outside strings;
/// whether it is JSON at all is for the parser to say.
///
/// # Errors
/// For a text that nests deeper than 32 brackets.
pub fn check_depth(json: &[u8]) -> Result<(), FormError> {
    let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
    for byte in json {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            _ if in_string => {}
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > DEPTH_MAX {
            return Err(FormError::at("", format!("the body nests deeper than {DEPTH_MAX}")));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use axum::response::IntoResponse;

    use super::*;
    use crate::strict::stuck::Stuck;

    #[tokio::test(start_paused = true)]
    async fn a_body_that_does_not_come_is_given_up() {
        let started = tokio::time::Instant::now();
        let problem = read(Body::new(Stuck), 10).await.expect_err("it never comes");
        assert_eq!(problem.into_response().status(), 400);
        assert_eq!(started.elapsed(), PATIENCE);
    }

    #[test]
    fn brackets_in_strings_are_no_depth() {
        let quoted = format!("{{\"a\": \"{}\\\"{}\"}}", "[".repeat(50), "{".repeat(50));
        assert_eq!(check_depth(quoted.as_bytes()), Ok(()));
    }

    #[test]
    fn depth_is_bounded() {
        assert_eq!(check_depth("[".repeat(DEPTH_MAX).as_bytes()), Ok(()));
        check_depth("[".repeat(DEPTH_MAX + 1).as_bytes()).expect_err("one too deep");
        check_depth("{\"a\":".repeat(100_000).as_bytes()).expect_err("far too deep");
    }
}
