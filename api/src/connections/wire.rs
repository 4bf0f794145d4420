//! One connection's bytes. Two things happen on their way out: what the client does not take in time
//! ends the connection, and an answer that hyper makes by itself, to a head that it cannot read, is
//! replaced by a problem.
//!
//! hyper has no other place for that: it writes the bare head of a 400, 414 or 431 and closes. Such a
//! head is told from the router's by what every answer of the router has, a request's id.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{Sleep, sleep, timeout};

use crate::problem::over_the_wire;
use crate::strict::{FormError, malformed};

/// How long, and for how many bytes, a closing connection still listens: a client that is sending
/// when the connection closes would lose the answer before it.
const LAST_WORDS: Duration = Duration::from_secs(1);
const LAST_BYTES_MAX: usize = 1024 * 1024;

pub(super) struct Wire {
    io: TokioIo<TcpStream>,
    write_patience: Duration,
    waiting: Option<Pin<Box<Sleep>>>,
    instead: Option<Instead>,
}

/// What is written in an answer's place, and how much of it is.
struct Instead {
    bytes: Vec<u8>,
    written: usize,
}

impl Wire {
    pub(super) fn new(stream: TcpStream, write_patience: Duration) -> Self {
        Self { io: TokioIo::new(stream), write_patience, waiting: None, instead: None }
    }

    /// Ends the connection; unless the whole process is to end, so that the last answer arrives.
    pub(super) async fn hang_up(self, at_once: bool) {
        let mut stream = self.io.into_inner();
        if stream.shutdown().await.is_err() || at_once {
            return;
        }
        let listen = async {
            let (mut heard, mut buffer) = (0, [0_u8; 4 * 1024]);
            while heard < LAST_BYTES_MAX {
                match stream.read(&mut buffer).await {
                    Ok(0) | Err(_) => return,
                    Ok(bytes) => heard += bytes,
                }
            }
        };
        let _ = timeout(LAST_WORDS, listen).await;
    }

    /// What `write` says, unless it has been waiting for too long.
    fn in_time<T>(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.waiting = None;
            return written;
        }
        let patience = self.write_patience;
        let waiting = self.waiting.get_or_insert_with(|| Box::pin(sleep(patience)));
        ready!(waiting.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }

    fn poll_instead(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while let Some(Instead { bytes, written }) = &mut self.instead {
            if *written == bytes.len() {
                self.instead = None;
                break;
            }
            let progress = Pin::new(&mut self.io).poll_write(context, &bytes[*written..]);
            if let Poll::Ready(Ok(more)) = &progress {
                *written += more;
            }
            ready!(self.in_time(context, progress))?;
        }
        Poll::Ready(Ok(()))
    }
}

impl Write for Wire {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        if self.instead.is_none()
            && let Some(answer) = instead_of(bytes)
        {
            self.instead = Some(Instead { bytes: answer, written: 0 });
        }
        if self.instead.is_some() {
            ready!(self.poll_instead(context))?;
            return Poll::Ready(Ok(bytes.len()));
        }
        let written = Pin::new(&mut self.io).poll_write(context, bytes);
        self.in_time(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let first = slices.first().map_or(&[][..], |slice| slice);
        if self.instead.is_some() || instead_of(first).is_some() {
            return self.poll_write(context, first);
        }
        let written = Pin::new(&mut self.io).poll_write_vectored(context, slices);
        self.in_time(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_shutdown(context)
    }
}

impl Read for Wire {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_read(context, buffer)
    }
}

/// The answer in the place of these bytes, if they are one that hyper made by itself.
fn instead_of(bytes: &[u8]) -> Option<Vec<u8>> {
    if !bytes.starts_with(b"HTTP/1.1 4") || !bytes.ends_with(b"\r\n\r\n") {
        return None;
    }
    let head = std::str::from_utf8(bytes).ok()?;
    if head.contains("\r\nx-request-id:") || !head.contains("\r\ncontent-length: 0\r\n") {
        return None;
    }
    let error = match &head["HTTP/1.1 ".len()..][..3] {
        "414" => FormError::at("", "the path and query are too long"),
        "431" => FormError::at("", "the header fields are too many or too long"),
        _ => FormError::at("", "this is no request of HTTP/1.1"),
    };
    Some(over_the_wire(&malformed(vec![error])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_hypers_own_answers_are_replaced() {
        let own = b"HTTP/1.1 431 Request Header Fields Too Large\r\nconnection: close\r\n\
                    content-length: 0\r\ndate: Mon, 30 Nov 2026 00:00:00 GMT\r\n\r\n";
        let answer = String::from_utf8(instead_of(own).expect("hyper's own")).expect("text");
        let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
        assert!(head.starts_with("HTTP/1.1 400 Bad Request\r\n"), "{head}");
        assert!(head.contains(&format!("content-length: {}", body.len())), "{head}");
        assert!(body.contains("/problems/malformed-request"), "{body}");
        for other in [
            "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n",
            "HTTP/1.1 404 Not Found\r\nx-request-id: a\r\ncontent-length: 0\r\n\r\n",
            "HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n",
            "{\"a\": 1}",
            "",
        ] {
            assert_eq!(instead_of(other.as_bytes()), None, "{other}");
        }
    }
}
