//! A text script of a sale: what is for sale, then one line a command with the answer it must get.
//!
//! ```text
//! section A seats 4 price 1000
//! sale hold 120s limit 2 fee 50000 30
//!   0s ann place A1 A2      -> hold h1 until 120s total 2160 fees 160
//!   1s bob place A2         -> refused seats-unavailable A2
//! ```
//! A line `churn free 2 max 4 decay 60s` bounds the holds that one buyer may drop.
//! A fee has ten-thousandths of a percent and a fixed part; holds tell their fees where there are any.
//! Holds are named in the order in which they are granted; `order`, `confirm`, `release`, `cancel`
//! and `read` name one. `place` takes labels, general sections with a number, and `fewer`; `give-back
//! h1 A1` gives a part back; `best 2`, perhaps with `in A`, `tier A`, `adjacent` and `fewer`, leaves the
//! choice to the house. A trailing `key K` sets the idempotency key, `not-admitted` takes the admission
//! away, `admitted-until T` ends it then, `admitted-from T` begins it then, `restart` makes a new owner from the rows, `tick` lets it sweep. What comes back after it was
//! sold is in `returns`, what operators do in
//! `operations`.

mod operations;
mod returns;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use taquilla_engine::answer::{Answer, Outcome, Unanswered};
use taquilla_engine::command::{BestWish, Command, Wish};
use taquilla_engine::event::{ChurnBudget, Limits, Terms};
use taquilla_engine::hold::{Claim, Extension, Hold};
use taquilla_engine::id::{AttemptId, HoldId, OrderId, SeatIndex, SectionIndex};
use taquilla_engine::moment::Moment;
use taquilla_engine::operation::Operated;
use taquilla_engine::order::{OrderStatus, Verdict};
use taquilla_engine::plan::{Plan, SeatPlan, SectionKind, SectionPlan, Tier};
use taquilla_engine::pricing::Fee;
use taquilla_engine::refusal::Refusal;
use taquilla_engine::waiting_room::admission::Admission;

use crate::desk::{Desk, EVENT, buyer, keyed, terms_of};

/// Runs the script and compares each answer with what stands behind its arrow.
pub(crate) fn check(script: &str) {
    let lines: Vec<&str> = script.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let (mut header, commands): (Vec<&str>, Vec<&str>) =
        lines.into_iter().partition(|line| !line.contains("->") && !line.ends_with("restart"));
    let mut limits = Limits::default();
    header.retain(|line| {
        limits.hold_churn = limits.hold_churn.or(churn_from(line));
        !line.starts_with("churn")
    });
    let mut stage = Stage::new(terms_from(&header), limits);
    for line in commands {
        if let Some(at) = line.strip_suffix("restart") {
            stage.restart(moment(at.trim()));
            continue;
        }
        let (command, expected) = line.split_once("->").unwrap();
        let answer = stage.run(command);
        assert_eq!(answer, expected.trim(), "in line: {line}");
    }
}

struct Stage {
    desk: Desk,
    limits: Limits,
    terms: Terms,
    names: HashMap<HoldId, String>,
    holds: HashMap<String, HoldId>,
    lines: usize,
}

impl Stage {
    fn new(terms: Terms, limits: Limits) -> Self {
        let journal = Arc::default();
        let desk = Desk::rebuild_within(limits, terms.clone(), journal, Moment(0));
        Self { desk, limits, terms, names: HashMap::new(), holds: HashMap::new(), lines: 0 }
    }

    fn restart(&mut self, now: Moment) {
        let journal = Arc::clone(&self.desk.journal);
        self.desk = Desk::rebuild_within(self.limits, self.terms.clone(), journal, now);
    }

