//! How the rate of admission moves: down at once, up slowly, and never because nobody could be served.

use std::time::Duration;

use taquilla_engine::waiting_room::rate::{
    AdmissionRate, Decided, LimitedBy, RateBounds, SaleSignals, Signals,
};

const BOUNDS: RateBounds = RateBounds {
    ceiling: 1_000.0,
    floor: 0.0,
    start: 100.0,
    active_max: 10_000,
    payments_max: 1_000,
    open_holds_max: 20_000,
    commit_max: Duration::from_millis(100),
    wait_max: Duration::from_millis(250),
};

/// What a sale measures that has no trouble.
const GOOD: SaleSignals = SaleSignals {
    may_go_on: true,
    holds: 0.0,
    lane_busy: 0.0,
    commit: Duration::from_millis(5),
    wait: Duration::from_millis(5),
    turned_away: 0,
    answered: 500,
    open_holds: 0,
    payments: 0,
    payment: Duration::ZERO,
    provider_asked: 100,
    provider_failed: 0,
    stock: 60_000,
};

/// A second in which all went well, and nothing says how much more would.
fn well(let_in: u32) -> Signals {
    Signals { sale: GOOD, paused: false, active: 0, coming: 0, somebody_waits: true, let_in }
}

/// The rate after so many seconds in each of which all that were allowed came in.
fn after(rate: &mut AdmissionRate, seconds: u32, change: impl Fn(&mut Signals)) -> Decided {
    let mut decided = rate.decide(&well(0));
    for _ in 0..seconds {
        let mut signals = well(decided.rate.ceil() as u32);
        change(&mut signals);
        decided = rate.decide(&signals);
    }
    decided
}

#[test]
fn it_grows_by_a_tenth_a_second_up_to_the_ceiling_while_it_is_used() {
    let mut rate = AdmissionRate::new(BOUNDS);
    let first = after(&mut rate, 1, |_| {});
    assert!((first.rate - 110.0).abs() < 0.01, "{first:?}");
    assert_eq!(first.limited_by, LimitedBy::Growth);
    let last = after(&mut rate, 60, |_| {});
    assert_eq!(last, Decided { rate: 1_000.0, limited_by: LimitedBy::Ceiling });
}

#[test]
fn a_stall_is_not_taken_for_capacity() {
    let mut rate = AdmissionRate::new(BOUNDS);
    // Nobody was let in, or nobody waited: whatever the reason, it proves nothing.
    for signals in [well(0), Signals { somebody_waits: false, ..well(100) }] {
        for _ in 0..100 {
            assert!(rate.decide(&signals).rate <= 100.0);
        }
    }
}

#[test]
fn each_trouble_halves_it_at_once() {
    let troubles = [
        (
            Signals {
                sale: SaleSignals { commit: Duration::from_millis(101), ..GOOD },
                ..well(100)
            },
            LimitedBy::CommitLatency,
        ),
        (
            Signals { sale: SaleSignals { wait: Duration::from_millis(251), ..GOOD }, ..well(100) },
            LimitedBy::DecisionLatency,
        ),
        (
            Signals { sale: SaleSignals { turned_away: 6, ..GOOD }, ..well(100) },
            LimitedBy::TurnedAway,
        ),
        (
            Signals { sale: SaleSignals { payments: 1_000, ..GOOD }, ..well(100) },
            LimitedBy::Payments,
        ),
        (
            Signals { sale: SaleSignals { provider_failed: 21, ..GOOD }, ..well(100) },
            LimitedBy::ProviderErrors,
        ),
    ];
    for (signals, limited_by) in troubles {
        let mut rate = AdmissionRate::new(BOUNDS);
        assert_eq!(rate.decide(&signals), Decided { rate: 50.0, limited_by });
        assert_eq!(rate.decide(&signals), Decided { rate: 25.0, limited_by });
    }
}

/// Whoever sends nonsense, or is unlucky, does not slow all others down.
#[test]
fn a_few_failures_among_many_answers_are_no_trouble() {
    let few = [
        SaleSignals { turned_away: 5, ..GOOD },
        SaleSignals { turned_away: 4, answered: 4, ..GOOD },
        SaleSignals { provider_failed: 20, ..GOOD },
        SaleSignals { provider_failed: 4, provider_asked: 4, ..GOOD },
    ];
    for sale in few {
        let mut rate = AdmissionRate::new(BOUNDS);
        assert_eq!(rate.decide(&Signals { sale, ..well(0) }).rate, 100.0, "{sale:?}");
    }
}

#[test]
fn it_follows_three_quarters_of_what_the_lane_and_the_provider_bear() {
    let mut rate = AdmissionRate::new(BOUNDS);
    // 60 commands a second in a tenth of the time are 600 a second at the most, and a hold brings another one.
    let busy = |it: &mut Signals| {
        (it.sale.holds, it.sale.answered, it.sale.lane_busy) = (30.0, 60, 0.1);
        it.sale.commit = Duration::from_millis(60);
    };
    let decided = after(&mut rate, 600, busy);
    assert_eq!(decided.limited_by, LimitedBy::Holds);
    assert!((decided.rate - 225.0).abs() < 1.0, "{decided:?}");
    // Quick commits say only that the lane bears more.
    let quick = |it: &mut Signals| {
        busy(it);
        it.sale.commit = Duration::from_millis(40);
    };
    assert_eq!(after(&mut rate, 60, quick).limited_by, LimitedBy::Ceiling);
    // A thousand payments of ten seconds: a hundred a second.
    let decided = after(&mut rate, 60, |it| it.sale.payment = Duration::from_secs(10));
    assert_eq!(decided, Decided { rate: 75.0, limited_by: LimitedBy::Payments });
}

