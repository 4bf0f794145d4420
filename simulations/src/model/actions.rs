//! What can happen in a state: what goes on by itself, and what goes wrong.

use super::machine::Machine;
use super::mutant::Mutant;
use super::owner::{Input, OwnerId};
use super::scenario::{After, SECTIONS, moment};
use super::world::{Asked, Life, PROCESSES, Phase, Server, Told, What, World};

/// One step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    /// A buyer sends a request to a process that serves.
    Ask { ask: u8, process: u8 },
    /// A section's decision reaches its door.
    Deliver { process: u8, section: u8 },
    /// A statement arrives at a server and takes the head's lock.
    Execute { statement: u8, server: u8 },
    /// The standby has everything; who waited for it gets his word.
    Acknowledge { server: u8 },
    /// A word reaches the process that waits for it, or its successor.
    Word { statement: u8 },
    /// A new owner reads the rows under its epoch.
    Read { process: u8 },
    /// A process starts and claims the event.
    Start { process: u8 },
    /// A process that was overtaken asks again, only from itself.
    AskAgain { process: u8 },
    /// The owner's tick: overdue holds are ended.
    Sweep { process: u8 },
    /// The clock moves on, for all but perhaps one process.
    Pass { slow: Option<u8> },
    /// A process waits no longer; its statement is still under way.
    GiveUp { statement: u8 },
    /// A circumstance keeps a statement from being written.
    Refuse { statement: u8 },
    /// The wait for the standby is cancelled.
    Cancel { server: u8 },
    /// A server crashes and comes back with all that it had flushed.
    Crash { server: u8 },
    /// The standby becomes primary while the old one lives, with so many entries of its log.
    Promote { kept: u8 },
    /// SIGKILL.
    Kill { process: u8 },
}

/// What may go wrong; each costs one of the budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A statement is late or lost.
    Late,
    /// A statement is refused by a circumstance.
    Refused,
    /// A wait for the standby is cancelled.
    Cancelled,
    /// The primary crashes and restarts.
    Crash,
    /// The standby is promoted.
    Promotion,
    /// A process is killed.
    Kill,
    /// A second process claims while the first lives: the first is a zombie from then on.
    Second,
    /// A process's clock falls behind.
    SlowClock,
}

impl Fault {
    /// Every kind.
    pub const ALL: &'static [Self] = &[
        Self::Late,
        Self::Refused,
        Self::Cancelled,
        Self::Crash,
        Self::Promotion,
        Self::Kill,
        Self::Second,
        Self::SlowClock,
    ];
}

impl Machine {
    /// Every step that is possible, each with the fault it spends.
    pub(super) fn actions(&mut self, world: &World) -> Vec<(Action, Option<Fault>)> {
        let mut found = Vec::with_capacity(16);
        self.asks(world, &mut found);
        for process in 0..PROCESSES {
            self.of_process(world, process, &mut found);
        }
        self.of_statements(world, &mut found);
        self.of_servers(world, &mut found);
        self.of_time(world, &mut found);
        let faults = self.scenario().faults;
        let allowed = |fault: &Fault| world.faults_left > 0 && faults.contains(fault);
        found.retain(|(_, fault)| fault.as_ref().is_none_or(allowed));
        found
    }

    fn asks(&self, world: &World, found: &mut Vec<(Action, Option<Fault>)>) {
        for (number, ask) in (0_u8..).zip(self.scenario().asks) {
            let asked = &world.asks[usize::from(number)];
            let ready = match ask.after {
                After::Start => true,
                After::Granted(other) => granted(&world.asks[other]),
            };
            if !ready || asked.sent >= ask.times {
                continue;
            }
            for process in 0..PROCESSES {
                if let Life::Serving { .. } = world.processes[usize::from(process)].life {
                    found.push((Action::Ask { ask: number, process }, None));
                }
            }
        }
    }

    /// A tick that ends no hold moves only the published map and the door's clock, which the next
    /// message moves as well: it need not be a step.
    fn has_overdue_holds(&mut self, owner: OwnerId, clock: u8) -> bool {
        let before = self.owners.decisions(owner).to_vec();
        let ticked = self.owners.step(owner, Input::Tick { now: moment(clock) }).owner;
        self.owners.decisions(ticked) != before
    }

