//! A QR code (ISO/IEC 18004) as black squares.

use krilla::geom::{PathBuilder, Transform};
use krilla::surface::Surface;
use qrcodegen::{QrCode, QrCodeEcc};

use super::dots::push_row;

/// Draws the code with its upper left corner there. A code of one of our tickets always fits, unless its
/// names have hundreds of letters; then it is drawn with less to spare for dirt, or `false` is returned.
pub(super) fn draw(surface: &mut Surface<'_>, left: f32, top: f32, side: f32, code: &str) -> bool {
    let encoded = QrCode::encode_text(code, QrCodeEcc::Medium)
        .or_else(|_| QrCode::encode_text(code, QrCodeEcc::Low));
    let Ok(qr) = encoded else { return false };
    let mut path = PathBuilder::new();
    for row in 0..modules(&qr) {
        push_row(&mut path, row, dark(&qr, row));
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

/// How many modules a side has: 21 to 177.
fn modules(qr: &QrCode) -> usize {
    usize::try_from(qr.size()).expect("a code has a size")
}

/// The places of this row's dark modules.
fn dark(qr: &QrCode, row: usize) -> impl Iterator<Item = usize> {
    (0..modules(qr)).filter(move |x| qr.get_module(*x as i32, row as i32))
}

#[cfg(test)]
mod tests {
    use super::super::dots::runs;
    use super::*;

    #[test]
    fn runs_are_the_dark_modules_of_each_row_and_no_others() {
        let qr = QrCode::encode_text(&"eyJ0eXAiOiJ0aWNrZXQifQ.".repeat(18), QrCodeEcc::Medium);
        let qr = qr.expect("a ticket's code fits");
        for y in 0..modules(&qr) {
            let runs = runs(dark(&qr, y));
            for x in 0..modules(&qr) {
                let covered = runs.iter().filter(|(from, to)| (*from..*to).contains(&x)).count();
                let is_dark = qr.get_module(x as i32, y as i32);
                assert_eq!(covered, usize::from(is_dark), "{x} {y}");
            }
        }
        assert_eq!(runs(dark(&qr, 0))[0], (0, 7), "the pattern in the corner");
    }

    #[test]
    fn a_code_with_names_as_long_as_they_may_be_still_fits() {
        // 200 letters of four bytes each in either name, and a third more in base64.
        assert!(QrCode::encode_text(&"x".repeat(2_600), QrCodeEcc::Low).is_ok());
    }
}
