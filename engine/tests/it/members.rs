//! The room's table of numbers: what is put in is found, by whoever looks meanwhile.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

use taquilla_engine::buyer::BuyerId;
use taquilla_engine::id::{EventNumber, QueueTicketId};
use taquilla_engine::waiting_room::members::{Members, MembersWriter};

fn ticket(nth: u32) -> QueueTicketId {
    let buyer = BuyerId::parse(&format!("buyer-{nth}")).expect("a buyer");
    QueueTicketId::derive(EventNumber(7), &[9; 32], &buyer)
}

#[test]
fn every_ticket_has_its_number_and_a_stranger_has_none() {
    let (members, mut writer) = (Members::default(), MembersWriter::default());
    for nth in 0..50_000 {
        assert_eq!(members.number(ticket(nth)), None);
        members.insert(&mut writer, ticket(nth), nth);
    }
    for nth in 0..50_000 {
        assert_eq!(members.number(ticket(nth)), Some(nth));
        assert_eq!(members.number(ticket(nth + 50_000)), None);
    }
}

#[test]
fn a_ticket_has_the_number_that_it_was_given_last() {
    let (members, mut writer) = (Members::default(), MembersWriter::default());
    for number in [0, 7, u32::MAX] {
        for nth in 0..5_000 {
            members.insert(&mut writer, ticket(nth), number);
        }
        assert!((0..5_000).all(|nth| members.number(ticket(nth)) == Some(number)));
    }
    // Given again, it takes no further place: there is room for as many others in the same pieces.
    assert_eq!(members.number(ticket(5_000)), None);
}

#[test]
fn who_reads_while_it_grows_sees_all_that_was_put_in_before() {
    const COUNT: u32 = 60_000;
    let (members, done) = (Arc::new(Members::default()), Arc::new(AtomicU32::new(0)));
    let readers: Vec<_> = (0..3_u32)
        .map(|reader| {
            let (members, done) = (Arc::clone(&members), Arc::clone(&done));
            thread::spawn(move || {
                let mut nth = reader;
                loop {
                    let put_in = done.load(Ordering::Acquire);
                    if put_in == COUNT {
                        return;
                    }
                    nth = (nth * 31 + 7) % COUNT;
                    match members.number(ticket(nth)) {
                        Some(number) => assert_eq!(number, nth),
                        None => assert!(nth >= put_in, "{nth} was there"),
                    }
                }
            })
        })
        .collect();
    let mut writer = MembersWriter::default();
    for nth in 0..COUNT {
        members.insert(&mut writer, ticket(nth), nth);
        done.store(nth + 1, Ordering::Release);
    }
    readers.into_iter().for_each(|reader| reader.join().expect("a reader"));
}
