//! Random sales: every message between door, sections and journal is delivered in any order that the
//! runtime could produce, owners die at any point, and nothing that was ever answered becomes untrue.

mod operators;
mod returns;

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use taquilla_engine::answer::{Answer, Outcome, Unanswered};
use taquilla_engine::buyer::BuyerId;
use taquilla_engine::command::{BestWish, Command, Request, Wish};
use taquilla_engine::event::{Batch, Door, Effect, Limits, Terms};
use taquilla_engine::hold::{Claim, Hold, HoldStatus};
use taquilla_engine::id::{AttemptId, HoldId, OrderId, RefundId, SeatIndex, SectionIndex};
use taquilla_engine::journal::TakeFrom;
use taquilla_engine::journal::memory::MemoryJournal;
use taquilla_engine::moment::Moment;
use taquilla_engine::order::{Order, OrderStatus, Verdict};
use taquilla_engine::plan::{Plan, SeatPlan, SectionKind, SectionPlan, Tier};
use taquilla_engine::refund::Refund;
use taquilla_engine::section::{Decided, SeatState, SectionMessage, Window};
use taquilla_engine::waiting_room::admission::Admission;

use self::operators::Allowed;
use self::returns::left;
use crate::desk::{EVENT, buyer, keyed, terms_of};

const SECTIONS: u16 = 3;
const SEATS: u32 = 5;
const PLACES: u32 = 4;

/// splitmix64: a seed replays the run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % sides
    }
}

fn terms() -> Terms {
    let tier = Tier { name: "T".into(), price: 100 };
    let seated = (0..SECTIONS).map(|n| SectionPlan {
        name: format!("S{n}"),
        kind: SectionKind::Seated { first: SeatIndex(u32::from(n) * SEATS), seats: SEATS },
        tier: 0,
    });
    let general =
        SectionPlan { name: "F".into(), kind: SectionKind::General { capacity: PLACES }, tier: 0 };
    let seats = (0..u32::from(SECTIONS) * SEATS)
        .map(|n| SeatPlan {
            label: format!("{n}").into(),
            x: (n % SEATS) as f32,
            y: 2.0 * (n / SEATS) as f32,
            section: SectionIndex((n / SEATS) as u16),
            ..SeatPlan::default()
        })
        .collect();
    let mut terms = terms_of(Plan::new(vec![tier], seated.chain([general]).collect(), seats));
    terms.sale.hold_ttl = Duration::from_secs(10);
    terms.sale.buyer_seats_max = 4;
    terms
}

struct Sale {
    dice: Dice,
    now: Moment,
    journal: Arc<MemoryJournal>,
    door: Door<usize>,
    sections: Vec<Window>,
    to_sections: Vec<VecDeque<SectionMessage>>,
    to_door: Vec<VecDeque<Decided>>,
    batch: Option<Batch>,
    asked: Vec<Command>,
    granted: HashMap<HoldId, Hold>,
    released: HashSet<HoldId>,
    /// Holds of which a part was asked to be given back.
    reduced: HashSet<HoldId>,
    ordered: HashSet<OrderId>,
    newest_hold: Option<(BuyerId, HoldId)>,
    newest_order: Option<OrderId>,
    verdicts: HashMap<(OrderId, AttemptId), Verdict>,
    refunds: HashMap<RefundId, Refund>,
    /// Those who have no answer yet; whoever asked an owner that died will have none.
    waiting: HashSet<usize>,
    answered: usize,
    /// Whether operators act, too.
    operators: bool,
    allowed: Allowed,
}

impl Sale {
    fn new(seed: u64) -> Self {
        let journal = Arc::new(MemoryJournal::default());
        let snapshot = journal.claim(EVENT, TakeFrom::Anyone).unwrap();
        let (door, sections) = Door::rebuild(terms(), Limits::default(), snapshot).unwrap();
        let lanes = sections.len();
        Self {
            dice: Dice(seed),
            now: Moment(0),
            journal,
            door,
            sections,
            to_sections: (0..lanes).map(|_| VecDeque::new()).collect(),
            to_door: (0..lanes).map(|_| VecDeque::new()).collect(),
            batch: None,
            asked: Vec::new(),
            granted: HashMap::new(),
            released: HashSet::new(),
            reduced: HashSet::new(),
            ordered: HashSet::new(),
            newest_hold: None,
            newest_order: None,
            verdicts: HashMap::new(),
            refunds: HashMap::new(),
            waiting: HashSet::new(),
            answered: 0,
            operators: false,
            allowed: Allowed::default(),
        }
    }

