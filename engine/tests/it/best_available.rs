//! Which seats somebody gets who leaves it to us. Pictures show rows as one sees them from above, the
//! stage before the first; [`hall`] has their syntax. [`properties`] holds in any hall.

mod everything;
mod geometry;
mod hall;
mod properties;

use taquilla_engine::seating::ChoiceWish;

use hall::Hall;

/// Asks for what the first line says, and compares what the rows look like then and the reason, with
/// the number of single seats that are left unless there are none.
///
/// ```text
/// 3 adjacent            how many; then any of: adjacent, accessible, tier N
/// A .....  -> ooo..     a row before and after
/// avoids-single-seats   or: none; or: split-no-run-free, 1 orphan
/// ```
fn check(script: &str) {
    let lines: Vec<&str> = script.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let [wish, rows @ .., reason] = &lines[..] else { panic!("no wish and reason in {script}") };
    let (before, after): (Vec<&str>, Vec<&str>) =
        rows.iter().map(|row| row.split_once(" -> ").unwrap()).unzip();
    let hall = Hall::drawn(&before);
    let choice = hall.seating().choose(&wish_of(wish), |place| hall.is_taken(place));
    let told = choice.as_ref().map_or("none".to_owned(), |choice| match choice.orphans {
        0 => choice.reason.code().to_owned(),
        1 => format!("{}, 1 orphan", choice.reason.code()),
        orphans => format!("{}, {orphans} orphans", choice.reason.code()),
    });
    let chosen = choice.map(|choice| choice.places).unwrap_or_default();
    let seen = hall.picture(&chosen);
    let wanted: Vec<&str> = after.iter().map(|row| row.trim()).collect();
    assert_eq!((seen.join("\n"), told), (wanted.join("\n"), (*reason).to_owned()), "{script}");
}

fn wish_of(text: &str) -> ChoiceWish {
    let (quantity, kind) = text.split_once(' ').unwrap_or((text, ""));
    let tier = kind.split_once("tier ").map(|(_, tier)| tier.parse().unwrap());
    let (adjacent, accessible) = (kind.contains("adjacent"), kind.contains("accessible"));
    ChoiceWish { quantity: quantity.parse().unwrap(), tier, adjacent, accessible }
}

#[test]
fn the_nearest_seats_together_are_the_middle_of_the_first_row() {
    check(
        "4 adjacent
         A .......... -> ...oooo...
         B .......... -> ..........
         nearest-together",
    );
}

#[test]
fn one_seat_is_the_nearest_that_leaves_none_alone() {
    check(
        "1 adjacent
         A ##..#.### -> ##..#o###
         nearest",
    );
    check(
        "1 adjacent
         A ##.#..### -> ##o#..###
         avoids-single-seats",
    );
}

#[test]
fn three_of_five_are_taken_from_one_end() {
    check(
        "3 adjacent
         A ..... -> ooo..
         avoids-single-seats",
    );
    check(
        "3 adjacent
         A ##.....## -> ##ooo..##
         avoids-single-seats",
    );
}

#[test]
fn a_row_that_is_filled_is_better_than_a_nearer_one_of_which_one_is_left() {
    check(
        "2 adjacent
         A ...# -> ...#
         B #..# -> #oo#
         avoids-single-seats",
    );
}

#[test]
fn nobody_sits_more_than_six_seats_farther_off_to_save_a_single_one() {
    check(
        "2 adjacent
         A #...# -> #...#
         B ##### -> #####
         C ##### -> #####
         D ##### -> #####
         E ##### -> #####
         F #..## -> #oo##
         avoids-single-seats",
    );
    check(
        "2 adjacent
         A #...# -> #oo.#
         B ##### -> #####
         C ##### -> #####
         D ##### -> #####
         E ##### -> #####
         F ##### -> #####
         G #..## -> #..##
         nearest-together, 1 orphan",
    );
}

