//! Tickets at the gates, as rows have it: one scan lets one in, whoever asks at once and however often.

use std::time::Duration;

use taquilla_engine::id::TicketId;
use taquilla_persistence::database::{Database, DatabaseError};
use taquilla_persistence::pool::Pool;
use taquilla_persistence::tickets::{NewScan, ScanRecord, ScanResult, Scanned, Tickets};

use crate::box_office::BoxOffice;
use crate::plain::{self, in_time};

const CODE: [u8; 32] = [1; 32];

fn scan<'a>(id: &'a str, ticket: Option<TicketId>) -> NewScan<'a> {
    NewScan { id, code_hash: &CODE, ticket, who: "gate" }
}

async fn told(tickets: &Tickets, new: NewScan<'_>) -> (ScanRecord, bool) {
    match in_time(tickets.scan(new)).await.expect("an answer") {
        Scanned::Told { scan, replayed } => (scan, replayed),
        Scanned::IdReused => panic!("{new:?} is another code's"),
    }
}

/// A gate's next answer, where it is asked for the first time.
async fn result(tickets: &Tickets, new: NewScan<'_>) -> ScanResult {
    let (scan, replayed) = told(tickets, new).await;
    assert!(!replayed, "{scan:?}");
    scan.result
}

#[tokio::test]
async fn of_many_gates_at_once_one_lets_the_bearer_in() {
    let office = BoxOffice::open("scan_race").await;
    let order = office.sell("ana", 0).await;
    let ticket = Some(TicketId::of(order, 0));
    for _ in 0..3 {
        office.call("UPDATE tickets SET status = 0", &[]).await;
        office.call("DELETE FROM ticket_scans", &[]).await;
        let gates = (0..24).map(|gate| {
            // Each is a process of its own: its connections are nobody else's.
            let pool = Pool::new(&office.settings).expect("a good URL");
            let tickets = Tickets::new(Database::new(pool, &office.settings));
            tokio::spawn(async move { told(&tickets, scan(&format!("gate-{gate}"), ticket)).await })
        });
        let mut records = Vec::new();
        for gate in gates.collect::<Vec<_>>() {
            records.push(gate.await.expect("no panic").0);
        }
        let accepted: Vec<_> =
            records.iter().filter(|scan| scan.result == ScanResult::Accepted).collect();
        let [winner] = accepted.as_slice() else { panic!("{records:#?}") };
        for other in records.iter().filter(|scan| scan.id != winner.id) {
            assert_eq!(other.result, ScanResult::AlreadyUsed);
            let used = other.used.as_ref().expect("by somebody");
            assert_eq!((&used.scan, used.at), (&winner.id, winner.at));
        }
    }
}

#[tokio::test]
async fn one_scan_sent_many_times_at_once_is_one() {
    let office = BoxOffice::open("scan_repeats").await;
    let order = office.sell("ana", 0).await;
    let ticket = Some(TicketId::of(order, 0));
    let tickets = Tickets::new(office.database.clone());
    let sent = (0..12).map(|_| {
        let tickets = tickets.clone();
        tokio::spawn(async move { told(&tickets, scan("s", ticket)).await })
    });
    let mut first = 0;
    for answer in sent.collect::<Vec<_>>() {
        let (scan, replayed) = answer.await.expect("no panic");
        assert_eq!((scan.result, scan.id.as_str()), (ScanResult::Accepted, "s"));
        first += u32::from(!replayed);
    }
    assert_eq!(first, 1);
}

#[tokio::test]
async fn the_first_answer_stays_whatever_becomes_of_the_ticket() {
    let office = BoxOffice::open("scan_for_ever").await;
    let order = office.sell("ana", 0).await;
    let ticket = Some(TicketId::of(order, 0));
    let tickets = Tickets::new(office.database.clone());
    assert_eq!(result(&tickets, scan("nothing", None)).await, ScanResult::Unknown);
    assert_eq!(result(&tickets, scan("one", ticket)).await, ScanResult::Accepted);
    assert_eq!(result(&tickets, scan("two", ticket)).await, ScanResult::AlreadyUsed);
    office.call("UPDATE tickets SET status = 1", &[]).await;
    assert_eq!(result(&tickets, scan("three", ticket)).await, ScanResult::Void);
    for (id, ticket, expected) in [
        ("nothing", ticket, ScanResult::Unknown),
        ("one", ticket, ScanResult::Accepted),
        ("one", None, ScanResult::Accepted),
        ("two", ticket, ScanResult::AlreadyUsed),
        ("three", ticket, ScanResult::Void),
    ] {
        let (again, replayed) = told(&tickets, scan(id, ticket)).await;
        assert!(replayed, "{id}");
        assert_eq!(again.result, expected, "{id}");
    }
    let other = NewScan { code_hash: &[2; 32], ..scan("one", ticket) };
    let reused = in_time(tickets.scan(other)).await.expect("an answer");
    assert_eq!(reused, Scanned::IdReused);
}

#[tokio::test]
async fn a_scan_of_unknown_outcome_is_told_when_it_is_repeated() {
    let office = BoxOffice::open("scan_unknown").await;
    let order = office.sell("ana", 0).await;
    let ticket = Some(TicketId::of(order, 0));
    let (proxy, through) = plain::behind_a_proxy(&office.settings).await;
    let database = Database::new(Pool::new(&through).expect("a good URL"), &through);
    // Connects, so that only the scan's own answer is held.
    result(&Tickets::new(database.clone()), scan("warm", None)).await;
    proxy.hold_answers();
    let impatient = Tickets::new(database.within(Duration::from_millis(200)));
    let lost = in_time(impatient.scan(scan("s", ticket))).await;
    assert!(matches!(lost, Err(DatabaseError::TimedOut(_))), "{lost:?}");
    proxy.release();
    let tickets = Tickets::new(database);
    let (scan, _) = told(&tickets, scan("s", ticket)).await;
    assert_eq!(scan.result, ScanResult::Accepted, "whether it was written before or now");
    let (again, replayed) = told(&tickets, self::scan("s", ticket)).await;
    assert_eq!((again, replayed), (scan, true));
}

#[tokio::test]
async fn void_tickets_are_listed_by_page_with_their_number() {
    let office = BoxOffice::open("revocations").await;
    let tickets = Tickets::new(office.database.clone());
    let event = office.event.event();
    let mut sold = Vec::new();
    for seat in 0..5 {
        sold.push(TicketId::of(office.sell("ana", seat).await, 0));
    }
    let none = in_time(tickets.revocations(event, None, 10)).await.expect("a read");
    assert_eq!((none.page.items.as_slice(), none.total), ([].as_slice(), 0));
    let mut void = sold[1..].to_vec();
    void.sort();
    let ids: Vec<_> = void.iter().map(|ticket| ticket.uuid()).collect();
    office.call("UPDATE tickets SET status = 1 WHERE ticket_id = ANY ($1)", &[&ids]).await;
    let first = in_time(tickets.revocations(event, None, 3)).await.expect("a read");
    assert_eq!((first.page.items.as_slice(), first.total), (&void[..3], 4));
    assert_eq!(first.page.next, Some(void[2]));
    let rest = in_time(tickets.revocations(event, first.page.next, 3)).await.expect("a read");
    assert_eq!((rest.page.items.as_slice(), rest.page.next), (&void[3..], None));
    assert!(rest.as_of > none.as_of);
}
