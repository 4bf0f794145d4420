use std::time::Duration;

use taquilla_persistence::catalogue::{Catalogue, EventPosition};

use crate::box_office::{BoxOffice, STARTS_AT, action, new_event};

const DAY: Duration = Duration::from_secs(24 * 3600);

/// `noche`, `alba` a day later, and `eco` at the same instant as `alba`.
async fn three_events(name: &str) -> Catalogue {
    let office = BoxOffice::open(name).await;
    let catalogue = Catalogue::new(office.database.clone());
    let mut alba = new_event("alba");
    alba.starts_at = STARTS_AT + DAY;
    catalogue.create_event(&office.venue, &alba, &action()).await.expect("a new event");

    let mut eco = new_event("eco");
    eco.starts_at = STARTS_AT + DAY;
    catalogue.create_event(&office.venue, &eco, &action()).await.expect("a new event");
    catalogue
}

#[tokio::test]
async fn pages_of_events_follow_each_other_soonest_first() {
    let catalogue = three_events("event_pages").await;
    let mut seen: Vec<String> = Vec::new();
    let mut position: Option<EventPosition> = None;
    loop {
        let page = catalogue.events(position, 1).await.expect("a page");
        assert_eq!(page.items.len(), 1);
        seen.extend(page.items.into_iter().map(|event| event.slug));
        position = page.next;
        if position.is_none() {
            break;
        }
    }
    assert_eq!(seen, ["noche", "alba", "eco"]);
}
