//! Fingerprints from `Debug` text. The engine derives `Debug` for everything that it remembers, so
//! the text is its whole state, and a field added tomorrow is in it without a line here.
//!
//! A hash map prints in any order. So what stands between braces is taken as a set of entries, whose
//! hashes are added up; lists and tuples keep their order. A struct's fields have names, so nothing
//! is lost by taking them as a set too. 64 bits: among a million states two are confused with a
//! chance of one in thirty million.

use std::fmt::{self, Write};

use crate::splitmix::mix;

/// The same for two values exactly if they print the same, whatever the order of their maps.
pub(super) fn fingerprint(value: &impl fmt::Debug) -> u64 {
    let mut canon = Canon { frames: vec![Frame::new(false)], text: Text::Outside };
    write!(canon, "{value:?}").expect("a fingerprint takes any text");
    mix(canon.frames[0].entry)
}

/// One pair of brackets that is open.
struct Frame {
    entry: u64,
    sum: u64,
    unordered: bool,
}

/// Whether a character stands between quotation marks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Text {
    Outside,
    Inside,
    Escaped,
}

struct Canon {
    frames: Vec<Frame>,
    text: Text,
}

impl Frame {
    fn new(unordered: bool) -> Self {
        Self { entry: 0, sum: 0, unordered }
    }

    fn take(&mut self, word: u64) {
        self.entry = (self.entry.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95);
    }

    fn end_entry(&mut self) {
        self.sum = self.sum.wrapping_add(mix(self.entry));
        self.entry = 0;
    }
}

impl Canon {
    fn last(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("the outermost frame is never closed")
    }

    fn outside(&mut self, byte: u8) {
        match byte {
            b' ' => {}
            b'{' | b'[' | b'(' => self.frames.push(Frame::new(byte == b'{')),
            b'}' | b']' | b')' => {
                let mut closed = self.frames.pop().expect("brackets are balanced");
                let word = if closed.unordered {
                    closed.end_entry();
                    closed.sum
                } else {
                    closed.entry
                };
                self.last().take(mix(word ^ u64::from(byte)));
            }
            b',' if self.last().unordered => self.last().end_entry(),
            b'"' => {
                self.text = Text::Inside;
                self.last().take(u64::from(byte));
            }
            _ => self.last().take(u64::from(byte)),
        }
    }
}

impl Write for Canon {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for byte in text.bytes() {
            match self.text {
                Text::Outside => {
                    self.outside(byte);
                    continue;
                }
                Text::Escaped => self.text = Text::Inside,
                Text::Inside if byte == b'\\' => self.text = Text::Escaped,
                Text::Inside if byte == b'"' => self.text = Text::Outside,
                Text::Inside => {}
            }
            self.last().take(u64::from(byte));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    #[test]
    fn the_order_of_a_map_does_not_show_and_that_of_a_list_does() {
        let print = |order: &[u32]| {
            let map: HashMap<u32, Vec<&str>> = order.iter().map(|n| (*n, vec!["a, b}"])).collect();
            fingerprint(&(map, "x"))
        };
        let upward: Vec<u32> = (0..50).collect();
        let downward: Vec<u32> = (0..50).rev().collect();
        assert_eq!(print(&upward), print(&downward));
        assert_ne!(print(&upward), print(&upward[1..]));
        assert_ne!(fingerprint(&[1, 2]), fingerprint(&[2, 1]));
        assert_ne!(fingerprint(&"a{b, c}"), fingerprint(&"a{c, b}"));
    }
}
