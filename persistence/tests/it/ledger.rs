//! What is booked with each step, and that nothing of it can be taken back.

mod undone;

use std::time::Duration;

use taquilla_engine::id::{AttemptId, OrderId, RefundId};
use taquilla_engine::money::{Currency, Money};
use taquilla_engine::payment::{Attempts, Failure, Refunds, Step};
use taquilla_persistence::orders::Orders;
use taquilla_persistence::refunds::PostgresRefunds;

use crate::box_office::{BoxOffice, buyer};

/// What the accounts stand at, those that stand at nothing left out.
const BALANCES: &str = "SELECT string_agg(account || ' ' || sum, ', ' ORDER BY account) FROM (\
    SELECT account, sum(amount)::bigint FROM ledger GROUP BY account HAVING sum(amount) <> 0) balances";
const OUT_OF_BALANCE: &str = "SELECT count(*) FROM (SELECT attempt_id, kind, name, currency \
    FROM ledger GROUP BY 1, 2, 3, 4 HAVING sum(amount) <> 0) wrong";

/// What was given back was because the event does not take place.
const CALLED_OFF: &str = "UPDATE events SET cancelled = true; \
    UPDATE refunds SET cause = 'cancellation'; \
    INSERT INTO operator_actions (action_id, event_no, who, what, why, detail) \
    SELECT gen_random_uuid(), event_no, 'olga', 'cancel_event', 'flood', '{}' FROM events";

struct Till {
    office: BoxOffice,
    attempt: AttemptId,
}

impl Till {
    /// An attempt to pay 30.00, of which 2.00 are fees; nothing has moved yet.
    async fn open(name: &str) -> Till {
        let office = BoxOffice::open(name).await;
        let hold = office.hold("ana", &[0]).await;
        let order = office.order(hold).await;
        let fees = "UPDATE holds SET fees = '{150,50}', total = 3000 WHERE hold_id = $1";
        office.call(fees, &[&hold.uuid()]).await;
        office.call("UPDATE orders SET total = 3000 WHERE order_id = $1", &[&order.uuid()]).await;
        let new = office.new_attempt("ana", order, "k1");
        office.attempts().open(&new).await.expect("the store is there");
        Till { office, attempt: new.id }
    }

    async fn take(&self, step: &Step) {
        self.office.attempts().step(self.attempt, step).await.expect("the store is there");
    }

    async fn authorize(&self) {
        self.take(&Step::Authorized { reference: "ref".into(), lapses_at: None }).await;
    }

    /// A refund of this order that is to be paid, as its lane writes one.
    async fn owe(&self, name: &str, amount: i64) -> RefundId {
        let refund = RefundId::of(self.order().await, name);
        self.office
            .call(
                "INSERT INTO refunds (refund_id, order_id, event_no, fingerprint, cause, reason, who, \
                        amount, currency, tickets, status, created_at) \
                 SELECT $1, order_id, event_no, sha256(''), 'refund', '', 'olga', $2, 'EUR', \
                        ARRAY[order_id], 'due', clock_timestamp() FROM orders",
                &[&refund.uuid(), &amount],
            )
            .await;
        refund
    }

    async fn order(&self) -> OrderId {
        let order: uuid::Uuid = self.office.one("SELECT order_id FROM orders").await;
        OrderId::parse(order).expect("an order")
    }

    async fn balances(&self) -> String {
        let wrong: i64 = self.office.one(OUT_OF_BALANCE).await;
        assert_eq!(wrong, 0, "a booking does not sum to zero");
        self.office.one::<Option<String>>(BALANCES).await.unwrap_or_default()
    }
}

#[tokio::test]
async fn a_sale_is_booked_with_its_fees_apart_and_each_step_once() {
    let till = Till::open("ledger_sale").await;
    for _ in 0..2 {
        till.authorize().await;
        assert_eq!(till.balances().await, "pledged -3000, reserved 3000");
    }
    till.office.decide(till.attempt, "confirmed").await;
    for _ in 0..2 {
        till.take(&Step::Captured).await;
        assert_eq!(till.balances().await, "fees -200, provider 3000, sales -2800");
    }
}

