//! Words as they are compared: without case, accents and the ways in which one letter can be written; of scripts that
//! do not part words, each character by itself.

use unicode_normalization::UnicodeNormalization as _;

/// What stands between two spaces, or in a script without any: its parts are looked for one behind the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Word(pub(super) Vec<String>);

/// The words of a text, folded.
pub(super) fn words(text: &str) -> Vec<Word> {
    let mut words = Vec::new();
    let mut word = Vec::new();
    let mut letters = String::new();
    for letter in text.nfkd().flat_map(char::to_lowercase) {
        match class(letter) {
            Class::Letter => letters.push_str(folded(letter, &mut [0; 4])),
            Class::WholeWord => {
                word.extend(taken(&mut letters));
                word.push(letter.to_string());
            }
            Class::Mark => {}
            Class::Between => {
                word.extend(taken(&mut letters));
                words.extend(Some(std::mem::take(&mut word)).filter(|word| !word.is_empty()));
            }
        }
    }
    word.extend(taken(&mut letters));
    words.extend(Some(word).filter(|word| !word.is_empty()));
    words.into_iter().map(Word).collect()
}

fn taken(letters: &mut String) -> Option<String> {
    Some(std::mem::take(letters)).filter(|letters| !letters.is_empty())
}

enum Class {
    Letter,
    /// Of a script that does not part words.
    WholeWord,
    /// Left out.
    Mark,
    Between,
}

fn class(letter: char) -> Class {
    match letter {
        // Accents of Latin, Greek and Cyrillic; points of Hebrew and vowels of Arabic, which are mostly not written.
        '\u{300}'..='\u{36f}'
        | '\u{1ab0}'..='\u{1aff}'
        | '\u{1dc0}'..='\u{1dff}'
        | '\u{20d0}'..='\u{20ff}'
        | '\u{591}'..='\u{5c7}'
        | '\u{610}'..='\u{61a}'
        | '\u{640}'
        | '\u{64b}'..='\u{65f}'
        | '\u{670}' => Class::Mark,
        // "O'Brien" and "Guns N' Roses" are written with and without.
        '\'' | '’' | 'ʼ' | '´' | '`' => Class::Mark,
        // Thai, Lao, Myanmar, Khmer; kana, Han.
        '\u{e01}'..='\u{eff}'
        | '\u{1000}'..='\u{109f}'
        | '\u{1780}'..='\u{17ff}'
        | '\u{3041}'..='\u{30ff}'
        | '\u{3400}'..='\u{9fff}'
        | '\u{20000}'..='\u{323af}' => Class::WholeWord,
        // Signs that some scripts write vowels with are no letters by themselves.
        _ if letter.is_alphanumeric() || is_vowel_sign(letter) => Class::Letter,
        _ => Class::Between,
    }
}

/// Of the scripts of India: a word goes on behind one, also behind a virama.
fn is_vowel_sign(letter: char) -> bool {
    ('\u{900}'..='\u{dff}').contains(&letter)
        && !letter.is_numeric()
        && !matches!(letter, '।' | '॥')
}

/// Letters that no normalisation takes apart, as whoever has not got them on his keyboard writes them.
fn folded(letter: char, room: &mut [u8; 4]) -> &str {
    match letter {
        'ß' => "ss",
        'æ' => "ae",
        'œ' => "oe",
        'ø' => "o",
        'đ' | 'ð' => "d",
        'ł' => "l",
        'þ' => "th",
        'ħ' => "h",
        'ı' => "i",
        'ς' => "σ",
        _ => letter.encode_utf8(room),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_in_two_ways_is_one_word() {
        let table: &[(&str, &[&[&str]])] = &[
            ("Rosalía  EN VIVO", &[&["rosalia"], &["en"], &["vivo"]]),
            ("Rosali\u{301}a", &[&["rosalia"]]),
            ("Sigur Rós — Ágætis", &[&["sigur"], &["ros"], &["agaetis"]]),
            ("MØ, Łódź; Straße", &[&["mo"], &["lodz"], &["strasse"]]),
            ("O'Brien O’Brien", &[&["obrien"], &["obrien"]]),
            ("İstanbul ısı", &[&["istanbul"], &["isi"]]),
            ("Ёлка и Мой", &[&["елка"], &["и"], &["мои"]]),
            ("Νίκος ΝΙΚΟΣ", &[&["νικοσ"], &["νικοσ"]]),
            ("ﾊﾟﾌｭｰﾑ", &[&["ハ", "\u{309a}", "フ", "ュ", "ー", "ム"]]),
            ("周杰倫 Live", &[&["周", "杰", "倫"], &["live"]]),
            ("ยินดี", &[&["ย", "ิ", "น", "ด", "ี"]]),
            ("हिन्दी", &[&["हिन्दी"]]),
            ("عَرَبِيّ عربي", &[&["عربي"], &["عربي"]]),
            ("AC/DC 2027", &[&["ac"], &["dc"], &["2027"]]),
            ("— !?", &[]),
            ("", &[]),
        ];
        for (text, expected) in table {
            let parts = words(text).into_iter().map(|Word(parts)| parts).collect::<Vec<_>>();
            assert_eq!(parts, *expected, "{text}");
        }
        // Syllables are compared by their letters, so that what is half typed is found.
        let (whole, begun) = (words("방탄"), words("바"));
        assert!(whole[0].0[0].starts_with(&begun[0].0[0]));
    }
}