#[test]
fn a_gangway_parts_a_row_and_leaves_singles_too() {
    check(
        "3 adjacent
         A .. .... .. -> .. ooo. ..
         B .. ..   .. -> .. ..   ..
         nearest-together, 1 orphan",
    );
    check(
        "5 adjacent
         A .... .... -> .... ....
         none",
    );
}

#[test]
fn accessible_seats_are_for_those_who_ask() {
    check(
        "2 adjacent
         A .aa. -> .aa.
         B #..# -> #oo#
         nearest-together",
    );
    check(
        "2
         A .aa. -> oaao
         split-no-run-free",
    );
    check(
        "1 adjacent
         A aa -> aa
         none",
    );
}

#[test]
fn who_asks_gets_an_accessible_seat_with_others_beside_it_and_no_spare_one() {
    check(
        "3 adjacent accessible
         A ......... -> .........
         B ..a...aa. -> ..ooo.aa.
         accessible",
    );
    check(
        "2 adjacent accessible
         A ...aa... -> ..ooa...
         accessible",
    );
    check(
        "1 adjacent accessible
         A .....   -> .....
         B ....a   -> ....o
         accessible",
    );
    check(
        "2 adjacent accessible
         A #a#..   -> #a#..
         none",
    );
    check(
        "2 accessible
         A #a#..   -> #o#o.
         split-no-run-free, 1 orphan",
    );
}

#[test]
fn only_seats_of_the_tier_that_was_named() {
    check(
        "2 adjacent tier 1
         A 0000 -> 0000
         B 0110 -> 0oo0
         nearest-together, 2 orphans",
    );
    check(
        "1 adjacent tier 2
         A 0011 -> 0011
         none",
    );
}

#[test]
fn a_party_is_split_only_if_it_may_be_and_must() {
    check(
        "4 adjacent
         A ..#.. -> ..#..
         none",
    );
    check(
        "4
         A ..#..  -> ..#..
         B .....  -> oooo.
         nearest-together, 1 orphan",
    );
    check(
        "4
         A ..#.. -> oo#oo
         split-no-run-free",
    );
    check(
        "4
         A ..#. -> ..#.
         none",
    );
}

#[test]
fn a_party_is_split_into_as_few_parts_as_can_be() {
    check(
        "4
         A .#.#.#. -> .#.#.#.
         B ####### -> #######
         C ####### -> #######
         D ####### -> #######
         E ..####. -> oo####.
         F ###..## -> ###oo##
         split-no-run-free",
    );
}

#[test]
fn the_parts_lie_in_one_row_or_one_behind_the_other() {
    check(
        "4
         A ..######.. -> ..######..
         B ..#..##### -> oo#oo#####
         split-no-run-free",
    );
    check(
        "4
         A ..######.. -> oo######..
         B ..######## -> oo########
         split-no-run-free",
    );
}

#[test]
fn a_party_that_must_be_split_is_close_rather_than_in_front() {
    check(
        "2
         A .#######. -> .#######.
         B ######### -> #########
         C ###.#.### -> ###o#o###
         split-no-run-free",
    );
}

#[test]
fn the_closest_part_is_not_the_best_if_it_leaves_a_single_seat() {
    check(
        "3
         A ..#..# -> oo#..#
         B .##### -> o#####
         split-no-run-free",
    );
}

#[test]
fn a_split_party_keeps_the_accessible_seat_and_those_beside_it() {
    check(
        "4 accessible
         A #a..#...# -> #ooo#o..#
         split-no-run-free",
    );
}

#[test]
fn a_part_that_is_longer_than_needed_gives_up_an_end_and_leaves_nobody_alone() {
    check(
        "5
         A ###....#### -> ###..oo####
         B ###...##### -> ###ooo#####
         split-no-run-free",
    );
}

#[test]
fn a_party_of_none_or_of_more_than_there_are_gets_nothing() {
    check(
        "0
         A ... -> ...
         none",
    );
    check(
        "4294967295
         A ... -> ...
         none",
    );
}
