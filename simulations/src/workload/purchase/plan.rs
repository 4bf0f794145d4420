//! What a buyer means to do, drawn from the buyer's own stream of the seed.

use rand::Rng;
use rand::rngs::StdRng;

/// Every method of the simulated provider; those that end well more often, so that seats are sold.
const METHODS: [(&str, u32); 11] = [
    ("sim_ok", 20),
    ("sim_slow", 8),
    ("sim_decline", 10),
    ("sim_timeout_ok", 10),
    ("sim_timeout_decline", 6),
    ("sim_error_ok", 8),
    ("sim_webhook_twice", 8),
    ("sim_webhook_early", 8),
    ("sim_capture_fails_twice", 8),
    ("sim_capture_refused", 8),
    ("sim_challenge", 20),
];

/// When a buyer cancels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cancels {
    Never,
    /// Before anything is paid.
    Unpaid,
    /// As soon as an attempt is open.
    AtOnce,
    /// After some looks at what became of it.
    Midway,
}

/// What a buyer makes of the bank's challenge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Answers {
    Yes,
    No,
    /// Never answered.
    Nothing,
}

/// What becomes of a sale afterwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Afterwards {
    Nothing,
    /// An operator gives all of it back.
    RefundAll,
    /// An operator gives one ticket back, then another.
    RefundByTicket,
    /// The buyer's bank takes the money back.
    ChargeBack,
}

/// The plan of one purchase.
#[derive(Debug, Clone, Copy)]
pub(super) struct Plan {
    pub(super) seats: u32,
    /// Places rather than seats.
    pub(super) stands: bool,
    pub(super) cancels: Cancels,
    pub(super) answers: Answers,
    pub(super) afterwards: Afterwards,
    /// Asks for each thing twice, under the same key.
    pub(super) repeats: bool,
    /// Waits for the next change rather than looking again and again.
    pub(super) waits: bool,
    /// How often somebody looks who cancels midway.
    pub(super) patience: u32,
    /// How often a declined payment is tried again.
    pub(super) tries: u32,
}

impl Plan {
    /// Whether an operator gives it back before the money is taken, as far as anybody can see.
    pub(super) fn gives_back_early(self) -> bool {
        match self.afterwards {
            Afterwards::RefundAll | Afterwards::RefundByTicket => self.waits,
            Afterwards::ChargeBack | Afterwards::Nothing => false,
        }
    }

    pub(super) fn draw(draw: &mut StdRng) -> Self {
        Self {
            seats: draw.random_range(1..=4),
            stands: draw.random_bool(0.2),
            cancels: match draw.random_range(0..100) {
                0..4 => Cancels::Unpaid,
                4..8 => Cancels::AtOnce,
                8..14 => Cancels::Midway,
                _ => Cancels::Never,
            },
            answers: match draw.random_range(0..100) {
                0..70 => Answers::Yes,
                70..85 => Answers::No,
                _ => Answers::Nothing,
            },
            afterwards: match draw.random_range(0..100) {
                0..10 => Afterwards::RefundAll,
                10..22 => Afterwards::RefundByTicket,
                22..30 => Afterwards::ChargeBack,
                _ => Afterwards::Nothing,
            },
            repeats: draw.random_bool(0.25),
            waits: draw.random_bool(0.5),
            patience: draw.random_range(1..=4),
            tries: draw.random_range(1..=3),
        }
    }
}

pub(super) fn method(draw: &mut StdRng) -> &'static str {
    let all: u32 = METHODS.iter().map(|(_, weight)| weight).sum();
    let mut at = draw.random_range(0..all);
    for (method, weight) in METHODS {
        if at < weight {
            return method;
        }
        at -= weight;
    }
    unreachable!("the draw is less than the sum of the weights")
}
