//! What of an event is in the index, and how.

use chrono::{DateTime, Datelike as _, Utc};
use chrono_tz::Tz;
use tantivy::TantivyDocument;
use tantivy::schema::{
    FAST, Field, INDEXED, IndexRecordOption, STRING, Schema, TextFieldIndexing, TextOptions,
};
use tantivy::tokenizer::{PreTokenizedString, Token};
use taquilla_engine::moment::Moment;
use taquilla_engine::name::canonical;
use taquilla_persistence::catalogue::EventRecord;

use super::words::{Word, words};

/// Columns, by the names that a segment knows them by.
pub(super) const EVENT: &str = "event";
pub(super) const STARTS_AT: &str = "starts_at";
pub(super) const DAY: &str = "day";
pub(super) const LAT: &str = "lat";
pub(super) const LON: &str = "lon";

/// 1970-01-01, as chrono counts days.
const FIRST_DAY: i32 = 719_163;

/// The index's fields.
pub(super) struct Fields {
    pub(super) event: Field,
    /// Names of the event and of those who play: what is looked for most.
    pub(super) title: Field,
    /// The same, with the venue and its city.
    pub(super) text: Field,
    pub(super) category: Field,
    /// Ids and slugs.
    pub(super) artist: Field,
    starts_at: Field,
    day: Field,
    lat: Field,
    lon: Field,
}

impl Fields {
    pub(super) fn schema() -> (Schema, Self) {
        let mut schema = Schema::builder();
        // Positions are what puts the characters of a word in their order.
        let positions = TextFieldIndexing::default()
            .set_index_option(IndexRecordOption::WithFreqsAndPositions)
            .set_fieldnorms(false);
        let words = TextOptions::default().set_indexing_options(positions);
        let fields = Self {
            event: schema.add_i64_field(EVENT, FAST | INDEXED),
            title: schema.add_text_field("title", words.clone()),
            text: schema.add_text_field("text", words),
            category: schema.add_text_field("category", STRING),
            artist: schema.add_text_field("artist", STRING),
            starts_at: schema.add_i64_field(STARTS_AT, FAST),
            day: schema.add_i64_field(DAY, FAST),
            lat: schema.add_f64_field(LAT, FAST),
            lon: schema.add_f64_field(LON, FAST),
        };
        (schema.build(), fields)
    }

    pub(super) fn document(&self, record: &EventRecord) -> TantivyDocument {
        let event = &record.summary;
        let names = std::iter::once(event.name.as_str());
        let title: Vec<_> = names.chain(event.artists.iter().map(|it| it.name.as_str())).collect();
        let place = [event.venue.name.as_str(), event.venue.city.as_str()];
        let mut document = TantivyDocument::default();
        document.add_i64(self.event, event.id.event().0.into());
        document.add_pre_tokenized_text(self.title, tokens(title.iter().copied()));
        document.add_pre_tokenized_text(self.text, tokens(title.into_iter().chain(place)));
        document.add_text(self.category, canonical(&event.category));
        for artist in &event.artists {
            document.add_text(self.artist, artist.id.to_string());
            document.add_text(self.artist, &artist.slug);
        }
        document.add_i64(self.starts_at, event.starts_at.0);
        document.add_i64(self.day, day(event.starts_at, &record.timezone).into());
        document.add_f64(self.lat, event.venue.lat);
        document.add_f64(self.lon, event.venue.lon);
        document
    }
}

/// The day on which this instant lies there. A zone that this program does not know is UTC.
fn day(instant: Moment, zone: &str) -> i32 {
    let zone: Tz = zone.parse().unwrap_or(Tz::UTC);
    let instant: DateTime<Utc> = DateTime::from_timestamp_micros(instant.0).unwrap_or_default();
    instant.with_timezone(&zone).num_days_from_ce() - FIRST_DAY
}

/// Of several texts, none of which goes on in the next.
fn tokens<'a>(texts: impl Iterator<Item = &'a str>) -> PreTokenizedString {
    let mut tokens = Vec::new();
    let mut position = 0;
    for Word(parts) in texts.flat_map(words) {
        for text in parts {
            tokens.push(Token { position, text, ..Token::default() });
            position += 1;
        }
        position += 1;
    }
    PreTokenizedString { text: String::new(), tokens }
}
