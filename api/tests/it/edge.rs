//! The HTTP edge, through its router, over a real Postgres: one database a test.

mod admin;
mod box_office;
mod cancellations;
mod catalogue;
mod client;
mod conformity;
mod connections;
mod cors;
mod documents;
mod every_route;
mod explain;
mod forgotten;
mod holds;
mod mail;
mod maps;
mod money;
mod operators;
mod orders;
mod outages;
mod papers;
mod problems;
mod quarantine;
mod refunds;
mod revocations;
mod rows;
mod scans;
mod second_node;
mod strictness;
mod tokens;
mod traces;
mod venues;
mod webhooks;
mod wide_holds;

pub(crate) use box_office::{BoxOffice, event_form};
pub(crate) use client::Call;
pub(crate) use rows::Rows;
