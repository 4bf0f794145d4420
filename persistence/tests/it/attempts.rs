use taquilla_engine::hold::HoldStatus;
use taquilla_engine::moment::Moment;
use taquilla_engine::money::{Currency, Money};
use taquilla_engine::payment::{AttemptStatus, Attempts, Failure, NewAttempt, Opened, Step};
use taquilla_engine::sale::SaleStatus;
use taquilla_persistence::attempts::PostgresAttempts;

use crate::box_office::{BoxOffice, PRICE};

#[tokio::test]
async fn an_attempt_is_for_the_orders_total_and_its_key_repeats_it() {
    let office = BoxOffice::open("attempt").await;
    let order = office.order(office.hold("ana", &[0, 1]).await).await;
    let (attempts, new) = (office.attempts(), office.new_attempt("ana", order, "k1"));

    let Opened::Created(created) = open(&attempts, &new).await else { panic!("not created") };

    let euros = Currency::parse("EUR").expect("three letters");
    assert_eq!(created.money, Money { amount: 2 * (PRICE + 100), currency: euros });
    assert_eq!(
        (created.id, created.order, created.status),
        (new.id, order, AttemptStatus::Pending)
    );
    assert_eq!(open(&attempts, &new).await, Opened::Replayed(created.clone()));
    let other = NewAttempt { fingerprint: [8; 32], ..new.clone() };
    assert_eq!(open(&attempts, &other).await, Opened::KeyReused);
    assert_eq!(attempts.find(new.id).await, Ok(Some(created)));
}

#[tokio::test]
async fn an_order_of_another_buyer_is_not_found_and_uses_up_no_key() {
    let office = BoxOffice::open("attempt_not_found").await;
    let hold = office.hold("ana", &[0]).await;
    let order = office.order(hold).await;
    let missing = taquilla_engine::id::OrderId::of(office.hold("bob", &[1]).await);
    let attempts = office.attempts();
    for new in [office.new_attempt("bob", order, "k1"), office.new_attempt("bob", missing, "k1")] {
        assert_eq!(open(&attempts, &new).await, Opened::NotFound);
    }
    office.order(office.hold("bob", &[2]).await).await;
    let bobs = office.order(office.hold("bob", &[3]).await).await;
    let created = open(&attempts, &office.new_attempt("bob", bobs, "k1")).await;
    assert!(matches!(created, Opened::Created(_)), "{created:?}");
}

/// Not found comes before any replay: a key says nothing about an order that is another buyer's.
#[tokio::test]
async fn a_used_key_for_an_order_of_another_buyer_is_not_found_either() {
    let office = BoxOffice::open("attempt_not_found_key").await;
    let attempts = office.attempts();
    let own = office.order(office.hold("ana", &[0]).await).await;
    let bobs = office.order(office.hold("bob", &[1]).await).await;
    let missing = taquilla_engine::id::OrderId::of(office.hold("ana", &[2]).await);
    open(&attempts, &office.new_attempt("ana", own, "opened")).await;
    let refused = open(&attempts, &office.new_attempt("ana", own, "refused")).await;
    assert_eq!(refused, not_payable("authorizing", false));
    for (key, order) in
        [("opened", bobs), ("opened", missing), ("refused", bobs), ("refused", missing)]
    {
        let new = NewAttempt { fingerprint: [8; 32], ..office.new_attempt("ana", order, key) };
        assert_eq!(open(&attempts, &new).await, Opened::NotFound, "{key}");
    }
}

#[tokio::test]
async fn a_hold_that_is_over_takes_no_money_whoever_has_written_that() {
    let office = BoxOffice::open("attempt_hold_over").await;
    for (seat, status) in
        [(0, HoldStatus::Expired), (1, HoldStatus::Released), (2, HoldStatus::Converted)]
    {
        let hold = office.hold("ana", &[seat]).await;
        let order = office.order(hold).await;
        match status {
            HoldStatus::Expired => office.let_time_pass(hold).await,
            HoldStatus::Released => office.release(hold).await,
            HoldStatus::Converted => office.convert(hold, 1).await,
            HoldStatus::Active => unreachable!("not in the list"),
        }
        let new = office.new_attempt("ana", order, &format!("k{seat}"));
        for replayed in [false, true] {
            let refused = open(&office.attempts(), &new).await;
            assert_eq!(refused, Opened::HoldNotActive { status, replayed });
        }
        let other = NewAttempt { fingerprint: [8; 32], ..new };
        assert_eq!(open(&office.attempts(), &other).await, Opened::KeyReused);
    }
}

