//! A rule: its name, and the statement that finds what breaks it.

/// One rule over rows.
pub(super) struct Invariant {
    pub(super) name: &'static str,
    /// Counts the violations, and words the first few. `$1` is one event's number, or null for all.
    pub(super) sql: &'static str,
}

/// An invariant from its name and a query of one text for each violation.
macro_rules! invariant {
    ($name:literal, $violations:literal) => {
        $crate::audit::invariant::Invariant {
            name: $name,
            sql: concat!(
                "/* audit_",
                $name,
                " */ SELECT count(*) OVER () AS violations, violation FROM (",
                $violations,
                ") AS found (violation) LIMIT 5"
            ),
        }
    };
}
pub(super) use invariant;
