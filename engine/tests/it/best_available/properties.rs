//! What holds in any hall, against a search that tries everything. The cases are the same in every
//! run; `PROPTEST_RNG_SEED` and `PROPTEST_CASES` bring others.

use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed};
use taquilla_engine::seating::{Choice, ChoiceWish, Reason};

use super::everything::Everything;
use super::hall::Hall;

/// Distances are kept in 1/256 of a seat.
const ROUNDING: f64 = 1.0 / 128.0;

/// A seat as a hall's picture has it, taken for half of them.
fn seat() -> impl Strategy<Value = char> {
    prop_oneof![6 => Just('#'), 5 => Just('.'), 2 => Just('1'), 1 => Just('a')]
}

/// Seats between gangways: long enough for a row's usual gap to be that between seats.
fn block() -> impl Strategy<Value = String> {
    prop::collection::vec(seat(), 4..9).prop_map(String::from_iter)
}

fn row() -> impl Strategy<Value = String> {
    prop::collection::vec(block(), 1..4).prop_map(|blocks| blocks.join(" "))
}

/// Rows of some width, drawn straight or bent and in some unit, numbered in any order.
fn hall() -> impl Strategy<Value = Hall> {
    let rows = prop::collection::vec(row(), 1..6);
    (rows, any::<bool>(), prop_oneof![Just(1.0_f32), Just(25.0)]).prop_flat_map(
        |(rows, is_bent, pitch)| {
            let named: Vec<String> =
                ('A'..).zip(&rows).map(|(name, row)| format!("{name} {row}")).collect();
            let mut hall = Hall::drawn(&named);
            (hall.is_bent, hall.pitch) = (is_bent, pitch);
            let seats = Just(hall.seats.clone()).prop_shuffle();
            seats.prop_map(move |seats| hall.renumbered(seats))
        },
    )
}

fn wish() -> impl Strategy<Value = ChoiceWish> {
    let tier = prop_oneof![3 => Just(None), 1 => (0..2_u16).prop_map(Some)];
    (1..8_u32, tier, any::<bool>(), prop::bool::weighted(0.3)).prop_map(
        |(quantity, tier, adjacent, accessible)| ChoiceWish {
            quantity,
            tier,
            adjacent,
            accessible,
        },
    )
}

fn config() -> Config {
    let config = Config { failure_persistence: None, ..Config::default() };
    match config.rng_seed {
        RngSeed::Random => Config { rng_seed: RngSeed::Fixed(60_000), ..config },
        RngSeed::Fixed(_) => config,
    }
}

fn choose(hall: &Hall, wish: &ChoiceWish) -> Option<Choice> {
    hall.seating().choose(wish, |place| hall.is_taken(place))
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn chosen_seats_are_as_many_free_and_what_was_asked_for(hall in hall(), wish in wish()) {
        let Some(choice) = choose(&hall, &wish) else { return Ok(()) };
        let everything = Everything::new(&hall, wish);
        let distinct: BTreeSet<u32> = choice.places.iter().copied().collect();
        let seats = || distinct.iter().map(|place| &hall.seats[*place as usize]);
        prop_assert_eq!(distinct.len(), wish.quantity as usize);
        prop_assert_eq!(choice.places.len(), wish.quantity as usize);
        prop_assert!(seats().all(|seat| everything.may_have(seat)));
        prop_assert!(!wish.accessible || seats().any(|seat| seat.accessible));
    }

    #[test]
    fn a_choice_says_what_it_is(hall in hall(), wish in wish()) {
        let Some(choice) = choose(&hall, &wish) else { return Ok(()) };
        let everything = Everything::new(&hall, wish);
        prop_assert_eq!(choice.orphans, everything.orphans(&choice.places));
        let off = f64::from(choice.distance) - everything.distance(&choice.places);
        prop_assert!(off.abs() < ROUNDING, "off by {}", off);
        prop_assert_eq!(choice.split, everything.parts(&choice.places) > 1);
        prop_assert_eq!(choice.split, choice.reason == Reason::SplitNoRunFree);
        let first = &hall.spots()[choice.places[0] as usize];
        prop_assert_eq!(&choice.row, &first.row);
        prop_assert!(hall.seating().nearest(wish.tier) <= choice.distance);
    }

    #[test]
    fn seats_side_by_side_are_found_if_there_are_any_and_none_cost_less(
        hall in hall(), wish in wish()
    ) {
        let everything = Everything::new(&hall, wish);
        let windows = everything.windows();
        let choice = choose(&hall, &wish).filter(|choice| !choice.split);
        prop_assert_eq!(choice.is_some(), !windows.is_empty());
        let Some(choice) = choice else { return Ok(()) };
        let mut chosen = choice.places.clone();
        chosen.sort_unstable_by_key(|place| hall.seats[*place as usize].column);
        prop_assert!(windows.contains(&chosen));
        let cost = everything.cost(&chosen);
        for window in &windows {
            let other = everything.cost(window);
            prop_assert!(cost < other + ROUNDING, "{} and not {:?} of {}", cost, window, other);
            let is_nearer = everything.distance(window) < everything.distance(&chosen) - ROUNDING;
            prop_assert!(!is_nearer || choice.reason != Reason::NearestTogether);
        }
    }

    #[test]
    fn no_seat_is_left_alone_if_none_need_be_within_six_seats_of_the_nearest(
        hall in hall(), wish in wish()
    ) {
        let everything = Everything::new(&hall, wish);
        let windows = everything.windows();
        let Some(choice) = choose(&hall, &wish).filter(|choice| !choice.split) else {
            return Ok(());
        };
        let distance = |window: &Vec<u32>| everything.distance(window);
        let nearest = windows.iter().map(distance).fold(f64::INFINITY, f64::min);
        let near = |window: &&Vec<u32>| distance(window) < nearest + 6.0 - ROUNDING;
        let saves = |window: &Vec<u32>| everything.orphans(window) == 0;
        let can_save = !wish.accessible && windows.iter().filter(near).any(saves);
        prop_assert!(!can_save || choice.orphans == 0);
    }

    #[test]
    fn a_split_is_the_last_resort_and_into_as_few_parts_as_can_be(hall in hall(), wish in wish()) {
        let everything = Everything::new(&hall, wish);
        let choice = choose(&hall, &wish);
        let fewest = everything.fewest_parts();
        let must_split = everything.windows().is_empty() && fewest.is_some() && wish.quantity > 1;
        let split = choice.as_ref().filter(|choice| choice.split);
        prop_assert_eq!(split.is_some(), must_split && !wish.adjacent);
        let Some(split) = split else { return Ok(()) };
        prop_assert_eq!(Some(everything.parts(&split.places)), fewest);
    }

    #[test]
    fn the_same_question_has_the_same_answer(hall in hall(), wish in wish()) {
        prop_assert_eq!(choose(&hall, &wish), choose(&hall.clone(), &wish));
    }
}
