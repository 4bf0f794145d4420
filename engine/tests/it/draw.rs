//! The draw puts everybody somewhere, prefers nobody, and can be computed again by a stranger.

mod statistics;

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};

use taquilla_engine::buyer::BuyerId;
use taquilla_engine::id::{EventId, EventNumber, QueueTicketId};
use taquilla_engine::waiting_room::draw::{Attendance, Draw, PublicValue, Secret};

fn event() -> EventId {
    EventId::new(EventNumber(7), [3; 11])
}

/// A draw of its own for each seed.
fn draw(seed: u64, present: u32) -> Draw {
    Draw::new(event(), &secret(seed), PublicValue([1; 32]), present)
}

fn secret(seed: u64) -> Secret {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_be_bytes());
    Secret::new(bytes)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("a string takes it");
        text
    })
}

#[test]
fn everybody_stands_somewhere_and_nobody_where_another_does() {
    for present in [0, 1, 2, 3, 7, 255, 256, 257, 1_000, 65_537] {
        let draw = draw(present.into(), present);
        let mut taken = vec![false; present as usize];
        for index in 0..present {
            let position = draw.position(index);
            assert!(!std::mem::replace(&mut taken[position as usize], true), "{position} twice");
            assert_eq!(draw.index_at(position), index, "of {present}");
        }
        for later in present..present + 3 {
            assert_eq!((draw.position(later), draw.index_at(later)), (later, later));
        }
    }
}

#[test]
fn a_position_follows_from_the_secret_the_tickets_and_the_event_and_each_of_them_counts() {
    let first = draw(1, 1_000);
    let line = |draw: &Draw| (0..1_000).map(|index| draw.position(index)).collect::<Vec<_>>();
    assert_eq!(line(&first), line(&draw(1, 1_000)));
    let other_event = EventId::new(EventNumber(7), [4; 11]);
    let others = [
        draw(2, 1_000),
        Draw::new(event(), &secret(1), PublicValue([2; 32]), 1_000),
        Draw::new(other_event, &secret(1), PublicValue([1; 32]), 1_000),
    ];
    for other in &others {
        assert_ne!(line(&first), line(other));
    }
    assert_ne!(secret(1).commitment(event()), secret(1).commitment(other_event));
    assert_ne!(secret(1).commitment(event()), secret(2).commitment(event()));
}

#[test]
fn the_public_value_is_of_every_ticket_in_its_order() {
    let ticket = |buyer: &str| {
        let buyer = BuyerId::parse(buyer).expect("a buyer");
        QueueTicketId::derive(EventNumber(7), &[5; 32], &buyer)
    };
    let value = |buyers: &[&str]| {
        let mut present = Attendance::default();
        buyers.iter().for_each(|buyer| present.push(ticket(buyer)));
        assert_eq!(present.count() as usize, buyers.len());
        present.freeze()
    };
    assert_eq!(value(&["ana", "bob"]), value(&["ana", "bob"]));
    for others in [&["bob", "ana"][..], &["ana"], &["ana", "bob", "bob"], &["ana", "eva"]] {
        assert_ne!(value(&["ana", "bob"]), value(others));
    }
}

#[test]
fn a_secret_is_not_shown() {
    assert_eq!(format!("{:?}", secret(7)), "Secret(…)");
}

/// In another language, with nothing of ours: `draw.py`.
#[test]
fn a_stranger_computes_the_same_positions() {
    let sizes = [0, 1, 2, 3, 10, 255, 256, 257, 999, 1_025, 4_096];
    let (mut lines, mut expected) = (String::new(), String::new());
    for (seed, present) in (0..).zip(sizes) {
        let (secret, value) = (secret(seed), PublicValue([present as u8; 32]));
        let draw = Draw::new(event(), &secret, value, present);
        let of_event = hex(event().uuid().as_bytes());
        writeln!(lines, "{of_event} {} {} {present}", hex(secret.reveal()), hex(&value.0))
            .expect("a string takes it");
        write!(expected, "{}", hex(&secret.commitment(event()).0)).expect("a string takes it");
        for index in 0..present {
            write!(expected, " {}", draw.position(index)).expect("a string takes it");
        }
        expected.push('\n');
    }
    assert_eq!(python(&lines), expected);
}

fn python(lines: &str) -> String {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/draw.py");
    let mut child = Command::new("python3")
        .arg(script)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("python3 is there");
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(lines.as_bytes()).expect("it reads");
    drop(stdin);
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).expect("text")
}
