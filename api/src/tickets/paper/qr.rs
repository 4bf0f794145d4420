//! A QR code (ISO/IEC 18004) as black squares.

use krilla::geom::{PathBuilder, Rect, Transform};
use krilla::surface::Surface;
use qrcodegen::{QrCode, QrCodeEcc};

/// Draws the code with its upper left corner there. A code of one of our tickets always fits, unless its
/// names have hundreds of letters; then it is drawn with less to spare for dirt, or `false` is returned.
pub(super) fn draw(surface: &mut Surface<'_>, left: f32, top: f32, side: f32, code: &str) -> bool {
    let encoded = QrCode::encode_text(code, QrCodeEcc::Medium)
        .or_else(|_| QrCode::encode_text(code, QrCodeEcc::Low));
    let Ok(qr) = encoded else { return false };
    let mut path = PathBuilder::new();
    for y in 0..qr.size() {
        for (from, to) in dark_runs(&qr, y) {
            let run = Rect::from_xywh(from as f32, y as f32, (to - from) as f32, 1.0);
            path.push_rect(run.expect("a run has a size"));
        }
    }
    let path = path.finish().expect("every code has dark modules");
    // Whole numbers take a fraction of the room that points with decimals take in the file.
    let module = side / qr.size() as f32;
    surface.push_transform(&Transform::from_row(module, 0.0, 0.0, module, left, top));
    // The surface fills with black unless told otherwise.
    surface.draw_path(&path);
    surface.pop();
    true
}

/// Where dark modules of this row begin and end.
fn dark_runs(qr: &QrCode, y: i32) -> Vec<(i32, i32)> {
    let mut runs: Vec<(i32, i32)> = Vec::new();
    for x in (0..qr.size()).filter(|x| qr.get_module(*x, y)) {
        match runs.last_mut() {
            Some((_, to)) if *to == x => *to = x + 1,
            Some(_) | None => runs.push((x, x + 1)),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_the_dark_modules_of_each_row_and_no_others() {
        let qr = QrCode::encode_text(&"eyJ0eXAiOiJ0aWNrZXQifQ.".repeat(18), QrCodeEcc::Medium);
        let qr = qr.expect("a ticket's code fits");
        for y in 0..qr.size() {
            let runs = dark_runs(&qr, y);
            for x in 0..qr.size() {
                let covered = runs.iter().filter(|(from, to)| (*from..*to).contains(&x)).count();
                assert_eq!(covered, usize::from(qr.get_module(x, y)), "{x} {y}");
            }
        }
        assert_eq!(dark_runs(&qr, 0)[0], (0, 7), "the pattern in the corner");
    }

    #[test]
    fn a_code_with_names_as_long_as_they_may_be_still_fits() {
        // 200 letters of four bytes each in either name, and a third more in base64.
        assert!(QrCode::encode_text(&"x".repeat(2_600), QrCodeEcc::Low).is_ok());
    }
}