    fn step(&mut self) {
        match self.dice.roll(20) {
            0..5 if self.operators && self.dice.roll(6) == 0 => self.operate(),
            0..5 if self.dice.roll(5) == 0 => self.ask_back(),
            0..5 => self.ask(),
            5..10 => self.section_decides(),
            10..15 => self.decision_arrives(),
            15..17 => self.commit(),
            17 => self.now = self.now + Duration::from_millis(self.dice.roll(4_000)),
            18 => self.door.tick(self.now),
            _ if self.dice.roll(10) == 0 => self.die(),
            _ => {}
        }
        self.carry_out();
    }

    fn ask(&mut self) {
        let who = buyer(["ann", "bob", "cat"][self.dice.roll(3) as usize]);
        let key = format!("{}", self.dice.roll(40));
        let known = HoldId::derive(EVENT, &who, &key);
        let command = match self.dice.roll(10) {
            0..5 => {
                let claim = self.claim();
                let accept_fewer = self.dice.roll(3) == 0;
                let wish = match self.dice.roll(4) {
                    0 => Wish::Best { wish: self.best(), accept_fewer },
                    _ => Wish::Claim { claim, accept_fewer },
                };
                let keyed = keyed(&key, &format!("{wish:?}"));
                Command::PlaceHold { buyer: who, keyed, wish, admission: Some(Admission::ALWAYS) }
            }
            5 => Command::ReleaseHold { buyer: who, hold: known },
            6 if self.granted.contains_key(&known) => {
                let claim = &self.granted[&known].claim;
                let part = match claim.seats.first() {
                    Some(seat) => Claim::of_seats(vec![*seat]),
                    None => Claim::of_places(SectionIndex(SECTIONS), 1),
                };
                self.reduced.insert(known);
                Command::GiveBack { buyer: who, hold: known, part: Ok(part) }
            }
            6 | 7 if self.dice.roll(2) == 0 && self.newest_hold.is_some() => {
                let (buyer, hold) = self.newest_hold.clone().unwrap();
                Command::PlaceOrder {
                    buyer,
                    keyed: keyed(&key, &format!("{hold}")),
                    hold,
                    admission: Some(Admission::ALWAYS),
                }
            }
            6..8 => Command::PlaceOrder {
                buyer: who,
                keyed: keyed(&key, &key),
                hold: known,
                admission: Some(Admission::ALWAYS),
            },
            // Only orders that somebody was told of are ever paid.
            8 if self.dice.roll(2) == 0 && self.newest_order.is_some() => {
                let order = self.newest_order.unwrap();
                Command::ConfirmOrder { order, attempt: self.attempt(order) }
            }
            8 if self.ordered.contains(&OrderId::of(known)) => Command::ConfirmOrder {
                order: OrderId::of(known),
                attempt: self.attempt(OrderId::of(known)),
            },
            _ => Command::ReadHold { buyer: who, hold: known },
        };
        self.submit(command);
    }

    /// One of an order's two.
    fn attempt(&mut self, order: OrderId) -> AttemptId {
        AttemptId::derive(EVENT, &buyer("ann"), &format!("{order} {}", self.dice.roll(2)))
    }

    fn submit(&mut self, command: Command) {
        let deadline = self.now + Duration::from_secs(3);
        self.asked.push(command.clone());
        self.waiting.insert(self.asked.len() - 1);
        self.door.submit(self.now, Request { command, deadline }, self.asked.len() - 1);
    }

    /// One to four seats and places, in one section or in several.
    fn claim(&mut self) -> Claim {
        let mut claim = Claim::default();
        let places = self.dice.roll(4) == 0;
        if places {
            claim.places.push((SectionIndex(SECTIONS), 1 + self.dice.roll(3) as u32));
        }
        for _ in 0..self.dice.roll(4) {
            let seat = SeatIndex(self.dice.roll(u64::from(u32::from(SECTIONS) * SEATS)) as u32);
            if !claim.seats.contains(&seat) {
                claim.seats.push(seat);
            }
        }
        if claim.is_empty() {
            claim.seats.push(SeatIndex(0));
        }
        claim
    }

