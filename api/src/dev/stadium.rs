//! The demo's stadium: a bowl of three rings around a pitch with the stage in its middle, 60,000 seats
//! and a floor to stand on. Written as a pretix layout, as an operator would bring it.
//!
//! It has what real halls have and simple plans lack: curved rows, gangways and entrances in the middle
//! of blocks, odd and even halves of rows, a seat put in later, places for wheelchairs. A unit is a
//! seat's width, half a metre; the same bowl is built each time.

mod bowl;
mod ring;
mod seat;

use serde::Serialize;

use self::ring::RINGS;
use self::seat::{Row, Spot};

/// Numbered seats in all. The last row of the top ring ends where they are used up: the press sits
/// there.
const SEATS: usize = 60_000;

/// Places to stand, on the pitch.
const FLOOR: u32 = 2_000;

/// A plan as `POST /admin/venues` takes it.
#[derive(Debug, Serialize)]
pub(super) struct Plan {
    format: &'static str,
    layout: Layout,
    general: [Area; 1],
}

#[derive(Debug, Serialize)]
struct Layout {
    name: &'static str,
    categories: Vec<Category>,
    zones: Vec<Zone>,
}

#[derive(Debug, Serialize)]
struct Category {
    name: &'static str,
}

/// A block of a ring.
#[derive(Debug, Serialize)]
struct Zone {
    name: String,
    position: Spot,
    rows: Vec<Row>,
}

#[derive(Debug, Serialize)]
struct Area {
    section: &'static str,
    capacity: u32,
}

/// The plan of a stadium of this name. Categories `A`, `B`, `C` are its rings from the pitch up; the
/// floor is called `FLOOR`.
pub(super) fn plan(name: &'static str) -> Plan {
    let categories = RINGS.iter().map(|ring| Category { name: ring.category }).collect();
    let mut zones: Vec<Zone> = RINGS.iter().flat_map(ring::Ring::zones).collect();
    let built: usize = zones.iter().map(Zone::seats).sum();
    leave_out(&mut zones, built.saturating_sub(SEATS));
    let layout = Layout { name, categories, zones };
    Plan { format: "pretix", layout, general: [Area { section: "FLOOR", capacity: FLOOR }] }
}

impl Zone {
    fn seats(&self) -> usize {
        self.rows.iter().map(|row| row.seats.len()).sum()
    }
}

/// Leaves the last seats of the last rows out, from the last block on.
fn leave_out(zones: &mut [Zone], mut surplus: usize) {
    for zone in zones.iter_mut().rev() {
        let Some(row) = zone.rows.last_mut() else { continue };
        let kept = row.seats.len().saturating_sub(surplus);
        surplus -= row.seats.len() - kept;
        row.seats.truncate(kept);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{HashMap, HashSet};

    use taquilla_persistence::catalogue::{NewSeat, SectionRoom};

    use super::*;
    use crate::plans::{self, Size};

    fn read() -> plans::Plan {
        let text = serde_json::to_vec(&plan("Estadio")).expect("plain JSON");
        plans::read(&text).unwrap_or_else(|defects| panic!("{:?}", defects[0]))
    }

    fn seats(plan: &plans::Plan) -> Vec<&NewSeat> {
        let seats = plan.sections.iter().flat_map(|section| match &section.room {
            SectionRoom::Seated(seats) => seats.as_slice(),
            SectionRoom::General { .. } => &[],
        });
        seats.collect()
    }

    #[test]
    fn it_has_sixty_thousand_seats_and_a_floor() {
        let plan = read();
        let size = Size { sections: 61, seats: SEATS, places: u64::from(FLOOR) };
        assert_eq!(Size::of(&plan.sections), size);
        let names: HashSet<&str> = plan.sections.iter().map(|it| it.name.as_str()).collect();
        for name in ["101", "116", "201", "220", "301", "324", "FLOOR"] {
            assert!(names.contains(name), "{name}");
        }
    }

    #[test]
    fn it_has_the_seats_that_the_readme_buys() {
        let plan = read();
        let labels: HashSet<&str> = seats(&plan).iter().map(|seat| seat.label.as_str()).collect();
        for block in 201..=220 {
            for seat in 1..=69 {
                let label = format!("{block}-T-{seat}");
                assert!(labels.contains(&*label), "{label}");
            }
        }
        for label in ["101-A-1", "101-C-14", "101-C-15", "301-C-23", "301-C-23+1"] {
            assert!(labels.contains(label), "{label}");
        }
    }

    #[test]
    fn nobody_sits_on_anybody() {
        let plan = read();
        let cell = |v: f32| v.floor() as i64;
        let mut cells: HashMap<(i64, i64), Vec<&NewSeat>> = HashMap::new();
        for seat in seats(&plan) {
            for (dx, dy) in (-1..=1).flat_map(|dx| (-1..=1).map(move |dy| (dx, dy))) {
                let near = cells.get(&(cell(seat.x) + dx, cell(seat.y) + dy));
                for other in near.into_iter().flatten() {
                    let distance = (seat.x - other.x).hypot(seat.y - other.y);
                    assert!(distance > 0.9, "{} and {}: {distance}", seat.label, other.label);
                }
            }
            cells.entry((cell(seat.x), cell(seat.y))).or_default().push(seat);
        }
    }

    #[test]
    fn wheelchairs_stand_beside_the_gangways_of_the_first_rows() {
        let plan = read();
        let seats = seats(&plan);
        let accessible: Vec<&&NewSeat> = seats.iter().filter(|seat| seat.accessible).collect();
        assert_eq!(accessible.len(), 4 * (16 + 20));
        assert!(accessible.iter().all(|seat| &*seat.row == "A"));
        let beside = |seat: &NewSeat| {
            let near = |other: &&&NewSeat| (seat.x - other.x).hypot(seat.y - other.y) < 1.5;
            seats.iter().filter(near).count()
        };
        // Itself and one neighbour for two of them, two neighbours for the others.
        assert_eq!(
            accessible[..4].iter().map(|seat| beside(seat)).collect::<Vec<_>>(),
            [3, 2, 2, 3]
        );
    }

    #[test]
    fn the_top_ring_counts_odd_to_the_left_and_even_to_the_right() {
        let plan = read();
        let row: Vec<&str> = seats(&plan)
            .into_iter()
            .filter(|seat| seat.label.starts_with("301-C-"))
            .map(|seat| seat.seat.as_str())
            .collect();
        let one = row.iter().position(|number| *number == "1").expect("a first seat");
        assert_eq!(row[one - 2..one + 4], ["5", "3", "1", "2", "4", "6"]);
        let inserted = row.iter().position(|number| *number == "23+1").expect("one put in later");
        assert_eq!((row[inserted - 1], row[inserted + 1]), ("25", "23"));
    }
}
