//! Cursors: what is taken is what would have been given.

#![no_main]

use libfuzzer_sys::fuzz_target;
use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::{Error, StrDeserializer};
use taquilla_api::cursor::Cursor;
use taquilla_api::search::SearchPosition;
use taquilla_persistence::orders::OrderPosition;

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let reader = || -> StrDeserializer<'_, Error> { text.into_deserializer() };
    if let Ok(cursor) = Cursor::<SearchPosition>::deserialize(reader()) {
        assert_eq!(cursor.to_text(), text);
    }
    if let Ok(cursor) = Cursor::<OrderPosition>::deserialize(reader()) {
        assert_eq!(cursor.to_text(), text);
    }
});
