//! The address that a buyer's token names, kept when he orders.
//!
//! Before the order: a free one has its tickets at once, and whoever sends them must find where to.
//! A token is asked each time, so what is kept is what the buyer's identity provider said last.

use taquilla_persistence::mail::Contacts;

use crate::auth::Caller;

/// Keeps the caller's address if he has one, and mail is on. An order does not fail because of it: its
/// tickets can be had without mail.
pub(crate) async fn keep_contact(contacts: Option<&Contacts>, caller: &Caller) {
    let Caller { buyer, email, .. } = caller;
    if let Some((contacts, email)) = contacts.zip(email.as_deref())
        && let Err(error) = contacts.keep(buyer, email).await
    {
        tracing::warn!(%error, "a buyer's address could not be kept");
    }
}