    fn run(&mut self, line: &str) -> String {
        self.lines += 1;
        let words: Vec<&str> = line.split_whitespace().collect();
        let (at, who, verb, rest) = (words[0], words[1], words[2], &words[3..]);
        self.desk.now = moment(at);
        let admission = admission(rest);
        let key_at = rest.iter().position(|word| *word == "key");
        let own_key = format!("line {}", self.lines);
        let key = key_at.map_or(own_key.as_str(), |place| rest[place + 1]);
        let rest: Vec<&str> = rest[..key_at.unwrap_or(rest.len())]
            .iter()
            .copied()
            .take_while(|word| !["not-admitted", "admitted-until", "admitted-from"].contains(word))
            .collect();
        let keyed = keyed(key, &format!("{verb} {rest:?}"));
        let buyer = buyer(who);
        let hold = |name: &str| {
            let unknown = HoldId::derive(EVENT, &buyer, "no such key");
            self.holds.get(name).copied().unwrap_or(unknown)
        };
        let command = match verb {
            "place" => {
                let wish = self.wish(&rest);
                Command::PlaceHold { buyer, keyed, wish, admission }
            }
            "best" => {
                let after = |word| rest.iter().position(|it| *it == word).map(|at| rest[at + 1]);
                let plan = &self.terms.plan;
                let wish = BestWish {
                    quantity: rest[0].parse().unwrap(),
                    section: after("in").map(|name| plan.section_of(name).unwrap()),
                    tier: after("tier").map(|name| plan.tier_of(name).unwrap()),
                    adjacent: rest.contains(&"adjacent"),
                    accessible: false,
                };
                let wish = Wish::Best { wish, accept_fewer: rest.contains(&"fewer") };
                Command::PlaceHold { buyer, keyed, wish, admission }
            }
            "give-back" => {
                Command::GiveBack { hold: hold(rest[0]), part: self.claim(&rest[1..]), buyer }
            }
            "release" => Command::ReleaseHold { hold: hold(rest[0]), buyer },
            "order" => Command::PlaceOrder { hold: hold(rest[0]), buyer, keyed, admission },
            "cancel" => Command::CancelOrder { order: OrderId::of(hold(rest[0])), buyer },
            "confirm" => Command::ConfirmOrder {
                order: OrderId::of(hold(rest[0])),
                attempt: AttemptId::derive(EVENT, &buyer, rest[1]),
            },
            "extend" => Command::ExtendHold {
                order: OrderId::of(hold(rest[0])),
                attempt: AttemptId::derive(EVENT, &buyer, "pay"),
            },
            "return" => self.ticket_return(who, rest[0], &rest[1..], key),
            "read" => Command::ReadHold { hold: hold(rest[0]), buyer },
            "holds" => Command::ReadHolds { buyer },
            "tick" => {
                self.desk.tick(Duration::ZERO);
                while self.desk.commit() {}
                return "swept".into();
            }
            "site" => {
                let why = (rest[0] == "pause").then(|| rest[1..].join(" ").into());
                self.desk.door.pause_site(why);
                return rest[0].into();
            }
            _ => Command::Operate(Box::new(self.operation(who, verb, &rest))),
        };
        let answer = self.desk.ask(command);
        self.render(answer)
    }

    fn wish(&self, words: &[&str]) -> Wish {
        let accept_fewer = words.contains(&"fewer");
        let words: Vec<&str> = words.iter().copied().filter(|word| *word != "fewer").collect();
        match self.claim(&words) {
            Ok(claim) => Wish::Claim { claim, accept_fewer },
            Err(unknown) => Wish::Unknown(unknown),
        }
    }

    /// Labels of seats, and names of general sections with a number behind each.
    fn claim(&self, words: &[&str]) -> Result<Claim, Vec<String>> {
        let plan = &self.terms.plan;
        let (mut claim, mut unknown) = (Claim::default(), Vec::new());
        let mut words = words.iter();
        while let Some(word) = words.next() {
            match (plan.seat_of(word), plan.section_of(word)) {
                (Some(seat), _) => claim.seats.push(seat),
                (None, Some(section)) => {
                    let quantity = words.next().and_then(|n| n.parse().ok()).unwrap();
                    claim.places.push((section, quantity));
                }
                (None, None) => unknown.push(word.to_string()),
            }
        }
        if unknown.is_empty() { Ok(claim) } else { Err(unknown) }
    }

    fn name(&mut self, hold: HoldId) -> String {
        let next = format!("h{}", self.names.len() + 1);
        let name = self.names.entry(hold).or_insert(next).clone();
        self.holds.insert(name.clone(), hold);
        name
    }