#[tokio::test]
async fn what_is_let_go_leaves_nothing_behind() {
    let till = Till::open("ledger_void").await;
    till.authorize().await;
    till.office.decide(till.attempt, "void_due").await;
    till.take(&Step::Voided).await;
    assert_eq!(till.balances().await, "");
}

#[tokio::test]
async fn what_does_not_match_is_booked_as_what_it_is() {
    let till = Till::open("ledger_mismatch").await;
    let reserved = Money { amount: 300_000, currency: Currency::parse("JPY").expect("yen") };
    let failure = Failure::new("authorisation_mismatch", "another currency");
    till.take(&Step::Mismatched { reference: "ref".into(), reserved, failure }).await;
    assert_eq!(till.balances().await, "pledged -300000, reserved 300000");
    let currency: String = till.office.one("SELECT DISTINCT currency FROM ledger").await;
    assert_eq!(currency, "JPY");
    till.take(&Step::Voided).await;
    assert_eq!(till.balances().await, "");
}

#[tokio::test]
async fn what_was_taken_unasked_is_owed_until_it_is_given_back() {
    let till = Till::open("ledger_taken").await;
    let taken = Money { amount: 3_000, currency: Currency::parse("EUR").expect("euro") };
    till.take(&Step::Taken { reference: "ref".into(), taken }).await;
    assert_eq!(till.balances().await, "owed -3000, provider 3000");
    till.take(&Step::Refunded { errors: 0 }).await;
    assert_eq!(till.balances().await, "");
}

#[tokio::test]
async fn refunds_give_fees_back_in_proportion_and_all_of_them_in_the_end() {
    let till = Till::open("ledger_refunds").await;
    till.authorize().await;
    till.office.decide(till.attempt, "confirmed").await;
    till.take(&Step::Captured).await;
    let refunds = PostgresRefunds::new(till.office.database.clone());
    // 33.33 % and 33.33 % and the rest of 30.00, 2.00 of them fees.
    for (name, amount, balances) in [
        ("a", 1_000, "fees -134, provider 2000, sales -1866"),
        ("b", 1_000, "fees -67, provider 1000, sales -933"),
        ("c", 1_000, ""),
    ] {
        let refund = till.owe(name, amount).await;
        let due = refunds.due(None, 9).await.expect("the store is there");
        assert_eq!(due.len(), 1);
        assert_eq!((due[0].id, due[0].money.amount, due[0].errors), (refund, amount, 0));
        for _ in 0..2 {
            refunds.erred(refund, 0).await.expect("the store is there");
        }
        assert_eq!(refunds.due(None, 9).await.expect("the store is there")[0].errors, 1);
        assert_eq!(
            refunds.settle(refund, 0, till.office.owed(refund).await).await,
            Ok(false),
            "another try's"
        );
        for _ in 0..2 {
            assert_eq!(refunds.settle(refund, 1, till.office.owed(refund).await).await, Ok(true));
            assert_eq!(till.balances().await, balances, "{name}");
        }
        assert_eq!(refunds.due(None, 9).await, Ok(Vec::new()));
    }
}

#[tokio::test]
async fn refunds_settled_at_once_give_back_the_fees_that_each_leaves_to_the_other() {
    let till = Till::open("ledger_refunds_at_once").await;
    till.authorize().await;
    till.office.decide(till.attempt, "confirmed").await;
    till.take(&Step::Captured).await;
    let refunds = PostgresRefunds::new(till.office.database.clone());
    // Of 2.00, 30 shares of 6.67: two by two, 13 and 13 and 14.
    for pair in 1..=15 {
        let one = till.owe(&format!("{pair} one"), 100).await;
        let two = till.owe(&format!("{pair} two"), 100).await;
        let settled = tokio::join!(
            refunds.settle(one, 0, till.office.owed(one).await),
            refunds.settle(two, 0, till.office.owed(two).await)
        );
        assert_eq!(settled, (Ok(true), Ok(true)));
        let fees = "SELECT coalesce(sum(amount), 0)::bigint FROM ledger WHERE account = 'fees'";
        let fees = till.office.one::<i64>(fees).await;
        assert_eq!(fees, 200 * 200 * pair / 3_000 - 200, "pair {pair}");
    }
    assert_eq!(till.balances().await, "");
}

