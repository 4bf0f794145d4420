use std::time::Duration;

use taquilla_engine::id::{SeatIndex, SectionIndex};
use taquilla_engine::plan::SectionKind;
use taquilla_engine::seating::ChoiceWish;
use taquilla_persistence::catalogue::{
    Catalogue, CreateError, NewSeat, NewVenue, Reference, SectionRoom, Venue,
};
use taquilla_persistence::database::Database;
use taquilla_persistence::pool::Pool;
use taquilla_persistence::settings::DatabaseSettings;

use crate::box_office::{SEATS, action, fresh, new_venue};
use crate::plain;

#[tokio::test]
async fn a_venue_is_read_as_it_was_made() {
    let (_, database) = fresh("venue").await;
    let catalogue = Catalogue::new(database);
    let made = catalogue.create_venue(&new_venue("hall"), &action()).await.expect("a new venue");

    let by_slug = catalogue.venue(&Reference::parse("hall")).await.expect("a read");
    let by_id = catalogue.venue(&Reference::parse(&made.id.to_string())).await.expect("a read");

    assert_eq!(made.plan.capacity, 18);
    let kinds: Vec<SectionKind> = made.plan.sections.iter().map(|section| section.kind).collect();
    let seated = SectionKind::Seated { first: SeatIndex(0), seats: 8 };
    assert_eq!(kinds, [seated, SectionKind::General { capacity: 10 }]);
    assert_eq!(by_slug.as_ref(), Some(&made));
    assert_eq!(by_id, by_slug);
    assert_eq!(catalogue.venue(&Reference::parse("nowhere")).await.expect("a read"), None);
}

#[tokio::test]
async fn seats_come_in_index_order_with_their_places() {
    let (_, database) = fresh("geometry").await;
    let catalogue = Catalogue::new(database);
    let made = catalogue.create_venue(&new_venue("hall"), &action()).await.expect("a new venue");
    let seats = catalogue.seat_geometry(made.plan.id).await.expect("a read");
    assert_eq!(seats.len(), SEATS);
    assert_eq!((seats[2].label.as_str(), seats[2].x, seats[2].y), ("A-1-3", 1.5, 2.0));
    assert_eq!((seats[0].accessible, seats[1].accessible), (true, false));
    assert!(seats.iter().all(|seat| seat.section == SectionIndex(0)));
}

#[tokio::test]
async fn a_venue_whose_slug_is_taken_leaves_nothing_behind() {
    let (settings, database) = fresh("venue_slug").await;
    let catalogue = Catalogue::new(database);
    catalogue.create_venue(&new_venue("hall"), &action()).await.expect("a new venue");

    let again = catalogue.create_venue(&new_venue("hall"), &action()).await;

    assert!(matches!(again, Err(CreateError::SlugTaken)), "{again:?}");
    let counts = "SELECT (SELECT count(*) FROM venues), (SELECT count(*) FROM operator_actions)";
    let row = plain::client(&settings).await.query_one(counts, &[]).await.expect("counts");
    assert_eq!((row.get::<_, i64>(0), row.get::<_, i64>(1)), (1, 1));
}

#[tokio::test]
async fn what_an_operator_made_is_on_record_with_who_and_why() {
    let (settings, database) = fresh("trail").await;
    let venue = new_venue("hall");
    Catalogue::new(database).create_venue(&venue, &action()).await.expect("a new venue");
    let trail = "SELECT who, what, why, detail->>'venue_id' FROM operator_actions";
    let row = plain::client(&settings).await.query_one(trail, &[]).await.expect("one row");
    let read: [String; 4] = std::array::from_fn(|column| row.get(column));
    assert_eq!(read, ["olga", "create_venue", "a new season", &venue.id.to_string()]);
}

#[tokio::test]
async fn seats_of_a_category_are_sold_at_its_tier() {
    let (_, database) = fresh("categories").await;
    let catalogue = Catalogue::new(database);
    let mut hall = new_venue("hall");
    hall.categories = vec!["unused".into(), "stalls".into(), "box".into()];
    let SectionRoom::Seated(seats) = &mut hall.sections[0].room else { panic!("seats come first") };
    seats.iter_mut().for_each(|seat| seat.category = Some(2));
    seats[7].category = Some(1);
    let made = catalogue.create_venue(&hall, &action()).await.expect("a new venue");
    let read = catalogue.venue(&Reference::parse("hall")).await.expect("a read").expect("one");
    assert_eq!(read, made);
    assert_eq!(
        (&read.plan.sections[0].categories[..], &read.plan.sections[1].categories[..]),
        (&[1, 2][..], &[][..])
    );

    let mut event = crate::box_office::new_event("final");
    event.section_tiers = vec![vec![0, 1], vec![0]];
    let event = catalogue.create_event(&made, &event, &action()).await.expect("a new event");

    let terms = catalogue.event_terms(event.event()).await.expect("a read").expect("terms");
    let tiers: Vec<u16> = terms.plan.seats().map(|seat| seat.tier).collect();
    assert_eq!(tiers, [1, 1, 1, 1, 1, 1, 1, 0]);
    let room = terms.plan.seating(SectionIndex(0)).expect("a section with seats");
    let wish = ChoiceWish { quantity: 1, tier: None, adjacent: true, accessible: true };
    let choice = room.choose(&wish, |_| false).expect("the first seat is accessible");
    assert_eq!((&choice.places[..], &*choice.row, choice.distance), (&[0][..], "1", 3.5));
    let shown = catalogue.event(&Reference::parse("final")).await.expect("a read").expect("one");
    assert_eq!(
        shown.sections[0].price_from.map(|it| it.amount),
        Some(4_500),
        "the cheapest of the section"
    );
}

