//! Who sits beside whom, and how far from the stage: by position alone.

use std::f32::consts::PI;

use taquilla_engine::seating::{ChoiceWish, Seating, Spot, Stage};

const STAGE: Stage = Stage { focus: (0.0, 0.0), seat_pitch: 1.0 };

fn row_at(positions: impl IntoIterator<Item = (f32, f32)>) -> Vec<Spot> {
    let spot = |(x, y)| Spot { row: "A".into(), x, y, tier: 0, accessible: false };
    positions.into_iter().map(spot).collect()
}

fn turned(
    turn: f32,
    positions: impl Iterator<Item = (f32, f32)>,
) -> impl Iterator<Item = (f32, f32)> {
    let (sin, cos) = turn.sin_cos();
    positions.map(move |(x, y)| (x * cos - y * sin, x * sin + y * cos))
}

fn adjacent(quantity: u32) -> ChoiceWish {
    ChoiceWish { quantity, tier: None, adjacent: true, accessible: false }
}

/// The places that are given to a party when only these are free.
fn together(seating: &Seating, free: &[u32]) -> Option<Vec<u32>> {
    let wish = adjacent(u32::try_from(free.len()).unwrap());
    seating.choose(&wish, |place| !free.contains(&place)).map(|choice| choice.places)
}

/// The most that can be had side by side.
fn longest(seating: &Seating) -> u32 {
    let can_be_had = |quantity: &u32| seating.choose(&adjacent(*quantity), |_| false).is_some();
    (1..=seating.seats()).rev().find(can_be_had).unwrap_or(0)
}

#[test]
fn neighbours_are_neighbours_in_the_room_and_not_in_the_numbering() {
    // 41, 39 … 1, 2 … 40, and 23+1 between 23 and 25. Index order is that of the numbers, the
    // inserted seat last.
    let mut order: Vec<u32> = (1..=41).rev().filter(|number| number % 2 == 1).collect();
    order.extend((2..=40).filter(|number| number % 2 == 0));
    let inserted = 42;
    order.insert(order.iter().position(|number| *number == 23).unwrap(), inserted);
    let across = |number: u32| order.iter().position(|its| *its == number).unwrap() as f32 - 20.0;
    let spots = row_at((1..=inserted).map(|number| (across(number), 5.0)));
    let seating = Seating::new(&spots, STAGE);
    let beside = |numbers: &[u32]| {
        let places: Vec<u32> = numbers.iter().map(|number| number - 1).collect();
        together(&seating, &places).is_some()
    };

    assert!(beside(&[1, 2]) && beside(&[39, 41]) && beside(&[23, inserted, 25]));
    assert!(!beside(&[23, 25]) && !beside(&[40, 41]) && !beside(&[2, 3]));
    assert_eq!(longest(&seating), 42);
}

#[test]
fn a_horseshoe_is_one_stretch_whichever_way_it_is_drawn() {
    let arm = |side: f32| (0..20).map(move |seat| (side * 10.0, seat as f32));
    let bend = (1..31).map(|seat| PI * seat as f32 / 31.0);
    let bend = bend.map(|angle| (10.0 * angle.cos(), -10.0 * angle.sin()));
    let horseshoe: Vec<(f32, f32)> = arm(-1.0).chain(arm(1.0)).chain(bend).collect();
    for turn in [0.0, 0.3, PI / 4.0, 2.0] {
        let spots = row_at(turned(turn, horseshoe.iter().copied()));
        assert_eq!(longest(&Seating::new(&spots, STAGE)), 70, "turned by {turn}");
    }
}

#[test]
fn a_round_table_is_one_stretch_from_somewhere_to_somewhere() {
    let table = (0..6).map(|seat| PI / 3.0 * seat as f32).map(|angle| (angle.cos(), angle.sin()));
    assert_eq!(longest(&Seating::new(&row_at(table), STAGE)), 6);
}

#[test]
fn two_rows_of_one_name_are_two_rows() {
    let row = |x: f32, y: f32| (0..8).map(move |seat| (x + seat as f32, 300.0 + y));
    for (x, y) in [(0.0, 1.2), (0.5, 1.2), (0.0, 1.0), (8.0, 0.0), (8.0, 1.2), (40.0, 0.0)] {
        let one_line = x == 8.0 && y == 0.0;
        for turn in [0.0, 0.3, 0.7, 1.0, 1.9] {
            let spots = row_at(turned(turn, row(0.0, 5.0).chain(row(x, 5.0 + y))));
            let seating = Seating::new(&spots, STAGE);
            let seats = if one_line { 16 } else { 8 };
            assert_eq!(longest(&seating), seats, "the other at {x} {y}, turned by {turn}");
        }
    }
}

#[test]
fn a_seat_left_out_is_a_gangway_and_a_wider_space_is_not() {
    let with_gap = |gap: f32| {
        row_at((0..10).map(|seat| (seat as f32 + if seat < 4 { 0.0 } else { gap }, 5.0)))
    };
    assert_eq!(longest(&Seating::new(&with_gap(1.0), STAGE)), 6);
    assert_eq!(longest(&Seating::new(&with_gap(0.4), STAGE)), 10);
}

