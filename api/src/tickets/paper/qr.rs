//! A QR code (ISO/IEC 18004) as black squares.

use krilla::geom::{PathBuilder, Transform};
use krilla::surface::Surface;
use qrcodegen::{QrCode, QrCodeEcc};

use super::dots::push_row;

/// Draws the code with its upper left corner there; `false` if it does not fit. A code of one of our
/// tickets fits, for plans bound the length of names and labels; where they are long it is drawn with
/// less to spare for dirt.
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
    use krilla::Document;
    use uuid::Uuid;

    use super::super::dots::runs;
    use super::*;
    use crate::forms::text::{NAME_CHARS_MAX, label_fault};
    use crate::tickets::{SignedTicket, TicketSigner, ticket_key_pem};

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
        let signer = TicketSigner::new(&ticket_key_pem(&[7; 32])).expect("a seed");
        let mut document = Document::new();
        let mut page = document.start_page();
        let mut surface = page.surface();
        // The longest in bytes, and what JSON writes as two characters.
        for letter in ["\u{20000}", "\"", "\\", "座"] {
            let name = letter.repeat(NAME_CHARS_MAX);
            assert_eq!(label_fault(&name), None, "it may be called so");
            let code = signer.sign(&SignedTicket {
                ticket_id: Uuid::from_u128(u128::MAX),
                event_id: Uuid::from_u128(u128::MAX),
                section: name.clone(),
                seat: Some(name),
            });
            assert!(draw(&mut surface, 0.0, 0.0, 220.0, &code), "{} characters", code.len());
        }
        // What plans by rows had before: a label of two such names.
        assert!(!draw(&mut surface, 0.0, 0.0, 220.0, &"x".repeat(3_625)));
    }
}
