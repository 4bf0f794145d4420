//! What a provider tells by itself (a webhook), once its signature has been looked at.

use axum::http::HeaderMap;
use taquilla_engine::moment::Moment;
use taquilla_persistence::inbox::Notice;

use super::signature::Forged;

/// Why a notice is not taken.
#[derive(Debug, thiserror::Error)]
pub enum Unreadable {
    /// It is not the provider's, or not of now.
    #[error(transparent)]
    Forged(#[from] Forged),
    /// It is the provider's, and not what the provider says it sends.
    #[error("{0}")]
    Malformed(String),
}

/// Reads the notices of one provider.
pub trait NoticeReader: Send + Sync + 'static {
    /// Looks at the head alone, before anybody reads a body.
    ///
    /// # Errors
    /// [`Forged`], but [`Forged::Wrong`], which only the body can tell.
    fn look(&self, headers: &HeaderMap, now: Moment) -> Result<(), Forged>;

    /// The notice in these bytes, if the provider signed them, not too long ago.
    ///
    /// # Errors
    /// [`Unreadable`].
    fn read(&self, headers: &HeaderMap, body: &[u8], now: Moment) -> Result<Notice, Unreadable>;
}
