//! Figures: the engine beside the row-lock way, on one Postgres, in one run.
//!
//! - [`scale`]: how large a run is; [`hall`]: the event that is sold in it.
//! - [`workload`]: who asks for which seats, from a seed.
//! - [`stage`]: the private Postgres with the events in it; [`meter`]: what a slice of time cost;
//!   [`table_reads`], [`plans`]: what the database says that it read, and how.
//! - [`engine_way`], [`function_way`], [`statements_way`]: the ways to a hold ([`asked`] and
//!   [`connections`] are the latter two's); [`desk`]: decisions without a journal.
//! - [`load`]: so many requests in flight; [`paired`]: all ways in turns; [`report`]: the table.
//!
//! - [`http_servers`]: the engine and the function behind HTTP; [`http_way`], [`generator`]: who asks there,
//!   a process of its own, over [`kept_alive`] connections.
//! - [`product`]: the whole server; [`purchases`]: who buys there; [`provider`]: who moves the money; [`roles`]:
//!   how one program is all of them; [`statement_ledger`]: what each statement of the database took.
//!
//! - [`crowd`]: who waits before a sale, in a room at work or in one without a journal;
//!   [`queue_way`]: who asks over HTTP where he stands.
//!
//! - [`catalogue`]: events that are made up; [`catalogue_rows`]: likewise, in a database.
//!
//! Whatever goes wrong here panics: a figure of a broken run is worth nothing.

pub mod asked;
pub mod catalogue;
pub mod catalogue_rows;
pub mod connections;
pub mod crowd;
pub mod desk;
pub mod engine_way;
pub mod function_way;
pub mod generator;
pub mod hall;
pub mod hold_life;
pub mod http_servers;
pub mod http_way;
pub mod kept_alive;
pub mod load;
pub mod meter;
pub mod paired;
pub mod plans;
pub mod product;
pub mod provider;
pub mod purchases;
pub mod queue_way;
pub mod report;
pub mod roles;
pub mod scale;
pub mod stage;
pub mod statement_ledger;
pub mod statements_way;
pub mod table_reads;
pub mod workload;
