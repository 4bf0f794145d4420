//! What `taquilla dev` keeps on this machine: a folder with keys, a private Postgres, a provider of
//! its own, and a demo to sell.

pub mod demo;
pub mod folder;
pub mod provider;
mod stadium;
