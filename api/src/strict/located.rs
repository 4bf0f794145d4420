//! A tree into a type, with every misfit at its place. serde_json's own reader says a line and a
//! column of a text that the caller's library wrote; a pointer means something to both sides.

use std::cell::Cell;
use std::collections::HashSet;
use std::fmt;

use serde::de::value::StrDeserializer;
use serde::de::{
    self, DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, Expected, IntoDeserializer,
    MapAccess, SeqAccess, VariantAccess, Visitor,
};
use serde::forward_to_deserialize_any;
use serde_json::Value;

use super::pointer::Pointer;
use super::words;

/// Places that are passed over, as if they were not there, and how much was read so far.
#[derive(Default)]
pub(super) struct Passage {
    pub(super) over: HashSet<String>,
    pub(super) values_read: Cell<usize>,
}

impl Passage {
    fn is_over(&self, at: &Pointer<'_>) -> bool {
        !self.over.is_empty() && self.over.contains(&at.to_string())
    }
}

/// The value of this tree.
pub(super) fn read<T: DeserializeOwned>(tree: &Value, passage: &Passage) -> Result<T, Misfit> {
    let root = Pointer::Root;
    T::deserialize(Located { value: tree, at: &root, passage }).map_err(|misfit| misfit.at(&root))
}

/// What does not fit. The place is filled in by the innermost reader that knows it.
#[derive(Debug)]
pub(super) struct Misfit {
    missing: bool,
    field: Option<String>,
    pointer: Option<String>,
    pub(super) detail: String,
}

impl Misfit {
    fn new(detail: String) -> Self {
        Self { missing: false, field: None, pointer: None, detail }
    }

    fn at(mut self, place: &Pointer<'_>) -> Self {
        let field = self.field.take();
        self.pointer.get_or_insert_with(|| match &field {
            Some(field) => Pointer::Key(place, field).to_string(),
            None => place.to_string(),
        });
        self
    }

    /// Where, as a JSON pointer.
    pub(super) fn pointer(&self) -> &str {
        self.pointer.as_deref().unwrap_or_default()
    }

    /// What cannot be read because of it: the place itself or, of something missing, what lacks it.
    pub(super) fn unreadable(&self) -> &str {
        match self.pointer().rsplit_once('/') {
            Some((parent, _)) if self.missing => parent,
            Some(_) | None => self.pointer(),
        }
    }
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.detail)
    }
}

impl std::error::Error for Misfit {}

impl de::Error for Misfit {
    fn custom<T: fmt::Display>(detail: T) -> Self {
        Self::new(words::said(detail.to_string()))
    }

    fn invalid_type(unexpected: de::Unexpected<'_>, expected: &dyn Expected) -> Self {
        let (wanted, found) = (words::wanted(expected), words::found(unexpected));
        Self::new(format!("expected {wanted}, found {found}"))
    }

    fn invalid_value(unexpected: de::Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::invalid_type(unexpected, expected)
    }

    fn invalid_length(length: usize, expected: &dyn Expected) -> Self {
        Self::new(format!("expected {}, found {length} items", words::wanted(expected)))
    }

    fn unknown_variant(_variant: &str, expected: &'static [&'static str]) -> Self {
        Self::new(words::one_of(expected))
    }

    fn unknown_field(field: &str, _expected: &'static [&'static str]) -> Self {
        let detail = "this name is not known here".into();
        Self { field: Some(field.into()), ..Self::new(detail) }
    }

    fn missing_field(field: &'static str) -> Self {
        let detail = "this is required".into();
        Self { field: Some(field.into()), missing: true, ..Self::new(detail) }
    }
}

#[derive(Clone, Copy)]
struct Located<'a> {
    value: &'a Value,
    at: &'a Pointer<'a>,
    passage: &'a Passage,
}