    fn best(&mut self) -> BestWish {
        let section = SectionIndex(self.dice.roll(u64::from(SECTIONS)) as u16);
        BestWish {
            quantity: 1 + self.dice.roll(3) as u32,
            section: (self.dice.roll(2) == 0).then_some(section),
            tier: None,
            adjacent: self.dice.roll(2) == 0,
            accessible: false,
        }
    }

    fn section_decides(&mut self) {
        let at = self.dice.roll(self.sections.len() as u64) as usize;
        if let Some(message) = self.to_sections[at].pop_front() {
            let to_door = &mut self.to_door[at];
            self.sections[at].handle(message, self.now, |decided| to_door.push_back(decided));
        }
    }

    fn decision_arrives(&mut self) {
        let at = self.dice.roll(self.sections.len() as u64) as usize;
        if let Some(decided) = self.to_door[at].pop_front() {
            self.door.decided(self.now, decided);
        }
    }

    fn commit(&mut self) {
        if let Some(batch) = self.batch.take() {
            self.write(&batch);
            assert!(self.door.committed(self.now, batch.epoch, batch.sequence));
        }
    }

    /// The owner dies; what it had sent may still have been written.
    fn die(&mut self) {
        if let Some(batch) = self.batch.take().filter(|_| self.dice.roll(2) == 0) {
            self.write(&batch);
        }
        let snapshot = self.journal.claim(EVENT, TakeFrom::OnlySelf).unwrap();
        (self.door, self.sections) =
            Door::rebuild(terms(), Limits::default(), snapshot).expect("rows agree");
        self.to_sections.iter_mut().for_each(VecDeque::clear);
        self.to_door.iter_mut().for_each(VecDeque::clear);
        self.waiting.clear();
    }

    fn carry_out(&mut self) {
        while let Some(effect) = self.door.poll() {
            match effect {
                Effect::Tell(section, message) => {
                    self.to_sections[usize::from(section.0)].push_back(message);
                }
                Effect::Append(batch) => {
                    assert!(self.batch.replace(batch).is_none(), "one at a time")
                }
                Effect::Reply(asked, answer) => self.answered(asked, answer),
                Effect::Publish(map) => {
                    for section in &map.sections {
                        let all = section.available + section.held + section.sold + section.blocked;
                        assert!(all == SEATS || all == PLACES || self.operators);
                    }
                }
                Effect::OrdersChanged(_) => {}
            }
        }
    }

    /// What a caller was told must be in the rows, now and for ever.
    fn answered(&mut self, asked: usize, answer: Result<Answer, Unanswered>) {
        assert!(self.waiting.remove(&asked), "{asked} was answered twice");
        let Ok(answer) = answer else { return };
        self.answered += 1;
        match answer.outcome {
            Outcome::Hold(hold) => {
                let before = self.granted.entry(hold.id).or_insert_with(|| (*hold).clone());
                assert_eq!(before.expires_at, hold.expires_at);
                let less = before.claim.without(&hold.claim);
                assert!(less.is_empty() || self.reduced.contains(&hold.id), "{less:?} is lost");
                assert!(hold.claim.without(&before.claim).is_empty(), "a hold grew");
                before.claim = hold.claim.clone();
                self.newest_hold = Some((hold.buyer.clone(), hold.id));
                if hold.status == HoldStatus::Active {
                    assert!(answer.as_of < hold.expires_at && !self.released.contains(&hold.id));
                }
            }
            Outcome::Released => match &self.asked[asked] {
                Command::ReleaseHold { hold, .. } => {
                    self.released.insert(*hold);
                }
                other => panic!("{other:?} released something"),
            },
            Outcome::Verdict(verdict) => {
                let Command::ConfirmOrder { order, attempt } = &self.asked[asked] else {
                    panic!("a verdict on what is no attempt")
                };
                let before = self.verdicts.insert((*order, *attempt), verdict);
                assert!(before.is_none_or(|before| before == verdict), "{attempt:?} changed");
            }
            Outcome::Order { order, .. } => {
                self.ordered.insert(order.id);
                self.newest_order = Some(order.id);
            }
            Outcome::Refunded(refund) => self.told_refund(*refund),
            Outcome::Holds(_)
            | Outcome::Operated(_)
            | Outcome::Extension(_)
            | Outcome::Refused(_) => {}
        }
    }

