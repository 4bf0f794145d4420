//! `remove-invisible-characters`: what nobody sees leaves a name; a space of another kind becomes a
//! plain one.

use super::Told;
use crate::forms::text::hidden;
use crate::plans::place::Place;
use crate::plans::pretix::{Draft, Said};

pub(super) fn apply(draft: &mut Draft, _: &[&str], told: Told<'_>) {
    draft.each_name(|_, place, said| {
        if let Said::Text(text) = said {
            clean(place, text, told);
        }
    });
    for text in draft.references() {
        clean(Place::Layout("zones"), text, told);
    }
}

fn clean(place: Place, text: &mut Box<str>, told: Told<'_>) {
    if text.chars().any(hidden) {
        let clean: String = text.chars().filter_map(seen).collect();
        told(place, text, &clean);
        *text = clean.into();
    }
}

fn seen(c: char) -> Option<char> {
    match c {
        c if !hidden(c) => Some(c),
        c if c.is_whitespace() => Some(' '),
        _ => None,
    }
}
