use taquilla_engine::id::{SeatIndex, SectionIndex};
use taquilla_engine::plan::SectionKind;
use taquilla_persistence::catalogue::{Catalogue, CreateError, NewSeat, Reference, SectionRoom};

use crate::box_office::{SEATS, action, fresh, new_venue};
use crate::plain;

#[tokio::test]
async fn a_venue_is_read_as_it_was_made() {
    let (_, database) = fresh("venue").await;
    let catalogue = Catalogue::new(database);
    let made = catalogue.create_venue(&new_venue("hall"), &action()).await.expect("a new venue");

    let by_slug = catalogue.venue(&Reference::parse("hall")).await.expect("a read");
    let by_id = catalogue.venue(&Reference::parse(&made.id.to_string())).await.expect("a read");

    assert_eq!(made.capacity, 18);
    let kinds: Vec<SectionKind> = made.sections.iter().map(|section| section.kind).collect();
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
    let seats = catalogue.seat_geometry(made.id).await.expect("a read");
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
async fn a_stadium_of_sixty_thousand_seats_is_made_within_the_usual_bounds() {
    let (_, database) = fresh("stadium").await;
    let catalogue = Catalogue::new(database);
    let mut stadium = new_venue("stadium");
    stadium.sections = (0..60).map(|section| stand(&format!("S{section}"))).collect();
    let started = std::time::Instant::now();
    let made = catalogue.create_venue(&stadium, &action()).await.expect("a new venue");
    eprintln!("venue made in {:?}", started.elapsed());

    let started = std::time::Instant::now();
    let mut event = crate::box_office::new_event("final");
    event.section_tiers = vec![0; 60];
    let event = catalogue.create_event(&made, &event, &action()).await.expect("a new event");
    eprintln!("event made in {:?}", started.elapsed());

    let started = std::time::Instant::now();
    let terms = catalogue.event_terms(event.event()).await.expect("a read").expect("terms");
    eprintln!("terms read in {:?}", started.elapsed());
    assert_eq!(terms.plan.seats().len(), 60_000);
    assert_eq!(terms.plan.seat_of("S59-20-50"), Some(SeatIndex(59_999)));
}

fn stand(name: &str) -> taquilla_persistence::catalogue::NewSection {
    let seat = |number: usize| {
        let (row, seat) = (number / 50 + 1, number % 50 + 1);
        NewSeat {
            label: format!("{name}-{row}-{seat}"),
            row: row.to_string(),
            seat: seat.to_string(),
            x: 0.0,
            y: 0.0,
            accessible: false,
        }
    };
    let room = SectionRoom::Seated((0..1_000).map(seat).collect());
    taquilla_persistence::catalogue::NewSection { name: name.into(), room }
}
