//! Decides who gets a seat.
//!
//! The rules are pure: a command and the time go in, section events or a refusal come out. Around
//! them the event's door keeps one order, the lane holds every answer back until it is durable, and
//! `runtime` gives each event and section an actor. The engine knows no HTTP, no JSON, no SQL and no
//! wall clock; what it needs of the world it asks for by trait, such as
//! [`journal::Journal`], [`clock::Clock`] and [`payment::PaymentProvider`].

pub mod answer;
pub mod buyer;
pub mod cancellation;
pub mod chronicle;
pub mod clock;
pub mod command;
pub mod event;
pub mod hold;
pub mod id;
pub mod journal;
pub mod later;
pub mod moment;
pub mod money;
pub mod name;
pub mod operation;
pub mod order;
pub mod payment;
pub mod plan;
pub mod pricing;
pub mod refund;
pub mod refusal;
pub mod runtime;
pub mod sale;
pub mod seating;
pub mod section;
pub mod telemetry;
pub mod waiting_room;
