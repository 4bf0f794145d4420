//! Letters: DejaVu Sans, which has Latin, Greek, Cyrillic, Armenian, Georgian, Hebrew and Arabic; what it
//! lacks is drawn from the dots of GNU Unifont; what both lack, as a replacement character.
//!
//! A line is taken to be of one direction: within one, Hebrew or Arabic and Latin words may change places.

use std::sync::LazyLock;

use krilla::geom::{PathBuilder, Point, Transform};
use krilla::surface::Surface;
use krilla::text::{Font, TextDirection};
use ttf_parser::Face;
use unifont::Glyph;

use super::dots::push_row;

pub(super) static REGULAR: LazyLock<Typeface> =
    LazyLock::new(|| Typeface::new(dejavu::sans::regular()));
pub(super) static BOLD: LazyLock<Typeface> = LazyLock::new(|| Typeface::new(dejavu::sans::bold()));

/// Stands for what no font here has.
const REPLACEMENT: char = '\u{fffd}';

/// Unifont's letters are 16 dots high, of which two are below the line.
const DOTS_HIGH: usize = 16;
const DOTS_BELOW: usize = 2;

/// A font, and what it lacks.
pub(super) struct Typeface {
    font: Font,
    face: Face<'static>,
}

/// Letters that are drawn alike.
enum Run<'a> {
    Letters(&'a str),
    Dots(&'static Glyph),
    Missing,
}

impl Typeface {
    fn new(data: &'static [u8]) -> Self {
        let font = Font::new(data.into(), 0).expect("a font that comes with the program");
        let face = Face::parse(data, 0).expect("a font that comes with the program");
        Self { font, face }
    }

    /// How wide the line is, not counting what letters move together: in points, as `size`.
    pub(super) fn width(&self, line: &str, size: f32) -> f32 {
        self.runs(line).iter().map(|run| self.run_width(run, size)).sum()
    }

    /// Draws the line from there to the right, standing on `y`.
    pub(super) fn draw(&self, surface: &mut Surface<'_>, x: f32, y: f32, size: f32, line: &str) {
        let mut x = x;
        for run in self.runs(line) {
            match &run {
                Run::Letters(text) => self.draw_letters(surface, x, y, size, text),
                Run::Dots(glyph) => draw_dots(surface, x, y, size, glyph),
                Run::Missing => self.draw_letters(surface, x, y, size, &REPLACEMENT.to_string()),
            }
            x += self.run_width(&run, size);
        }
    }

    fn draw_letters(&self, surface: &mut Surface<'_>, x: f32, y: f32, size: f32, text: &str) {
        let (start, font) = (Point::from_xy(x, y), self.font.clone());
        surface.draw_text(start, font, size, text, false, TextDirection::Auto);
    }

    fn runs<'a>(&self, line: &'a str) -> Vec<Run<'a>> {
        let mut runs = Vec::new();
        let mut rest = line;
        while let Some(first) = rest.chars().next() {
            let here = rest.find(|letter| !self.has(letter)).unwrap_or(rest.len());
            let (run, taken) = match here {
                0 => (dots(first), first.len_utf8()),
                here => (Run::Letters(&rest[..here]), here),
            };
            runs.push(run);
            rest = &rest[taken..];
        }
        runs
    }

    fn has(&self, letter: char) -> bool {
        self.face.glyph_index(letter).is_some()
    }

    fn run_width(&self, run: &Run<'_>, size: f32) -> f32 {
        match run {
            Run::Letters(text) => text.chars().map(|letter| self.advance(letter, size)).sum(),
            Run::Dots(glyph) => glyph.get_width() as f32 * dot(size),
            Run::Missing => self.advance(REPLACEMENT, size),
        }
    }

    fn advance(&self, letter: char, size: f32) -> f32 {
        let glyph = self.face.glyph_index(letter);
        let advance = glyph.and_then(|glyph| self.face.glyph_hor_advance(glyph)).unwrap_or(0);
        f32::from(advance) * size / f32::from(self.face.units_per_em())
    }
}

fn dots(letter: char) -> Run<'static> {
    unifont::get_glyph(letter).map_or(Run::Missing, Run::Dots)
}

fn dot(size: f32) -> f32 {
    size / DOTS_HIGH as f32
}

fn draw_dots(surface: &mut Surface<'_>, x: f32, y: f32, size: f32, glyph: &Glyph) {
    let mut path = PathBuilder::new();
    for row in 0..DOTS_HIGH {
        let dark = (0..glyph.get_width()).filter(|x| glyph.get_pixel(*x, row));
        push_row(&mut path, row, dark);
    }
    // A blank has none.
    let Some(path) = path.finish() else { return };
    let dot = dot(size);
    let top = y - (DOTS_HIGH - DOTS_BELOW) as f32 * dot;
    surface.push_transform(&Transform::from_row(dot, 0.0, 0.0, dot, x, top));
    surface.draw_path(&path);
    surface.pop();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(line: &str) -> String {
        let kind = |run: &Run<'_>| match run {
            Run::Letters(text) => format!("[{text}]"),
            Run::Dots(_) => "#".to_owned(),
            Run::Missing => "?".to_owned(),
        };
        REGULAR.runs(line).iter().map(kind).collect()
    }

    #[test]
    fn names_of_many_scripts_have_their_letters() {
        for line in ["Ñandú Ö Ø Ł ğ", "Ωραία", "Київ", "שלום", "مرحبا", "Հայ ქარ", "€ … · O\u{308}"]
        {
            assert_eq!(kinds(line), format!("[{line}]"));
        }
    }

    #[test]
    fn what_the_font_lacks_is_drawn_from_dots_or_replaced() {
        assert_eq!(kinds("A座位1"), "[A]##[1]");
        assert_eq!(kinds("東京 가"), "##[ ]#");
        assert_eq!(kinds("x\u{1f9ff}"), "[x]?");
        assert!(REGULAR.width("座", 16.0) > REGULAR.width("i", 16.0));
    }
}
