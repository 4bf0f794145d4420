//! Counting messages in a stream of bytes, without keeping them.

/// Which messages of one direction count as one statement.
#[derive(Debug, Clone, Copy)]
pub(super) enum Counted {
    /// `Query` and `Sync`: each is answered by one ReadyForQuery.
    Requests,
    /// ReadyForQuery.
    Answers,
}

/// A reader of one direction: each message is a tag, a big-endian length that includes itself, a
/// body; the client's first message has no tag.
#[derive(Debug)]
pub(super) struct Frames {
    counted: Counted,
    header: Vec<u8>,
    header_length: usize,
    body_left: usize,
}

impl Frames {
    pub(super) fn new(counted: Counted) -> Frames {
        let header_length = match counted {
            Counted::Requests => 4,
            Counted::Answers => 5,
        };
        Frames { counted, header: Vec::with_capacity(5), header_length, body_left: 0 }
    }

    /// How many counted messages end in these bytes.
    pub(super) fn count(&mut self, mut bytes: &[u8]) -> usize {
        let mut found = 0;
        loop {
            let skipped = self.body_left.min(bytes.len());
            self.body_left -= skipped;
            bytes = &bytes[skipped..];
            if self.body_left == 0 && self.header.len() == self.header_length {
                found += usize::from(self.is_counted());
                self.header.clear();
                self.header_length = 5;
            }
            let Some((first, rest)) = bytes.split_first() else { return found };
            if self.header.len() < self.header_length {
                self.header.push(*first);
                bytes = rest;
                if self.header.len() == self.header_length {
                    self.body_left = self.body_length();
                }
            }
        }
    }

    fn body_length(&self) -> usize {
        let length = &self.header[self.header_length - 4..];
        let length = length.iter().fold(0, |sum, byte| sum << 8 | usize::from(*byte));
        length.saturating_sub(4)
    }

    fn is_counted(&self) -> bool {
        let tag = self.header[0];
        match self.counted {
            // A client's first message has no tag, hence the shorter header.
            Counted::Requests => self.header.len() == 5 && matches!(tag, b'Q' | b'S'),
            Counted::Answers => tag == b'Z',
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Counted, Frames};

    #[test]
    fn statements_are_counted_however_the_bytes_are_split() {
        let startup = [0, 0, 0, 8, 0, 3, 0, 0];
        let bind = [b'B', 0, 0, 0, 6, b'S', b'Q'];
        let sync = [b'S', 0, 0, 0, 4];
        let query = [b'Q', 0, 0, 0, 5, 0];
        let bytes = [&startup[..], &bind, &sync, &query].concat();
        for size in 1..=bytes.len() {
            let mut frames = Frames::new(Counted::Requests);
            let found: usize = bytes.chunks(size).map(|chunk| frames.count(chunk)).sum();
            assert_eq!(found, 2, "in pieces of {size}");
        }
    }
}
