//! splitmix64, by Sebastiano Vigna (public domain): a seed gives the same numbers on any machine, whatever
//! becomes of `rand`.

/// What is added for each number.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// Moves the state on, and gives its number.
pub(crate) fn next(state: &mut u64) -> u64 {
    let word = mix(*state);
    *state = state.wrapping_add(STEP);
    word
}

/// The number after this state.
pub(crate) fn mix(state: u64) -> u64 {
    let word = state.wrapping_add(STEP);
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

#[cfg(test)]
mod tests {
    #[test]
    fn its_numbers_are_those_of_the_reference() {
        let mut state = 1_234_567;
        let numbers = [(); 3].map(|()| super::next(&mut state));
        let reference =
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423];
        assert_eq!(numbers, reference);
    }
}
