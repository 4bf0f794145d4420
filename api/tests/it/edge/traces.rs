//! What is left of a request in logs and metrics.

use std::io;
use std::sync::Arc;

use axum::http::Method;
use metrics_exporter_prometheus::PrometheusBuilder;
use parking_lot::Mutex;
use taquilla_engine::payment::memory::MemoryProvider;
use taquilla_persistence::private_postgres::proxy::Proxy;
use taquilla_persistence::private_postgres::scratch;
use tracing_subscriber::fmt::MakeWriter;

use super::box_office::BoxOffice;

#[tokio::test]
async fn every_answer_that_says_no_is_counted_by_its_problem() {
    let recorder = PrometheusBuilder::new().build_recorder();
    let metrics = recorder.handle();
    let _recording = metrics::set_default_local_recorder(&recorder);
    let office = BoxOffice::empty("counted").await;
    office.anyone(Method::GET, "/nowhere").send().await.problem(404, "not-found");
    office.anyone(Method::GET, "/events/nada").send().await.problem(404, "not-found");
    office.anyone(Method::GET, "/orders").send().await.problem(401, "unauthenticated");
    office.anyone(Method::GET, "/events?limit=0").send().await.pointers();
    office.anyone(Method::GET, "/events").send().await.ok(200);
    let told = metrics.render();
    let counted: Vec<&str> =
        told.lines().filter(|line| line.starts_with("taquilla_problems_total{")).collect();
    for (slug, count) in [("not-found", 2), ("unauthenticated", 1), ("malformed-request", 1)] {
        let line = format!("taquilla_problems_total{{slug=\"{slug}\"}} {count}");
        assert!(counted.contains(&line.as_str()), "{line} is not among {counted:?}");
    }
    assert_eq!(counted.len(), 3, "{counted:?}");
}

/// Lines of a log, in memory.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Lines {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

#[tokio::test]
async fn what_is_logged_of_a_request_carries_its_id() {
    let cluster = scratch::shared().await;
    let settings = cluster.migrated_database("logged").await.expect("a database");
    let proxy = Proxy::start(cluster.postgres.port()).await.expect("a proxy");
    let provider = Arc::new(MemoryProvider::default());
    let office = BoxOffice::over(proxy.before(&settings), provider).await;
    proxy.refuse_connections(true);
    proxy.cut();
    let lines = Lines::default();
    let log = tracing_subscriber::fmt().with_writer(lines.clone()).with_ansi(false).finish();
    let _logging = tracing::subscriber::set_default(log);
    // Other tests, which log nowhere, may have met the span first; and while there is but one log, whoever
    // meets it first asks only his own.
    let _another = tracing::Dispatch::new(tracing_subscriber::registry());
    tracing::callsite::rebuild_interest_cache();
    let call = office.read("ana", "/orders").header("x-request-id", "the-one-in-question");
    call.send().await.problem(503, "purchases-paused");
    let log = String::from_utf8(lines.0.lock().clone()).expect("text");
    let line = log.lines().find(|line| line.contains("does not answer")).expect("a line");
    assert!(line.contains("the-one-in-question"), "{line}");
}
