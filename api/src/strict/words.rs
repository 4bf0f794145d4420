//! What serde wants and finds, in words for whoever sends JSON: no name of a type of ours, no word
//! that only programs in our language know.

use serde::de::{Expected, Unexpected};

/// Of a text that is repeated to its sender.
const SHOWN_CHARS_MAX: usize = 40;

/// What would be right, such as `a whole number from 0 to 255`.
pub(super) fn wanted(expected: &dyn Expected) -> String {
    let whole = |min: &dyn std::fmt::Display, max: &dyn std::fmt::Display| {
        format!("a whole number from {min} to {max}")
    };
    let text = expected.to_string();
    match text.as_str() {
        "u8" => whole(&u8::MIN, &u8::MAX),
        "u16" => whole(&u16::MIN, &u16::MAX),
        "u32" => whole(&u32::MIN, &u32::MAX),
        "u64" | "usize" => whole(&u64::MIN, &u64::MAX),
        "i8" => whole(&i8::MIN, &i8::MAX),
        "i16" => whole(&i16::MIN, &i16::MAX),
        "i32" => whole(&i32::MIN, &i32::MAX),
        "i64" | "isize" => whole(&i64::MIN, &i64::MAX),
        "f32" | "f64" => "a number".into(),
        "a boolean" => "true or false".into(),
        "a sequence" => "an array".into(),
        "a map" => "an object".into(),
        "unit" => "null".into(),
        "a formatted UUID string" => UUID.into(),
        name if name.starts_with("struct ") => "an object".into(),
        name if name.starts_with("tuple ") || name.starts_with("a tuple ") => "an array".into(),
        name if name.starts_with("enum ") => "one of the words known here".into(),
        _ => text,
    }
}

/// What was found instead.
pub(super) fn found(unexpected: Unexpected<'_>) -> String {
    match unexpected {
        Unexpected::Bool(value) => value.to_string(),
        Unexpected::Unsigned(value) => value.to_string(),
        Unexpected::Signed(value) => value.to_string(),
        Unexpected::Float(value) => value.to_string(),
        Unexpected::Char(value) => shown(&value.to_string()),
        Unexpected::Str(text) => shown(text),
        Unexpected::Unit | Unexpected::Option => "null".into(),
        Unexpected::Seq | Unexpected::TupleVariant | Unexpected::Bytes(_) => "an array".into(),
        Unexpected::Map
        | Unexpected::StructVariant
        | Unexpected::NewtypeStruct
        | Unexpected::NewtypeVariant => "an object".into(),
        Unexpected::Enum | Unexpected::UnitVariant => "a word".into(),
        Unexpected::Other(other) => other.into(),
    }
}

/// What a library says of its own value, in our words where its are not for clients.
pub(super) fn said(detail: String) -> String {
    if detail.starts_with("UUID parsing failed") { format!("expected {UUID}") } else { detail }
}

const UUID: &str = "a UUID such as 01890a5d-ac96-774b-bcce-b302099a8057";

fn shown(text: &str) -> String {
    let mut shown: String = text.chars().take(SHOWN_CHARS_MAX).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    format!("the text {shown:?}")
}

/// A list of words to choose from.
pub(super) fn one_of(words: &[&str]) -> String {
    let words: Vec<_> = words.iter().map(|word| format!("`{word}`")).collect();
    match words.as_slice() {
        [] => "nothing is known here".into(),
        [only] => format!("expected {only}"),
        [first @ .., last] => format!("expected {} or {last}", first.join(", ")),
    }
}
