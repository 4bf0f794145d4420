//! Orders: made once a hold, confirmed once.

use super::seats::{Holder, Span};
use super::state::{Fate, Hold, Order, Receipt};
use super::switch::Switch;
use super::{
    Difference, HoldName, HoldState, Instant, Oracle, Question, Refusal, Reply, SaleState, Told,
    differ, expect,
};

impl Oracle {
    pub(super) fn hear_order(
        &mut self,
        question: &Question,
        reply: &Reply,
        (key, body): (u32, u64),
        name: HoldName,
    ) -> Result<(), Difference> {
        let Some(hold) = self.state.hold_of(question.buyer, name) else {
            return expect(Told::Refused(Refusal::NotFound), false, reply);
        };
        let of_key = (question.buyer, key);
        if let Some(receipt) = self.state.receipts.get(&of_key) {
            if receipt.body != body {
                return expect(Told::Refused(Refusal::KeyReused), false, reply);
            }
            let told = match receipt.result {
                Ok((name, created)) => self.order_told(name, created, reply),
                Err(status) => Told::Refused(Refusal::HoldNotActive(status)),
            };
            return expect(told, true, reply);
        }
        // A free order is sold by its section, so its answer may come when the hold would be over.
        let made_at = match &reply.told {
            Told::Order(shown) => shown.created_at,
            Told::Hold(_)
            | Told::Holds(_)
            | Told::Released
            | Told::Verdict(_)
            | Told::Refunded(_)
            | Told::Operated(_)
            | Told::Refused(_) => reply.as_of,
        };
        let result = if hold.order.is_some() {
            Ok((name, false))
        } else if made_at < question.at || made_at > reply.as_of {
            return differ("an order made between question and answer", reply);
        } else if let Some(refusal) = self.refuses_orders(question, reply, hold, made_at) {
            return expect(Told::Refused(refusal), false, reply);
        } else {
            match hold.status(made_at) {
                HoldState::Active => Ok((name, true)),
                ended => Err(ended),
            }
        };
        if result == Ok((name, true)) {
            self.make_order(name, made_at, reply);
        }
        self.state.receipts.insert(of_key, Receipt { body, result });
        let told = match result {
            Ok((name, created)) => self.order_told(name, created, reply),
            Err(status) => Told::Refused(Refusal::HoldNotActive(status)),
        };
        expect(told, false, reply)
    }

    /// No order is made while a pause lasts. One for nothing that its section found over may have been
    /// begun before.
    fn refuses_orders(
        &self,
        question: &Question,
        reply: &Reply,
        hold: &Hold,
        at: Instant,
    ) -> Option<Refusal> {
        let span = Span { from: question.at, to: at };
        let is_over = matches!(reply.told, Told::Refused(Refusal::HoldNotActive(_)));
        let is_made = matches!(reply.told, Told::Order(_));
        let was_begun_before = is_over && (hold.bill.total == 0 || self.is_late);
        let refuses = |pause: &Switch| {
            let let_go =
                (was_begun_before && pause.was_off(span)) || (is_made && pause.is_turned(at));
            pause.is_on(at) && !let_go
        };
        if refuses(&self.site_paused) {
            return Some(Refusal::PurchasesPaused);
        }
        let (opens_at, state) = (self.hall.terms.opens_at, SaleState::Paused);
        refuses(&self.sale_paused).then_some(Refusal::SaleNotOpen { opens_at, state })
    }

    fn make_order(&mut self, name: HoldName, created_at: Instant, reply: &Reply) {
        let Some(hold) = self.state.holds.get_mut(&name) else { unreachable!("just seen") };
        let total = hold.bill.total;
        hold.order = Some(Order { total, created_at, verdicts: Vec::new() });
        if total == 0 {
            self.rows.touch(hold);
            self.state.end(name, Fate::Sold, reply.as_of);
        }
    }

    fn order_told(&self, name: HoldName, created: bool, reply: &Reply) -> Told {
        let shown = self.state.holds[&name].order_shown(created, reply.as_of);
        Told::Order(Box::new(shown.expect("the hold has an order")))
    }

    /// The first word on an attempt stays. A hold that lived when it was asked for may be sold, one that
    /// was over when the answer came may not.
    pub(super) fn hear_verdict(
        &mut self,
        question: &Question,
        reply: &Reply,
        name: HoldName,
        attempt: u32,
    ) -> Result<(), Difference> {
        let hold = self.state.holds.get_mut(&name);
        let Some((hold, order)) = hold.and_then(|hold| {
            let order = hold.order.clone()?;
            Some((hold, order))
        }) else {
            return expect(Told::Verdict(false), false, reply);
        };
        if let Some((_, said)) = order.verdicts.iter().find(|(decided, _)| *decided == attempt) {
            return expect(Told::Verdict(*said), false, reply);
        }
        let lived = hold.fate == Fate::Living && question.at < hold.expires_at;
        let lives = hold.fate == Fate::Living && reply.as_of < hold.expires_at;
        let confirmed = match reply.told {
            Told::Verdict(confirmed) if lived && !lives => confirmed,
            Told::Verdict(_)
            | Told::Hold(_)
            | Told::Holds(_)
            | Told::Released
            | Told::Order(_)
            | Told::Refunded(_)
            | Told::Operated(_)
            | Told::Refused(_) => lives,
        };
        expect(Told::Verdict(confirmed), false, reply)?;
        if let Some(order) = &mut hold.order {
            order.verdicts.push((attempt, confirmed));
        }
        if confirmed {
            let has = |seat: &u32| self.state.tenures.holder(*seat) == Some(Holder::Hold(name));
            if !hold.claim.seats.iter().all(has) {
                return differ("nothing sold that somebody else has", reply);
            }
            self.rows.touch(hold);
            self.state.end(name, Fate::Sold, reply.as_of);
        }
        Ok(())
    }
}
