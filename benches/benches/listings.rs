//! The catalogue in memory, over 100,000 events in rows: how long a start reads and indexes them; how long a look takes
//! that finds nothing, one changed event, or a thousand.

use std::time::{Duration, Instant};

use taquilla_api::listings::Listings;
use taquilla_api::search::Search;
use taquilla_benches::catalogue_rows;
use taquilla_benches::scale::Scale;
use taquilla_persistence::catalogue::Catalogue;
use taquilla_persistence::database::Database;
use taquilla_persistence::pool::Pool;
use taquilla_persistence::private_postgres::scratch::ScratchCluster;
use tokio_postgres::NoTls;

/// As in the server.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const RENAME: &str =
    "/* rename_events */ UPDATE events SET name = 'Otra ' || name WHERE event_no <= $1";

#[tokio::main]
async fn main() {
    let scale = Scale::of_arguments();
    let (count, looks) = if scale.waiting > 100_000 { (100_000, 200) } else { (1_200, 5) };
    let cluster = ScratchCluster::start(&[]).await.expect("a private Postgres");
    let settings = cluster.migrated_database("listings").await.expect("a database");
    let config = settings.config().expect("a URL of our own");
    let (client, connection) = config.connect(NoTls).await.expect("a connection");
    tokio::spawn(connection);
    let begun = Instant::now();
    catalogue_rows::make(&client, count).await;
    println!("{count} events made in {:?}", begun.elapsed());

    let database = Database::new(Pool::new(&settings).expect("a URL of our own"), &settings);
    let catalogue = Catalogue::new(database);
    let begun = Instant::now();
    let listings = Listings::load(&catalogue).await.expect("readable rows");
    let took = begun.elapsed();
    println!("read and indexed in {took:?}");
    assert_eq!(listings.all().len(), usize::try_from(count).expect("few"));

    for (what, changed) in [("nothing", 0), ("one event", 1), ("1,000 events", 1_000)] {
        let mut times = Vec::new();
        for _ in 0..if changed > 1 { looks / 20 + 1 } else { looks } {
            client.execute(RENAME, &[&changed]).await.expect("the events are there");
            let begun = Instant::now();
            listings.follow(&catalogue).await.expect("readable rows");
            times.push(begun.elapsed());
        }
        print(what, times);
    }
    let search = Search { text: Some("otra".into()), ..Search::default() };
    let page = listings.list(search, None, 20).await;
    assert_eq!(page.map_or(0, |page| page.items.len()), 20, "what was renamed is found");
}

fn print(what: &str, mut times: Vec<Duration>) {
    times.sort_unstable();
    let (median, last) = (times[times.len() / 2], times[times.len() - 1]);
    println!("a look that finds {what}: p50 {median:?}, longest {last:?}");
}
