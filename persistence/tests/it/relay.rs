//! The outboxes as relays read them: by lease, in order, and nothing passed over.

use std::collections::BTreeSet;
use std::time::Duration;

use taquilla_engine::event::Fact;
use taquilla_engine::id::{SeatIndex, SectionIndex, Sequence};
use taquilla_persistence::audit::Audit;
use taquilla_persistence::codec;
use taquilla_persistence::relay::{
    Begins, ClaimedEvent, Lag, Listener, RelayRows, Retention, Ringer,
};

use crate::box_office::{BoxOffice, reach};
use crate::journal;
use crate::plain::{eventually, in_time};

const LEASE: Duration = Duration::from_secs(60);
const OVER: Duration = Duration::ZERO;

/// Four batches in the event's outbox: a hold, an order, its end in a sale, another hold.
async fn office(name: &str) -> BoxOffice {
    let office = BoxOffice::open(name).await;
    office.sell("ana", 0).await;
    office.hold("bob", &[1]).await;
    office.call("UPDATE outbox SET payload = $1", &[&codec::encode(&[])]).await;
    office
}

fn rows(office: &BoxOffice, lease: Duration) -> RelayRows {
    RelayRows::new(office.database.clone(), "sink:test", Begins::WithTheFirst, lease)
}

async fn claim(rows: &RelayRows) -> Vec<ClaimedEvent> {
    in_time(rows.enrol()).await.expect("an answer");
    in_time(rows.claim(10)).await.expect("an answer")
}

async fn only(rows: &RelayRows) -> ClaimedEvent {
    let claimed = claim(rows).await;
    let [only] = claimed.as_slice() else { panic!("{claimed:?}") };
    only.clone()
}

async fn sequences(rows: &RelayRows, claimed: &ClaimedEvent) -> Vec<i64> {
    let batches = rows.batches(claimed.event.number, claimed.read_to, claimed.head);
    let batches = in_time(batches).await.expect("an answer");
    batches.iter().map(|batch| batch.sequence.0).collect()
}