    fn of_process(&mut self, world: &World, process: u8, found: &mut Vec<(Action, Option<Fault>)>) {
        let alive = |life: Life| !matches!(life, Life::Down | Life::Overtaken);
        match world.processes[usize::from(process)].life {
            Life::Down => {
                let other = world.processes.iter().any(|it| alive(it.life));
                found.push((Action::Start { process }, other.then_some(Fault::Second)));
                return;
            }
            Life::Claiming { .. } => {}
            // It asks every now and then; only where the head is its own does anything come of it.
            Life::Overtaken => {
                if self.head_owner(world) == process && !self.is(Mutant::NeverAsksAgain) {
                    found.push((Action::AskAgain { process }, None));
                }
            }
            Life::Raised { .. } => found.push((Action::Read { process }, None)),
            Life::Serving { owner, swept } => {
                for section in 0..SECTIONS as u8 {
                    if self.owners.decisions(owner)[usize::from(section)] > 0 {
                        found.push((Action::Deliver { process, section }, None));
                    }
                }
                if !swept && self.has_overdue_holds(owner, world.clock(process)) {
                    found.push((Action::Sweep { process }, None));
                }
            }
        }
        found.push((Action::Kill { process }, Some(Fault::Kill)));
    }

    fn of_statements(&self, world: &World, found: &mut Vec<(Action, Option<Fault>)>) {
        for (number, it) in (0_u8..).zip(&world.statements) {
            match it.phase {
                Phase::Sent => {
                    let lost = |server: &Server| !server.standby && server.strays_left == 0;
                    for (server, it_is) in (0_u8..).zip(&world.servers) {
                        if lost(it_is) {
                            continue;
                        }
                        // Without a lock on the head a statement reads it beside one that waits.
                        let beside =
                            self.is(Mutant::PlainFence) && matches!(it.what, What::Append(_));
                        if beside || world.waiting_at(server).is_none() {
                            found.push((Action::Execute { statement: number, server }, None));
                        }
                    }
                    if it.awaited && matches!(it.what, What::Append(_)) {
                        found.push((Action::Refuse { statement: number }, Some(Fault::Refused)));
                    }
                }
                Phase::Checked(server) => {
                    if world.waiting_at(server).is_none() {
                        found.push((Action::Execute { statement: number, server }, None));
                    }
                }
                Phase::Waiting { .. } => {}
                Phase::Done(_) => {
                    if it.awaited || self.has_batch_on_its_way(world, it.process) {
                        found.push((Action::Word { statement: number }, None));
                    }
                }
            }
            if it.awaited {
                // At a stale primary nobody will ever acknowledge anything.
                let stuck = matches!(it.phase, Phase::Waiting { server, .. }
                    if !world.servers[usize::from(server)].standby);
                let fault = (!stuck).then_some(Fault::Late);
                found.push((Action::GiveUp { statement: number }, fault));
            }
        }
    }

    fn has_batch_on_its_way(&self, world: &World, process: u8) -> bool {
        match world.processes[usize::from(process)].life {
            Life::Serving { owner, .. } => self.owners.on_its_way(owner).is_some(),
            Life::Down | Life::Claiming { .. } | Life::Raised { .. } | Life::Overtaken => false,
        }
    }

    fn of_servers(&self, world: &World, found: &mut Vec<(Action, Option<Fault>)>) {
        for (number, server) in (0_u8..).zip(&world.servers) {
            let waiting = world.waiting_at(number);
            let behind = usize::from(server.replicated) < server.log.len();
            if server.standby && (waiting.is_some() || behind) {
                found.push((Action::Acknowledge { server: number }, None));
            }
            if waiting.is_some() {
                found.push((Action::Cancel { server: number }, Some(Fault::Cancelled)));
            }
            if waiting.is_some() {
                found.push((Action::Crash { server: number }, Some(Fault::Crash)));
            }
        }
        if world.servers.len() == 1 {
            // The standby has what it acknowledged, and perhaps more.
            let server = &world.servers[0];
            let all = u8::try_from(server.log.len()).expect("logs are short");
            let promoted = (server.replicated..=all)
                .map(|kept| (Action::Promote { kept }, Some(Fault::Promotion)));
            found.extend(promoted);
        }
    }

    fn of_time(&self, world: &World, found: &mut Vec<(Action, Option<Fault>)>) {
        // A statement that is under way for longer than the clocks may differ is a late one.
        let in_time = world.statements.iter().all(|it| match (it.phase, it.what) {
            (Phase::Sent, What::Append(batch)) => self.sent_at(batch) >= world.time,
            (Phase::Sent, What::Bump { .. }) => true,
            (Phase::Checked(_) | Phase::Waiting { .. } | Phase::Done(_), _) => true,
        });
        if world.time >= self.scenario().time_max || !(in_time || self.has_failed(world)) {
            return;
        }
        found.push((Action::Pass { slow: None }, None));
        for process in 0..PROCESSES {
            found.push((Action::Pass { slow: Some(process) }, Some(Fault::SlowClock)));
        }
    }
}

fn granted(asked: &Asked) -> bool {
    match asked.result {
        Some(
            Told::Granted { .. }
            | Told::Ordered { .. }
            | Told::Judged { sold: true }
            | Told::Returned,
        ) => true,
        Some(Told::Judged { sold: false } | Told::Refused | Told::Other) | None => false,
    }
}
