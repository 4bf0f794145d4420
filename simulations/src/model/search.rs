//! The search: breadth first over fingerprints of states, so that the first violation found has the
//! shortest trace; and random walks, for what lies deeper than a search reaches.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::{Duration, Instant};

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

use super::actions::{Action, Fault};
use super::machine::{Machine, Violation};
use super::world::World;

/// Where a search ends that finds nothing.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Different states.
    pub states_max: usize,
    /// Steps from the start.
    pub depth_max: u32,
}

/// A violation with what led to it, step by step, in words.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// What does not hold.
    pub violation: Violation,
    /// Each step, with what callers heard.
    pub trace: Vec<String>,
}

/// What a search saw.
#[derive(Clone, Debug)]
pub struct Searched {
    /// Different states.
    pub states: usize,
    /// Steps taken, those to known states included.
    pub steps: usize,
    /// The longest of the shortest ways to a state.
    pub depth: u32,
    /// No bound was met: these were all states.
    pub complete: bool,
    /// How long it took.
    pub took: Duration,
    /// What was found, if anything was.
    pub found: Option<Outcome>,
}

/// How a state was reached first.
struct Node {
    parent: u32,
    step: Option<(Action, Option<Fault>)>,
}

/// Visits every state within the bounds, nearest first.
#[must_use]
pub fn search(machine: &mut Machine, bounds: Bounds) -> Searched {
    let started = Instant::now();
    let start = machine.start();
    let mut visits = Visits {
        known: HashSet::from([print(&start)]),
        nodes: vec![Node { parent: 0, step: None }],
        steps: 0,
    };
    let mut layer = vec![(0_u32, start)];
    let (mut depth, mut end) = (0, None);
    while !layer.is_empty() && end.is_none() {
        if depth >= bounds.depth_max {
            end = Some(End::Bound);
            break;
        }
        let mut next = Vec::new();
        for (node, world) in layer {
            end = visits.go_on(machine, node, &world, &mut next);
            if end.is_none() && visits.nodes.len() >= bounds.states_max {
                end = Some(End::Bound);
            }
            if end.is_some() {
                break;
            }
        }
        depth += u32::from(!next.is_empty());
        layer = next;
    }
    let complete = end.is_none();
    let found = match end {
        Some(End::Found(node, violation)) => Some(outcome(machine, &visits.nodes, node, violation)),
        Some(End::Bound) | None => None,
    };
    let (states, steps, took) = (visits.known.len(), visits.steps, started.elapsed());
    Searched { states, steps, depth, complete, took, found }
}

/// Why a search goes no further.
enum End {
    Bound,
    /// What does not hold, and the node at which it shows.
    Found(u32, Violation),
}

/// Where a search has been.
struct Visits {
    known: HashSet<u64>,
    nodes: Vec<Node>,
    steps: usize,
}

impl Visits {
    /// Takes every step that is possible in this state; new states are for the next layer.
    fn go_on(
        &mut self,
        machine: &mut Machine,
        node: u32,
        world: &World,
        next: &mut Vec<(u32, World)>,
    ) -> Option<End> {
        let actions = machine.actions(world);
        if actions.iter().all(|(_, fault)| fault.is_some())
            && let Some(violation) = machine.at_rest(world)
        {
            return Some(End::Found(node, violation));
        }
        for step in actions {
            let taken = machine.take(world, step.0, step.1);
            self.steps += 1;
            let is_new = self.known.insert(print(&taken.world));
            if is_new || taken.violation.is_some() {
                self.nodes.push(Node { parent: node, step: Some(step) });
            }
            let last = place(self.nodes.len() - 1);
            if let Some(violation) = taken.violation {
                return Some(End::Found(last, violation));
            }
            if is_new {
                next.push((last, taken.world));
            }
        }
        None
    }
}

/// Goes from the start along random steps until nothing is left, so many times. A violation's trace is
/// not the shortest, but the seed repeats it.
#[must_use]
pub fn walk(machine: &mut Machine, seed: u64, walks: u32) -> Searched {
    let started = Instant::now();
    let mut dice = StdRng::seed_from_u64(seed);
    let mut known = HashSet::new();
    let (mut steps, mut depth, mut found) = (0, 0, None);
    'walks: for _ in 0..walks {
        let (mut world, mut way) = (machine.start(), Vec::new());
        loop {
            let actions = machine.actions(&world);
            if actions.iter().all(|(_, fault)| fault.is_some())
                && let Some(violation) = machine.at_rest(&world)
            {
                found = Some(told(machine, &way, violation));
                break 'walks;
            }
            if actions.is_empty() {
                break;
            }
            let step = actions[dice.random_range(0..actions.len())];
            way.push(step);
            let taken = machine.take(&world, step.0, step.1);
            steps += 1;
            if let Some(violation) = taken.violation {
                found = Some(told(machine, &way, violation));
                break 'walks;
            }
            world = taken.world;
            known.insert(print(&world));
        }
        depth = depth.max(place(way.len()));
    }
    let (states, took) = (known.len(), started.elapsed());
    Searched { states, steps, depth, complete: false, took, found }
}

fn outcome(machine: &mut Machine, nodes: &[Node], mut node: u32, violation: Violation) -> Outcome {
    let mut way = Vec::new();
    while let Some(step) = nodes[node as usize].step {
        way.push(step);
        node = nodes[node as usize].parent;
    }
    way.reverse();
    told(machine, &way, violation)
}

/// Takes the steps again and tells them.
fn told(machine: &mut Machine, way: &[(Action, Option<Fault>)], violation: Violation) -> Outcome {
    let mut world = machine.start();
    let mut trace = Vec::new();
    for (action, fault) in way {
        let taken = machine.take(&world, *action, *fault);
        trace.push(machine.tell(&world, *action, *fault, &taken.heard));
        world = taken.world;
    }
    Outcome { violation, trace }
}

fn print(world: &World) -> u64 {
    let mut hasher = DefaultHasher::new();
    world.hash(&mut hasher);
    hasher.finish()
}

fn place(index: usize) -> u32 {
    u32::try_from(index).expect("fewer states than memory holds")
}
