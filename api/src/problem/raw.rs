//! A problem as bytes of HTTP/1.1, for connections on which no request was understood.

use std::fmt::Write as _;

use uuid::Uuid;

use super::Problem;

/// The whole answer, after which the connection is closed.
#[must_use]
pub fn over_the_wire(problem: &Problem) -> Vec<u8> {
    let kind = problem.0.kind;
    super::met(kind);
    let body = problem.body("");
    let mut head = format!(
        "HTTP/1.1 {}\r\ncontent-type: application/problem+json\r\ncache-control: no-store\r\n\
         x-request-id: {}\r\ncontent-length: {}\r\nconnection: close\r\n",
        kind.status,
        Uuid::new_v4(),
        body.len(),
    );
    if let Some(seconds) = kind.retry_after_seconds {
        let _ = write!(head, "retry-after: {seconds}\r\n");
    }
    head.push_str("\r\n");
    [head.into_bytes(), body].concat()
}
