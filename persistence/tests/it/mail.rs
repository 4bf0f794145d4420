//! Mail as rows: noted once for each batch that issued tickets, and due until somebody settles it.

use std::time::Duration;

use taquilla_engine::event::{Fact, Ticket};
use taquilla_engine::id::{OrderId, SectionIndex, TicketId};
use taquilla_persistence::codec;
use taquilla_persistence::mail::{Contacts, DueMail, MailOutcome, OrderMail};

use crate::box_office::{BoxOffice, buyer};
use crate::plain::in_time;

const LEASE: Duration = Duration::from_secs(60);

/// The order of seat 0, and the last batch but one says that its tickets were issued; that batch.
async fn issued(office: &BoxOffice) -> (OrderId, i64) {
    let order = office.sell("ana", 0).await;
    office.hold("bob", &[1]).await;
    let ticket = Ticket { id: TicketId::of(order, 0), order, section: SectionIndex(0), seat: None };
    let (nothing, history) = (codec::encode(&[]), codec::encode(&[Fact::TicketIssued(ticket)]));
    office.call("UPDATE outbox SET payload = $1", &[&nothing]).await;
    let row = office.client.query_one("SELECT max(seq) - 1 FROM outbox", &[]).await;
    let batch: i64 = row.expect("a batch").get(0);
    office.call("UPDATE outbox SET payload = $1 WHERE seq = $2", &[&history, &batch]).await;
    (order, batch)
}

async fn due(mail: &OrderMail, lease: Duration) -> Vec<DueMail> {
    in_time(mail.take_due(10, lease)).await.expect("an answer")
}

#[tokio::test]
async fn each_batch_is_read_once_whoever_reads_at_once() {
    let office = BoxOffice::open("mail_readers").await;
    let (order, version) = issued(&office).await;
    let mail = OrderMail::new(office.database.clone());
    let readers = (0..6).map(|_| {
        let mail = mail.clone();
        tokio::spawn(async move { mail.read_on().await })
    });
    for reader in readers.collect::<Vec<_>>() {
        reader.await.expect("no panic").expect("an answer");
    }
    let taken = due(&mail, LEASE).await;
    let [only] = taken.as_slice() else { panic!("{taken:#?}") };
    assert_eq!((only.order, only.version, only.buyer.as_str()), (order, version, "ana"));
    // Whatever is done to the row, nobody reads that batch again.
    office.call("DELETE FROM order_mails", &[]).await;
    assert!(!in_time(mail.read_on()).await.expect("an answer"), "there is nothing more");
    assert_eq!(due(&mail, LEASE).await, []);
    let heads = "SELECT h.seq - p.seq FROM event_heads h JOIN outbox_positions p USING (event_no)";
    let row = office.client.query_one(heads, &[]).await.expect("a position");
    assert_eq!(row.get::<_, i64>(0), 0, "the reader is at the head");
}

#[tokio::test]
async fn what_cannot_be_read_is_not_passed_over() {
    let office = BoxOffice::open("mail_unreadable").await;
    issued(&office).await;
    let unreadable = "UPDATE outbox SET payload = '\\xff' WHERE seq = 1";
    office.call(unreadable, &[]).await;
    let mail = OrderMail::new(office.database.clone());
    in_time(mail.read_on()).await.expect("others are read");
    assert_eq!(due(&mail, LEASE).await, []);
    let mended = "UPDATE outbox SET payload = $1 WHERE seq = 1";
    office.call(mended, &[&codec::encode(&[])]).await;
    in_time(mail.read_on()).await.expect("an answer");
    assert_eq!(due(&mail, LEASE).await.len(), 1);
}

#[tokio::test]
async fn a_mail_is_one_senders_for_its_lease_and_due_until_it_is_settled() {
    let office = BoxOffice::open("mail_lease").await;
    issued(&office).await;
    let mail = OrderMail::new(office.database.clone());
    in_time(mail.read_on()).await.expect("an answer");
    let contacts = Contacts::new(office.database.clone());
    in_time(contacts.keep(&buyer("ana"), "old@example.org")).await.expect("kept");
    in_time(contacts.keep(&buyer("ana"), "ana@example.org")).await.expect("kept");
    let senders = (0..6).map(|_| {
        let mail = mail.clone();
        tokio::spawn(async move { mail.take_due(10, Duration::ZERO).await.expect("an answer") })
    });
    for sender in senders.collect::<Vec<_>>() {
        // A lease that is over at once: each may get it, none twice at once.
        assert!(sender.await.expect("no panic").len() <= 1);
    }
    let first = due(&mail, LEASE).await.pop().expect("it is due");
    assert_eq!((first.email.as_deref(), first.refusals), (Some("ana@example.org"), 0));
    assert_eq!(due(&mail, LEASE).await, [], "it is somebody's");
    in_time(mail.postpone(&first, Duration::ZERO, true, "no")).await.expect("written");
    let second = due(&mail, LEASE).await.pop().expect("it is due again");
    assert_eq!(second.refusals, 1);
    in_time(mail.settle(&second, MailOutcome::Sent, None)).await.expect("written");
    in_time(mail.settle(&first, MailOutcome::GivenUp, None)).await.expect("written");
    in_time(mail.postpone(&first, Duration::ZERO, true, "no")).await.expect("written");
    assert_eq!(due(&mail, LEASE).await, []);
    let row = office.client.query_one("SELECT outcome FROM order_mails", &[]).await;
    assert_eq!(row.expect("the mail").get::<_, i16>(0), 0, "what was sent stays sent");
}
