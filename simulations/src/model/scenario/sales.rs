//! The sales that are searched. Each is as small as what it is to show allows.

use super::{After, Ask, Scenario, Wanted};
use crate::model::actions::Fault;

const fn ask(buyer: &'static str, wanted: Wanted, after: After, times: u8) -> Ask {
    Ask { buyer, wanted, after, times }
}

const NOW: After = After::Start;

/// Two buyers want one seat; the first repeats his key, and gives the seat back.
pub const RIVALS: Scenario = Scenario {
    name: "rivals",
    asks: &[
        ask("ann", Wanted::Place(&[0]), NOW, 2),
        ask("bob", Wanted::Place(&[0, 1]), NOW, 1),
        ask("ann", Wanted::Release { hold: 0 }, After::Granted(0), 1),
    ],
    buyer_seats_max: 2,
    time_max: 0,
    faults: Fault::ALL,
};

/// A hold, its order and its payment, asked for twice, while the hold may run out.
pub const PURCHASE: Scenario = Scenario {
    name: "purchase",
    asks: &[
        ask("ann", Wanted::Place(&[2]), NOW, 1),
        ask("ann", Wanted::Order { hold: 0 }, After::Granted(0), 2),
        ask("ann", Wanted::Confirm { hold: 0 }, After::Granted(1), 2),
    ],
    buyer_seats_max: 2,
    time_max: 1,
    faults: Fault::ALL,
};

/// A buyer at his limit, over two sections at once.
pub const LIMIT: Scenario = Scenario {
    name: "limit",
    asks: &[
        ask("ann", Wanted::Place(&[0]), NOW, 1),
        ask("ann", Wanted::Place(&[2]), NOW, 1),
        ask("bob", Wanted::Place(&[2]), NOW, 1),
    ],
    buyer_seats_max: 1,
    time_max: 0,
    faults: Fault::ALL,
};

/// A hold runs out while another buyer waits for its seat.
pub const EXPIRY: Scenario = Scenario {
    name: "expiry",
    asks: &[
        ask("ann", Wanted::Place(&[0]), NOW, 1),
        ask("bob", Wanted::Place(&[0]), NOW, 1),
        ask("ann", Wanted::Read { hold: 0 }, After::Granted(0), 2),
    ],
    buyer_seats_max: 1,
    time_max: 1,
    faults: Fault::ALL,
};

/// A hold is read while it is given back: an owner's old memory shows here.
pub const READING: Scenario = Scenario {
    name: "reading",
    asks: &[
        ask("ann", Wanted::Place(&[0]), NOW, 1),
        ask("ann", Wanted::Release { hold: 0 }, After::Granted(0), 1),
        ask("ann", Wanted::Read { hold: 0 }, NOW, 1),
        ask("ann", Wanted::ReadAll, NOW, 1),
    ],
    buyer_seats_max: 2,
    time_max: 0,
    faults: Fault::ALL,
};

/// Two holds in two sections, and a look at the first: rows that only a stale primary has show here.
pub const STALE: Scenario = Scenario {
    name: "stale",
    asks: &[
        ask("ann", Wanted::Place(&[0]), NOW, 1),
        ask("bob", Wanted::Place(&[2]), NOW, 1),
        ask("ann", Wanted::Read { hold: 0 }, NOW, 1),
    ],
    buyer_seats_max: 2,
    time_max: 0,
    faults: Fault::ALL,
};

/// Two buyers want seats in both sections, all or nothing, and one another's.
pub const ACROSS: Scenario = Scenario {
    name: "across",
    asks: &[
        ask("ann", Wanted::Place(&[0, 2]), NOW, 2),
        ask("bob", Wanted::Place(&[2, 1]), NOW, 1),
        ask("ann", Wanted::GiveBack { hold: 0, seats: &[2] }, After::Granted(0), 1),
    ],
    buyer_seats_max: 2,
    time_max: 0,
    faults: Fault::ALL,
};

/// A hold over both sections runs out while it is paid for and wanted by somebody else.
pub const SPLIT: Scenario = Scenario {
    name: "split",
    asks: &[
        ask("ann", Wanted::Place(&[0, 2]), NOW, 1),
        ask("ann", Wanted::Order { hold: 0 }, After::Granted(0), 1),
        ask("ann", Wanted::Confirm { hold: 0 }, After::Granted(1), 1),
        ask("bob", Wanted::Place(&[2, 1]), NOW, 1),
    ],
    buyer_seats_max: 2,
    time_max: 1,
    faults: Fault::ALL,
};

/// Two buyers want what a third wants all of: his part in one section is ready while the other has none.
pub const CONTESTED: Scenario = Scenario {
    name: "contested",
    asks: &[
        ask("carl", Wanted::Place(&[0]), NOW, 1),
        ask("ann", Wanted::Place(&[0, 2]), NOW, 1),
        ask("bob", Wanted::Place(&[2]), NOW, 1),
    ],
    buyer_seats_max: 2,
    time_max: 0,
    faults: Fault::ALL,
};

/// Time enough for a clock to fall further behind than a batch's time may.
pub const CLOCK: Scenario = Scenario {
    name: "clock",
    asks: &[ask("ann", Wanted::Place(&[0]), NOW, 1), ask("bob", Wanted::Place(&[0]), NOW, 1)],
    buyer_seats_max: 1,
    time_max: 2,
    faults: Fault::ALL,
};

/// A seat of a sold order comes back, and somebody else wants it; the operator repeats his key.
pub const RETURN: Scenario = Scenario {
    name: "return",
    asks: &[
        ask("ann", Wanted::Place(&[0, 2]), NOW, 1),
        ask("ann", Wanted::Order { hold: 0 }, After::Granted(0), 1),
        ask("ann", Wanted::Confirm { hold: 0 }, After::Granted(1), 1),
        ask("olga", Wanted::Return { hold: 0, tickets: &[1] }, After::Granted(2), 2),
        ask("bob", Wanted::Place(&[2]), After::Granted(2), 1),
    ],
    buyer_seats_max: 2,
    time_max: 0,
    faults: Fault::ALL,
};

/// All of them.
pub const SCENARIOS: &[Scenario] =
    &[RIVALS, PURCHASE, LIMIT, EXPIRY, READING, STALE, ACROSS, SPLIT, CONTESTED, CLOCK, RETURN];