    fn render(&mut self, answer: Result<Answer, Unanswered>) -> String {
        let Answer { outcome, replayed, .. } = match answer {
            Ok(answer) => answer,
            Err(Unanswered::Overloaded) => return "overloaded".into(),
            Err(Unanswered::LineFull) => return "line full".into(),
            Err(Unanswered::HoldsFull) => return "holds full".into(),
            Err(Unanswered::KeyInUse) => return "key-in-use".into(),
            Err(other) => panic!("the door itself does not say {other:?}"),
        };
        let text = match outcome {
            Outcome::Hold(hold) => self.render_hold(&hold),
            Outcome::Holds(holds) => {
                let names: Vec<String> = holds.iter().map(|hold| self.name(hold.id)).collect();
                format!("holds {}", names.join(" ")).trim().to_string()
            }
            Outcome::Released => "released".into(),
            Outcome::Order { order, hold, created } => format!(
                "{} order of {} {} total {}",
                if created { "new" } else { "known" },
                self.name(hold.id),
                match order.status {
                    OrderStatus::Open => "open",
                    OrderStatus::Confirmed => "confirmed",
                    OrderStatus::Cancelled => "cancelled",
                    OrderStatus::Expired => "expired",
                },
                order.total,
            ),
            Outcome::Verdict(Verdict::Confirmed) => "confirmed".into(),
            Outcome::Verdict(Verdict::VoidDue) => "void due".into(),
            Outcome::Extension(Extension::Until(end)) => format!("until {}s", end.0 / 1_000_000),
            Outcome::Extension(Extension::NotGiven) => "not given".into(),
            Outcome::Refunded(refund) => self.render_refund(&refund),
            Outcome::Operated(Operated { blocked }) => format!("done, {blocked} blocked"),
            Outcome::Refused(refusal) => self.render_refusal(&refusal),
        };
        if replayed { format!("again {text}") } else { text }
    }

    fn render_hold(&mut self, hold: &Hold) -> String {
        let name = self.name(hold.id);
        let until = hold.expires_at.0 / 1_000_000;
        let status = hold.status.code();
        match status {
            "active" => {
                let mut text = format!("hold {name} until {until}s total {}", hold.quote.total);
                if !hold.quote.fees.is_empty() {
                    text += &format!(" fees {}", hold.quote.fees.iter().sum::<i64>());
                }
                if let Some(choice) = hold.remarks.as_ref().and_then(|it| it.choice.as_ref()) {
                    text += &format!(" of {} {}", self.words(&hold.claim), choice.reason.code());
                }
                let declined = hold.remarks.as_ref().map(|remarks| self.words(&remarks.declined));
                if let Some(declined) = declined.filter(|words| !words.is_empty()) {
                    text += &format!(" without {declined}");
                }
                text
            }
            _ => format!("hold {name} {status}"),
        }
    }

    fn words(&self, claim: &Claim) -> String {
        let plan = &self.terms.plan;
        let seats = claim.seats.iter().map(|seat| plan.seat(*seat).label().to_string());
        let places = claim.places.iter();
        let places = places.map(|(section, n)| format!("{} {n}", plan.section(*section).name));
        seats.chain(places).collect::<Vec<_>>().join(" ")
    }

    fn render_refusal(&self, refusal: &Refusal) -> String {
        let plan = &self.terms.plan;
        let detail = match refusal {
            Refusal::UnknownSeats(names) => names.join(" "),
            Refusal::SaleNotOpen { status, .. } => status.code().into(),
            Refusal::HoldNotActive(status) => status.code().into(),
            Refusal::BuyerLimitExceeded { limit, held } => format!("{held} of {limit}"),
            Refusal::SeatsUnavailable { seats, sections } => {
                let seats = seats.iter().map(|seat| plan.seat(*seat).label());
                let names = sections.iter().map(|section| plan.section(*section).name.as_str());
                seats.chain(names).collect::<Vec<_>>().join(" ")
            }
            Refusal::PurchasesPaused(why) => why.to_string(),
            Refusal::TermsInvalid(defects) => self.render_defects(defects),
            Refusal::ConflictsWithSales(conflict) => self.render_conflict(conflict),
            Refusal::PartTooLarge { section, has } => {
                format!("{has} of {}", plan.section(*section).name)
            }
            Refusal::HoldsDropped { wait, .. } => format!("for {}s", wait.as_secs()),
            Refusal::NotFound
            | Refusal::KeyReused
            | Refusal::AdmissionRequired
            | Refusal::UnknownTickets(_)
            | Refusal::RefundNotPossible
            | Refusal::OrderNotCancellable => String::new(),
        };
        format!("refused {} {detail}", refusal.code()).trim().to_string()
    }
}

