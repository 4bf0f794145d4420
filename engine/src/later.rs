//! What a trait object's asynchronous method returns: the engine asks the world through such traits, and
//! whoever answers is chosen when the process is put together.

use std::future::Future;
use std::pin::Pin;

/// A future of a trait object's method.
pub type Later<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;
