//! What operators and buyers send, checked: from JSON to the words of engine and persistence. All that
//! is wrong with a form is told at once.

pub mod admission;
pub mod attempt;
pub mod blocks;
pub mod cancellation;
pub mod currency;
pub mod deliveries;
pub mod event;
pub mod event_move;
pub mod event_patch;
pub mod event_query;
pub mod explain;
pub mod fee;
mod hall;
pub mod hall_plan;
pub mod hold;
pub mod hold_item;
mod id;
pub mod number;
pub mod order;
pub mod plan;
pub mod purchases;
pub mod queue;
pub mod refund;
pub mod sale_action;
pub mod scan;
pub mod text;
pub mod trail;
pub mod venue;
