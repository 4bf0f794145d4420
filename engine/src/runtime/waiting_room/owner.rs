//! The task that owns a room: takes it over, serves until something goes wrong, and takes it over again.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwapOption;
use tokio::select;
use tokio::sync::{mpsc, watch};
use tokio::task::spawn_blocking;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval, sleep, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::handle::{Asked, Caller, RoomHandle, What};
use super::regulator::{Regulated, Regulator, SaleGauge};
use crate::buyer::BuyerId;
use crate::clock::Clock;
use crate::journal::{AppendError, TakeFrom, TakeOverError};
use crate::moment::Moment;
use crate::runtime::backoff;
use crate::waiting_room::journal::QueueJournal;
use crate::waiting_room::line::{Line, Patience};
use crate::waiting_room::rate::RateBounds;
use crate::waiting_room::room::{Room, RoomTerms};

/// How often people are let in, and the sale opens at the latest after its instant.
const TICK: Duration = Duration::from_secs(1);
/// What is asked between two batches, at the most: some 2 MB, and a second of joins.
const MAILBOX: usize = 16_384;
/// One statement has no more; what is asked beyond waits in the mailbox, which turns others away.
const GATHERED_MAX: usize = 16_384;
/// Of these, so many are decided before the journal is looked at again.
const AT_ONCE: usize = 1_024;
/// When a batch is given up. Later than any caller's patience.
const BATCH_PATIENCE: Duration = Duration::from_secs(5);
/// For half a million places.
const TAKEOVER_PATIENCE: Duration = Duration::from_secs(60);
/// The pause before a takeover is tried again: the first, doubled up to the last.
const RETRY_FIRST: Duration = Duration::from_millis(50);
const RETRY_MAX: Duration = Duration::from_secs(2);
/// An owner that lived so long did not die of what it read.
const LIFE_MIN: Duration = Duration::from_secs(10);
/// Over how long the line's pace is measured.
const PACE_OVER: Duration = Duration::from_secs(60);

/// What rooms work with.
#[derive(Clone)]
pub struct RoomWorld {
    /// Where decisions become durable.
    pub journal: Arc<dyn QueueJournal>,
    /// The database's clock.
    pub clock: Arc<dyn Clock>,
    /// What the sale measures of itself.
    pub sale: Arc<dyn SaleGauge>,
}

/// Bounds of a room.
#[derive(Clone, Copy, Debug)]
pub struct RoomSettings {
    /// How long those who are called have.
    pub patience: Patience,
    /// How many are let in.
    pub rate: RateBounds,
}

type Append = Pin<Box<dyn Future<Output = Result<(), AppendError>> + Send>>;

/// Why an owner serves no more.
enum End {
    Stopped,
    Died(AppendError),
}

struct Owner {
    world: RoomWorld,
    terms: RoomTerms,
    settings: RoomSettings,
    mailbox: mpsc::Receiver<Asked>,
    line: Arc<ArcSwapOption<Line>>,
    admission: Arc<ArcSwapOption<Regulated>>,
    decided_at: watch::Sender<Option<Moment>>,
    /// Whether the room has had an owner here.
    served: watch::Sender<bool>,
    stopping: CancellationToken,
    /// Who bought of late, and when that was heard.
    bought: VecDeque<(Moment, BuyerId)>,
}

/// Longer than a batch and a takeover take together, mostly; the admissions of the others end by themselves.
const BOUGHT_TOLD: Duration = Duration::from_secs(15);

impl RoomHandle {
    /// Owns this room from now on, in a task of `tasks`, until `stopping`.
    #[must_use]
    pub fn open(
        world: RoomWorld,
        terms: RoomTerms,
        settings: RoomSettings,
        tasks: &TaskTracker,
        stopping: CancellationToken,
    ) -> Self {
        let (mailbox, asked) = mpsc::channel(MAILBOX);
        let line = Arc::new(ArcSwapOption::empty());
        let admission = Arc::new(ArcSwapOption::empty());
        let (decided, decided_at) = watch::channel(None);
        let (served, is_served) = watch::channel(false);
        let handle = Self {
            mailbox,
            line: Arc::clone(&line),
            admission: Arc::clone(&admission),
            decided_at,
            is_served,
        };
        let owner = Owner {
            world,
            terms,
            settings,
            mailbox: asked,
            line,
            admission,
            decided_at: decided,
            served,
            stopping,
            bought: VecDeque::new(),
        };
        tasks.spawn(owner.own());
        handle
    }
}

impl Owner {
    async fn own(mut self) {
        let (mut from, mut failures) = (TakeFrom::Anyone, 0);
        let mut regulator = Regulator::new(self.settings.rate);
        let stopping = self.stopping.clone();
        loop {
            let taken = stopping.run_until_cancelled(self.take_over(from)).await;
            let Some(taken) = taken else { return };
            match taken {
                Ok(room) => {
                    from = TakeFrom::OnlySelf;
                    let served_at = Instant::now();
                    match self.serve(room, &mut regulator).await {
                        End::Stopped => return,
                        End::Died(error) => {
                            tracing::error!(event = ?self.terms.event, %error, "a room's owner died");
                            regulator.owner_died();
                        }
                    }
                    failures = if served_at.elapsed() >= LIFE_MIN { 0 } else { failures + 1 };
                }
                Err(error) => {
                    if error == TakeOverError::Overtaken {
                        from = TakeFrom::OnlySelf;
                    }
                    tracing::warn!(event = ?self.terms.event, %error, "a room is not taken over");
                    failures += 1;
                }
            }
            if failures > 0 {
                let pause = backoff::doubled(RETRY_FIRST, failures - 1, RETRY_MAX);
                if stopping.run_until_cancelled(sleep(pause)).await.is_none() {
                    return;
                }
            }
        }
    }

