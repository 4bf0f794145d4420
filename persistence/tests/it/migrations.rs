use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use taquilla_engine::id::{EventId, EventNumber, PlanId, SeatIndex};
use taquilla_engine::plan::SectionKind;
use taquilla_persistence::catalogue::{Catalogue, Reference, Venue};
use taquilla_persistence::database::Database;
use taquilla_persistence::migrations::{MigrationError, migrate, schema_is_current};
use taquilla_persistence::pool::Pool;
use taquilla_persistence::private_postgres::scratch;
use taquilla_persistence::settings::DatabaseSettings;
use tokio_postgres::error::SqlState;

use crate::plain;

#[tokio::test]
async fn two_migrations_at_once_apply_each_step_once() {
    let settings = scratch::shared().await.database("migrate").await.expect("a database");
    let before = schema_is_current(&settings).await.expect_err("nothing is applied");
    assert!(matches!(before, MigrationError::NotCurrent { ref applied, .. } if applied.is_empty()));

    let (one, two) = tokio::join!(migrate(&settings), migrate(&settings));
    let mut counts = [one.expect("migrated").len(), two.expect("migrated").len()];
    counts.sort_unstable();
    assert_eq!(counts[0], 0);
    assert!(counts[1] > 0);
    schema_is_current(&settings).await.expect("current");
    assert!(migrate(&settings).await.expect("nothing to do").is_empty());
}

#[tokio::test]
async fn a_schema_that_is_not_this_programs_is_refused() {
    let settings = scratch::shared().await.migrated_database("foreign").await.expect("migrated");
    schema_is_current(&settings).await.expect("a copy is current too");
    let client = plain::client(&settings).await;
    client
        .batch_execute("UPDATE refinery_schema_history SET checksum = '1' WHERE version = 1")
        .await
        .expect("a row");
    let error = schema_is_current(&settings).await.expect_err("another first step");
    assert!(matches!(error, MigrationError::NotCurrent { .. }), "{error:?}");
    migrate(&settings).await.expect_err("never over a foreign step");
}

#[tokio::test]
async fn a_migration_waits_for_another_only_so_long() {
    let settings = scratch::shared().await.database("locked").await.expect("a database");
    let client = plain::client(&settings).await;
    client.batch_execute("SELECT pg_advisory_lock(8386108730234399841)").await.expect("a lock");
    let settings =
        DatabaseSettings { migration_lock_timeout: Duration::from_millis(50), ..settings };
    match migrate(&settings).await {
        Err(MigrationError::Driver(error)) => {
            assert_eq!(error.code(), Some(&SqlState::LOCK_NOT_AVAILABLE));
        }
        other => panic!("the lock was held: {other:?}"),
    }
}

/// What an older program wrote: a venue with an event, of which a seat is sold.
const BEFORE_HALLS: &str = "
    INSERT INTO venues (venue_id, slug, name, city, country, lat, lon, timezone, capacity)
    VALUES (gen_random_uuid(), 'teatro', 'Teatro', 'Sevilla', 'ES', 0, 0, 'Europe/Madrid', 7);
    INSERT INTO venue_sections
    SELECT venue_id, s.* FROM venues, (VALUES (0, 'A', 0, 2, 0), (1, 'FLOOR', 1, 5, NULL))
        AS s (no, name, kind, capacity, first);
    INSERT INTO venue_categories SELECT venue_id, 1, 'Box' FROM venues;
    INSERT INTO venue_section_categories SELECT venue_id, 0, 1 FROM venues;
    INSERT INTO venue_seats (venue_id, seat_index, section_no, category_no, label, row_label, seat_label, x, y)
    SELECT venue_id, i, 0, 1, 'A-1-' || i + 1, '1', i + 1, i, 0 FROM venues, generate_series(0, 1) i;
    INSERT INTO events (event_id, venue_id, slug, name, description, category, conditions, starts_at,
        currency, opens_at, closes_at, hold_ttl_seconds, buyer_seats_max, waiting_room,
        verifying_extension_seconds)
    SELECT $id, venue_id, 'noche', 'Noche', '', 'rock', '',
        '2100-01-01', 'EUR', '2000-01-01', '2100-01-01', 60, 6, false, 0 FROM venues;
    INSERT INTO event_tiers VALUES (1, 0, 'gold', 9000), (1, 1, 'free', 0);
    INSERT INTO event_section_tiers VALUES (1, 0, 1, 0), (1, 1, 0, 1);
    INSERT INTO event_heads (event_no) VALUES (1);
    INSERT INTO seats (seat_key) SELECT 1048576 + i FROM generate_series(0, 1) i;
    INSERT INTO general_areas (event_no, section_no, capacity) VALUES (1, 1, 4);";

#[tokio::test]
async fn a_venue_of_before_halls_has_one_of_one_version_and_its_events_have_that() {
    let settings = scratch::shared().await.database("before_halls").await.expect("a database");
    let client = plain::client(&settings).await;
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("migrations");
    let mut steps: Vec<(u32, PathBuf)> = fs::read_dir(&folder)
        .expect("the steps")
        .map(|step| {
            let path = step.expect("a file").path();
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            let number = name[1..].split("__").next().expect("a number").parse();
            (number.expect("digits"), path)
        })
        .collect();
    steps.sort();
    for (number, step) in steps.iter().filter(|(number, _)| *number <= 15) {
        if *number == 15 {
            let event = EventId::new(EventNumber(1), [0; 11]).uuid();
            let rows = BEFORE_HALLS.replace("$id", &format!("'{event}'"));
            client.batch_execute(&rows).await.expect("rows as they were");
        }
        client.batch_execute(&fs::read_to_string(step).expect("a step")).await.expect("applied");
    }

    let catalogue = Catalogue::new(Database::new(Pool::new(&settings).expect("a pool"), &settings));
    let plans = catalogue.venue_plans(&Reference::parse("teatro")).await.expect("a read");
    let [Venue { id, plan, .. }] = &plans[..] else { panic!("{plans:?}") };
    assert_eq!((plan.id, plan.hall.as_str(), plan.version, plan.capacity), (*id, "main", 1, 7));
    let sections: Vec<_> = plan.sections.iter().map(|it| (it.kind, it.capacity)).collect();
    let seated = SectionKind::Seated { first: SeatIndex(0), seats: 2 };
    assert_eq!(sections, [(seated, 2), (SectionKind::General { capacity: 5 }, 5)]);
    let event = catalogue.event(&Reference::parse("noche")).await.expect("a read").expect("it");
    assert_eq!((event.summary.plan, event.summary.plan_version), (*id, 1));
    assert_eq!(event.sections[1].capacity, 4, "as an operator has set it");
    assert_eq!(event.summary.from_price.amount, 0);
    let terms = catalogue.event_terms(EventNumber(1)).await.expect("a read").expect("terms");
    assert_eq!((terms.plan_id, terms.plan.seat_of("A-1-2")), (PlanId(*id), Some(SeatIndex(1))));
    assert!(!terms.plan.is_dropped(SeatIndex(1)));
    let left = "SELECT count(*) FROM pg_class WHERE relname LIKE 'venue\\_%'";
    let left = client.query_one(left, &[]).await.expect("a count");
    assert_eq!(left.get::<_, i64>(0), 0, "nothing is called what it no longer is");
}