#[test]
fn a_row_of_few_seats_is_measured_by_the_plan() {
    assert_eq!(longest(&Seating::new(&row_at([(0.0, 5.0), (3.0, 5.0)]), STAGE)), 1);
    assert_eq!(longest(&Seating::new(&row_at([(0.0, 5.0), (1.2, 5.0)]), STAGE)), 2);
    let armchairs = row_at((0..5).map(|seat| (1.8 * seat as f32, 5.0)));
    assert_eq!(longest(&Seating::new(&armchairs, STAGE)), 5);
    let far_apart = row_at((0..5).map(|seat| (8.0 * seat as f32, 5.0)));
    assert_eq!(longest(&Seating::new(&far_apart, STAGE)), 1);
}

#[test]
fn seats_that_lie_on_one_another_or_nowhere_have_no_neighbours_and_nowhere_is_far() {
    let nowhere = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY];
    let mut spots = row_at(nowhere.map(|x| (x, 5.0)).into_iter().chain(nowhere.map(|y| (0.0, y))));
    spots.extend(row_at([(0.0, 50.0); 40]));
    let seating = Seating::new(&spots, Stage::of_plan((0.0, 0.0), [&spots[..]]));
    assert_eq!(longest(&seating), 1);

    let first = seating.choose(&adjacent(1), |_| false).unwrap();
    assert_eq!((first.places, first.distance), (vec![6], 50.0));
    let all = ChoiceWish { adjacent: false, ..adjacent(seating.seats()) };
    assert_eq!(seating.choose(&all, |_| false).unwrap().places.len(), 46);
}

#[test]
fn no_position_and_no_stage_makes_a_choice_panic() {
    let strange = [0.0, f32::NAN, f32::INFINITY, f32::MAX, f32::MIN, f32::MIN_POSITIVE];
    let spots = row_at(strange.iter().flat_map(|x| strange.iter().map(|y| (*x, *y))));
    for focus in [(0.0, 0.0), (f32::NAN, 0.0), (f32::MAX, f32::INFINITY)] {
        for seat_pitch in [1.0, 0.0, -1.0, f32::NAN, f32::INFINITY, f32::MIN_POSITIVE] {
            let seating = Seating::new(&spots, Stage { focus, seat_pitch });
            let wish = ChoiceWish { adjacent: false, ..adjacent(30) };
            let choice = seating.choose(&wish, |place| place % 6 == 0).unwrap();
            assert_eq!(choice.places.len(), 30);
        }
    }
}

#[test]
fn a_row_around_the_stage_begins_in_its_middle() {
    let arc = (0..21).map(|seat| (seat as f32 - 10.0) / 30.0);
    let spots = row_at(arc.map(|angle| (30.0 * angle.sin(), 30.0 * angle.cos())));
    let seating = Seating::new(&spots, STAGE);
    let choice = seating.choose(&adjacent(3), |_| false).unwrap();
    assert_eq!(choice.places, [9, 10, 11]);
    assert!((choice.distance - 30.08).abs() < 0.01, "{choice:?}");
}

#[test]
fn a_section_that_goes_round_the_stage_has_no_middle() {
    let ring = (0..180).map(|seat| PI / 90.0 * seat as f32);
    let spots = row_at(ring.map(|angle| (30.0 * angle.sin(), 30.0 * angle.cos())));
    let seating = Seating::new(&spots, STAGE);
    let last = seating.choose(&adjacent(1), |place| place != 179).unwrap();
    assert!((last.distance - seating.nearest(None)).abs() < 0.02, "{last:?}");
}

#[test]
fn a_plan_in_pixels_is_the_same_hall() {
    let drawn = |unit: f32| {
        let seats = (0..60).map(|seat| (seat % 12, 5 + seat / 12));
        row_at(seats.map(|(x, y)| (x as f32 * unit + 100.0, y as f32 * unit)))
    };
    let seen = |unit: f32| {
        let spots = drawn(unit);
        let stage = Stage::of_plan((100.0, 0.0), [&spots[..]]);
        assert_eq!(stage.seat_pitch, unit);
        Seating::new(&spots, stage).choose(&adjacent(4), |place| place % 7 == 0)
    };
    assert_eq!(seen(1.0), seen(25.0));
    assert!(seen(1.0).is_some());
}

#[test]
fn a_section_says_the_least_distance_of_each_tier() {
    let mut spots = row_at([(0.0, 5.0), (1.0, 5.0), (2.0, 5.0), (0.0, 9.0)]);
    spots[3].tier = 1;
    spots[0].accessible = true;
    let seating = Seating::new(&spots, STAGE);
    let first = seating.nearest(None);
    assert!((5.0..5.2).contains(&first) && (9.0..9.2).contains(&seating.nearest(Some(1))));
    assert_eq!(seating.nearest(Some(0)), first);
    assert_eq!(seating.nearest(Some(2)), f32::INFINITY);
    assert_eq!(Seating::new(&[], STAGE).nearest(None), f32::INFINITY);
    assert_eq!(Seating::new(&[], STAGE).choose(&adjacent(1), |_| false), None);
}
