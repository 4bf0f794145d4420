//! JSON text into a tree in which no key stands twice. serde's own maps keep the last of two, and
//! readers that keep the first would then see another request than we do.

use std::fmt;

use serde::de::{DeserializeSeed, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use super::FormError;
use super::pointer::Pointer;

/// The tree of a whole text.
pub(super) fn parse(json: &[u8]) -> Result<Value, FormError> {
    let mut reader = serde_json::Deserializer::from_slice(json);
    let mut duplicate = None;
    let branch = Branch { at: &Pointer::Root, duplicate: &mut duplicate };
    let parsed = branch.deserialize(&mut reader).and_then(|tree| reader.end().map(|()| tree));
    parsed.map_err(|error| {
        let place = format!("line {} column {}", error.line(), error.column());
        let detail = match error.is_eof() {
            true => format!("not one JSON value: it ends too early, at {place}"),
            false => format!("not one JSON value: wrong at {place}"),
        };
        duplicate.unwrap_or_else(|| FormError::at("", detail))
    })
}

/// JSON does not tell 1 from 1.0, nor from 1e0. Up to 2^53 a float has one whole number for each text.
fn whole(value: f64) -> Option<i64> {
    const EXACT_MAX: f64 = 9_007_199_254_740_992.0;
    #[allow(clippy::cast_possible_truncation, reason = "a whole number within 2^53")]
    (value.fract() == 0.0 && value.abs() <= EXACT_MAX).then_some(value as i64)
}

/// One value with its place; a duplicate is left in `duplicate`, since serde_json's errors know no
/// places.
struct Branch<'a> {
    at: &'a Pointer<'a>,
    duplicate: &'a mut Option<FormError>,
}

impl<'de> DeserializeSeed<'de> for Branch<'_> {
    type Value = Value;

    fn deserialize<D: serde::Deserializer<'de>>(self, reader: D) -> Result<Value, D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Branch<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        let number = whole(value).map(Number::from).or_else(|| Number::from_f64(value));
        number.map(Value::Number).ok_or_else(|| E::custom("a number out of range"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut array = Vec::new();
        loop {
            let at = Pointer::Index(self.at, array.len());
            let branch = Branch { at: &at, duplicate: &mut *self.duplicate };
            match items.next_element_seed(branch)? {
                Some(item) => array.push(item),
                None => return Ok(Value::Array(array)),
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            let at = Pointer::Key(self.at, &key);
            if object.contains_key(&key) {
                *self.duplicate = Some(FormError::at(at.to_string(), "this key stands twice"));
                return Err(A::Error::custom("duplicate key"));
            }
            let branch = Branch { at: &at, duplicate: &mut *self.duplicate };
            let value = entries.next_value_seed(branch)?;
            object.insert(key, value);
        }
        Ok(Value::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn pointer(json: &str) -> String {
        parse(json.as_bytes()).expect_err("not acceptable").pointer
    }

    #[test]
    fn a_key_that_stands_twice_is_named_wherever_it_is() {
        assert_eq!(pointer(r#"{"a": 1, "a": 1}"#), "/a");
        assert_eq!(pointer(r#"{"a": [{}, {"b/c": 1, "b/c": 2}]}"#), "/a/1/b~1c");
        assert_eq!(pointer(r#"{"a": 1, "\u0061": 1}"#), "/a", "however it is spelt");
    }

    #[test]
    fn a_whole_number_is_one_however_it_is_written() {
        for (text, number) in [
            ("1.0", json!(1)),
            ("1e0", json!(1)),
            ("-2.00", json!(-2)),
            ("-0.0", json!(0)),
            ("12e3", json!(12_000)),
            ("1.5", json!(1.5)),
            ("1e300", json!(1e300)),
        ] {
            assert_eq!(parse(text.as_bytes()), Ok(number), "{text}");
        }
        assert!(
            parse(b"18446744073709551616").expect("a number").is_f64(),
            "no whole number of ours"
        );
    }

    #[test]
    fn a_text_is_one_value_and_nothing_else() {
        for json in ["", "{} {}", "{}x", "nul", "{\"a\":}", "[1,]", "\u{feff}{}"] {
            assert_eq!(pointer(json), "", "{json}");
        }
        assert!(parse(b" [1, -2, 3.5, null, true, \"x\"] ").is_ok());
    }
}