#[tokio::test]
async fn what_was_forgiven_while_its_payment_was_on_its_way_is_booked_once_it_is_paid() {
    let till = Till::open("ledger_forgiven").await;
    till.authorize().await;
    till.office.decide(till.attempt, "confirmed").await;
    till.take(&Step::Captured).await;
    let refund = till.owe("a", 3_000).await;
    let forgive = "UPDATE refunds SET status = 'none', resolved_at = clock_timestamp()";
    till.office.call(forgive, &[]).await;
    let refunds = PostgresRefunds::new(till.office.database.clone());
    for _ in 0..2 {
        refunds
            .settle(refund, 0, till.office.owed(refund).await)
            .await
            .expect("the store is there");
        assert_eq!(till.balances().await, "");
        assert_eq!(till.office.one::<String>("SELECT status FROM refunds").await, "settled");
    }
}

#[tokio::test]
async fn a_refund_waits_for_its_capture() {
    let till = Till::open("ledger_refund_waits").await;
    till.authorize().await;
    till.office.decide(till.attempt, "confirmed").await;
    till.owe("a", 1_000).await;
    let refunds = PostgresRefunds::new(till.office.database.clone());
    assert_eq!(refunds.due(None, 9).await, Ok(Vec::new()));
    till.take(&Step::Captured).await;
    assert_eq!(refunds.due(None, 9).await.map(|due| due.len()), Ok(1));
}

#[tokio::test]
async fn what_was_never_taken_is_not_owed_once_the_grace_is_over() {
    let till = Till::open("ledger_grace").await;
    till.authorize().await;
    till.office.decide(till.attempt, "confirmed").await;
    till.take(&Step::CaptureRefused(Failure::new("refused", "for good"))).await;
    till.owe("a", 1_000).await;
    till.office.client.batch_execute(CALLED_OFF).await.expect("rows of a cancellation");
    let orders = Orders::new(till.office.database.clone());
    let event = till.attempt.event();
    let owed = async || orders.cancellation(event).await.expect("rows").expect("it is cancelled");
    let status = "SELECT status || ' ' || (resolved_at IS NOT NULL) FROM refunds";
    assert_eq!(till.office.one::<String>(status).await, "due false");
    assert_eq!(owed().await.owed.amount, 1_000);
    till.take(&Step::GraceOver).await;
    let ticket = "INSERT INTO tickets (ticket_id, order_id, event_no, section_no, issued_at) \
        SELECT order_id, order_id, event_no, 0, clock_timestamp() FROM orders";
    till.office.call(ticket, &[]).await;
    till.take(&Step::TicketsReturned).await;
    assert_eq!(till.office.one::<String>(status).await, "due false", "a ticket is valid");
    till.office.call("UPDATE tickets SET status = 1", &[]).await;
    till.take(&Step::TicketsReturned).await;
    assert_eq!(till.office.one::<String>(status).await, "none true");
    assert_eq!(owed().await.owed.amount, 0, "nor is it because of a cancellation");
    till.take(&Step::Voided).await;
    assert_eq!(till.balances().await, "");
}

