//! Large bodies, read piece by piece: an object's members and an array's items as the text that stands
//! there. A tree of 32 MB of small objects would take gigabytes; here nothing is kept that the caller
//! does not keep.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeOwned, Deserializer as _, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::{FormError, form, tree};

/// What a piece of JSON is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `null`.
    Null,
    /// `true` or `false`.
    Boolean,
    /// A number, perhaps one that no machine can hold.
    Number,
    /// A string.
    Text,
    /// A string with an escape that stands for no character.
    BrokenText,
    /// An array.
    Array,
    /// An object.
    Object,
}

impl Kind {
    /// The kind of this piece.
    #[must_use]
    pub fn of(piece: &RawValue) -> Self {
        match piece.get().as_bytes().first() {
            Some(b'{') => Self::Object,
            Some(b'[') => Self::Array,
            Some(b'"') => Self::Text,
            Some(b't' | b'f') => Self::Boolean,
            Some(b'n') => Self::Null,
            Some(_) | None => Self::Number,
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Null => "null",
            Self::Boolean => "a boolean",
            Self::Number => "a number",
            Self::Text => "a string",
            Self::BrokenText => "a string with half a surrogate pair",
            Self::Array => "an array",
            Self::Object => "an object",
        })
    }
}

/// The whole text as one piece. From here on all pieces are well-formed JSON.
///
/// # Errors
/// For what is not one JSON value in UTF-8.
pub fn document(json: &[u8]) -> Result<&RawValue, FormError> {
    serde_json::from_slice(json)
        .map_err(|error| FormError::at("", format!("not one JSON value: {error}")))
}

/// The members of these names.
pub struct Picked<'a, const N: usize> {
    /// In the order of the names; of a name that stands twice the first.
    pub values: [Option<&'a RawValue>; N],
    /// Which of the names stand twice or more.
    pub twice: [bool; N],
    /// The first of the others, at most [`UNKNOWN_MAX`].
    pub unknown: Vec<String>,
}

/// Ten times what any of our small members has.
const SMALL_BYTES_MAX: usize = 64 * 1024;

/// So many unknown names of one object are told.
pub const UNKNOWN_MAX: usize = 20;

/// Picks the members of these names out of an object.
///
/// # Errors
/// The kind of what is no object.
pub fn pick<'a, const N: usize>(
    piece: &'a RawValue,
    names: [&str; N],
) -> Result<Picked<'a, N>, Kind> {
    let kind = Kind::of(piece);
    if kind != Kind::Object {
        return Err(kind);
    }
    let picker = Picker {
        names,
        picked: Picked { values: [None; N], twice: [false; N], unknown: Vec::new() },
    };
    let picked = serde_json::Deserializer::from_str(piece.get()).deserialize_map(picker);
    // A key may have an escape that stands for nothing; the object then has no members to speak of.
    picked.map_err(|_| Kind::BrokenText)
}

/// Calls `visit` with each item of an array and its place.
///
/// # Errors
/// The kind of what is no array.
pub fn each_item<'a>(
    piece: &'a RawValue,
    visit: impl FnMut(u32, &'a RawValue),
) -> Result<(), Kind> {
    let kind = Kind::of(piece);
    if kind != Kind::Array {
        return Err(kind);
    }
    serde_json::Deserializer::from_str(piece.get()).deserialize_seq(Items(visit)).map_err(|_| kind)
}

/// A string's content.
///
/// # Errors
/// The kind of what is no string.
pub fn text(piece: &RawValue) -> Result<Cow<'_, str>, Kind> {
    let kind = Kind::of(piece);
    if kind != Kind::Text {
        return Err(kind);
    }
    let quoted = piece.get();
    if !quoted.contains('\\') {
        return Ok(Cow::Borrowed(&quoted[1..quoted.len() - 1]));
    }
    serde_json::from_str(quoted).map(Cow::Owned).map_err(|_| Kind::BrokenText)
}

