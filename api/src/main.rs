//! The taquilla command.
fn main() {}