#[tokio::test]
async fn a_refund_that_was_refused_is_not_due_for_a_while() {
    let till = Till::open("ledger_refused").await;
    till.authorize().await;
    till.office.decide(till.attempt, "confirmed").await;
    till.take(&Step::Captured).await;
    let refund = till.owe("a", 1_000).await;
    let refunds = PostgresRefunds::new(till.office.database.clone());
    let hour = Duration::from_secs(3_600);
    refunds.refused(refund, 1, hour).await.expect("the store is there");
    assert_eq!(refunds.due(None, 9).await.map(|due| due.len()), Ok(1), "that was another try");
    assert_eq!(refunds.may_be_asked(refund, 0, till.office.owed(refund).await).await, Ok(true));
    assert_eq!(refunds.may_be_asked(refund, 1, till.office.owed(refund).await).await, Ok(false));
    refunds.refused(refund, 0, hour).await.expect("the store is there");
    assert_eq!(refunds.due(None, 9).await, Ok(Vec::new()));
    assert_eq!(
        refunds.may_be_asked(refund, 0, till.office.owed(refund).await).await,
        Ok(false),
        "whoever is at it"
    );
    till.office.call("UPDATE refunds SET again_at = again_at - interval '2 hours'", &[]).await;
    assert_eq!(refunds.due(None, 9).await.map(|due| due.len()), Ok(1));
}

#[tokio::test]
async fn what_a_bank_has_taken_back_is_not_given_back_as_well() {
    let till = Till::open("ledger_forgiven").await;
    till.authorize().await;
    till.office.decide(till.attempt, "confirmed").await;
    till.take(&Step::Captured).await;
    let refunds = PostgresRefunds::new(till.office.database.clone());
    let owed = [till.owe("a", 1_000).await, till.owe("b", 1_000).await, till.owe("c", 500).await];
    refunds.forgive().await.expect("the store is there");
    assert_eq!(refunds.due(None, 9).await.map(|due| due.len()), Ok(3), "no bank was at it");
    let money = Money { amount: 1_500, currency: Currency::parse("EUR").expect("euro") };
    let booked = till.office.attempts().charge_back(till.attempt, "n1", money).await;
    assert!(booked.is_ok_and(|attempt| attempt.is_some()));
    refunds.forgive().await.expect("the store is there");
    let due = refunds.due(None, 9).await.expect("the store is there");
    let due: Vec<_> = due.iter().map(|it| (it.id, it.money.amount)).collect();
    assert_eq!(due, [(owed[0], 1_000), (owed[1], 500)], "the oldest first, the next cut down");
    for (refund, _) in due {
        refunds
            .settle(refund, 0, till.office.owed(refund).await)
            .await
            .expect("the store is there");
        refunds.forgive().await.expect("the store is there");
    }
    let statuses = "SELECT string_agg(status, ' ' ORDER BY created_at) FROM refunds";
    assert_eq!(till.office.one::<String>(statuses).await, "settled settled none");
    assert_eq!(till.balances().await, "chargebacks 1500, fees -100, sales -1400");
}

#[tokio::test]
async fn what_is_cut_down_while_its_payment_is_on_its_way_is_booked_as_it_was_paid() {
    let till = Till::open("ledger_cut_down").await;
    till.authorize().await;
    till.office.decide(till.attempt, "confirmed").await;
    till.take(&Step::Captured).await;
    let refunds = PostgresRefunds::new(till.office.database.clone());
    let [one, two] = [till.owe("a", 2_000).await, till.owe("b", 1_000).await];
    let [of_one, of_two] = [till.office.owed(one).await, till.office.owed(two).await];
    for (refund, money) in [(one, of_one), (two, of_two)] {
        assert_eq!(refunds.may_be_asked(refund, 0, money).await, Ok(true));
    }
    let charged = Money { amount: 1_500, ..of_one };
    till.office.attempts().charge_back(till.attempt, "n1", charged).await.expect("rows");
    refunds.forgive().await.expect("the store is there");
    for (refund, money) in [(one, of_one), (two, of_two)] {
        assert_eq!(refunds.may_be_asked(refund, 0, money).await, Ok(false), "{money:?}");
    }
    let cut = Money { amount: 1_500, ..of_one };
    assert_eq!(refunds.may_be_asked(one, 0, cut).await, Ok(true));
    let told = "SELECT string_agg(status || ' ' || amount, ', ' ORDER BY amount) FROM order_outbox \
                 WHERE of = 'refund'";
    assert_eq!(till.office.one::<String>(told).await, "none 1000, due 1500");
    for _ in 0..2 {
        assert_eq!(refunds.settle(one, 0, of_one).await, Ok(true));
        assert_eq!(till.office.owed(one).await, of_one);
        let expected = "chargebacks 1500, fees -67, provider -500, sales -933";
        assert_eq!(till.balances().await, expected);
    }
    assert_eq!(refunds.settle(one, 0, cut).await, Ok(false), "it was paid once");
}

