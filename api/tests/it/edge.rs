//! The HTTP edge, through its router, over a real Postgres: one database a test.

mod admin;
mod box_office;
mod catalogue;
mod client;
mod documents;
mod holds;
mod maps;
mod money;
mod operators;
mod orders;
mod outages;
mod strictness;
mod tokens;

use client::Call;
