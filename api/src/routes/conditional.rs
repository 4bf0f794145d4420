//! Reads by condition and by preference: `ETag` against `If-None-Match` (RFC 9110, 13.1.2), and what
//! form of an answer a caller wants (12.5).

use axum::http::header::{ACCEPT, IF_NONE_MATCH};
use axum::http::{HeaderMap, HeaderName};

/// Whether the caller has this version already. The comparison is weak, as it is for reads.
pub(super) fn is_known(headers: &HeaderMap, etag: &str) -> bool {
    headers
        .get_all(IF_NONE_MATCH)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(str::trim)
        .any(|given| given == "*" || given.trim_start_matches("W/") == etag)
}

/// How much a caller wants something of a list in `Accept` or `Accept-Encoding`, in thousandths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    /// Named, with this weight; 0 is not at all.
    Named(u16),
    /// Not named, but a wildcard with this weight stands for it.
    Any(u16),
    /// Not spoken of.
    Unsaid,
}

/// How much the caller wants this coding or media type (RFC 9110, 12.4.2 and 12.5). What is named more
/// exactly counts; of the same, the first.
pub(super) fn wanted(headers: &HeaderMap, header: &HeaderName, name: &str) -> Wanted {
    let type_range = name.split_once('/').map(|(kind, _)| format!("{kind}/*"));
    let (mut by_type, mut by_any) = (None, None);
    let values = headers.get_all(header).iter().filter_map(|value| value.to_str().ok());
    for range in values.flat_map(|value| value.split(',')) {
        let mut parts = range.split(';').map(str::trim);
        let given = parts.next().unwrap_or_default();
        let weight = parts.find_map(weight).unwrap_or(1_000);
        if given.eq_ignore_ascii_case(name) {
            return Wanted::Named(weight);
        }
        if type_range.as_deref().is_some_and(|range| given.eq_ignore_ascii_case(range)) {
            by_type.get_or_insert(weight);
        } else if matches!(given, "*" | "*/*") {
            by_any.get_or_insert(weight);
        }
    }
    by_type.or(by_any).map_or(Wanted::Unsaid, Wanted::Any)
}

/// The media type of binary forms.
pub(super) const BINARY: &str = "application/octet-stream";

/// Whether the caller rather has the binary form than JSON: whoever names it does, unless he weighs JSON
/// more.
pub(super) fn wants_binary(headers: &HeaderMap) -> bool {
    let json = match wanted(headers, &ACCEPT, "application/json") {
        Wanted::Named(weight) | Wanted::Any(weight) => weight,
        Wanted::Unsaid => 0,
    };
    matches!(wanted(headers, &ACCEPT, BINARY), Wanted::Named(weight) if weight > 0 && weight >= json)
}

/// Of `q=0.75`: 750. What is no weight is taken as none.
fn weight(parameter: &str) -> Option<u16> {
    let (name, value) = parameter.split_once('=')?;
    let (whole, decimals) = value.trim().split_once('.').unwrap_or((value.trim(), ""));
    let digits = decimals.len() <= 3 && decimals.bytes().all(|byte| byte.is_ascii_digit());
    let weight: u16 = format!("{whole}{decimals:0<3}").parse().ok()?;
    let fits = digits && matches!(whole, "0" | "1") && weight <= 1_000;
    (fits && name.trim().eq_ignore_ascii_case("q")).then_some(weight)
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn the_binary_form_is_for_whoever_names_it_and_does_not_rather_have_json() {
        for (accept, expected) in [
            ("application/octet-stream", true),
            ("application/octet-stream;q=0.5", true),
            ("application/octet-stream, */*;q=0.1", true),
            ("application/octet-stream;q=0.5, application/json", false),
            ("application/octet-stream;q=0", false),
            ("*/*", false),
            ("", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(ACCEPT, HeaderValue::from_static(accept));
            assert_eq!(wants_binary(&headers), expected, "{accept}");
        }
    }

    #[test]
    fn what_is_named_more_exactly_counts() {
        for (accept, expected) in [
            ("", Wanted::Unsaid),
            ("text/html", Wanted::Unsaid),
            ("application/json", Wanted::Named(1_000)),
            ("Application/JSON ; q=0.25", Wanted::Named(250)),
            ("*/*;q=0.1, application/*;q=0.5", Wanted::Any(500)),
            ("application/*, application/json;q=0", Wanted::Named(0)),
            ("*/*; q=0.000", Wanted::Any(0)),
            ("application/json;charset=utf-8;q=0.5", Wanted::Named(500)),
            ("application/json;q=2", Wanted::Named(1_000)),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(ACCEPT, HeaderValue::from_static(accept));
            assert_eq!(wanted(&headers, &ACCEPT, "application/json"), expected, "{accept}");
        }
    }
}
