//! A gate's scanner before a printed page: what is filled black is painted on a bitmap, and the code that
//! a reader finds there is the page's. It knows nothing of how a code is drawn.

use std::io::Read;

use flate2::read::ZlibDecoder;
use rqrr::PreparedImage;

/// A5, in points.
const PAGE: (f32, f32) = (419.53, 595.28);

/// Dots a point: the smallest module of a code, 1.2 points, has six.
const FINE: f32 = 5.0;

/// From the page's top: above this, no code begins.
const CODE_TOP: f32 = 280.0;

/// A map of the plane: `x' = a·x + c·y + e`, `y' = b·x + d·y + f`.
type Map = [f32; 6];

/// The codes on the file's pages, in their order.
pub(super) fn codes(pdf: &[u8]) -> Vec<String> {
    let pages = streams(pdf).into_iter().filter(|text| is_drawing(text));
    pages.map(|page| code(&black(&page))).collect()
}

/// What the file has packed, unpacked, as far as it is text.
fn streams(pdf: &[u8]) -> Vec<String> {
    let mut texts = Vec::new();
    let mut rest = pdf;
    while let Some(begin) = find(rest, b"stream") {
        rest = rest[begin + b"stream".len()..].trim_ascii_start();
        let end = find(rest, b"endstream").expect("a stream ends");
        let mut bytes = Vec::new();
        if ZlibDecoder::new(&rest[..end]).read_to_end(&mut bytes).is_ok() {
            texts.extend(String::from_utf8(bytes));
        }
        rest = &rest[end + b"endstream".len()..];
    }
    texts
}

fn find(bytes: &[u8], what: &[u8]) -> Option<usize> {
    bytes.windows(what.len()).position(|window| window == what)
}

/// Whether it is a page's: paths and text.
fn is_drawing(text: &str) -> bool {
    text.contains(" cm ") && text.contains("\nBT ")
}

/// The page's text without its letters, which may look like anything.
fn without_letters(page: &str) -> String {
    let (mut rest, mut escaped, mut depth) = (String::new(), false, 0_u32);
    for letter in page.chars() {
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '(' => depth += 1,
            ')' => depth -= 1,
            _ if depth == 0 => rest.push(letter),
            _ => {}
        }
    }
    rest
}

/// Which dots of the page are black; only rectangles are looked at, not letters.
fn black(page: &str) -> Vec<Vec<bool>> {
    let (width, height) = ((PAGE.0 * FINE) as usize, (PAGE.1 * FINE) as usize);
    let mut dots = vec![vec![false; width]; height];
    let mut maps: Vec<Map> = vec![[1.0, 0.0, 0.0, 1.0, 0.0, 0.0]];
    let (mut numbers, mut path) = (Vec::new(), Vec::<Vec<(f32, f32)>>::new());
    for token in without_letters(page).split_ascii_whitespace() {
        if let Ok(number) = token.parse::<f32>() {
            numbers.push(number);
            continue;
        }
        let map = *maps.last().expect("the page's own");
        match (token, numbers.as_slice()) {
            ("q", _) => maps.push(map),
            ("Q", _) => drop(maps.pop()),
            ("cm", &[a, b, c, d, e, f]) => {
                let (e, f) = at(map, e, f);
                let turn = |x: f32, y: f32| (map[0] * x + map[2] * y, map[1] * x + map[3] * y);
                let ((a, b), (c, d)) = (turn(a, b), turn(c, d));
                *maps.last_mut().expect("the page's own") = [a, b, c, d, e, f];
            }
            ("m", &[x, y]) => path.push(vec![at(map, x, y)]),
            ("l", &[x, y]) => path.last_mut().expect("it has begun").push(at(map, x, y)),
            ("re", &[x, y, w, h]) => path.push(vec![at(map, x, y), at(map, x + w, y + h)]),
            ("f" | "f*", _) => path.drain(..).for_each(|it| fill(&mut dots, &it)),
            ("n" | "S", _) => path.clear(),
            _ => {}
        }
        numbers.clear();
    }
    dots
}

fn at(map: Map, x: f32, y: f32) -> (f32, f32) {
    (map[0] * x + map[2] * y + map[4], map[1] * x + map[3] * y + map[5])
}

/// Fills the rectangle with these corners. A page's y goes up, a bitmap's down.
fn fill(dots: &mut [Vec<bool>], corners: &[(f32, f32)]) {
    let span = |of: fn(&(f32, f32)) -> f32| {
        let all = corners.iter().map(of);
        all.fold((f32::MAX, f32::MIN), |(low, high), it| (low.min(it), high.max(it)))
    };
    let ((left, right), (bottom, top)) = (span(|it| it.0), span(|it| it.1));
    let dot = |points: f32| (points * FINE).round() as usize;
    for row in &mut dots[dot(PAGE.1 - top)..dot(PAGE.1 - bottom)] {
        row[dot(left)..dot(right)].fill(true);
    }
}

/// The one code among the dots.
fn code(dots: &[Vec<bool>]) -> String {
    let is_black = |x: usize, y: usize| if dots[y][x] { 0 } else { 255 };
    let mut seen = PreparedImage::prepare_from_greyscale(dots[0].len(), dots.len(), is_black);
    let found = seen.detect_grids();
    assert_eq!(found.len(), 1, "codes on the page");
    found[0].decode().expect("it can be read").1
}

/// Of these letters, those that no font of the file has a glyph for.
pub(super) fn without_glyph(pdf: &[u8], letters: &str) -> String {
    let maps: Vec<String> = streams(pdf).into_iter().filter(|it| it.contains("bfchar")).collect();
    let is_there = |letter: char| {
        let mut units = [0; 2];
        let units = letter.encode_utf16(&mut units).iter();
        let code: String = units.map(|unit| format!("{unit:04X}")).collect();
        // From glyphs, which have names of their own, to letters.
        let lines = maps.iter().flat_map(|map| map.lines());
        let meanings = lines.filter_map(|line| line.split_once("> <"));
        meanings.into_iter().any(|(_, meaning)| meaning.contains(&code))
    };
    letters.chars().filter(|letter| !is_there(*letter)).collect()
}

/// How many dots of a file's pages are black above their codes: letters that are drawn without a font.
pub(super) fn dots_above_codes(pdf: &[u8]) -> usize {
    let pages = streams(pdf).into_iter().filter(|text| is_drawing(text));
    let above = (CODE_TOP * FINE) as usize;
    let dots = |page: String| {
        let rows = black(&page).into_iter().take(above);
        rows.flatten().filter(|is_black| *is_black).count()
    };
    pages.map(dots).sum()
}
