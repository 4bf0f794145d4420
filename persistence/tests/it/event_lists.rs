use std::time::Duration;

use taquilla_persistence::catalogue::{Catalogue, EventFilter, EventPosition, Near, Reference};

use crate::box_office::{BoxOffice, STARTS_AT, action, artist, new_event, new_venue};

const DAY: Duration = Duration::from_secs(24 * 3600);

/// `noche` (rock, ana and bo), `alba` (jazz, cleo) a day later, and `eco` (rock, ana) at the same
/// instant as `alba`, in Madrid.
async fn three_events(name: &str) -> Catalogue {
    let office = BoxOffice::open(name).await;
    let catalogue = Catalogue::new(office.database.clone());
    let mut alba = new_event("alba");
    alba.name = "Alba".into();
    alba.category = "jazz".into();
    alba.artists = vec![artist("cleo")];
    alba.starts_at = STARTS_AT + DAY;
    catalogue.create_event(&office.venue, &alba, &action()).await.expect("a new event");

    let mut madrid = new_venue("sala");
    madrid.city = "Madrid".into();
    (madrid.lat, madrid.lon) = (40.4, -3.7);
    let sala = catalogue.create_venue(&madrid, &action()).await.expect("a new venue");
    let mut eco = new_event("eco");
    eco.name = "Eco".into();
    eco.artists = vec![artist("ana")];
    eco.starts_at = STARTS_AT + DAY;
    catalogue.create_event(&sala, &eco, &action()).await.expect("a new event");
    catalogue
}

#[tokio::test]
async fn pages_of_events_follow_each_other_soonest_first() {
    let catalogue = three_events("event_pages").await;
    let mut seen: Vec<String> = Vec::new();
    let mut position: Option<EventPosition> = None;
    loop {
        let page = catalogue.events(&EventFilter::default(), position, 1).await.expect("a page");
        assert_eq!(page.items.len(), 1);
        seen.extend(page.items.into_iter().map(|event| event.slug));
        position = page.next;
        if position.is_none() {
            break;
        }
    }
    assert_eq!(seen, ["noche", "alba", "eco"]);
}

#[tokio::test]
async fn a_filter_leaves_what_fits() {
    let catalogue = three_events("event_filters").await;
    let all = EventFilter::default;
    let near = |radius_km| Some(Near { lat: 37.4, lon: -5.9, radius_km });
    let artist = |text| Some(Reference::parse(text));
    let text = |text: &str| Some(text.to_owned());
    let bo = catalogue.event(&Reference::parse("noche")).await.expect("a read").expect("one");
    let bo = bo.summary.artists[1].id.to_string();
    for (filter, fits) in [
        (EventFilter { category: text("jazz"), ..all() }, vec!["alba"]),
        (EventFilter { artist: artist("ana"), ..all() }, vec!["noche", "eco"]),
        (EventFilter { artist: artist(&bo), ..all() }, vec!["noche"]),
        (EventFilter { text: text("NOCH"), ..all() }, vec!["noche"]),
        (EventFilter { text: text("cleo"), ..all() }, vec!["alba"]),
        (EventFilter { text: text("madrid"), ..all() }, vec!["eco"]),
        (EventFilter { text: text("%"), ..all() }, vec![]),
        (EventFilter { near: near(25.0), ..all() }, vec!["noche", "alba"]),
        (EventFilter { near: near(400.0), ..all() }, vec!["noche", "alba", "eco"]),
        (EventFilter { near: near(380.0), ..all() }, vec!["noche", "alba"]),
        (EventFilter { from: Some(STARTS_AT + DAY), ..all() }, vec!["alba", "eco"]),
        (EventFilter { to: Some(STARTS_AT), ..all() }, vec!["noche"]),
        (EventFilter { category: text("rock"), artist: artist("cleo"), ..all() }, vec![]),
    ] {
        let page = catalogue.events(&filter, None, 20).await.expect("a page");
        let slugs: Vec<&str> = page.items.iter().map(|event| event.slug.as_str()).collect();
        assert_eq!(slugs, fits, "{filter:?}");
        assert_eq!(page.next, None);
    }
}
