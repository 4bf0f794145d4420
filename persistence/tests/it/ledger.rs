//! What is booked with each step, and that nothing of it can be taken back.

use taquilla_engine::id::AttemptId;
use taquilla_engine::money::{Currency, Money};
use taquilla_engine::payment::{Attempts, Failure, Step};

use crate::box_office::BoxOffice;

/// What the accounts stand at, those that stand at nothing left out.
const BALANCES: &str = "SELECT string_agg(account || ' ' || sum, ', ' ORDER BY account) FROM (\
    SELECT account, sum(amount)::bigint FROM ledger GROUP BY account HAVING sum(amount) <> 0) balances";
const OUT_OF_BALANCE: &str = "SELECT count(*) FROM (SELECT attempt_id, kind, name, currency \
    FROM ledger GROUP BY 1, 2, 3, 4 HAVING sum(amount) <> 0) wrong";

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
    till.take(&Step::Refunded).await;
    assert_eq!(till.balances().await, "");
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
