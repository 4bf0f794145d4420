//! A QR code (ISO/IEC 18004) as black squares.

use krilla::geom::{PathBuilder, Rect};
use krilla::surface::Surface;
use qrcodegen::{QrCode, QrCodeEcc};

/// Draws the code with its upper left corner there. A code of one of our tickets always fits, unless its
/// names have hundreds of letters; then it is drawn with less to spare for dirt, or `false` is returned.
pub(super) fn draw(surface: &mut Surface<'_>, left: f32, top: f32, side: f32, code: &str) -> bool {
    let encoded = QrCode::encode_text(code, QrCodeEcc::Medium)
        .or_else(|_| QrCode::encode_text(code, QrCodeEcc::Low));
    let Ok(qr) = encoded else { return false };
    let module = side / qr.size() as f32;
    let mut path = PathBuilder::new();
    for y in 0..qr.size() {
        for (from, to) in dark_runs(&qr, y) {
            let (x, y) = (left + from as f32 * module, top + y as f32 * module);
            let run = Rect::from_xywh(x, y, (to - from) as f32 * module, module);
            path.push_rect(run.expect("a run has a size"));
        }
    }
    let path = path.finish().expect("every code has dark modules");
    // The surface fills with black unless told otherwise.
    surface.draw_path(&path);
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
