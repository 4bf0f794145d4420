//! What every writer prepares: the two calls of the lane.

use crate::writer::NamedStatement;

pub(super) const APPEND_BATCH: &str = "append_batch";
pub(super) const CHECK_HEAD: &str = "check_head";

pub(super) const STATEMENTS: &[NamedStatement] = &[
    NamedStatement {
        name: APPEND_BATCH,
        // Head; seats, areas, buyers; holds, places, ended holds; orders, ended orders, attempts,
        // tickets, receipts; amendments, history.
        sql: "/* append_batch */ SELECT append_batch($1, $2, $3, $4, \
              $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)",
    },
    NamedStatement { name: CHECK_HEAD, sql: "/* check_head */ SELECT check_head($1, $2, $3, $4)" },
];