#[tokio::test]
async fn of_relays_that_come_at_once_one_reads_an_event_and_the_next_goes_on_behind_it() {
    let office = office("relay_claim").await;
    let relays: Vec<_> = (0..6).map(|_| rows(&office, LEASE)).collect();
    let claims = relays.iter().map(|relay| {
        let relay = relay.clone();
        tokio::spawn(async move {
            relay.enrol().await?;
            relay.claim(10).await
        })
    });
    let mut holders = Vec::new();
    for (relay, claim) in relays.iter().zip(claims.collect::<Vec<_>>()) {
        let claimed = claim.await.expect("no panic").expect("an answer");
        holders.extend(claimed.into_iter().map(|claimed| (relay, claimed)));
    }
    let [(holder, claimed)] = holders.as_slice() else { panic!("{holders:?}") };
    assert_eq!(claimed.event.id, office.event);
    let head = claimed.head.0;
    assert_eq!(sequences(holder, claimed).await, (1..=head).collect::<Vec<_>>());
    assert!(in_time(holder.settle(claimed, Sequence(2))).await.expect("an answer"));
    let next = only(&relays[0]).await;
    assert_eq!(next.read_to, Sequence(2));
    assert_eq!(sequences(&relays[0], &next).await, (3..=head).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_lease_that_has_run_out_is_anothers_and_its_late_holder_moves_nothing() {
    let office = office("relay_lease").await;
    let dead = rows(&office, OVER);
    let late = only(&dead).await;
    let heir = rows(&office, LEASE);
    let claimed = only(&heir).await;
    assert_eq!(claimed.read_to, Sequence(0), "nothing was settled");
    assert!(!in_time(dead.settle(&late, late.head)).await.expect("an answer"));
    assert!(!in_time(dead.postpone(&late, late.head, LEASE)).await.expect("an answer"));
    assert!(in_time(heir.settle(&claimed, claimed.head)).await.expect("an answer"));
    assert_eq!(claim(&heir).await, [], "the consumer has everything");
}

#[tokio::test]
async fn who_postpones_an_event_keeps_it_from_all_until_then() {
    let office = office("relay_postponed").await;
    let relay = rows(&office, LEASE);
    let claimed = only(&relay).await;
    assert!(in_time(relay.postpone(&claimed, Sequence(1), LEASE)).await.expect("an answer"));
    assert_eq!(claim(&relay).await, []);
    assert_eq!(claim(&rows(&office, LEASE)).await, []);
    office.call("UPDATE outbox_positions SET lease_until = clock_timestamp()", &[]).await;
    assert_eq!(only(&rows(&office, LEASE)).await.read_to, Sequence(1));
}

#[tokio::test]
async fn who_stops_gives_back_what_he_has_claimed() {
    let office = office("relay_released").await;
    let (stopping, heir) = (rows(&office, LEASE), rows(&office, LEASE));
    only(&stopping).await;
    let money = eventually("its money", async || stopping.claim_money().await.expect("an answer"));
    in_time(money).await;
    in_time(stopping.release()).await.expect("an answer");
    only(&heir).await;
    assert!(in_time(heir.claim_money()).await.expect("an answer").is_some());
}

#[tokio::test]
async fn who_begins_now_hears_of_what_comes_and_of_nothing_that_was() {
    let office = office("relay_begins").await;
    let new = RelayRows::new(office.database.clone(), "sink:new", Begins::Now, LEASE);
    assert_eq!(claim(&new).await, []);
    assert_eq!(in_time(new.claim_money()).await.expect("an answer"), None);
    let head = only(&rows(&office, LEASE)).await.head;
    let order = office.sell("eva", 2).await;
    let claimed = only(&new).await;
    assert_eq!(claimed.read_to, head);
    let money = in_time(eventually("its money", async || {
        let claimed = new.claim_money().await.expect("an answer")?;
        let money = new.money(claimed).await.expect("an answer");
        new.settle_money(claimed, claimed.read_to).await.expect("an answer");
        // What another transaction on the server could still have been older than is told as well.
        let its: Vec<_> = money.into_iter().filter(|it| it.news.order == order).collect();
        (its.len() == 3).then_some(its)
    }))
    .await;
    assert!(money.iter().all(|it| it.event == office.event), "{money:?}");
}

#[tokio::test]
async fn money_is_one_relays_at_a_time_and_moves_for_its_holder() {
    let office = office("relay_money").await;
    let (one, other) = (rows(&office, LEASE), rows(&office, LEASE));
    claim(&one).await;
    let claimed =
        in_time(eventually("its money", async || one.claim_money().await.expect("an answer")))
            .await;
    assert_eq!(in_time(other.claim_money()).await.expect("an answer"), None);
    let money = in_time(one.money(claimed)).await.expect("an answer");
    assert_eq!(money.iter().map(|it| it.news.version).collect::<Vec<_>>(), [1, 2, 3]);
    assert!(!in_time(other.settle_money(claimed, money[2].place())).await.expect("an answer"));
    assert!(in_time(one.settle_money(claimed, money[1].place())).await.expect("an answer"));
    let rest = in_time(other.claim_money()).await.expect("an answer").expect("one row");
    assert_eq!(in_time(other.money(rest)).await.expect("an answer"), [money[2].clone()]);
    let postponed = other.postpone_money(rest, rest.read_to, LEASE);
    assert!(in_time(postponed).await.expect("an answer"));
    assert_eq!(in_time(one.claim_money()).await.expect("an answer"), None);
}

#[tokio::test]
async fn seats_and_sections_are_named_as_people_name_them() {
    let office = office("relay_names").await;
    let (rows, seats) = (rows(&office, LEASE), BTreeSet::from([1, 7]));
    let names = in_time(rows.names(office.event.event(), &seats)).await.expect("an answer");
    assert_eq!(names.seat(SeatIndex(1)), "A-1-2");
    assert_eq!(names.seat(SeatIndex(7)), "A-1-8");
    assert_eq!(names.seat(SeatIndex(99)), "99");
    assert_eq!(names.section(SectionIndex(1)), "FLOOR");
}

#[tokio::test]
async fn the_lag_is_what_is_not_read_and_how_old_that_is() {
    let office = office("relay_lag").await;
    let relay = rows(&office, LEASE);
    let old = "UPDATE outbox SET created_at = clock_timestamp() - interval '1 hour' WHERE seq = 2";
    office.call(old, &[]).await;
    let claimed = only(&relay).await;
    let batches = u64::try_from(claimed.head.0).expect("some");
    in_time(relay.settle(&claimed, Sequence(1))).await.expect("an answer");
    let [events, money] = in_time(relay.lag()).await.expect("an answer");
    assert_eq!((events.behind, money.behind), (batches - 1, 3));
    assert!(events.age > Duration::from_secs(3_599), "{events:?}");
    let claimed = only(&relay).await;
    in_time(relay.settle(&claimed, claimed.head)).await.expect("an answer");
    let [events, _] = in_time(relay.lag()).await.expect("an answer");
    assert_eq!(events, Lag::default());
}

#[tokio::test]
async fn what_is_old_is_forgotten_once_all_have_it_and_the_audit_knows() {
    let office = office("relay_retention").await;
    let relay = rows(&office, LEASE);
    let hour = Duration::from_secs(3_600);
    let consumers = vec!["sink:test".to_owned(), "sink:slow".to_owned()];
    let retention = Retention::new(office.database.clone(), consumers, hour);
    let first = async || office.one::<i64>("SELECT coalesce(min(seq), 0) FROM outbox").await;
    let old =
        "UPDATE outbox SET created_at = clock_timestamp() - interval '2 hours' WHERE seq <= 3";
    office.call(old, &[]).await;
    let claimed = only(&relay).await;
    in_time(relay.settle(&claimed, claimed.head)).await.expect("an answer");
    in_time(retention.tidy()).await.expect("an answer");
    assert_eq!(first().await, 1, "one has read nothing yet");
    let slow = RelayRows::new(office.database.clone(), "sink:slow", Begins::WithTheFirst, LEASE);
    let claimed = only(&slow).await;
    in_time(slow.settle(&claimed, Sequence(2))).await.expect("an answer");
    in_time(retention.tidy()).await.expect("an answer");
    assert_eq!(first().await, 3, "the slow one waits for it");
    let claimed = only(&slow).await;
    in_time(slow.settle(&claimed, claimed.head)).await.expect("an answer");
    assert!(!in_time(retention.tidy()).await.expect("an answer"), "there is no more");
    assert_eq!(first().await, 4, "what is young stays");
    let history = in_time(relay.history(office.event)).await.expect("an answer").expect("it is");
    assert_eq!(history.floor, Sequence(3));
    // Whoever comes now begins with what is there.
    let new = RelayRows::new(office.database.clone(), "sink:new", Begins::WithTheFirst, LEASE);
    let claimed = only(&new).await;
    assert_eq!(sequences(&new, &claimed).await, (4..=claimed.head.0).collect::<Vec<_>>());
    let report = in_time(Audit::new(office.database.clone()).run(None)).await.expect("an audit");
    assert!(report.ok, "{report:#?}");
}

#[tokio::test]
async fn a_batch_rings_and_who_begins_to_listen_looks_by_himself() {
    let office = journal::box_office::BoxOffice::open("relay_bell").await;
    let database = reach(&office.settings);
    let listener = Listener::new(office.settings.clone());
    let mut heard = listener.heard();
    let listening = tokio::spawn(listener.keep_listening());
    in_time(heard.changed()).await.expect("it listens: what was rung before is not heard");
    let ringing = tokio::spawn(Ringer::new(database, office.journal.news()).keep_ringing());
    let owner = office.take_over().await;
    let hold = Fact::HoldPlaced(journal::box_office::a_hold("dan", "bell"));
    office.append(&office.batch(&owner, vec![hold])).await.expect("it is durable");
    in_time(heard.changed()).await.expect("the bell");
    let cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
                WHERE datname = current_database() AND query LIKE '%LISTEN taquilla_outbox%' \
                  AND pid <> pg_backend_pid()";
    office.client.execute(cut, &[]).await.expect("it is cut");
    in_time(heard.changed()).await.expect("it listens again");
    listening.abort();
    ringing.abort();
}