#[tokio::test]
async fn what_a_bank_takes_back_is_booked_once_a_notice() {
    let till = Till::open("ledger_charge_back").await;
    till.authorize().await;
    till.office.decide(till.attempt, "confirmed").await;
    till.take(&Step::Captured).await;
    let money = Money { amount: 3_000, currency: Currency::parse("EUR").expect("euro") };
    for _ in 0..2 {
        let booked = till.office.attempts().charge_back(till.attempt, "n1", money).await;
        assert!(booked.is_ok_and(|attempt| attempt.is_some()));
        assert_eq!(till.balances().await, "chargebacks 3000, fees -200, sales -2800");
    }
    let nobodys = AttemptId::derive(till.attempt.event(), &buyer("bob"), "k");
    let booked = till.office.attempts().charge_back(nobodys, "n2", money).await;
    assert_eq!(booked, Ok(None));
}

#[tokio::test]
async fn no_bank_takes_back_more_than_was_taken() {
    let till = Till::open("ledger_charge_backs").await;
    till.authorize().await;
    let attempts = till.office.attempts();
    let charge_back = async |notice, amount, currency| {
        let currency = Currency::parse(currency).expect("a currency");
        attempts.charge_back(till.attempt, notice, Money { amount, currency }).await
    };
    assert_eq!(charge_back("early", 3_000, "EUR").await, Ok(None), "nothing was taken");
    assert_eq!(till.balances().await, "pledged -3000, reserved 3000");
    till.office.decide(till.attempt, "confirmed").await;
    till.take(&Step::Captured).await;
    assert_eq!(charge_back("more", 3_001, "EUR").await, Ok(None));
    assert_eq!(charge_back("yen", 1, "JPY").await, Ok(None));
    assert_eq!(charge_back("n1", 1_000, "EUR").await, Ok(Some(2_000)));
    assert_eq!(charge_back("more", 2_001, "EUR").await, Ok(None), "over all notices");
    till.owe("a", 500).await;
    let both = tokio::join!(charge_back("n2", 1_500, "EUR"), charge_back("n3", 1_500, "EUR"));
    let booked = [both.0, both.1].map(|it| it.expect("the store is there"));
    assert!(booked == [Some(0), None] || booked == [None, Some(0)], "{booked:?}: the rest is owed");
    assert_eq!(charge_back("n1", 1_000, "EUR").await, Ok(Some(0)), "again");
    let expected = "chargebacks 2500, fees -200, provider 500, sales -2800";
    assert_eq!(till.balances().await, expected);
}

#[tokio::test]
async fn nothing_that_is_booked_is_changed_or_deleted_by_anyone() {
    let till = Till::open("ledger_append_only").await;
    till.authorize().await;
    for sql in ["UPDATE ledger SET amount = 1", "DELETE FROM ledger", "TRUNCATE ledger"] {
        let refused = till.office.client.batch_execute(sql).await.expect_err(sql);
        let code = refused.code().map(|state| state.code().to_owned());
        assert_eq!(code.as_deref(), Some("42501"), "{sql}: {refused}");
    }
    assert_eq!(till.balances().await, "pledged -3000, reserved 3000");
    let granted: i64 = till
        .office
        .one(
            "SELECT count(*) FROM information_schema.role_table_grants \
              WHERE table_name = 'ledger' AND privilege_type IN ('UPDATE', 'DELETE', 'TRUNCATE')",
        )
        .await;
    assert_eq!(granted, 0, "even its owner may only add");
}
