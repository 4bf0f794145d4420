//! Curves over time as SVG, by hand: axes, lines, and grey where something was done to the server.

use std::fmt::Write;

const WIDTH: f64 = 960.0;
const HEIGHT: f64 = 300.0;
const LEFT: f64 = 80.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 40.0;
const COLOURS: [&str; 4] = ["#1f5fa8", "#c4501b", "#2f8f4e", "#7a4ea3"];
const STEPS: u32 = 5;

/// A curve.
#[derive(Debug)]
pub(super) struct Curve {
    pub(super) name: &'static str,
    /// Seconds, and whatever the chart is of.
    pub(super) points: Vec<(f64, f64)>,
}

/// A stretch in which something was done.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Mark {
    pub(super) name: &'static str,
    /// In seconds.
    pub(super) from: f64,
    pub(super) to: f64,
}

/// A picture of these curves.
pub(super) fn svg(title: &str, curves: &[Curve], marks: &[Mark]) -> String {
    let points = || curves.iter().flat_map(|curve| &curve.points);
    let x_max = points().map(|it| it.0).fold(1.0, f64::max);
    let y_max = round_up(points().map(|it| it.1).fold(0.0, f64::max));
    let x = |it: f64| LEFT + it / x_max * (WIDTH - LEFT - RIGHT);
    let y = |it: f64| HEIGHT - BOTTOM - it / y_max * (HEIGHT - TOP - BOTTOM);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n\
         <text x=\"{LEFT}\" y=\"16\" font-weight=\"bold\">{title}</text>\n"
    );
    let mut put = |line: String| {
        // Writing into a string does not fail.
        let _ = writeln!(out, "{line}");
    };
    let (top, foot) = (TOP, HEIGHT - BOTTOM);
    for Mark { name, from, to } in marks {
        let (from, width) = (x(*from), (x(*to) - x(*from)).max(1.0));
        let height = foot - top;
        put(format!(
            "<rect x=\"{from:.1}\" y=\"{top}\" width=\"{width:.1}\" height=\"{height}\" \
             fill=\"#ddd\"/><text x=\"{from:.1}\" y=\"{}\" fill=\"#777\">{name}</text>",
            top - 4.0
        ));
    }
    for step in 0..=STEPS {
        let part = f64::from(step) / f64::from(STEPS);
        let (across, up) = (y(part * y_max), x(part * x_max));
        put(format!(
            "<path d=\"M{LEFT} {across:.1}H{:.1}\" stroke=\"#eee\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>\
             <text x=\"{up:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{:.0} s</text>",
            WIDTH - RIGHT,
            LEFT - 6.0,
            across + 4.0,
            label(part * y_max),
            foot + 18.0,
            part * x_max
        ));
    }
    for (nth, Curve { name, points }) in curves.iter().enumerate() {
        let colour = COLOURS[nth % COLOURS.len()];
        let to = points.iter().map(|(at, it)| format!("{:.1},{:.1}", x(*at), y(*it)));
        let line = to.collect::<Vec<_>>().join(" ");
        let at = WIDTH - RIGHT - 130.0 * (nth as f64 + 1.0);
        put(format!(
            "<polyline points=\"{line}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.5\"/>\
             <text x=\"{at:.1}\" y=\"16\" fill=\"{colour}\">{name}</text>"
        ));
    }
    out + "</svg>\n"
}

/// The next of 1, 2, 5, 10, 20 and so on.
fn round_up(most: f64) -> f64 {
    let unit = 10_f64.powf(most.max(1e-3).log10().floor());
    [1.0, 2.0, 5.0].map(|it| it * unit).into_iter().find(|it| *it >= most).unwrap_or(10.0 * unit)
}

fn label(it: f64) -> String {
    if it >= 10.0 || it == 0.0 { format!("{it:.0}") } else { format!("{it:.1}") }
}

#[cfg(test)]
mod tests {
    use super::{Curve, Mark, round_up, svg};

    #[test]
    fn an_axis_ends_at_a_round_number() {
        for (most, end) in [(0.7, 1.0), (1.0, 1.0), (13.0, 20.0), (499_000.0, 500_000.0)] {
            assert!((round_up(most) - end).abs() < 1e-6, "{most}");
        }
    }

    #[test]
    fn a_curve_is_drawn_from_left_to_right_within_its_frame() {
        let curve = Curve { name: "sold", points: vec![(0.0, 0.0), (10.0, 10.0)] };
        let mark = Mark { name: "killed", from: 2.0, to: 3.0 };
        let svg = svg("Seats", &[curve], &[mark]);
        assert!(svg.contains("points=\"80.0,260.0 940.0,40.0\""), "{svg}");
        assert!(svg.contains(">killed<") && svg.ends_with("</svg>\n"), "{svg}");
    }
}
