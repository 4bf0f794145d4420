//! A fee, and its percentage as text: a decimal is not to pass through a float.

use serde::Deserialize;
use taquilla_engine::money::AMOUNT_MAX;
use taquilla_engine::pricing::Fee;
use utoipa::ToSchema;

use super::text::check_name;
use crate::strict::FormErrors;

/// One fee, reckoned for each ticket.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = FeeTerms)]
pub struct FeeForm {
    /// Such as `service`; unique in the event.
    pub(super) name: String,
    /// Of the price: 0 to 100, at most four decimals.
    #[schema(example = "5.00")]
    percent: String,
    /// Minor units.
    fixed: u64,
}

impl FeeForm {
    /// The fee; what is wrong is noted, and taken as nothing.
    pub(super) fn check(&self, errors: &mut FormErrors, at: &str) -> Fee {
        check_name(errors, &format!("{at}/name"), &self.name);
        let percent = parse_percent(&self.percent);
        let detail = "0 to 100 with at most four decimals, such as 5.00";
        errors.require(percent.is_some(), &format!("{at}/percent"), detail);
        let fixed = amount(self.fixed);
        let detail = format!("at most {AMOUNT_MAX}");
        errors.require(fixed.is_some(), &format!("{at}/fixed"), &detail);
        Fee {
            name: self.name.clone(),
            percent: percent.unwrap_or_default(),
            fixed: fixed.unwrap_or_default(),
        }
    }
}

/// Minor units within the engine's bound.
pub(super) fn amount(units: u64) -> Option<i64> {
    i64::try_from(units).ok().filter(|amount| *amount <= AMOUNT_MAX)
}

/// Ten-thousandths of a percent.
fn parse_percent(text: &str) -> Option<i64> {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |text: &str, max: usize| {
        (1..=max).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
    };
    if !digits(whole, 3) || !digits(decimals, 4) {
        return None;
    }
    let units: i64 = format!("{whole}{decimals:0<4}").parse().ok()?;
    (units <= Fee::PERCENT_MAX).then_some(units)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percents_are_exact_to_four_decimals() {
        for (text, units) in [
            ("5.00", Some(50_000)),
            ("5", Some(50_000)),
            ("0.0001", Some(1)),
            ("100", Some(1_000_000)),
            ("12.345", Some(123_450)),
            ("100.0001", None),
            ("5.", None),
            (".5", None),
            ("-1", None),
            ("1e1", None),
            ("5.00000", None),
            ("", None),
        ] {
            assert_eq!(parse_percent(text), units, "{text}");
        }
    }
}
