//! Square dots in rows, as codes and the plainest of letters have them, drawn as few rectangles.

use krilla::geom::{PathBuilder, Rect};

/// Adds a row of dots: those of these places, in ascending order. Dots side by side are one rectangle.
pub(super) fn push_row(path: &mut PathBuilder, row: usize, dark: impl Iterator<Item = usize>) {
    for (from, to) in runs(dark) {
        let run = Rect::from_xywh(from as f32, row as f32, (to - from) as f32, 1.0);
        path.push_rect(run.expect("a run has a size"));
    }
}

/// Where places that follow each other begin and end.
pub(super) fn runs(dark: impl Iterator<Item = usize>) -> Vec<(usize, usize)> {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for x in dark {
        match runs.last_mut() {
            Some((_, to)) if *to == x => *to = x + 1,
            Some(_) | None => runs.push((x, x + 1)),
        }
    }
    runs
}
