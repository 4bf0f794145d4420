//! Memory that an event's owner keeps for each seat, by the process's resident set: many stadiums, so
//! that pages and what building leaves behind hardly count.

use taquilla_benches::hall;
use taquilla_benches::scale::Scale;
use taquilla_engine::event::{Door, Limits, Snapshot};
use taquilla_engine::id::Epoch;

/// As in the server.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const STADIUMS: usize = 32;

/// Bytes of the process in memory.
fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("a figure");
    let kilobytes = line.trim().trim_end_matches(" kB").parse::<usize>().expect("a number");
    kilobytes * 1024
}

/// Makes as many as there are stadiums, after one that does not count; bytes a seat.
fn bytes_a_seat<T>(scale: &Scale, mut make: impl FnMut() -> T) -> (f64, Vec<T>) {
    let mut made = Vec::with_capacity(STADIUMS + 1);
    made.push(make());
    let before = resident();
    made.extend((0..STADIUMS).map(|_| make()));
    let grown = resident().saturating_sub(before);
    (grown as f64 / (STADIUMS as f64 * f64::from(scale.seats())), made)
}

fn main() {
    let scale = Scale::of_arguments();
    let owner = |terms| {
        let snapshot = Snapshot::empty(Epoch(1));
        Door::<()>::rebuild(terms, Limits::default(), snapshot).expect("nothing contradicts")
    };
    let label = |seat: u32| -> Box<str> { hall::seat_label(&scale, seat).into() };
    let boxes = size_of::<Box<str>>() as f64;
    let (labels, _labels) =
        bytes_a_seat(&scale, || (0..scale.seats()).map(label).collect::<Vec<_>>());
    let (plan, plans) = bytes_a_seat(&scale, || hall::terms(&scale));
    let mut left = plans.into_iter();
    let (owner, _owners) =
        bytes_a_seat(&scale, || owner(left.next().expect("as many plans as stadiums")));
    println!("bytes a seat, {STADIUMS} events of {} seats:", scale.seats());
    println!("  plan, labels included     {plan:>7.1}");
    println!("  of these the labels' text {:>7.1}", labels - boxes);
    println!("  door, map, sections       {owner:>7.1}");
    println!("  in all, without the text  {:>7.1}", plan + owner - (labels - boxes));
}