    async fn take_over(&self, from: TakeFrom) -> Result<Room<Caller>, TakeOverError> {
        let event = self.terms.event.event();
        let taken = timeout(TAKEOVER_PATIENCE, self.world.journal.take_over(event, from)).await;
        let late = |_| Err(TakeOverError::Unavailable("it took too long".into()));
        let snapshot = taken.unwrap_or_else(late)?;
        let (terms, patience) = (self.terms.clone(), self.settings.patience);
        // Half a million places are hashed and put into their table.
        let built = spawn_blocking(move || Room::new(terms, patience, snapshot));
        built.await.map_err(|panic| TakeOverError::Broken(panic.to_string()))
    }

    async fn serve(&mut self, mut room: Room<Caller>, regulator: &mut Regulator) -> End {
        self.line.store(Some(Arc::clone(room.line())));
        self.served.send_replace(true);
        let mut ticks = ticks();
        let mut asked = Vec::with_capacity(AT_ONCE);
        let mut append: Option<Append> = None;
        let stopping = self.stopping.clone();
        loop {
            if append.is_none() {
                append = self.send(&mut room);
            }
            let has_room = room.gathered() < GATHERED_MAX;
            select! {
                biased;
                () = stopping.cancelled() => return End::Stopped,
                result = word(&mut append) => {
                    if let Err(error) = result {
                        // Dropped, they tell their callers that nobody knows.
                        drop(room.give_up());
                        return End::Died(error);
                    }
                    append = None;
                    for (caller, joined) in room.committed() {
                        caller.answer(Ok(joined));
                    }
                    room.obeyed().into_iter().for_each(Caller::obey);
                }
                _ = ticks.tick() => self.tick(&mut room, regulator),
                count = self.mailbox.recv_many(&mut asked, AT_ONCE), if has_room => {
                    if count == 0 {
                        return End::Stopped;
                    }
                    let now = self.world.clock.now();
                    // An operator who has moved it was answered after everybody could see that.
                    room.set_opening(self.world.sale.opens_at());
                    asked.drain(..).for_each(|asked| decide(&mut room, asked, now));
                }
            }
        }
    }

    fn send(&self, room: &mut Room<Caller>) -> Option<Append> {
        let batch = room.send(self.world.clock.now())?.clone();
        let journal = Arc::clone(&self.world.journal);
        Some(Box::pin(async move {
            let late = |_| Err(AppendError::Unknown("the lane's patience is over".into()));
            timeout(BATCH_PATIENCE, journal.append(&batch)).await.unwrap_or_else(late)
        }))
    }

    /// Purchases are told again for a while: a batch that told of them may have been lost with its owner.
    fn hear_who_bought(&mut self, room: &mut Room<Caller>, now: Moment) {
        let heard = self.world.sale.bought().into_iter().map(|buyer| (now, buyer));
        self.bought.extend(heard);
        while self.bought.front().is_some_and(|(at, _)| *at + BOUGHT_TOLD < now) {
            self.bought.pop_front();
        }
        self.bought.iter().for_each(|(_, buyer)| room.bought(buyer));
    }

    fn tick(&mut self, room: &mut Room<Caller>, regulator: &mut Regulator) {
        let now = self.world.clock.now();
        room.set_opening(self.world.sale.opens_at());
        room.open_in_time(now);
        self.hear_who_bought(room, now);
        let line = Arc::clone(room.line());
        let sale = self.world.sale.measure();
        let (count, admission) = regulator.decide(sale, &line, room.asked(), now);
        regulator.let_in(room.call(count, now));
        line.tidy(now, PACE_OVER);
        let admission = Regulated { control: room.control(), ..admission };
        self.admission.store(Some(Arc::new(admission)));
        self.decided_at.send_replace(Some(admission.at));
    }
}

fn decide(room: &mut Room<Caller>, asked: Asked, now: Moment) {
    let (caller, what, buyer) = match asked {
        // Nobody has a place who does not know of it.
        Asked::Buyer { answer, .. } if answer.is_closed() => return,
        Asked::Buyer { buyer, what, answer } => (Caller::Buyer(answer), what, buyer),
        Asked::Operator { patch, deed, answer } => {
            return room.obey(patch, deed, Caller::Operator(answer));
        }
    };
    let decided = match what {
        What::Join => room.join(&buyer, now, caller),
        What::Leave => room.leave(&buyer, now, caller),
        What::Come => room.come(&buyer, now, caller),
        What::Renew => room.renew(&buyer, now, caller),
    };
    if let Err((caller, refusal)) = decided {
        caller.answer(Err(refusal));
    }
}

/// What the journal says of the batch on its way; never, if none is.
async fn word(append: &mut Option<Append>) -> Result<(), AppendError> {
    match append {
        Some(append) => append.await,
        None => std::future::pending().await,
    }
}

fn ticks() -> Interval {
    let mut ticks = interval(TICK);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    ticks
}
