//! The body of somebody else's answer, within a bound: whoever answers has not agreed to ours.

use reqwest::Response;

/// Why a body could not be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum UnreadBody {
    /// It is longer than that.
    #[error("it has more than {0} bytes")]
    TooLong(usize),
    /// The connection was lost, or time ran out.
    #[error(transparent)]
    Lost(#[from] reqwest::Error),
}

/// All of it, if it has `bytes_max` bytes at most.
pub(crate) async fn read_body(
    mut answer: Response,
    bytes_max: usize,
) -> Result<Vec<u8>, UnreadBody> {
    let mut bytes = Vec::new();
    while let Some(chunk) = answer.chunk().await? {
        if bytes.len() + chunk.len() > bytes_max {
            return Err(UnreadBody::TooLong(bytes_max));
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes)
}
