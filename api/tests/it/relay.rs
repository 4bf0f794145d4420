//! What happened, told to others: to a real bus, to endpoints, and to sinks in memory.

mod admin;
mod bus;
mod command;
mod configured;
mod endpoint;
mod following;
mod nats;
mod office;
mod replaying;
mod webhooks;
