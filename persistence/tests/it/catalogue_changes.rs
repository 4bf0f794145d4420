//! Whoever follows the catalogue finds each change, whoever made it, and nothing of what is sold.

use taquilla_engine::hold::Claim;
use taquilla_engine::id::{EventNumber, SeatIndex};
use taquilla_persistence::catalogue::{
    Catalogue, CatalogueNews, CataloguePlace, Changed, Reference,
};
use taquilla_persistence::database::Database;
use taquilla_persistence::pool::Pool;
use taquilla_persistence::private_postgres::scratch::ScratchCluster;

use crate::box_office::{BoxOffice, action, new_event};
use crate::journal::box_office::{BoxOffice as Sale, FLOOR, HOLD_TTL, hold_of};
use crate::journal::owner::{Owner, order, place};
use crate::plain::{self, eventually, in_time};

struct Reader {
    catalogue: Catalogue,
    place: CataloguePlace,
}

impl Reader {
    async fn of(database: &Database) -> Self {
        let catalogue = Catalogue::new(database.clone());
        let (place, _) = in_time(catalogue.place()).await.expect("an answer");
        let mut reader = Self { catalogue, place };
        // Others on the server have the horizon: what was there before is not of interest.
        reader.look().await;
        reader
    }

    async fn look(&mut self) -> Vec<EventNumber> {
        let news = in_time(self.catalogue.news(&self.place)).await.expect("an answer");
        let CatalogueNews { changed, place, .. } = news;
        self.place = place;
        match changed {
            Changed::These(events) => events,
            Changed::Any => panic!("it is the same server"),
        }
    }

    async fn name(&self, slug: &str) -> (String, String) {
        let event = self.catalogue.event(&Reference::parse(slug)).await.expect("a read");
        let summary = event.expect("it is there").summary;
        (summary.name, summary.venue.name)
    }
}

#[tokio::test]
async fn whatever_a_listing_shows_is_noted_whoever_changes_it_and_nothing_else() {
    let office = BoxOffice::open("catalogue_changes").await;
    let mut reader = Reader::of(&office.database).await;
    for sql in [
        "UPDATE events SET name = 'Otra', cancelled = true",
        "UPDATE event_tiers SET price = price + 1 WHERE tier_no = 0",
        "UPDATE event_section_tiers SET tier_no = 0",
        "UPDATE event_fees SET fixed = 200",
        "DELETE FROM event_fees",
        "INSERT INTO event_fees VALUES (1, 0, 'service', 0, 0)",
        "DELETE FROM event_artists WHERE place = 1",
        "UPDATE artists SET name = 'Ana B.' WHERE slug = 'ana'",
        "UPDATE venues SET city = 'Cádiz'",
        "UPDATE plan_sections SET name = 'Z' WHERE section_no = 0",
        "UPDATE general_areas SET capacity = capacity - 1",
        "DELETE FROM general_areas",
        "INSERT INTO general_areas (event_no, section_no, capacity) VALUES (1, 1, 10)",
    ] {
        office.call(sql, &[]).await;
        assert_eq!(reader.look().await, [office.event.event()], "{sql}");
        assert_eq!(reader.look().await, [], "{sql}");
    }
    let hold = office.hold("ana", &[]).await;
    office.order(hold).await;
    office.convert(hold, 2).await;
    for sql in [
        "UPDATE general_areas SET capacity = capacity",
        "INSERT INTO artists VALUES (gen_random_uuid(), 'eva', 'Eva')",
        "UPDATE artists SET name = 'Eva B.' WHERE slug = 'eva'",
        "UPDATE event_tiers SET price = 0 WHERE false",
    ] {
        office.call(sql, &[]).await;
    }
    assert_eq!(reader.look().await, []);
}

#[tokio::test]
async fn whoever_commits_late_is_not_passed_over_and_delays_nobody() {
    let office = BoxOffice::open("catalogue_horizon").await;
    let catalogue = Catalogue::new(office.database.clone());
    let second = catalogue.create_event(&office.venue, &new_event("dia"), &action()).await;
    let second = second.expect("an event").event();
    let mut reader = Reader::of(&office.database).await;
    let late = plain::client(&office.settings).await;
    late.batch_execute("BEGIN; UPDATE events SET name = 'Tarde' WHERE slug = 'noche'")
        .await
        .expect("begun");
    for _ in 0..3 {
        office.call("UPDATE events SET name = name || '!' WHERE slug = 'dia'", &[]).await;
        assert_eq!(reader.look().await, [second], "a later one is seen at once");
        assert_eq!(reader.look().await, [], "and once");
    }
    late.batch_execute("COMMIT").await.expect("committed");
    assert_eq!(reader.look().await, [office.event.event()]);
    assert_eq!(reader.look().await, []);
}

#[tokio::test]
async fn what_is_begun_before_somebody_begins_to_follow_is_found() {
    let office = BoxOffice::open("catalogue_begin").await;
    let late = plain::client(&office.settings).await;
    late.batch_execute("BEGIN; UPDATE events SET paused = true").await.expect("begun");
    let mut reader = Reader::of(&office.database).await;
    late.batch_execute("COMMIT").await.expect("committed");
    assert_eq!(reader.look().await, [office.event.event()]);
}

