//! Memory that an event's owner keeps for each seat, by the process's resident set: many stadiums, so
//! that pages and what building leaves behind hardly count. Empty, and with every seat sold; what is
//! kept for each buyer, as long as he owns something, stands apart.

use taquilla_benches::hall;
use taquilla_benches::meter::resident_bytes;
use taquilla_benches::scale::Scale;
use taquilla_engine::buyer::BuyerId;
use taquilla_engine::event::{Door, Limits, Snapshot, Terms};
use taquilla_engine::id::{Epoch, EventNumber, HoldId, SeatIndex};
use taquilla_engine::section::{SeatState, Window};

/// As in the server.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const STADIUMS: usize = 32;

/// 49 seats are sold in 20 holds, each to a buyer of its own.
const HOLDS_OF_SEATS: (u32, u32) = (20, 49);

type Owner = (Door<()>, Vec<Window>);

/// Makes as many as there are stadiums, after one that does not count; bytes a seat.
fn bytes_a_seat<T>(scale: &Scale, mut make: impl FnMut() -> T) -> (f64, Vec<T>) {
    let mut made = Vec::with_capacity(STADIUMS + 1);
    made.push(make());
    let before = resident_bytes();
    made.extend((0..STADIUMS).map(|_| make()));
    let grown = resident_bytes().saturating_sub(before);
    (grown as f64 / (STADIUMS as f64 * f64::from(scale.seats())), made)
}

/// The owners of these plans, and their bytes a seat.
fn owners(scale: &Scale, plans: &[Terms], snapshot: &Snapshot) -> (f64, Vec<Owner>) {
    let mut left = plans.iter();
    bytes_a_seat(scale, || {
        let terms = left.next().expect("as many plans as stadiums").clone();
        Door::rebuild(terms, Limits::default(), snapshot.clone()).expect("nothing contradicts")
    })
}

/// Every seat is sold, and the holds they were sold by are forgotten; nobody asks who owns them yet.
fn sold_out(scale: &Scale) -> Snapshot {
    let sold = |seat: u32| (SeatIndex(seat), SeatState::Sold(hold_of(seat).1));
    Snapshot { seats: (0..scale.seats()).map(sold).collect(), ..Snapshot::empty(Epoch(1)) }
}

/// The same with the buyers' accounts.
fn sold_to_buyers(scale: &Scale) -> Snapshot {
    let mut buyers: Vec<(BuyerId, u32)> = Vec::new();
    for (buyer, _) in (0..scale.seats()).map(hold_of) {
        match buyers.last_mut() {
            Some((last, seats)) if *last == buyer => *seats += 1,
            _ => buyers.push((buyer, 1)),
        }
    }
    Snapshot { buyers, ..sold_out(scale) }
}

fn hold_of(seat: u32) -> (BuyerId, HoldId) {
    let (holds, seats) = HOLDS_OF_SEATS;
    let buyer = format!("buyer-{}", seat * holds / seats);
    let buyer = BuyerId::parse(&buyer).expect("a name");
    let hold = HoldId::derive(EventNumber(1), &buyer, "key");
    (buyer, hold)
}

fn main() {
    let scale = Scale::of_arguments();
    let text: usize = (0..scale.seats()).map(|seat| hall::seat_label(&scale, seat).len()).sum();
    let (plan, plans) = bytes_a_seat(&scale, || hall::terms(&scale));
    let (empty, _empty) = owners(&scale, &plans, &Snapshot::empty(Epoch(1)));
    let (sold, _sold) = owners(&scale, &plans, &sold_out(&scale));
    let to_buyers = sold_to_buyers(&scale);
    let (owned, _owned) = owners(&scale, &plans, &to_buyers);
    let buyers = to_buyers.buyers.len() as f64 / f64::from(scale.seats());
    println!("bytes a seat, {STADIUMS} events of {} seats:", scale.seats());
    println!("  plan                      {plan:>7.1}");
    println!("  of it the labels' text    {:>7.1}", text as f64 / f64::from(scale.seats()));
    println!("  owner, nothing sold       {empty:>7.1}");
    println!("  owner, sold out           {sold:>7.1}");
    println!("  in all, nothing sold      {:>7.1}", plan + empty);
    println!("  in all, sold out          {:>7.1}", plan + sold);
    println!("bytes a buyer's account     {:>7.1}", (owned - sold) / buyers);
    println!("  in all, with accounts     {:>7.1} a seat", plan + owned);
}