#[tokio::test]
async fn the_database_too_compares_names_in_nfc() {
    let (_, database) = fresh("nfc").await;
    let catalogue = Catalogue::new(database);
    let refused_by = async |hall: &NewVenue| match catalogue.create_venue(hall, &action()).await {
        Err(CreateError::Database(error)) => format!("{:?}", std::error::Error::source(&error)),
        other => panic!("{other:?}"),
    };
    let mut hall = new_venue("hall");
    hall.sections[0].name = "Ö".into();
    hall.sections[1].name = "O\u{308}".into();
    assert!(refused_by(&hall).await.contains("plan_sections_name_unique"));
    let mut hall = new_venue("hall");
    let SectionRoom::Seated(seats) = &mut hall.sections[0].room else { panic!("seats come first") };
    seats[0].label = "Ö".into();
    seats[1].label = "O\u{308}".into();
    assert!(refused_by(&hall).await.contains("plan_seats_label_unique"));
    let mut hall = new_venue("hall");
    hall.categories = vec!["Ö".into(), "O\u{308}".into()];
    assert!(refused_by(&hall).await.contains("plan_categories_name_unique"));
}

#[tokio::test]
async fn tiers_of_one_name_in_two_spellings_are_one_too_many() {
    let (_, database) = fresh("nfc_tiers").await;
    let catalogue = Catalogue::new(database);
    let hall = catalogue.create_venue(&new_venue("hall"), &action()).await.expect("a new venue");
    let mut event = crate::box_office::new_event("noche");
    event.tiers[0].name = "Ö".into();
    event.tiers[1].name = "O\u{308}".into();
    match catalogue.create_event(&hall, &event, &action()).await {
        Err(CreateError::Database(error)) => {
            let why = format!("{:?}", std::error::Error::source(&error));
            assert!(why.contains("event_tiers_name_unique"), "{why}");
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn venues_are_listed_newest_first_a_page_at_a_time() {
    let (_, database) = fresh("venue_list").await;
    let catalogue = Catalogue::new(database);
    for slug in ["a", "b", "c"] {
        catalogue.create_venue(&new_venue(slug), &action()).await.expect("a new venue");
    }
    let slugs = |venues: &[Venue]| venues.iter().map(|it| it.slug.clone()).collect::<Vec<_>>();
    let first = catalogue.venues(None, 2).await.expect("a read");
    assert_eq!(slugs(&first.items), ["c", "b"]);
    assert_eq!(first.items[0].plan.sections.len(), 2);
    let second = catalogue.venues(first.next, 2).await.expect("a read");
    assert_eq!((slugs(&second.items), second.next), (vec!["a".to_owned()], None));
}

#[tokio::test]
async fn a_stadium_of_sixty_thousand_seats_is_made_by_statements_within_the_usual_bound() {
    let (settings, database) = fresh("stadium").await;
    assert!(settings.statement_timeout < Duration::from_secs(5), "what buyers' reads wait for");
    let catalogue = Catalogue::new(database);
    let mut stadium = new_venue("stadium");
    stadium.sections = (0..60).map(|section| stand(&format!("S{section}"))).collect();
    let made = catalogue.create_venue(&stadium, &action()).await.expect("a new venue");

    let mut event = crate::box_office::new_event("final");
    event.section_tiers = vec![vec![0]; 60];
    let event = catalogue.create_event(&made, &event, &action()).await.expect("a new event");

    let terms = catalogue.event_terms(event.event()).await.expect("a read").expect("terms");
    let drawn = catalogue.seat_geometry(made.plan.id).await.expect("a read");
    assert_eq!(drawn.len(), 60_000);
    assert_eq!(terms.plan.seats().len(), 60_000);
    assert_eq!(terms.plan.seat_of("S59-20-50"), Some(SeatIndex(59_999)));
}

/// A million seats take some seconds, and are no reason to say that the database does not answer.
#[tokio::test]
async fn making_a_venue_or_an_event_has_more_time_than_other_answers() {
    let (settings, _) = fresh("patience").await;
    let hurried = DatabaseSettings { answer_timeout: Duration::from_millis(1), ..settings };
    let database = Database::new(Pool::new(&hurried).expect("a good URL"), &hurried);
    let catalogue = Catalogue::new(database);
    let mut stadium = new_venue("stadium");
    stadium.sections = (0..60).map(|section| stand(&format!("S{section}"))).collect();
    let made = catalogue.create_venue(&stadium, &action()).await.expect("a new venue");
    let mut event = crate::box_office::new_event("final");
    event.section_tiers = vec![vec![0]; 60];
    let event = catalogue.create_event(&made, &event, &action()).await.expect("a new event");
    let terms = catalogue.event_terms(event.event()).await.expect("a read").expect("terms");
    assert_eq!(terms.plan.seats().len(), 60_000);
}

fn stand(name: &str) -> taquilla_persistence::catalogue::NewSection {
    let seat = |number: usize| {
        let (row, seat) = (number / 50 + 1, number % 50 + 1);
        NewSeat {
            label: format!("{name}-{row}-{seat}"),
            row: row.to_string().into(),
            seat: seat.to_string(),
            x: 0.0,
            y: 0.0,
            accessible: false,
            category: None,
            dropped: false,
        }
    };
    let room = SectionRoom::Seated((0..1_000).map(seat).collect());
    taquilla_persistence::catalogue::NewSection { name: name.into(), room }
}