#[tokio::test]
async fn a_stopped_sale_takes_no_money_and_uses_up_no_key() {
    let office = BoxOffice::open("attempt_sale_stopped").await;
    let order = office.order(office.hold("ana", &[0]).await).await;
    let new = office.new_attempt("ana", order, "k1");
    let opens_at = Moment(0);
    for (stop, status) in [
        ("UPDATE events SET paused = true", SaleStatus::Paused),
        ("UPDATE events SET cancelled = true", SaleStatus::Cancelled),
        ("UPDATE events SET paused = false", SaleStatus::Cancelled),
    ] {
        office.call(stop, &[]).await;
        let refused = open(&office.attempts(), &new).await;
        assert_eq!(refused, Opened::SaleNotOpen { opens_at, status }, "{stop}");
    }
    // A sale that is over by the clock does.
    office
        .call("UPDATE events SET cancelled = false, closes_at = opens_at + interval '1 s'", &[])
        .await;
    let created = open(&office.attempts(), &new).await;
    assert!(matches!(created, Opened::Created(_)), "{created:?}");
}

#[tokio::test]
async fn a_refusal_is_repeated_though_the_order_may_be_paid_by_now() {
    let office = BoxOffice::open("attempt_refusal").await;
    let order = office.order(office.hold("ana", &[0]).await).await;
    let attempts = office.attempts();
    let first = office.new_attempt("ana", order, "k1");
    open(&attempts, &first).await;
    let second = office.new_attempt("ana", order, "k2");
    let refusal = |replayed| not_payable("authorizing", replayed);
    assert_eq!(open(&attempts, &second).await, refusal(false));

    step(&attempts, &first, Step::Declined(failure())).await;

    assert_eq!(open(&attempts, &second).await, refusal(true));
    let third = open(&attempts, &office.new_attempt("ana", order, "k3")).await;
    assert!(matches!(third, Opened::Created(_)), "{third:?}");
}

#[tokio::test]
async fn an_order_has_so_many_attempts_and_no_more() {
    let office = BoxOffice::open("attempts_max").await;
    let order = office.order(office.hold("ana", &[0]).await).await;
    let attempts = PostgresAttempts::new(office.database.clone(), 2);
    for key in ["k1", "k2"] {
        let new = office.new_attempt("ana", order, key);
        assert!(matches!(open(&attempts, &new).await, Opened::Created(_)));
        step(&attempts, &new, Step::Declined(failure())).await;
    }
    let third = open(&attempts, &office.new_attempt("ana", order, "k3")).await;
    assert_eq!(third, not_payable("declined", false));
}

#[tokio::test]
async fn what_is_not_final_is_unfinished_oldest_first() {
    let office = BoxOffice::open("unfinished").await;
    let attempts = office.attempts();
    let mut expected = Vec::new();
    for (seat, last) in [(0, None), (1, Some(Step::Unclear)), (2, Some(Step::Declined(failure())))]
    {
        let order = office.order(office.hold("ana", &[seat]).await).await;
        let new = office.new_attempt("ana", order, &format!("k{seat}"));
        open(&attempts, &new).await;
        let is_final = matches!(last, Some(Step::Declined(_)));
        if let Some(last) = last {
            step(&attempts, &new, last).await;
        }
        if !is_final {
            expected.push(new.id);
        }
    }
    let unfinished = attempts.unfinished(None, 10).await.expect("the store is there");
    assert_eq!(unfinished.iter().map(|attempt| attempt.id).collect::<Vec<_>>(), expected);
    let first = &unfinished[0];
    let page = attempts.unfinished(None, 1).await.expect("the store is there");
    assert_eq!(page, unfinished[..1]);
    let after = Some((first.created_at, first.id));
    let next = attempts.unfinished(after, 1).await.expect("the store is there");
    assert_eq!(next, unfinished[1..]);
}

async fn open(attempts: &PostgresAttempts, new: &NewAttempt) -> Opened {
    attempts.open(new).await.expect("the store is there")
}

async fn step(attempts: &PostgresAttempts, new: &NewAttempt, step: Step) {
    attempts.step(new.id, &step).await.expect("the store is there");
}

fn not_payable(status: &str, replayed: bool) -> Opened {
    Opened::OrderNotPayable { status: status.into(), replayed }
}

fn failure() -> Failure {
    Failure { code: "card_declined".into(), detail: "no".into() }
}
