//! Names for what stands twice: the second gets the first free number.

use std::collections::{HashMap, HashSet};

use taquilla_engine::name::canonical;

/// Names that are taken, in their canonical form.
#[derive(Default)]
pub(super) struct Taken {
    /// By anybody in the file, seen yet or not.
    all: HashSet<String>,
    /// By those seen already.
    seen: HashSet<String>,
    /// The next number to try for a name.
    next: HashMap<String, u32>,
}

impl Taken {
    /// Of these.
    pub(super) fn of<'a>(names: impl Iterator<Item = &'a str>) -> Self {
        let all = names.map(|name| canonical(name).into_owned()).collect();
        Self { all, ..Self::default() }
    }

    /// Nothing for the first of a name; for another one a name that `numbered` makes and nobody has.
    pub(super) fn rename(
        &mut self,
        name: &str,
        numbered: impl Fn(&str, u32) -> String,
    ) -> Option<String> {
        let key = canonical(name).into_owned();
        if self.seen.insert(key.clone()) {
            return None;
        }
        let next = self.next.entry(key).or_insert(2);
        loop {
            let new = numbered(name, *next);
            *next += 1;
            if self.all.insert(canonical(&new).into_owned()) {
                return Some(new);
            }
        }
    }
}
