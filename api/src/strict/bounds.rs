//! Bounds that hold before a body is parsed: bytes and depth.

use axum::body::{Body, Bytes, HttpBody, to_bytes};
use serde::de::DeserializeOwned;

use super::FormError;
use crate::problem::{Problem, table};

/// Deeper than any request of ours, and shallow enough for every recursive reader behind it.
const DEPTH_MAX: usize = 32;

/// What a body may be.
pub trait RequestBody: DeserializeOwned {
    /// The most bytes that it may have. A buyer's largest request names a hundred seats; this is ten
    /// times that.
    const BYTES_MAX: usize = 64 * 1024;
}

/// The whole body, or that it is too large.
pub(super) async fn read(body: Body, bytes_max: usize) -> Result<Bytes, Problem> {
    let too_large = || {
        let detail = format!("the body may have {bytes_max} bytes at most");
        Problem::new(&table::PAYLOAD_TOO_LARGE, detail)
    };
    if body.size_hint().lower() > bytes_max as u64 {
        return Err(too_large());
    }
    // The only other failure is a client that stops sending, and it reads no answer.
    to_bytes(body, bytes_max).await.map_err(|_| too_large())
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
    use super::*;

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