    /// What the rows say agrees with itself and with every answer.
    fn audit(&self) {
        let rows = self.journal.peek(EVENT);
        let mut owners: HashMap<SeatIndex, HoldId> = HashMap::new();
        let mut counts: HashMap<_, u32> = HashMap::new();
        let mut places = 0;
        for hold in &rows.holds {
            if !matches!(hold.status, HoldStatus::Active | HoldStatus::Converted) {
                continue;
            }
            let claim = left(&rows, hold);
            *counts.entry(hold.buyer.clone()).or_default() += claim.quantity();
            for seat in &claim.seats {
                assert_eq!(owners.insert(*seat, hold.id), None, "{seat:?} has two owners");
            }
            places += claim.places.iter().map(|(_, quantity)| quantity).sum::<u32>();
        }
        assert!(places <= PLACES || self.operators);
        let blocked = rows.seats.iter().filter(|(_, state)| *state == SeatState::Blocked).count();
        assert_eq!(rows.seats.len(), owners.len() + blocked, "every seat row has its hold");
        for (name, seats) in &rows.buyers {
            assert_eq!(counts.get(name).copied().unwrap_or(0), *seats);
            assert!(*seats <= 4);
        }
        let holds: HashMap<HoldId, &Hold> = rows.holds.iter().map(|hold| (hold.id, hold)).collect();
        for (id, granted) in &self.granted {
            let lost = granted.claim.without(&holds[id].claim);
            assert!(lost.is_empty() || self.reduced.contains(id), "{lost:?} of a hold is lost");
        }
        for id in &self.released {
            assert!(matches!(holds[id].status, HoldStatus::Released | HoldStatus::Expired));
        }
        let orders: HashMap<OrderId, &Order> = rows.orders.iter().map(|it| (it.id, it)).collect();
        for id in &self.ordered {
            assert!(orders.contains_key(id), "{id:?} is lost");
        }
        for ((order, attempt), verdict) in &self.verdicts {
            let order = orders[order];
            assert_eq!(order.verdict(*attempt), Some(*verdict), "of {attempt:?} for {order:?}");
        }
        for order in &rows.orders {
            let ended = match holds[&order.hold].status {
                HoldStatus::Active => OrderStatus::Open,
                HoldStatus::Converted => OrderStatus::Confirmed,
                HoldStatus::Released => OrderStatus::Cancelled,
                HoldStatus::Expired => OrderStatus::Expired,
            };
            assert_eq!(order.status, ended, "{order:?}");
            let yes = order.verdicts.iter().filter(|(_, said)| *said == Verdict::Confirmed);
            assert_eq!(yes.count(), usize::from(order.status == OrderStatus::Confirmed));
        }
        self.audit_refunds(&rows);
        let sold = rows.holds.iter().filter(|hold| hold.status == HoldStatus::Converted);
        let sold: u32 = sold.map(|hold| hold.claim.quantity()).sum();
        assert_eq!(
            self.journal.tickets(EVENT).len(),
            sold as usize,
            "a ticket for each seat that was sold"
        );
    }

    /// Once the faults stop, everything that waits is answered.
    fn settle(&mut self) {
        for _ in 0..20_000 {
            let waiting = self.batch.is_some()
                || self.to_sections.iter().any(|queue| !queue.is_empty())
                || self.to_door.iter().any(|queue| !queue.is_empty());
            if !waiting {
                assert!(
                    self.sections.iter().all(|window| window.waiting() == 0),
                    "parked for ever"
                );
                assert!(self.waiting.is_empty(), "nobody answers {:?}", self.waiting);
                return;
            }
            self.section_decides();
            self.decision_arrives();
            self.commit();
            self.carry_out();
        }
        panic!("something waits for ever");
    }
}

#[test]
fn whatever_the_order_and_whoever_dies_no_answer_becomes_untrue() {
    let (mut answered, mut refunds) = (0, 0);
    for seed in 0..400 {
        let mut sale = Sale::new(seed);
        let run = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            for _ in 0..600 {
                sale.step();
            }
            sale.settle();
            sale.audit();
        }));
        assert!(run.is_ok(), "seed {seed} replays this");
        answered += sale.answered;
        refunds += sale.refunds.len();
    }
    assert!(answered > 20_000, "the runs decide things: {answered} answers");
    assert!(refunds > 100, "tickets come back: {refunds} refunds");
}
