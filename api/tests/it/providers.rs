//! One suite of whole behaviours over the product's HTTP API, run with each payment provider: the simulated
//! one on its socket, and Stripe's adapter over localstripe. Every test looks at both sides' books in the end.
//!
//! What only one of them can be asked for is named at [`suite`] with the reason, and in docs/stripe.md.

mod agreement;
mod behind_our_back;
mod challenges;
mod chargebacks;
mod comes_back;
mod faults;
mod notices;
mod provider;
mod purchases;
mod refunds;
mod shop;
mod wire;

/// Makes a test of each behaviour for each provider, and a list of what is left out.
macro_rules! suite {
    (
        both { $($module:ident::$name:ident,)* }
        simulated, not stripe { $($ours:ident::$simulated:ident: $not_stripe:literal,)* }
        stripe, not simulated { $($theirs:ident::$stripe:ident: $not_simulated:literal,)* }
    ) => {
        mod simulated {
            $(#[tokio::test]
            async fn $name() {
                super::$module::$name::<super::provider::Simulated>().await;
            })*
            $(#[tokio::test]
            async fn $simulated() {
                super::$ours::$simulated::<super::provider::Simulated>().await;
            })*
        }

        mod stripe {
            $(#[tokio::test]
            async fn $name() {
                super::$module::$name::<super::provider::LocalStripe>().await;
            })*
            $(#[tokio::test]
            async fn $stripe() {
                super::$theirs::$stripe::<super::provider::LocalStripe>().await;
            })*
        }

        /// Behaviours that are not tried with a provider, and why.
        const LEFT_OUT: &[(&str, &str, &str)] = &[
            $(("localstripe", stringify!($simulated), $not_stripe),)*
            $(("simulated", stringify!($stripe), $not_simulated),)*
        ];
    };
}

suite! {
    both {
        purchases::a_good_payment_is_captured,
        purchases::who_was_declined_buys_by_another_method,
        purchases::a_free_order_never_meets_the_provider,
        purchases::an_order_given_up_while_its_buyer_is_asked_moves_no_money,
        purchases::an_order_given_up_while_money_is_reserved_lets_it_go,
        challenges::a_challenge_that_is_done_buys,
        challenges::a_challenge_that_failed_declines_and_another_method_buys,
        challenges::a_challenge_is_withdrawn_at_the_holds_end,
        challenges::a_challenge_answered_too_late_to_be_withdrawn_is_let_go,
        refunds::everything_is_given_back_once_for_its_key,
        refunds::tickets_are_given_back_in_parts_whose_sum_is_the_charge,
        refunds::a_cancelled_event_gives_everyone_their_money_back,
        faults::a_spoilt_authorisation_ends_in_one_purchase,
        faults::a_spoilt_capture_ends_in_one_purchase,
        faults::a_spoilt_look_ends_in_one_purchase,
        faults::a_spoilt_void_lets_the_money_go,
        faults::a_spoilt_withdrawal_moves_no_money,
        faults::a_spoilt_refund_gives_back_once,
        faults::a_purchase_that_meets_every_fault_at_every_step_ends_right,
        notices::the_same_notice_three_times_is_one,
        notices::a_notice_may_come_before_the_answer,
        notices::a_notice_brings_what_an_answer_did_not,
        notices::a_notice_of_nobodys_attempt_is_kept_and_asks_nothing,
        notices::a_forged_notice_is_refused_and_asks_nothing,
        notices::the_providers_own_notices_are_taken,
        chargebacks::a_chargeback_marks_its_order_and_voids_its_tickets,
        chargebacks::a_chargeback_of_a_part_leaves_the_tickets,
    }
    simulated, not stripe {
        purchases::a_reservation_that_is_gone_before_the_capture_is_told:
            "it captures what was cancelled",
        faults::a_question_whose_answer_was_lost_is_repeated_as_the_same:
            "it ignores `Idempotency-Key`: a repeated create opens a second intent, without money",
        notices::its_own_notice_alone_brings_a_challenge_to_its_end:
            "it does not tell that money is reserved",
    }
    stripe, not simulated {
        faults::a_spoilt_opening_ends_in_one_purchase:
            "its first question reserves the money",
    }
}

#[test]
fn the_page_of_stripe_names_what_the_suite_leaves_out() {
    let crate_folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = crate_folder.join("../docs/stripe.md");
    let page = std::fs::read_to_string(page).expect("the page");
    let said: Vec<&str> = page
        .lines()
        .filter(|line| line.starts_with("| `a_") || line.starts_with("| `its_"))
        .collect();
    let expected: Vec<String> = LEFT_OUT
        .iter()
        .map(|(provider, behaviour, why)| format!("| `{behaviour}` | {provider} | {why} |"))
        .collect();
    assert_eq!(said, expected);
}
