//! Money that was given back: how much, and why.

use iso_currency::Currency as IsoCurrency;
use lettre::Message;
use lettre::message::{MessageBuilder, SinglePart};
use taquilla_engine::money::Money;

use crate::tickets::Paper;

pub(super) fn write(
    message: MessageBuilder,
    paper: &Paper,
    money: Money,
    why: &str,
) -> Result<Message, lettre::error::Error> {
    let subject = format!("Your money back: {}", paper.event);
    message.subject(subject).singlepart(SinglePart::plain(words(paper, money, why)))
}

fn words(paper: &Paper, money: Money, why: &str) -> String {
    let Paper { event, starts, venue, order, total, .. } = paper;
    let left = match *total {
        0 => "No ticket of this order lets anybody in any more.".to_owned(),
        1 => "One ticket of this order is still yours.".to_owned(),
        many => format!("{many} tickets of this order are still yours."),
    };
    let amount = in_words(money);
    // Lines that mail carries as they are.
    format!(
        "{event}\n{starts}\n{venue}\n\n{why}\n{amount} went back to you, the way you paid.\n\
         It may take your bank some days to show it.\n{left}\n\nOrder {order}\n"
    )
}

/// As people write money: with the currency's decimals, two where no list has it.
fn in_words(money: Money) -> String {
    let Money { amount, currency } = money;
    let decimals = IsoCurrency::from_code(currency.as_str()).and_then(|it| it.exponent());
    let decimals = usize::from(decimals.unwrap_or(2));
    let digits = format!("{amount:0>width$}", width = decimals + 1);
    let (whole, rest) = digits.split_at(digits.len() - decimals);
    let point = if decimals == 0 { "" } else { "." };
    format!("{whole}{point}{rest} {currency}")
}

#[cfg(test)]
mod tests {
    use taquilla_engine::money::Currency;

    use super::*;

    #[test]
    fn money_has_the_decimals_of_its_currency() {
        let words = |amount, code| {
            in_words(Money { amount, currency: Currency::parse(code).expect("a currency") })
        };
        assert_eq!(words(12_500, "EUR"), "125.00 EUR");
        assert_eq!(words(5, "EUR"), "0.05 EUR");
        assert_eq!(words(12_500, "JPY"), "12500 JPY");
        assert_eq!(words(12_500, "KWD"), "12.500 KWD");
    }
}
