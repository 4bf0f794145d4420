use std::time::Duration;

use taquilla_engine::id::{EventNumber, SeatIndex, SectionIndex};
use taquilla_engine::money::Money;
use taquilla_engine::plan::SectionKind;
use taquilla_persistence::catalogue::{Catalogue, CreateError, Reference};

use crate::box_office::{BoxOffice, PRICE, SEATS, action, artist, new_event};

#[tokio::test]
async fn an_event_is_read_as_it_was_made() {
    let office = BoxOffice::open("event").await;
    let catalogue = Catalogue::new(office.database.clone());
    let new = new_event("noche");

    let event = catalogue.event(&Reference::parse("noche")).await.expect("a read").expect("one");

    let money = |amount| Money { amount, currency: new.currency };
    assert_eq!(event.summary.id, office.event);
    assert_eq!(event.summary.venue.id, office.venue.id);
    assert_eq!(event.summary.capacity, office.venue.plan.capacity);
    assert_eq!(event.summary.from_price, money(4_500));
    assert_eq!((event.summary.starts_at, &event.summary.sale), (new.starts_at, &new.sale));
    let artists: Vec<&str> = event.summary.artists.iter().map(|it| it.slug.as_str()).collect();
    assert_eq!(artists, ["ana", "bo"]);
    assert_eq!((&event.fees, &event.tiers), (&new.fees, &new.tiers));
    assert_eq!(event.summary.sale.verifying_extension, Duration::from_secs(60));
    let prices: Vec<Money> =
        event.sections.iter().filter_map(|section| section.price_from).collect();
    assert_eq!(prices, [money(PRICE), money(4_500)]);
    let by_id = Reference::parse(&office.event.to_string());
    let again = catalogue.event(&by_id).await.expect("a read").expect("one");
    assert_eq!(again.summary.id, event.summary.id);
    assert!(catalogue.event(&Reference::parse("dia")).await.expect("a read").is_none());
}

#[tokio::test]
async fn terms_have_the_plan_with_a_tier_for_each_seat() {
    let office = BoxOffice::open("terms").await;
    let catalogue = Catalogue::new(office.database.clone());
    let new = new_event("noche");
    let number = office.event.event();

    let terms = catalogue.event_terms(number).await.expect("a read").expect("terms");

    assert_eq!((terms.event, terms.currency, &terms.sale), (number, new.currency, &new.sale));
    assert_eq!(*terms.fees, new.fees);
    assert_eq!(terms.plan.tiers(), new.tiers);
    assert_eq!(terms.plan.seats().len(), SEATS);
    assert_eq!(terms.plan.seat_of("A-1-8"), Some(SeatIndex(7)));
    assert_eq!(terms.plan.seat_tier(SeatIndex(7)).price, PRICE);
    assert_eq!(terms.plan.section_tier(SectionIndex(1)).price, 4_500);
    assert_eq!(terms.plan.section(SectionIndex(1)).kind, SectionKind::General { capacity: 10 });
    assert!(catalogue.event_terms(EventNumber(number.0 + 1)).await.expect("a read").is_none());
}

#[tokio::test]
async fn an_event_has_a_row_for_each_seat_and_general_section_and_one_head() {
    let office = BoxOffice::open("inventory").await;
    let counts = "SELECT (SELECT count(*) FROM seats WHERE state = 0 AND seat_key / 1048576 = $1), \
                         (SELECT count(*) FROM general_areas WHERE event_no = $1 AND capacity = 10), \
                         (SELECT count(*) FROM event_heads WHERE event_no = $1 AND seq = 0)";
    let number = office.event.event().0;
    let row = office.client.query_one(counts, &[&i64::from(number)]).await;
    let row = match row {
        Ok(row) => row,
        Err(error) => panic!("{error:?}"),
    };
    let read: [i64; 3] = std::array::from_fn(|column| row.get(column));
    assert_eq!(read, [SEATS as i64, 1, 1]);
}

#[tokio::test]
async fn an_event_whose_slug_is_taken_leaves_nothing_behind() {
    let office = BoxOffice::open("event_slug").await;
    let catalogue = Catalogue::new(office.database.clone());

    let again = catalogue.create_event(&office.venue, &new_event("noche"), &action()).await;

    assert!(matches!(again, Err(CreateError::SlugTaken)), "{again:?}");
    let numbers = catalogue.all_event_numbers().await.expect("a read");
    assert_eq!(numbers, [office.event.event()]);
    let heads = office.client.query_one("SELECT count(*) FROM event_heads", &[]).await;
    assert_eq!(heads.expect("a count").get::<_, i64>(0), 1);
}

#[tokio::test]
async fn an_artist_whose_slug_is_known_is_found_not_made() {
    let office = BoxOffice::open("artists").await;
    let catalogue = Catalogue::new(office.database.clone());
    let mut second = new_event("dia");
    second.artists = vec![artist("cleo"), artist("ana")];

    catalogue.create_event(&office.venue, &second, &action()).await.expect("a new event");

    let find = async |slug| catalogue.event(&Reference::parse(slug)).await.expect("a read");
    let (first, second) = (find("noche").await.expect("one"), find("dia").await.expect("one"));
    let slugs: Vec<&str> = second.summary.artists.iter().map(|it| it.slug.as_str()).collect();
    assert_eq!(slugs, ["cleo", "ana"]);
    assert_eq!(first.summary.artists[0], second.summary.artists[1]);
}