impl<'de> Deserializer<'de> for Located<'_> {
    type Error = Misfit;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        self.passage.values_read.update(|read| read + 1);
        let (at, passage) = (self.at, self.passage);
        let read = match self.value {
            Value::Null => visitor.visit_unit(),
            Value::Bool(value) => visitor.visit_bool(*value),
            Value::Number(number) => match (number.as_u64(), number.as_i64(), number.as_f64()) {
                (Some(value), _, _) => visitor.visit_u64(value),
                (None, Some(value), _) => visitor.visit_i64(value),
                (None, None, value) => visitor.visit_f64(value.unwrap_or(f64::NAN)),
            },
            Value::String(value) => visitor.visit_str(value),
            Value::Array(items) => visitor.visit_seq(Items { items, next: 0, at, passage }),
            Value::Object(map) => {
                visitor.visit_map(Entries { entries: map.iter(), value: None, at, passage })
            }
        };
        read.map_err(|misfit| misfit.at(at))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        match self.value {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        visitor.visit_newtype_struct(self).map_err(|misfit| misfit.at(self.at))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        visitor.visit_enum(Word(self)).map_err(|misfit| misfit.at(self.at))
    }

    /// A struct is an object; serde would also take an array of its fields in order.
    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        match self.value {
            Value::Object(_) => self.deserialize_any(visitor),
            _ => Err(<Misfit as de::Error>::custom("expected an object").at(self.at)),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct seq tuple tuple_struct map identifier ignored_any
    }
}

struct Items<'a> {
    items: &'a [Value],
    next: usize,
    at: &'a Pointer<'a>,
    passage: &'a Passage,
}

impl<'de> SeqAccess<'de> for Items<'_> {
    type Error = Misfit;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Misfit> {
        let passage = self.passage;
        while let Some(value) = self.items.get(self.next) {
            let at = Pointer::Index(self.at, self.next);
            self.next += 1;
            if !passage.is_over(&at) {
                // What a type says of its own value once it has read it comes through here.
                let item = seed.deserialize(Located { value, at: &at, passage });
                return item.map(Some).map_err(|misfit| misfit.at(&at));
            }
        }
        Ok(None)
    }
}

struct Entries<'a> {
    entries: serde_json::map::Iter<'a>,
    value: Option<(&'a str, &'a Value)>,
    at: &'a Pointer<'a>,
    passage: &'a Passage,
}

impl<'de> MapAccess<'de> for Entries<'_> {
    type Error = Misfit;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Misfit> {
        let (at, passage) = (self.at, self.passage);
        let mut kept =
            self.entries.by_ref().filter(|(key, _)| !passage.is_over(&Pointer::Key(at, key)));
        let Some((key, value)) = kept.next() else { return Ok(None) };
        self.value = Some((key, value));
        let reader: StrDeserializer<'_, Misfit> = key.as_str().into_deserializer();
        seed.deserialize(reader).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Misfit> {
        let (key, value) = self.value.take().expect("a value is asked for after its key");
        let at = Pointer::Key(self.at, key);
        seed.deserialize(Located { value, at: &at, passage: self.passage })
            .map_err(|misfit| misfit.at(&at))
    }
}

/// An enum of plain words; none of our requests has another kind.
struct Word<'a>(Located<'a>);

impl<'de> EnumAccess<'de> for Word<'_> {
    type Error = Misfit;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self), Misfit> {
        let Value::String(word) = self.0.value else {
            return Err(<Misfit as de::Error>::custom("expected a string"));
        };
        let reader: StrDeserializer<'_, Misfit> = word.as_str().into_deserializer();
        seed.deserialize(reader).map(|variant| (variant, self))
    }
}

impl<'de> VariantAccess<'de> for Word<'_> {
    type Error = Misfit;

    fn unit_variant(self) -> Result<(), Misfit> {
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, _seed: T) -> Result<T::Value, Misfit> {
        Err(<Misfit as de::Error>::custom("expected a plain word"))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _len: usize, _: V) -> Result<V::Value, Misfit> {
        Err(<Misfit as de::Error>::custom("expected a plain word"))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _fields: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Misfit> {
        Err(<Misfit as de::Error>::custom("expected a plain word"))
    }
}
