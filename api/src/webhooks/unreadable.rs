//! What a provider signed and rows cannot have, or nobody here can read.

use sha2::{Digest, Sha256};
use taquilla_persistence::inbox::{Notice, NoticeKind};

use crate::payment_provider::Unreadable;

/// Longer than any provider's names; an index has to hold them.
const NAME_MAX: usize = 255;

/// The provider signed it, and it is not what the provider says it sends. The same bytes are the same
/// notice.
pub(super) fn unreadable(provider: &str, body: &[u8]) -> Notice {
    let digest = hex::encode(Sha256::digest(body));
    Notice {
        provider: provider.into(),
        id: format!("unreadable-{digest}"),
        kind: NoticeKind::Unreadable,
        attempt: None,
        reference: None,
        money: None,
    }
}

/// So much of a name is logged.
const SHOWN_MAX: usize = 64;

/// The notice, if rows can have its names.
pub(super) fn with_names(notice: Notice) -> Result<Notice, Unreadable> {
    let names = [Some(&notice.id), notice.reference.as_ref()];
    let Some(name) = names.into_iter().flatten().find(|name| !is_name(name)) else {
        return Ok(notice);
    };
    // A line of the log has no room for all of it; the inbox has.
    let begins: String = name.chars().take(SHOWN_MAX).collect();
    let why = format!("{begins:?}… names nothing: up to {NAME_MAX} bytes, none of them 0");
    Err(Unreadable::Malformed(why))
}

/// As rows can have one.
fn is_name(name: &str) -> bool {
    name.len() <= NAME_MAX && !name.contains('\0')
}
