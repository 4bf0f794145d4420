//! Figures: the engine beside the row-lock way, on one Postgres, in one run.
//!
//! - [`scale`]: how large a run is; [`hall`]: the event that is sold in it.
//! - [`workload`]: who asks for which seats, from a seed.
//! - [`stage`]: the private Postgres with the event in it; [`meter`]: what a slice of time cost.
//! - [`engine_way`], [`row_lock_way`]: the two ways to a hold; [`desk`]: decisions without a journal.
//! - [`load`]: so many requests in flight; [`paired`]: both ways in turns; [`report`]: the table.
//!
//! Whatever goes wrong here panics: a figure of a broken run is worth nothing.

pub mod desk;
pub mod engine_way;
pub mod hall;
pub mod load;
pub mod meter;
pub mod paired;
pub mod report;
pub mod row_lock_way;
pub mod scale;
pub mod stage;
pub mod workload;
