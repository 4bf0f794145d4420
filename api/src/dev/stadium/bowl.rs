//! The curve that rows follow: a rectangle with round corners, and everything that runs at a distance
//! around it.

use std::f64::consts::{FRAC_PI_2, TAU};

use super::seat::Spot;

/// Half of the straight along the pitch.
const HALF_LENGTH: f64 = 110.0;
/// Half of the straight behind the goals.
const HALF_WIDTH: f64 = 60.0;
/// Of a corner of the first row. It makes that row 1,000 seats long.
const CORNER: f64 = 51.0;

/// The curve at this distance outside the first row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Curve {
    radius: f64,
}

impl Curve {
    pub(super) fn at(distance: f64) -> Self {
        Self { radius: CORNER + distance }
    }

    /// Once around.
    pub(super) fn length(self) -> f64 {
        4.0 * (HALF_LENGTH + HALF_WIDTH) + TAU * self.radius
    }

    /// The point this far along it: from the middle of the lower straight to the right, which is from
    /// left to right for who sits there and looks at the stage.
    pub(super) fn point(self, along: f64) -> Spot {
        let corner = FRAC_PI_2 * self.radius;
        let mut rest = along.rem_euclid(self.length());
        // Each quarter is half a straight, a corner, half the next straight, seen from its own side.
        for turns in 0..4 {
            let (straight, next) = match turns % 2 {
                0 => (HALF_LENGTH, HALF_WIDTH),
                _ => (HALF_WIDTH, HALF_LENGTH),
            };
            if rest < straight + corner + next {
                return turned(self.in_quarter(rest, straight, next), turns);
            }
            rest -= straight + corner + next;
        }
        // Rounding: the last point is the first.
        self.point(0.0)
    }

    /// x to the right, y down, of a quarter that begins below the centre and ends right of it.
    fn in_quarter(self, along: f64, straight: f64, next: f64) -> (f64, f64) {
        let corner = FRAC_PI_2 * self.radius;
        if along < straight {
            return (along, next + self.radius);
        }
        if along < straight + corner {
            let angle = FRAC_PI_2 - (along - straight) / self.radius;
            return (straight + self.radius * angle.cos(), next + self.radius * angle.sin());
        }
        (straight + self.radius, next - (along - straight - corner))
    }
}

/// A quarter turn to the left for each.
fn turned((x, y): (f64, f64), turns: u32) -> Spot {
    let (x, y) = match turns % 4 {
        0 => (x, y),
        1 => (y, -x),
        2 => (-x, -y),
        _ => (-y, x),
    };
    Spot::rounded(x, y)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_along_the_curve_is_a_step_on_the_ground() {
        for distance in [0.0, 42.8, 110.0] {
            let curve = Curve::at(distance);
            let steps = curve.length().floor() as u32;
            for step in 0..steps {
                let (here, there) = (curve.point(step.into()), curve.point(f64::from(step) + 1.0));
                let length = (here.x - there.x).hypot(here.y - there.y);
                assert!((0.97..1.02).contains(&length), "{distance}: {step}: {length}");
            }
        }
    }

    #[test]
    fn the_first_row_is_a_thousand_seats_long() {
        assert!((Curve::at(0.0).length() - 1_000.0).abs() < 1.0);
    }
}
