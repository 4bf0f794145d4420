//! A text in lines of a given width.

/// Ends a text that is longer than its lines.
const DOTS: char = '…';

/// The text in at most `lines_max` lines, none wider than `width` by `measure`. Broken between words, or
/// within one that is wider than a line, as names without spaces are.
pub(super) fn wrap(
    text: &str,
    width: f32,
    lines_max: usize,
    measure: impl Fn(&str) -> f32,
) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut fits = |word: &str, first: bool| {
        let line = lines.last_mut().expect("there is one");
        let longer = if line.is_empty() { word.to_owned() } else { format!("{line} {word}") };
        if measure(&longer) <= width {
            *line = longer;
            return;
        }
        if !first {
            lines.push(String::new());
        }
        for letter in word.chars() {
            let line = lines.last_mut().expect("there is one");
            line.push(letter);
            if measure(line) > width && line.chars().count() > 1 {
                line.pop();
                lines.push(letter.into());
            }
        }
    };
    for (nth, word) in text.split_whitespace().enumerate() {
        fits(word, nth == 0);
    }
    if lines.len() > lines_max {
        lines.truncate(lines_max);
        if let Some(last) = lines.last_mut() {
            shorten(last, width, &measure);
        }
    }
    lines
}

/// Makes room for the dots.
fn shorten(line: &mut String, width: f32, measure: &impl Fn(&str) -> f32) {
    line.push(DOTS);
    while measure(line) > width && line.chars().count() > 1 {
        line.pop();
        line.pop();
        line.push(DOTS);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every letter is as wide as the next.
    fn lines(text: &str, width: f32, lines_max: usize) -> Vec<String> {
        wrap(text, width, lines_max, |line| line.chars().map(|_| 1.0).sum())
    }

    #[test]
    fn lines_break_between_words_or_within_one_that_is_too_wide() {
        assert_eq!(lines("a noche en vela", 8.0, 9), ["a noche", "en vela"]);
        assert_eq!(lines("座位座位座位 x", 4.0, 9), ["座位座位", "座位 x"]);
        assert_eq!(lines("en Donaudampfschiff", 8.0, 9), ["en", "Donaudam", "pfschiff"]);
        assert_eq!(lines("", 8.0, 9), [""]);
        assert_eq!(lines("ab", 0.5, 9), ["a", "b"], "a letter has a line in any case");
    }

    #[test]
    fn what_is_too_long_ends_with_dots() {
        assert_eq!(lines("one two three", 5.0, 2), ["one", "two…"]);
        assert_eq!(lines("abcdefgh", 4.0, 1), ["abc…"]);
        assert_eq!(lines("abcd", 4.0, 1), ["abcd"]);
    }
}
