//! What operators and buyers send, checked: from JSON to the words of engine and persistence. All that
//! is wrong with a form is told at once.

pub mod event_query;
pub mod hold;
pub mod number;
pub mod order;
pub mod text;
