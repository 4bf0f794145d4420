//! The catalogue's index over 100,000 events: how long one search takes, by kind, one after the other on one thread;
//! how long it takes to build it, and to take in one event that has changed; its memory.

use std::time::{Duration, Instant};

use hdrhistogram::Histogram;
use taquilla_api::search::{Near, Order, Search, SearchIndex, When};
use taquilla_benches::catalogue::MadeUp;
use taquilla_benches::meter::resident_bytes;
use taquilla_benches::scale::Scale;
use taquilla_engine::id::EventNumber;

/// As in the server.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const LIMIT: u16 = 20;

/// One search of a kind.
type Draw = fn(&mut MadeUp) -> Search;

fn main() {
    let scale = Scale::of_arguments();
    let (count, searches) = if scale.waiting > 100_000 { (100_000, 2_000) } else { (500, 20) };
    let mut catalogue = MadeUp::of(count);
    let last = i32::try_from(count).expect("few");
    let events: Vec<_> = (1..=last).map(|number| catalogue.event(number)).collect();
    let record = |event: EventNumber| events.get(usize::try_from(event.0).ok()? - 1).cloned();
    let (before, begun) = (resident_bytes(), Instant::now());
    let index = SearchIndex::new();
    index.take_in((1..=last).map(EventNumber), record).expect("memory");
    let (built, bytes) = (begun.elapsed(), resident_bytes().saturating_sub(before));
    println!("{count} events: built in {built:?}, {} MB", bytes / 1_000_000);

    let mut one = times();
    for number in 1..=i32::try_from(searches / 20).expect("few") {
        let begun = Instant::now();
        index.take_in([EventNumber(number)], record).expect("memory");
        note(&mut one, begun.elapsed());
    }
    print("one event taken in", &one);

    let kinds: [(&str, Draw); 6] = [
        ("everything, by date", |_| Search::default()),
        ("words, by relevance", |it| Search {
            text: Some(it.words()),
            order: Order::Relevance,
            ..Search::default()
        }),
        ("two words", |it| Search {
            text: Some(format!("{} {}", it.words(), it.words())),
            order: Order::Relevance,
            ..Search::default()
        }),
        ("200 km around, nearest first", |it| Search {
            near: Some(near(it)),
            order: Order::Distance,
            ..Search::default()
        }),
        ("category, a week", |_| Search {
            category: Some("jazz".into()),
            from: Some(When::Day(20_100)),
            to: Some(When::Day(20_106)),
            ..Search::default()
        }),
        ("words around, by relevance", |it| Search {
            text: Some(it.words()),
            near: Some(near(it)),
            order: Order::Relevance,
            ..Search::default()
        }),
    ];
    let mut all = times();
    for (kind, search) in kinds {
        let mut of_kind = times();
        let mut found = 0;
        for _ in 0..searches {
            let search = search(&mut catalogue);
            let begun = Instant::now();
            let (page, _) = index.find(&search, None, LIMIT).expect("memory");
            note(&mut of_kind, begun.elapsed());
            found += usize::from(!page.is_empty());
        }
        print(&format!("{kind} ({} of 100 find something)", 100 * found / searches), &of_kind);
        all.add(of_kind).expect("the same range");
    }
    print("all", &all);
}

fn near(catalogue: &mut MadeUp) -> Near {
    let (lat, lon) = catalogue.place();
    Near { lat, lon, radius_km: 200.0 }
}

fn times() -> Histogram<u64> {
    Histogram::new(3).expect("three digits")
}

fn note(times: &mut Histogram<u64>, took: Duration) {
    times.record(u64::try_from(took.as_nanos()).expect("short")).expect("in range");
}

fn print(what: &str, times: &Histogram<u64>) {
    let micros = |part| times.value_at_quantile(part) as f64 / 1_000.0;
    println!(
        "{what}: p50 {:.0} us, p99 {:.0} us, longest {:.0} us",
        micros(0.5),
        micros(0.99),
        micros(1.0)
    );
}
