//! Random commands, many to a batch, against real rows: what was decided, what the rows say and
//! what a new owner knows are one and the same, and the rows agree with each other.

mod account;
mod crowd;

use taquilla_engine::command::Command;
use taquilla_persistence::audit::Audit;
use taquilla_persistence::database::Database;
use taquilla_persistence::pool::Pool;

use self::account::Account;
use self::crowd::Crowd;
use super::box_office::BoxOffice;
use super::owner::{Owner, buyer};

const BATCHES: usize = 200;

async fn a_snapshot_equals_what_was_decided(seed: u64) {
    let office = BoxOffice::open(&format!("history_{seed}")).await;
    let mut owner = Owner::start(&office).await;
    let (mut crowd, mut account) = (Crowd::new(seed), Account::default());
    for _ in 0..BATCHES {
        crowd.ask_something(&mut owner, &office).await;
        account.add(&owner.commit(&office).await);
    }

    let pool = Pool::new(&office.settings).expect("a good URL");
    let audit = Audit::new(Database::new(pool, &office.settings));
    let report = audit.run(None).await.expect("an audit");
    let broken: Vec<_> = report.invariants.iter().filter(|it| it.violations > 0).collect();
    assert!(report.ok, "seed {seed}: {broken:?}");

    let snapshot = office.take_over().await;
    account.agrees_with(&snapshot);
    account.saw_everything();
    let mut next = Owner::rebuild(snapshot);
    owner.now = next.now;
    for (who, hold) in crowd.holds() {
        let read = Command::ReadHold { buyer: buyer(who), hold };
        let told = [&mut owner, &mut next].map(|it| it.tell(&office, read.clone()));
        assert_eq!(told[0], told[1], "seed {seed}: {hold:?} of {who}");
    }
}

#[tokio::test]
async fn a_snapshot_equals_what_was_decided_with_seed_1() {
    a_snapshot_equals_what_was_decided(1).await;
}

#[tokio::test]
async fn a_snapshot_equals_what_was_decided_with_seed_2() {
    a_snapshot_equals_what_was_decided(2).await;
}

#[tokio::test]
async fn a_snapshot_equals_what_was_decided_with_seed_3() {
    a_snapshot_equals_what_was_decided(3).await;
}
