//! Stripe's noes in our words.

use taquilla_engine::payment::Failure;

use super::ask::Refusal;
use super::intent::PaymentError;

/// What a bank says of a card that it suspects. Stripe asks to tell its bearer no more than that it was
/// declined (<https://docs.stripe.com/declines/codes>).
const NOT_FOR_THE_BUYER: [&str; 5] =
    ["fraudulent", "lost_card", "merchant_blacklist", "pickup_card", "stolen_card"];

/// Codes and messages are short; what is longer is cut.
const CODE_MAX: usize = 100;
const DETAIL_MAX: usize = 500;

/// What the buyer may be told of a try to charge that failed.
pub(super) fn declined(error: &PaymentError) -> Failure {
    failure(error.decline_code.as_deref(), error.code.as_deref(), error.message.as_deref())
}

/// The same of a refusal.
pub(super) fn refused(refusal: &Refusal) -> Failure {
    failure(refusal.decline_code.as_deref(), refusal.code.as_deref(), refusal.message.as_deref())
}

fn failure(decline_code: Option<&str>, code: Option<&str>, message: Option<&str>) -> Failure {
    let code = decline_code.or(code).unwrap_or("refused");
    if NOT_FOR_THE_BUYER.contains(&code) {
        return Failure::new("generic_decline", "The card was declined.");
    }
    let detail = message.unwrap_or("the payment was refused");
    Failure::new(cut(code, CODE_MAX), cut(detail, DETAIL_MAX))
}

fn cut(text: &str, max: usize) -> &str {
    &text[..text.floor_char_boundary(max)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_banks_own_reason_comes_first_unless_it_is_a_suspicion() {
        let said = failure(Some("insufficient_funds"), Some("card_declined"), Some("Too little."));
        assert_eq!(said, Failure::new("insufficient_funds", "Too little."));
        let said = failure(None, Some("expired_card"), Some("It has expired."));
        assert_eq!(said, Failure::new("expired_card", "It has expired."));
        let said = failure(Some("stolen_card"), Some("card_declined"), Some("Stolen!"));
        assert_eq!(said, Failure::new("generic_decline", "The card was declined."));
        assert_eq!(failure(None, None, None).code, "refused");
    }

    #[test]
    fn what_is_too_long_is_cut_between_two_characters() {
        let said = failure(Some(&"x".repeat(1_000)), None, Some(&"ñ".repeat(1_000)));
        assert_eq!((said.code.len(), said.detail.len()), (CODE_MAX, DETAIL_MAX));
        let said = failure(None, None, Some(&format!("x{}", "ñ".repeat(1_000))));
        assert_eq!(said.detail.len(), DETAIL_MAX - 1);
    }
}
