//! What every writer prepares: the two calls of the lane.

use crate::writer::NamedStatement;

pub(super) const APPEND_BATCH: &str = "append_batch";
pub(super) const CHECK_HEAD: &str = "check_head";

pub(super) const STATEMENTS: &[NamedStatement] = &[
    NamedStatement {
        name: APPEND_BATCH,
        // Head; seats, areas; buyers, holds; their slices, their places; ended holds, orders, ended
        // orders; attempts, tickets; receipts, amendments, history.
        sql: "/* append_batch */ SELECT append_batch($1, $2, $3, $4, \
              $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, \
              $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, \
              $28, $29, $30, $31, $32, $33, $34, $35, $36, $37, $38, $39, $40, \
              $41, $42, $43, $44, $45, $46, $47, $48, $49, $50, $51, $52, $53, \
              $54, $55, $56, $57, $58, $59, \
              $60, $61, $62, $63, $64, $65, $66, $67)",
    },
    NamedStatement { name: CHECK_HEAD, sql: "/* check_head */ SELECT check_head($1, $2, $3, $4)" },
];