fn moment(text: &str) -> Moment {
    let seconds: i64 = text.strip_suffix('s').and_then(|n| n.parse().ok()).unwrap();
    Moment(seconds * 1_000_000)
}

fn churn_from(line: &str) -> Option<ChurnBudget> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let ["churn", "free", free, "max", max, "decay", decay] = *words.as_slice() else {
        return None;
    };
    let decay = moment(decay).since(Moment(0));
    Some(ChurnBudget { free: free.parse().unwrap(), max: max.parse().unwrap(), decay })
}

fn terms_from(header: &[&str]) -> Terms {
    let (mut tiers, mut sections, mut seats) = (Vec::new(), Vec::new(), Vec::new());
    let mut sale = Vec::new();
    for line in header {
        let words: Vec<&str> = line.split_whitespace().collect();
        if words[0] == "sale" {
            sale = words[1..].to_vec();
            continue;
        }
        let (name, kind, number) = (words[1], words[2], words[3].parse().unwrap());
        let price = words.get(5).map_or(1_000, |price| price.parse().unwrap());
        let (index, tier) = (SectionIndex(sections.len() as u16), tiers.len() as u16);
        tiers.push(Tier { name: name.into(), price });
        let kind = match kind {
            "seats" => {
                let first = SeatIndex(seats.len() as u32);
                seats.extend((1..=number).map(|n| SeatPlan {
                    label: format!("{name}{n}").into(),
                    row: name.into(),
                    // One row a section, the first nearest to the stage at its middle.
                    x: n as f32 - (number + 1) as f32 / 2.0,
                    y: 3.0 * f32::from(index.0),
                    section: index,
                    tier,
                    ..SeatPlan::default()
                }));
                SectionKind::Seated { first, seats: number }
            }
            "places" => SectionKind::General { capacity: number },
            _ => panic!("no such kind: {kind}"),
        };
        sections.push(SectionPlan { name: name.into(), kind, tier });
    }
    let mut terms = terms_of(Plan::new(tiers, sections, seats.into_iter().collect()));
    let value = |name: &str| {
        let place = sale.iter().position(|word| *word == name)?;
        sale.get(place + 1).copied()
    };
    if let Some(ttl) = value("hold") {
        terms.sale.hold_ttl = moment(ttl).since(Moment(0));
    }
    if let Some(limit) = value("limit") {
        terms.sale.buyer_seats_max = limit.parse().unwrap();
    }
    if let Some(opens) = value("opens") {
        terms.sale.opens_at = moment(opens);
    }
    if let Some(closes) = value("closes") {
        terms.sale.closes_at = moment(closes);
    }
    if let Some(place) = sale.iter().position(|it| *it == "fee") {
        let number = |word: &str| word.parse().unwrap();
        let (percent, fixed) = (number(sale[place + 1]), number(sale[place + 2]));
        terms.fees = Arc::new([Fee { name: "service".into(), percent, fixed }]);
    }
    terms.sale.waiting_room = sale.contains(&"waiting-room");
    assert!(terms.sale.hold_ttl > Duration::ZERO);
    terms
}

/// What the line says of it; without a word, one that is always good.
fn admission(words: &[&str]) -> Option<Admission> {
    if let Some(place) = words.iter().position(|word| *word == "admitted-until") {
        return Some(Admission { until: moment(words[place + 1]), ..Admission::ALWAYS });
    }
    if let Some(place) = words.iter().position(|word| *word == "admitted-from") {
        return Some(Admission { from: moment(words[place + 1]), ..Admission::ALWAYS });
    }
    (!words.contains(&"not-admitted")).then_some(Admission::ALWAYS)
}