/// A value of this type from an object's members, none of which is large.
///
/// # Errors
/// For the first member that is too long or no JSON, or else for all that are not what the type wants.
pub fn read_small<'a, T: DeserializeOwned>(
    members: impl IntoIterator<Item = (&'a str, &'a RawValue)>,
) -> Result<T, Vec<FormError>> {
    let mut object = Map::new();
    for (name, piece) in members {
        let at = |inner: String| format!("/{name}{inner}");
        if piece.get().len() > SMALL_BYTES_MAX {
            return Err(vec![FormError::at(at(String::new()), "longer than 64 KiB")]);
        }
        let tree = tree::parse(piece.get().as_bytes());
        let tree = tree.map_err(|it| vec![FormError::at(at(it.pointer), it.detail)])?;
        object.insert(name.to_owned(), tree);
    }
    form::read(&Value::Object(object))
}

struct Picker<'a, 'n, const N: usize> {
    names: [&'n str; N],
    picked: Picked<'a, N>,
}

impl<'de, const N: usize> Visitor<'de> for Picker<'de, '_, N> {
    type Value = Picked<'de, N>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
        let Self { names, mut picked } = self;
        while let Some((key, value)) = members.next_entry::<&RawValue, &RawValue>()? {
            let key = text(key).map_err(serde::de::Error::custom)?;
            match names.iter().position(|name| *name == key) {
                Some(place) => {
                    picked.twice[place] |= picked.values[place].is_some();
                    picked.values[place].get_or_insert(value);
                }
                None if picked.unknown.len() < UNKNOWN_MAX => picked.unknown.push(key.into()),
                None => {}
            }
        }
        Ok(picked)
    }
}

struct Items<V>(V);

impl<'de, V: FnMut(u32, &'de RawValue)> Visitor<'de> for Items<V> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut items: A) -> Result<(), A::Error> {
        let mut place = 0;
        while let Some(item) = items.next_element()? {
            (self.0)(place, item);
            place += 1;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(json: &str) -> &RawValue {
        document(json.as_bytes()).expect("JSON")
    }

    #[test]
    fn members_are_picked_by_name_however_the_name_is_spelt() {
        let object = piece(r#"{"a": 1e999, "\u0062": [2], "c": {}, "a": null, "d\n": 0}"#);
        let picked = pick(object, ["a", "b", "x"]).expect("an object");
        assert_eq!(
            picked.values.map(|value| value.map(RawValue::get)),
            [Some("1e999"), Some("[2]"), None]
        );
        assert_eq!(
            (picked.twice, &picked.unknown[..]),
            ([true, false, false], &["c".into(), "d\n".to_owned()][..])
        );
        assert_eq!(pick(piece("[1]"), ["a"]).err(), Some(Kind::Array));
        assert_eq!(pick(piece(r#"{"\ud800": 1}"#), ["a"]).err(), Some(Kind::BrokenText));
    }

    #[test]
    fn items_come_in_order() {
        let mut seen = Vec::new();
        each_item(piece("[1, \"x\", []]"), |place, item| seen.push((place, item.get())))
            .expect("an array");
        assert_eq!(seen, [(0, "1"), (1, "\"x\""), (2, "[]")]);
        assert_eq!(each_item(piece("{}"), |_, _| {}).err(), Some(Kind::Object));
    }

    #[test]
    fn a_text_is_read_with_its_escapes() {
        assert_eq!(text(piece(r#""a\"b\u00d6""#)).as_deref(), Ok("a\"bÖ"));
        assert_eq!(text(piece("\"\"")).as_deref(), Ok(""));
        assert_eq!(text(piece(r#""\ud800""#)), Err(Kind::BrokenText));
        assert_eq!(text(piece("1")), Err(Kind::Number));
    }

    #[test]
    fn what_is_not_one_value_in_utf_8_is_refused() {
        for json in [&b"{} x"[..], b"{\"a\": NaN}", b"[1,]", b"\"\xff\"", b"", b"\xef\xbb\xbf{}"] {
            document(json).expect_err("not one JSON value");
        }
    }
}
