//! A tree into a form, with all that does not fit. A reader of types ends at its first misfit; so the
//! misfit's place is passed over and the rest is read again, until nothing more is found.

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::located::{self, Passage};
use super::{ERRORS_MAX, FormError};

/// Bounds the work on a large form with many misfits: a few hundred milliseconds.
const VALUES_READ_MAX: usize = 1_000_000;

/// The form of this tree.
pub(super) fn read<T: DeserializeOwned>(tree: &Value) -> Result<T, Vec<FormError>> {
    let mut errors = Vec::new();
    let mut passage = Passage::default();
    loop {
        let misfit = match located::read(tree, &passage) {
            Ok(form) if errors.is_empty() => return Ok(form),
            Ok(_) => return Err(errors),
            Err(misfit) => misfit,
        };
        let unreadable = misfit.unreadable();
        // What contains a place that was passed over may only lack that.
        let below = format!("{unreadable}/");
        let is_news = !passage.over.iter().any(|over| {
            over == misfit.pointer() || (unreadable == misfit.pointer() && over.starts_with(&below))
        });
        if is_news {
            errors.push(FormError::at(misfit.pointer(), &*misfit.detail));
        }
        let read_enough = passage.values_read.get() > VALUES_READ_MAX || errors.len() >= ERRORS_MAX;
        if unreadable.is_empty() || read_enough {
            return Err(errors);
        }
        let unreadable = unreadable.to_owned();
        passage.over.insert(unreadable);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde::Deserialize;
    use serde_json::json;
    use uuid::Uuid;

    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[allow(dead_code, reason = "only read")]
    struct Form {
        id: Uuid,
        count: u32,
        ratio: Option<f64>,
        kind: Option<Kind>,
        parts: Vec<Part>,
        #[serde(default)]
        names: BTreeMap<String, String>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[allow(dead_code, reason = "only read")]
    struct Part {
        row: String,
        seats: u8,
        open: bool,
    }

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum Kind {
        Seated,
        General,
    }

    fn misfits(tree: &Value) -> Vec<(String, String)> {
        let errors = read::<Form>(tree).expect_err("it does not fit");
        errors.into_iter().map(|error| (error.pointer, error.detail)).collect()
    }

    #[test]
    fn every_misfit_is_named_in_words_for_a_client() {
        let mut found = misfits(&json!({
            "id": "x", "count": -1, "ratio": "half", "kind": "standing", "a/b": 1, "~": 2,
            "parts": [{"row": "1", "seats": 256, "open": 0}, 7, {"row": null, "seats": 1.5},
                      {"seats": 1, "open": true}],
            "names": {"x/y": 1, "z": "fine"}
        }));
        found.sort();
        let expected = [
            ("/a~1b", "this name is not known here"),
            ("/count", "expected a whole number from 0 to 4294967295, found -1"),
            ("/id", "expected a UUID such as 01890a5d-ac96-774b-bcce-b302099a8057"),
            ("/kind", "expected `seated` or `general`"),
            ("/names/x~1y", "expected a string, found 1"),
            ("/parts/0/open", "expected true or false, found 0"),
            ("/parts/0/seats", "expected a whole number from 0 to 255, found 256"),
            ("/parts/1", "expected an object"),
            ("/parts/2/row", "expected a string, found null"),
            ("/parts/2/seats", "expected a whole number from 0 to 255, found 1.5"),
            ("/parts/3/row", "this is required"),
            ("/ratio", "expected a number, found the text \"half\""),
            ("/~0", "this name is not known here"),
        ];
        let expected = expected.map(|(at, detail)| (at.to_owned(), detail.to_owned()));
        assert_eq!(found, expected);
    }

    #[test]
    fn what_is_missing_is_told_besides_what_does_not_fit() {
        let found = misfits(&json!({"id": 1, "parts": {}}));
        let pointers: Vec<_> = found.iter().map(|(pointer, _)| pointer.as_str()).collect();
        assert_eq!(pointers, ["/id", "/parts"], "an absent count hides behind them");
        let found = misfits(&json!({"id": Uuid::nil(), "parts": [], "x": 0}));
        let pointers: Vec<_> = found.iter().map(|(pointer, _)| pointer.as_str()).collect();
        assert_eq!(pointers, ["/x", "/count"]);
    }

    #[test]
    fn misfits_are_told_up_to_a_bound() {
        let parts: Vec<_> = (0..1_000).collect();
        let tree = json!({"id": Uuid::nil(), "count": 1, "parts": parts});
        assert_eq!(misfits(&tree).len(), ERRORS_MAX);
    }
}
