//! Where one stands in a waiting room of half a million: in process, from the buyer's name to the encoded
//! answer, and over HTTP with tokens, beside the floor, a route that answers the same bytes and knows nothing.
//! Both servers are in this process; who asks is a process of its own.
//!
//! `-- --http` for HTTP alone.

use std::sync::Arc;
use std::time::Duration;

use criterion::Criterion;
use taquilla_api::views::{QueueTicketView, Told};
use taquilla_benches::crowd::{CrowdedRoom, commit, member, room_of, room_settings};
use taquilla_benches::engine_way::EngineWay;
use taquilla_benches::generator::{self, Generator, serve_slices};
use taquilla_benches::http_servers::serve_engine;
use taquilla_benches::load::Load;
use taquilla_benches::paired;
use taquilla_benches::queue_way::{self, QueueWay, serve_floor};
use taquilla_benches::report::Report;
use taquilla_benches::scale::Scale;
use taquilla_benches::stage::Stage;
use taquilla_engine::moment::Moment;
use taquilla_engine::waiting_room::line::{Line, Standing};
use tokio::runtime::Runtime;

/// As in the server.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const ROUND: u64 = 1;
const JOIN_BATCH: u32 = 1_024;
const MINUTE: Duration = Duration::from_secs(60);

fn main() {
    let scale = Scale::of_arguments();
    let runtime = Runtime::new().expect("threads");
    if let Some([address, event]) = generator::told() {
        let way = Arc::new(QueueWay::new(address, &event, &scale));
        return runtime.block_on(serve_slices(&mut Load::new(way, &scale, ROUND)));
    }
    if !std::env::args().any(|argument| argument == "--http") {
        in_process(&scale);
    }
    runtime.block_on(over_http(&scale));
}

/// A thousandth of the line has been called in a minute.
fn drawn_line(scale: &Scale) -> (Arc<Line>, Moment) {
    let mut room = room_of(scale, scale.waiting, JOIN_BATCH);
    let now = Moment(0) + MINUTE;
    room.set_opening(Moment(0));
    room.open_in_time(Moment(0));
    commit(&mut room, Moment(0));
    room.call(scale.waiting / 1_000, Moment(1));
    commit(&mut room, Moment(1));
    room.line().tidy(now, room_settings().patience.grace);
    (Arc::clone(room.line()), now)
}

fn in_process(scale: &Scale) {
    let (line, now) = drawn_line(scale);
    let buyers: Vec<_> =
        (0..scale.waiting).step_by(7).map(|number| member(scale, number)).collect();
    let mut buyers = buyers.iter().cycle();
    let mut criterion = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2))
        .configure_from_args();
    let stand = |buyer| {
        let ticket = line.ticket(buyer);
        let number = line.number(ticket).expect("all are present");
        (ticket, number, line.standing(number, now))
    };
    let mut group = criterion.benchmark_group("queue_position");
    group.bench_function("standing", |bencher| {
        bencher.iter(|| stand(buyers.next().expect("round and round")));
    });
    group.bench_function("encoded_answer", |bencher| {
        bencher.iter(|| {
            let (ticket, number, standing) = stand(buyers.next().expect("round and round"));
            let told = Told { line: &line, admission: None, opens_at: Moment(0), now };
            serde_json::to_vec(&QueueTicketView::of(ticket, number, standing, &told, 0.5))
        });
    });
    group.finish();
    let waits = |buyer| matches!(stand(buyer).2, Standing::Waiting { .. });
    assert!(buyers.clone().take(100).filter(|buyer| waits(buyer)).count() > 90, "most wait");
}

async fn over_http(scale: &Scale) {
    let stage = Stage::set(scale).await;
    queue_way::open_rooms(&stage.connect("").await).await;
    let (crowd, _) = CrowdedRoom::open(&stage, scale).await;
    let crowd = Arc::new(crowd);
    crowd.fill(scale, scale.waiting.min(2_048)).await;
    crowd.stop().await;
    let engine = EngineWay::start(&stage).await;
    let event = stage.ids[0].to_string();
    let address = serve_engine(&stage, &engine).await.to_string();
    let asker = QueueWay::new(address.clone(), &event, &Scale { buyers: 1, ..*scale });
    let answer = asker.ask_until_drawn(0).await;
    println!("{}", String::from_utf8_lossy(&answer));
    let mut positions = Generator::start(&[&address, &event]);
    let address = serve_floor(answer).await.to_string();
    let mut floor = Generator::start(&[&address, &event]);
    let runs = paired::compare(&stage, scale, &mut [&mut positions, &mut floor]).await;
    drop((positions, floor));
    engine.stop().await;
    let title = format!("positions over HTTP, {} requests in flight", scale.in_flight);
    let ways = vec![("position", Vec::new()), ("floor", Vec::new())];
    println!("\n{}", Report::new(title, &runs, ways).counting("answer"));
}
