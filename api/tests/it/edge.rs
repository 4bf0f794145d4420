//! The HTTP edge, through its router, over a real Postgres: one database a test.

mod admin;
mod box_office;
mod catalogue;
mod client;
mod conformity;
mod connections;
mod documents;
mod every_route;
mod explain;
mod holds;
mod maps;
mod money;
mod operators;
mod orders;
mod outages;
mod problems;
mod quarantine;
mod strictness;
mod tokens;
mod venues;
mod wide_holds;

pub(crate) use box_office::{BoxOffice, event_form};
use client::Call;