#[tokio::test]
async fn an_event_that_is_made_while_its_venue_is_renamed_is_found_with_the_new_name() {
    let office = BoxOffice::open("catalogue_rename").await;
    let mut reader = Reader::of(&office.database).await;
    let maker = plain::client(&office.settings).await;
    let copy = "BEGIN; \
        INSERT INTO events (event_id, venue_id, plan_id, slug, name, description, category, conditions, starts_at, \
               currency, opens_at, closes_at, hold_ttl_seconds, buyer_seats_max, waiting_room, \
               verifying_extension_seconds) \
        SELECT '00000002-0100-8000-8000-000000000000', venue_id, plan_id, 'dia', 'Dia', description, category, \
               conditions, starts_at, currency, opens_at, closes_at, hold_ttl_seconds, buyer_seats_max, \
               waiting_room, verifying_extension_seconds FROM events; \
        INSERT INTO event_tiers VALUES (2, 0, 'all', 100); \
        INSERT INTO event_section_tiers VALUES (2, 0, 0, 0)";
    maker.batch_execute(copy).await.expect("an event on its way");
    let renamer = plain::client(&office.settings).await;
    let renamed = tokio::spawn(async move {
        renamer.batch_execute("UPDATE venues SET name = 'New Hall'").await.expect("renamed");
    });
    let waits = "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() \
                    AND wait_event_type = 'Lock' AND query LIKE 'UPDATE venues%')";
    plain::until(&office.client, waits).await;
    assert_eq!(reader.look().await, []);
    maker.batch_execute("COMMIT").await.expect("made");
    in_time(renamed).await.expect("renamed");
    // The maker's note alone may have been read before the name was another.
    reader.look().await;
    let noted = "SELECT count(DISTINCT event_no) FROM catalogue_changes \
                  WHERE xact = (SELECT max(xact) FROM catalogue_changes)";
    assert_eq!(office.one::<i64>(noted).await, 2);
    assert_eq!(reader.name("dia").await, ("Dia".into(), "New Hall".into()));
}

#[tokio::test]
async fn an_event_that_changes_again_and_again_keeps_one_note() {
    let office = BoxOffice::open("catalogue_notes").await;
    for _ in 0..20 {
        office.call("UPDATE events SET name = name || '!'", &[]).await;
    }
    // While somebody else on the server writes, the latest ones stay.
    eventually("one note", async || {
        office.call("UPDATE events SET name = name || '!'", &[]).await;
        let notes: i64 = office.one("SELECT count(*) FROM catalogue_changes").await;
        (notes == 1).then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_batch_of_holds_or_sales_runs_no_trigger_of_the_catalogue() {
    let office = Sale::open("catalogue_lane").await;
    office
        .client
        .batch_execute(
            "CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS \
                $$ BEGIN RAISE EXCEPTION 'a trigger of the catalogue'; END $$; \
             DO $$ DECLARE it record; BEGIN \
                FOR it IN SELECT pg_get_triggerdef(oid) AS made FROM pg_trigger \
                           WHERE NOT tgisinternal AND tgname LIKE 'note%' LOOP \
                    EXECUTE regexp_replace(replace(it.made, ' note_', ' fail_'), \
                                           'EXECUTE FUNCTION .*', 'EXECUTE FUNCTION fail()'); \
                END LOOP; END $$",
        )
        .await
        .expect("every trigger has a twin that fails");
    let twins = "SELECT count(*) FROM pg_trigger WHERE tgname LIKE 'fail%'";
    assert!(office.count(twins).await > 10);
    let mut owner = Owner::start(&office).await;
    let claim = Claim { seats: vec![SeatIndex(3)], places: vec![(FLOOR, 2)] };
    owner.ask(place("ann", "k", claim.clone()));
    owner.ask(place("bob", "k", claim));
    owner.commit(&office).await;
    owner.ask(order("ann", "o", hold_of("ann", "k")));
    owner.commit(&office).await;
    let counted = "SELECT held::bigint FROM general_areas";
    assert_eq!(office.count(counted).await, 2);
    owner.pass(HOLD_TTL);
    owner.tick();
    owner.commit(&office).await;
    assert_eq!(office.count(counted).await, 0);
    let capacity = "UPDATE general_areas SET capacity = 7 WHERE section_no = 3";
    office.client.batch_execute(capacity).await.expect_err("a capacity is shown");
}

#[tokio::test]
async fn events_are_read_together_as_they_are_one_by_one() {
    let office = BoxOffice::open("these_events").await;
    let catalogue = Catalogue::new(office.database.clone());
    let mut bare = new_event("dia");
    (bare.artists, bare.fees) = (Vec::new(), Vec::new());
    catalogue.create_event(&office.venue, &bare, &action()).await.expect("an event");
    let numbers = catalogue.all_event_numbers().await.expect("a read");
    let asked = [&numbers[..], &[EventNumber(1_000)]].concat();
    let mut all = catalogue.these_events(&asked).await.expect("a read");
    all.sort_by_key(|it| it.summary.id.event());
    assert_eq!(all.len(), 2);
    for mut record in all {
        let name = Reference::Id(record.summary.id.uuid());
        let one = catalogue.event(&name).await.expect("a read").expect("it is there");
        assert!(record.summary.as_of <= one.summary.as_of);
        record.summary.as_of = one.summary.as_of;
        assert_eq!(record, one);
    }
}

#[tokio::test]
async fn on_another_server_anything_may_have_changed() {
    let office = BoxOffice::open("catalogue_server").await;
    let here = Catalogue::new(office.database.clone());
    let (place, _) = in_time(here.place()).await.expect("an answer");
    let other = ScratchCluster::start(&[]).await.expect("another server");
    let settings = other.migrated_database("other").await.expect("a database");
    let database = Database::new(Pool::new(&settings).expect("a URL of our own"), &settings);
    let there = Catalogue::new(database);
    let news = in_time(there.news(&place)).await.expect("an answer");
    assert_eq!(news.changed, Changed::Any);
    let again = in_time(there.news(&news.place)).await.expect("an answer");
    assert_eq!(again.changed, Changed::These(Vec::new()), "from then on it is followed");
}
