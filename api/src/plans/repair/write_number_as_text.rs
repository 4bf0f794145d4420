//! `write-number-as-text`: a name that is written as a number becomes the text of its digits.

use super::Told;
use crate::plans::pretix::{Draft, Said};

pub(super) fn apply(draft: &mut Draft, _: &[&str], told: Told<'_>) {
    draft.each_name(|_, place, said| {
        if let Said::Number(digits) = said {
            told(place, digits, digits);
            *said = Said::Text(std::mem::take(digits));
        }
    });
}
