//! Conditional reads: `ETag` against `If-None-Match` (RFC 9110, 13.1.2).

use axum::http::HeaderMap;
use axum::http::header::IF_NONE_MATCH;

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

/// Whether the caller takes this coding or media type, by a header that lists them.
pub(super) fn takes(headers: &HeaderMap, header: &axum::http::HeaderName, wanted: &str) -> bool {
    headers
        .get_all(header)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .any(|range| {
            let mut parts = range.split(';').map(str::trim);
            let named = parts.next().is_some_and(|name| name.eq_ignore_ascii_case(wanted));
            named && !parts.any(|part| matches!(part, "q=0" | "q=0.0" | "q=0.00" | "q=0.000"))
        })
}
