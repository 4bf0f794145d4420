//! How many refusals an event keeps.

use taquilla_engine::chronicle::Chronicle;
use taquilla_engine::id::EventNumber;
use taquilla_persistence::chronicle::{PAGES_KEPT, PostgresChronicle};

use crate::box_office::fresh;
use crate::plain;

#[tokio::test]
async fn whoever_writes_a_page_of_refusals_deletes_what_the_event_has_too_many() {
    let (settings, database) = fresh("refusal_pages").await;
    let client = plain::client(&settings).await;
    let pages = "INSERT INTO refusals (event_no, page, refusals) \
        SELECT event, page, '[]' FROM unnest(ARRAY[1, 2, 3]) event, generate_series(1::bigint, $1) page";
    client.execute(pages, &[&PAGES_KEPT]).await.expect("pages");
    let chronicle = PostgresChronicle::new(database);
    for event in [2, 2, 4, 4] {
        chronicle.write(EventNumber(event), &[]).await.expect("the database is there");
    }

    let kept = "SELECT event_no, min(page), max(page), count(*) FROM refusals \
        GROUP BY event_no ORDER BY event_no";
    let kept = client.query(kept, &[]).await.expect("a read");
    let kept: Vec<(i32, i64, i64, i64)> =
        kept.iter().map(|row| (row.get(0), row.get(1), row.get(2), row.get(3))).collect();
    let others = |event| (event, 1, PAGES_KEPT, PAGES_KEPT);
    let expected = [others(1), (2, 3, PAGES_KEPT + 2, PAGES_KEPT), others(3), (4, 1, 2, 2)];
    assert_eq!(kept, expected);
}
