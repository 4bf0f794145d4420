//! Stripe's noes in our words. Buyers are shown them, and only of a card's error are Stripe's own meant for
//! buyers: other messages speak of our requests and our account, and go to the log.

use taquilla_engine::payment::Failure;

use super::ask::Refusal;
use super::intent::PaymentError;

/// What a bank says of a card that it suspects. Stripe asks to tell its bearer no more than that it was
/// declined (<https://docs.stripe.com/declines/codes>).
const NOT_FOR_THE_BUYER: [&str; 5] =
    ["fraudulent", "lost_card", "merchant_blacklist", "pickup_card", "stolen_card"];

/// The kind of error whose message may be shown to a buyer (<https://docs.stripe.com/api/errors>).
const CARD_ERROR: &str = "card_error";

/// What a buyer is told of every other.
const NOT_POSSIBLE: &str = "The payment could not be made.";

/// Codes and messages are short; what is longer is cut.
const CODE_MAX: usize = 100;
const DETAIL_MAX: usize = 500;

/// What the buyer may be told of a try to charge that failed.
pub(super) fn declined(error: &PaymentError) -> Failure {
    failure(&No {
        kind: error.kind.as_deref(),
        decline_code: error.decline_code.as_deref(),
        code: error.code.as_deref(),
        message: error.message.as_deref(),
    })
}

/// The same of a refusal.
pub(super) fn refused(refusal: &Refusal) -> Failure {
    failure(&No {
        kind: refusal.kind.as_deref(),
        decline_code: refusal.decline_code.as_deref(),
        code: refusal.code.as_deref(),
        message: refusal.message.as_deref(),
    })
}

/// What both have.
#[derive(Default)]
struct No<'a> {
    kind: Option<&'a str>,
    decline_code: Option<&'a str>,
    code: Option<&'a str>,
    message: Option<&'a str>,
}

fn failure(no: &No<'_>) -> Failure {
    let code = no.decline_code.or(no.code).unwrap_or("refused");
    if NOT_FOR_THE_BUYER.contains(&code) {
        return Failure::new("generic_decline", "The card was declined.");
    }
    let detail = match no.message {
        Some(message) if no.kind == Some(CARD_ERROR) => message,
        Some(message) => {
            let kind = no.kind.unwrap_or("none");
            tracing::warn!(kind, code, message, "Stripe refuses, not because of the card");
            NOT_POSSIBLE
        }
        None => NOT_POSSIBLE,
    };
    Failure::new(cut(code, CODE_MAX), cut(detail, DETAIL_MAX))
}

fn cut(text: &str, max: usize) -> &str {
    &text[..text.floor_char_boundary(max)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_card(decline_code: Option<&str>, code: &str, message: &str) -> Failure {
        let (kind, code, message) = (Some(CARD_ERROR), Some(code), Some(message));
        failure(&No { kind, decline_code, code, message })
    }

    #[test]
    fn the_banks_own_reason_comes_first_unless_it_is_a_suspicion() {
        let said = of_card(Some("insufficient_funds"), "card_declined", "Too little.");
        assert_eq!(said, Failure::new("insufficient_funds", "Too little."));
        let said = of_card(None, "expired_card", "It has expired.");
        assert_eq!(said, Failure::new("expired_card", "It has expired."));
        let said = of_card(Some("stolen_card"), "card_declined", "Stolen!");
        assert_eq!(said, Failure::new("generic_decline", "The card was declined."));
        assert_eq!(failure(&No::default()).code, "refused");
    }

    #[test]
    fn a_buyer_reads_only_what_is_said_of_his_card() {
        let message = Some("No such customer: 'cus_1'; a similar object exists in live mode.");
        for kind in ["api_error", "invalid_request_error", "authentication_error", "unheard"] {
            let no =
                No { kind: Some(kind), code: Some("resource_missing"), message, ..No::default() };
            assert_eq!(failure(&no), Failure::new("resource_missing", NOT_POSSIBLE), "{kind}");
        }
        assert_eq!(
            failure(&No { message, ..No::default() }),
            Failure::new("refused", NOT_POSSIBLE)
        );
        let without = No { kind: Some(CARD_ERROR), ..No::default() };
        assert_eq!(failure(&without), Failure::new("refused", NOT_POSSIBLE));
    }

    #[test]
    fn what_is_too_long_is_cut_between_two_characters() {
        let said = of_card(None, &"x".repeat(1_000), &"ñ".repeat(1_000));
        assert_eq!((said.code.len(), said.detail.len()), (CODE_MAX, DETAIL_MAX));
        let said = of_card(None, "x", &format!("x{}", "ñ".repeat(1_000)));
        assert_eq!(said.detail.len(), DETAIL_MAX - 1);
    }
}
