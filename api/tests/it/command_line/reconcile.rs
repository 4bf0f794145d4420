//! `taquilla reconcile` against real books of a provider, and what follows for whoever wants to pay.

use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use axum::http::Method;
use reqwest::Url;
use secrecy::ExposeSecret;
use serde_json::{Value, json};
use taquilla_api::payment_provider::SimulatedProvider;
use taquilla_api::provider_client::{
    Authorisation, AuthorisationRequest, Moved, Outcome, SimulatedProviderClient,
};
use taquilla_api::reconciliation::Reconciler;
use taquilla_engine::payment::reconciliation::ReconciliationSettings;
use taquilla_persistence::private_postgres::scratch::ScratchCluster;
use tempfile::TempDir;
use tokio::task::JoinSet;
use uuid::Uuid;

use super::dev::Running;
use super::{folder, taquilla, text};
use crate::edge::{BoxOffice, event_form};
use crate::simulated_provider::Server;

const PATIENCE: Duration = Duration::from_secs(10);

/// A box office whose payments go to a provider with books on disk, and the command beside it.
struct Beside {
    folder: TempDir,
    office: BoxOffice,
    event: String,
    provider: Option<Server>,
    client: SimulatedProviderClient,
    environment: [(&'static str, String); 3],
    // Last, so that it outlives what is connected to it.
    _cluster: ScratchCluster,
}

impl Beside {
    async fn open(name: &str) -> Self {
        let folder = folder();
        // The command takes no storage that forgets, as the shared cluster's is.
        let durable = [("fsync", "on"), ("full_page_writes", "on")];
        let cluster = ScratchCluster::start(&durable).await.expect("a cluster");
        let settings = cluster.migrated_database(name).await.expect("a database");
        let provider = Server::start(folder.path()).await;
        let url = Url::parse(&provider.url).expect("a URL");
        let client = SimulatedProviderClient::new(url, PATIENCE).expect("a client");
        let environment = [
            ("TAQUILLA__DATABASE__URL", settings.url.expose_secret().to_owned()),
            ("TAQUILLA__PAYMENTS__SIMULATED_URL", provider.url.clone()),
            // Nothing here is on its way when it is looked at.
            ("TAQUILLA__RECONCILIATION__IN_FLIGHT_SECONDS", "0".to_owned()),
        ];
        let adapter = Arc::new(SimulatedProvider::new(client.clone()));
        let office = BoxOffice::over(settings, adapter).await;
        let event = office.create_event(&event_form()).await;
        let provider = Some(provider);
        Self { folder, office, event, provider, client, environment, _cluster: cluster }
    }

    /// The exit code, and what was printed. Others go on meanwhile: the provider lives in this process.
    async fn reconcile(&self, arguments: &[&str]) -> (Option<i32>, String, String) {
        let mut command = taquilla(&self.folder, &["reconcile"]);
        command.args(arguments).envs(self.environment.clone());
        let output = tokio::task::spawn_blocking(move || command.output()).await;
        let output = output.expect("no panic").expect("the binary is there");
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    }

    async fn order(&self, buyer: &str, seat: &str) -> Value {
        let hold = self.office.hold(buyer, "h", &self.event, &[seat]).send().await.ok(201);
        self.office.order(buyer, "o", &hold["hold_id"]).send().await.ok(201)["order_id"].clone()
    }

    /// An order that is paid, to the last step.
    async fn sell(&self, buyer: &str, seat: &str) {
        let order = self.order(buyer, seat).await;
        self.office.pay(buyer, "p", &order, "sim_ok").send().await.ok(202);
        let path = format!("/orders/{}?wait_seconds=10", order.as_str().expect("an id"));
        let mut status = Value::Null;
        for _ in 0..8 {
            status = self.office.read(buyer, &path).send().await.ok(200)["status"].clone();
            if status == "captured" {
                return;
            }
        }
        panic!("the order is {status}");
    }

    /// Money set aside at the provider behind our back.
    async fn plant(&self) -> Authorisation {
        let request = AuthorisationRequest {
            order_id: Uuid::from_u128(1),
            attempt_id: Uuid::from_u128(2),
            amount: 777,
            currency: "EUR".into(),
            payment_method: "sim_ok".into(),
        };
        let Outcome::Authorised(planted) = self.client.authorise("behind", &request).await else {
            panic!("it was not authorised")
        };
        planted
    }

    async fn standing(&self) -> Value {
        self.office.operator(Method::GET, "/admin/reconciliation").send().await.ok(200)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn money_behind_our_back_is_found_and_closes_new_payments_until_it_is_gone_or_accepted() {
    let mut beside = Beside::open("reconcile").await;
    let before = beside.standing().await;
    assert_eq!((&before["last"], &before["payments"]["closed"]), (&Value::Null, &json!(false)));
    beside.sell("ana", "A-1-1").await;
    let (code, said, _) = beside.reconcile(&[]).await;
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("ok: 1 records compared with 1 attempts"), "{said}");

    // Only reserved: told, and nobody is stopped.
    let planted = beside.plant().await;
    let (code, said, _) = beside.reconcile(&[]).await;
    assert_eq!(code, Some(1), "{said}");
    for word in
        ["authorisation_left", &planted.reference, "777 EUR", "DIFFERS: 1 difference, 0 unsafe"]
    {
        assert!(said.contains(word), "{word}: {said}");
    }
    beside.sell("eva", "A-1-2").await;

    // Taken: money could be wrong.
    let taken = beside.client.capture(&planted.reference, "take").await;
    assert!(matches!(taken, Moved::Done(_)), "{taken:?}");
    let (code, said, _) = beside.reconcile(&[]).await;
    assert_eq!(code, Some(1), "{said}");
    for word in ["orphan_charge", "UNSAFE", "new payments are closed since"] {
        assert!(said.contains(word), "{word}: {said}");
    }
    let order = beside.order("ida", "A-1-3").await;
    let pay = || beside.office.pay("ida", "p", &order, "sim_ok");
    let refused = pay().send().await.problem(503, "purchases-paused");
    assert_eq!(refused["reason"], "reconciliation-unsafe");
    let standing = beside.standing().await;
    assert_eq!(standing["payments"]["reason"], "reconciliation-unsafe");
    assert_eq!(
        (&standing["last"]["verdict"], &standing["last"]["unsafe"]),
        (&json!("unsafe"), &json!(1))
    );
    let difference = &standing["last"]["differences"][0];
    assert_eq!(difference["theirs"], json!({"amount": 777, "currency": "EUR"}));
    assert_eq!((&difference["kind"], &difference["ours"]), (&json!("orphan_charge"), &Value::Null));

    // An operator has seen it.
    let seen = beside.office.operator(Method::GET, "/admin/purchases").send().await.ok(200);
    assert_eq!((&seen["paused"], &seen["payments"]), (&json!(false), &standing["payments"]));
    assert_eq!(seen["payments"]["closed"], true);
    let change = async |body: Value| {
        let call = beside.office.operator(Method::POST, "/admin/purchases").json(&body);
        call.send().await.ok(200)
    };
    let paused = change(json!({"action": "pause", "reason": "a look"})).await;
    assert_eq!(paused["payments"], standing["payments"], "a pause opens nothing");
    assert_eq!(paused.get("payments_were_closed"), None);
    let resumed = change(json!({"action": "resume"})).await;
    assert_eq!(resumed["payments"]["closed"], false);
    assert_eq!(resumed["payments_were_closed"], standing["payments"]["detail"]);
    let again = change(json!({"action": "resume"})).await;
    assert_eq!(again.get("payments_were_closed"), None, "this one has opened nothing");
    let (code, said, _) = beside.reconcile(&["--json"]).await;
    let said: Value = serde_json::from_str(&said).expect("JSON");
    assert_eq!((code, &said["payments"]["closed"]), (Some(1), &json!(false)), "{said}");
    assert_eq!(
        (&said["last"]["started_by"], &said["last"]["counts"]),
        (&json!("command"), &json!({"orphan_charge": 1}))
    );
    pay().send().await.ok(202);

    // It is gone.
    let back = beside.client.refund(&planted.reference, "back", Uuid::from_u128(3), 777).await;
    assert!(matches!(back, Moved::Done(_)), "{back:?}");
    let (code, said, _) = beside.reconcile(&["--days", "1"]).await;
    assert_eq!(code, Some(0), "{said}");

    // What could not be made has found nothing.
    beside.provider.take().expect("it runs").stop().await;
    let (code, _, said) = beside.reconcile(&[]).await;
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("the payment provider's books cannot be read"), "{said}");
    let standing = beside.standing().await;
    assert_eq!(standing["last"]["verdict"], "clean");
    let failure = standing["last_failure"]["detail"].as_str().expect("a failure");
    assert!(failure.contains("cannot be read"), "{failure}");
    let (code, _, said) = beside.reconcile(&["--days", "0"]).await;
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("--days"), "{said}");
}

#[test]
fn a_stopped_dev_instance_is_reconciled_with_its_own_provider_which_stops_again() {
    let folder = folder();
    let mut command =
        taquilla(&folder, &["dev", "--no-demo", "--port", "0", "--metrics-port", "0"]);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut dev = Running(command.spawn().expect("the binary is there"));
    let mut out = BufReader::new(dev.0.stdout.take().expect("it is piped"));
    let mut said = String::new();
    while !said.contains("TAQUILLA READY ") {
        assert_ne!(out.read_line(&mut said).expect("text"), 0, "it ended: {said}");
    }
    let announcement = folder.path().join(".taquilla/provider/provider.json");
    let reconcile = || {
        let output = taquilla(&folder, &["reconcile"]).output().expect("the binary is there");
        let said = text(&output.stdout) + &text(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{said}");
        assert!(said.contains("ok: 0 records"), "{said}");
    };
    reconcile();
    assert!(announcement.exists(), "a provider that ran goes on");
    dev.interrupt();
    assert!(dev.0.wait().expect("it ends").success());
    assert!(!announcement.exists());
    reconcile();
    assert!(!announcement.exists(), "what the command started it stops");
}

#[tokio::test(flavor = "multi_thread")]
async fn servers_make_runs_by_themselves_and_take_turns() {
    let beside = Beside::open("reconcile_hourly").await;
    let (client, connection) =
        tokio_postgres::connect(&beside.environment[0].1, tokio_postgres::NoTls)
            .await
            .expect("the database");
    tokio::spawn(connection);
    let reconciler = Reconciler::new(
        Arc::new(SimulatedProvider::new(beside.client.clone())),
        beside.office.app.reconciliations.clone(),
        Arc::clone(&beside.office.app.clock),
        ReconciliationSettings::default(),
    );
    let mut servers = JoinSet::new();
    for _ in 0..3 {
        servers.spawn(reconciler.clone().keep_up(Duration::from_millis(1_200)));
    }
    let three_runs = async {
        loop {
            let sql = "SELECT count(*), bool_and(started_by = 'hourly' AND verdict = 'clean'), \
                              bool_and(apart >= interval '1 second') \
                         FROM (SELECT *, started_at - lag(started_at) OVER (ORDER BY started_at) \
                                      AS apart FROM reconciliations WHERE verdict IS NOT NULL) r";
            let row = client.query_one(sql, &[]).await.expect("a count");
            if row.get::<_, i64>(0) >= 3 {
                return (row.get::<_, bool>(1), row.get::<_, bool>(2));
            }
        }
    };
    let seen = tokio::time::timeout(Duration::from_secs(30), three_runs).await;
    assert_eq!(seen.expect("in time"), (true, true), "each clean, and apart from the last");
}
