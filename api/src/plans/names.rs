//! Names in plans: each is one by itself, and section names are unique in their canonical form.

use std::borrow::Cow;
use std::collections::HashMap;

use taquilla_engine::name::canonical;

use super::defect::Defects;
use super::place::Place;
use crate::forms::text::{NameFault, label_fault};

/// Notes what is wrong with a name by itself.
pub(super) fn check_name(defects: &mut Defects, place: Place, name: &str) {
    if let Some(fault) = label_fault(name) {
        let code = match fault {
            NameFault::Blank => "blank-name",
            NameFault::Padded => "padded-name",
            NameFault::Hidden(_) => "invisible-character",
            NameFault::Long => "long-name",
        };
        defects.add(code, place, |_| format!("{}: {fault}", shown(name)));
    }
}

/// Notes every occurrence of a name that stands more than once.
pub(super) fn find_duplicates<'a>(
    defects: &mut Defects,
    code: &'static str,
    names: impl Iterator<Item = (Place, &'a str)> + Clone,
) {
    let mut seen: HashMap<Cow<'a, str>, (u32, Place)> = HashMap::new();
    for (place, name) in names.clone() {
        seen.entry(canonical(name)).or_insert((0, place)).0 += 1;
    }
    if seen.values().all(|(times, _)| *times == 1) {
        return;
    }
    for (place, name) in names {
        let (times, first) = seen[&canonical(name)];
        if times > 1 {
            defects.add(code, place, |base| {
                let first = first.pointer(base);
                format!("{} stands {times} times, first at {first}", shown(name))
            });
        }
    }
}

/// A name in a sentence, with what cannot be seen escaped, and cut to a length that fits one.
pub(super) fn shown(name: &str) -> String {
    const CHARS_MAX: usize = 60;
    let mut text: String = name.chars().take(CHARS_MAX).flat_map(visible).collect();
    if name.chars().nth(CHARS_MAX).is_some() {
        text.push('…');
    }
    format!("`{text}`")
}

fn visible(c: char) -> Box<dyn Iterator<Item = char>> {
    if crate::forms::text::hidden(c) {
        return Box::new(c.escape_unicode());
    }
    Box::new(std::iter::once(c))
}