#[test]
fn the_database_at_a_fifth_for_a_while_brings_it_down_and_it_comes_back() {
    let mut rate = AdmissionRate::new(BOUNDS);
    let borne = |holds: u32| {
        move |it: &mut Signals| {
            (it.sale.holds, it.sale.answered, it.sale.lane_busy) = (holds.into(), holds, 0.5);
            it.sale.commit = Duration::from_millis(60);
        }
    };
    let before = after(&mut rate, 600, borne(200)).rate;
    let during = after(&mut rate, 5, borne(40)).rate;
    assert!((before - 300.0).abs() < 1.0 && (during - 60.0).abs() < 6.0, "{before} {during}");
    let back = after(&mut rate, 20, borne(200)).rate;
    assert!((back - 300.0).abs() < 30.0, "{back}");
}

/// Those who came before pay while fewer come: what they need of the lane is not what a hold needs.
#[test]
fn a_rate_that_falls_does_not_make_itself_fall_further() {
    let mut rate = AdmissionRate::new(BOUNDS);
    let busy = |holds: u32, answered: u32| {
        move |it: &mut Signals| {
            (it.sale.holds, it.sale.answered, it.sale.lane_busy) = (holds.into(), answered, 1.0);
            it.sale.commit = Duration::from_millis(60);
        }
    };
    let before = after(&mut rate, 600, busy(100, 400)).rate;
    assert!((before - 75.0).abs() < 1.0, "{before}");
    let fewer = after(&mut rate, 5, busy(10, 400)).rate;
    assert!(fewer > before * 0.8, "{fewer} of {before}");
}

#[test]
fn nobody_is_let_in_while_nothing_is_sold_and_what_follows_proves_itself_again() {
    let mut rate = AdmissionRate::new(BOUNDS);
    let stopped = Signals { sale: SaleSignals { may_go_on: false, ..GOOD }, ..well(100) };
    assert_eq!(rate.decide(&stopped), Decided { rate: 0.0, limited_by: LimitedBy::Stopped });
    assert_eq!(rate.decide(&stopped).rate, 0.0);
    assert!((rate.decide(&well(0)).rate - 25.0).abs() < 0.01);
    let sold_out = Signals { sale: SaleSignals { stock: 0, ..GOOD }, ..well(100) };
    assert_eq!(rate.decide(&sold_out), Decided { rate: 0.0, limited_by: LimitedBy::Stock });
    // Those who have just been let in will take what is left.
    let last = |coming| Signals {
        sale: SaleSignals { stock: 40, ..GOOD },
        active: 100,
        coming,
        ..well(100)
    };
    assert_eq!(rate.decide(&last(40)).limited_by, LimitedBy::Stock);
    assert_eq!(rate.decide(&last(37)), Decided { rate: 3.0, limited_by: LimitedBy::Stock });
}

#[test]
fn no_more_are_inside_than_may_be() {
    let mut rate = AdmissionRate::new(BOUNDS);
    let nearly_full = Signals { active: 9_993, ..well(100) };
    assert_eq!(rate.decide(&nearly_full), Decided { rate: 7.0, limited_by: LimitedBy::Active });
    let full = Signals { active: 10_001, ..well(100) };
    assert_eq!(rate.decide(&full).rate, 0.0);
    assert!(rate.decide(&well(0)).rate >= 100.0, "it did not forget");
    let holds = Signals { sale: SaleSignals { open_holds: 19_995, ..GOOD }, ..well(100) };
    assert_eq!(rate.decide(&holds), Decided { rate: 5.0, limited_by: LimitedBy::OpenHolds });
}

#[test]
fn an_operator_stops_the_line_and_what_he_stopped_goes_on_where_it_was() {
    let mut rate = AdmissionRate::new(BOUNDS);
    let paused = Signals { paused: true, ..well(100) };
    assert_eq!(rate.decide(&paused), Decided { rate: 0.0, limited_by: LimitedBy::Paused });
    assert!(rate.decide(&well(0)).rate >= 100.0);
    rate.set_bounds(RateBounds { ceiling: 3.0, ..BOUNDS });
    for signals in [well(100), well(0), Signals { somebody_waits: false, ..well(0) }] {
        assert_eq!(rate.decide(&signals), Decided { rate: 3.0, limited_by: LimitedBy::Ceiling });
    }
    rate.set_bounds(BOUNDS);
    assert!(rate.decide(&well(0)).rate >= 100.0, "a ceiling that is lifted has taken nothing");
}

#[test]
fn trouble_does_not_go_below_the_floor() {
    let mut rate = AdmissionRate::new(RateBounds { floor: 1.0, ..BOUNDS });
    let trouble = Signals { sale: SaleSignals { turned_away: 9, answered: 9, ..GOOD }, ..well(0) };
    let last = (0..50).map(|_| rate.decide(&trouble)).last().expect("fifty");
    assert_eq!(last, Decided { rate: 1.0, limited_by: LimitedBy::TurnedAway });
}
