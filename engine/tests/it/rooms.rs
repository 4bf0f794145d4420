//! A waiting room's rules, without a runtime or rows: who stands where, and when that is told.

use std::time::Duration;

use taquilla_engine::buyer::BuyerId;
use taquilla_engine::id::{EventId, EventNumber};
use taquilla_engine::moment::Moment;
use taquilla_engine::operation::Deed;
use taquilla_engine::waiting_room::admission::Admission;
use taquilla_engine::waiting_room::batch::{Opening, QueueBatch};
use taquilla_engine::waiting_room::calls::Call;
use taquilla_engine::waiting_room::control::ControlPatch;
use taquilla_engine::waiting_room::draw::Secret;
use taquilla_engine::waiting_room::line::{Patience, Standing};
use taquilla_engine::waiting_room::room::{Joined, QueueRefusal, Room, RoomTerms};
use taquilla_engine::waiting_room::snapshot::QueueSnapshot;
use uuid::Uuid;

const OPENS_AT: Moment = Moment(1_000_000_000);
const GRACE: Duration = Duration::from_secs(120);
const ADMISSION: Duration = Duration::from_secs(600);

/// Seconds from the opening.
fn at(seconds: i64) -> Moment {
    Moment(OPENS_AT.0 + seconds * 1_000_000)
}

/// The first in the line, who came then.
fn admitted(seconds: i64) -> Standing {
    let from = at(seconds);
    Standing::Admitted { position: 0, admission: Admission { from, until: from + ADMISSION } }
}

fn buyer(name: &str) -> BuyerId {
    BuyerId::parse(name).expect("a buyer")
}

/// A room whose rows are kept, so that another owner can be made of them.
struct Hall {
    room: Room<&'static str>,
    rows: QueueSnapshot,
}

impl Hall {
    fn empty() -> Self {
        let rows = QueueSnapshot::empty([5; 32], Secret::new([6; 32]));
        Self { room: Self::owner(&rows, 1_000), rows }
    }

    fn owner(rows: &QueueSnapshot, members_max: u32) -> Room<&'static str> {
        let event = EventId::new(EventNumber(7), [1; 11]);
        let terms = RoomTerms { event, opens_at: OPENS_AT, members_max };
        let patience = Patience { grace: GRACE, admission: ADMISSION };
        Room::new(terms, patience, rows.clone())
    }

    fn join(&mut self, name: &'static str, now: Moment) {
        self.room.join(&buyer(name), now, name).expect("there is room");
    }

    fn leave(&mut self, name: &'static str, now: Moment) {
        self.room.leave(&buyer(name), now, name).expect("he is there");
    }

    fn come(&mut self, name: &'static str, now: Moment) {
        self.room.come(&buyer(name), now, name).expect("he is there");
    }

    /// Writes what has gathered, as a journal does: the answers that leave.
    fn commit(&mut self, now: Moment) -> Vec<(&'static str, Joined)> {
        let Some(batch) = self.room.send(now) else { return Vec::new() };
        write(&mut self.rows, batch);
        self.room.committed()
    }

    /// The owner dies; what had not committed is gone.
    fn take_over(&mut self) {
        self.room.give_up();
        self.room = Self::owner(&self.rows, 1_000);
    }

    fn standing(&self, name: &str, now: Moment) -> Option<Standing> {
        let line = self.room.line();
        line.number(self.room.ticket(&buyer(name))).map(|number| line.standing(number, now))
    }

    fn position(&self, name: &str) -> u32 {
        match self.standing(name, at(0)).expect("he is there") {
            Standing::Waiting { position, .. }
            | Standing::Called { position, .. }
            | Standing::Admitted { position, .. }
            | Standing::Expired { position }
            | Standing::Left { position: Some(position) } => position,
            Standing::PreSale | Standing::Left { position: None } => panic!("no position"),
        }
    }

    /// Joined, drawn: the names in the order of their positions.
    fn opened(names: &[&'static str]) -> (Self, Vec<&'static str>) {
        let mut hall = Self::empty();
        names.iter().for_each(|name| hall.join(name, at(-10)));
        hall.commit(at(-10));
        hall.room.open_in_time(at(0));
        hall.commit(at(0));
        let mut line = names.to_vec();
        line.sort_by_key(|name| hall.position(name));
        (hall, line)
    }
}

fn write(rows: &mut QueueSnapshot, batch: &QueueBatch) {
    assert_eq!((batch.epoch, batch.sequence), (rows.epoch, rows.sequence), "fenced");
    let before = rows.places.len();
    let numbers: Vec<_> = batch.places.iter().map(|place| place.number as usize).collect();
    assert!(numbers.iter().copied().eq(before..before + numbers.len()), "no gap, none twice");
    if let Some(Opening { present, .. }) = batch.opening {
        assert!(present as usize <= before + numbers.len(), "who takes part is there");
        assert!(rows.opening.is_none(), "opened once");
    }
    rows.write(batch);
}

#[test]
fn nobody_is_told_his_place_before_it_is_durable() {
    let mut hall = Hall::empty();
    hall.join("ana", at(-10));
    assert_eq!(hall.standing("ana", at(-10)), None);
    let batch = hall.room.send(at(-9)).expect("a batch").clone();
    assert_eq!((batch.places.len(), batch.now), (1, at(-9)));
    assert_eq!(hall.standing("ana", at(-9)), None, "it is on its way");
    hall.join("bob", at(-9));
    assert!(hall.room.send(at(-9)).is_none(), "one at a time");
    write(&mut hall.rows, &batch);
    assert_eq!(hall.room.committed(), [("ana", Joined { number: 0, is_new: true })]);
    assert_eq!(hall.standing("ana", at(-9)), Some(Standing::PreSale));
    assert_eq!(hall.standing("bob", at(-9)), None);
    assert_eq!(hall.commit(at(-8)), [("bob", Joined { number: 1, is_new: true })]);
}

#[test]
fn a_buyer_joins_once_however_often_and_whenever_he_asks() {
    let mut hall = Hall::empty();
    let again = Joined { number: 0, is_new: false };
    hall.join("ana", at(-10));
    hall.join("ana", at(-10));
    let batch = hall.room.send(at(-9)).expect("a batch").clone();
    hall.join("ana", at(-9));
    write(&mut hall.rows, &batch);
    let first = [("ana", Joined { number: 0, is_new: true }), ("ana", again)];
    assert_eq!(hall.room.committed(), first);
    assert_eq!(hall.commit(at(-8)), [("ana", again)], "it rode on the fence alone");
    for now in [at(-5), at(5), at(3_600)] {
        hall.join("ana", now);
        assert_eq!(hall.commit(now), [("ana", again)]);
        hall.take_over();
    }
    assert_eq!(hall.rows.places.len(), 1);
}

#[test]
fn who_is_there_at_the_opening_is_drawn_and_who_comes_later_stands_behind() {
    let names = ["a", "b", "c", "d", "e", "f", "g", "h"];
    let (mut hall, line) = Hall::opened(&names);
    let mut positions: Vec<_> = names.iter().map(|name| hall.position(name)).collect();
    positions.sort_unstable();
    assert_eq!(positions, [0, 1, 2, 3, 4, 5, 6, 7]);
    assert_ne!(line, names, "with this secret they are not as they came");
    hall.join("late", at(1));
    hall.join("later", at(2));
    hall.commit(at(2));
    assert_eq!((hall.position("late"), hall.position("later")), (8, 9));
    // Whatever is done, and whoever owns the room: a place stays where it is.
    hall.take_over();
    assert!((0..).zip(&line).all(|(position, name)| hall.position(name) == position));
    assert_eq!((hall.position("late"), hall.position("later")), (8, 9));
}

#[test]
fn a_clock_that_goes_back_puts_nobody_before_the_opening_who_came_after_it() {
    let mut hall = Hall::empty();
    hall.join("before", at(-1));
    hall.join("after", at(1));
    hall.join("late", at(-2));
    let batch = hall.room.send(at(1)).expect("a batch").clone();
    let opening = batch.opening.expect("it opens");
    assert_eq!((opening.present, opening.at), (1, at(1)));
    let joined: Vec<_> = batch.places.iter().map(|place| place.at).collect();
    assert_eq!(joined, [at(-1), at(1), at(1)]);
}

#[test]
fn who_joins_in_the_batch_that_opens_takes_part_if_he_was_before_it() {
    let mut hall = Hall::empty();
    hall.join("before", at(-1));
    hall.join("after", at(0));
    let batch = hall.room.send(at(0)).expect("a batch").clone();
    assert_eq!((batch.places.len(), batch.opening.map(|it| it.present)), (2, Some(1)));
    write(&mut hall.rows, &batch);
    hall.room.committed();
    assert_eq!((hall.position("before"), hall.position("after")), (0, 1));
    let draw = hall.room.line().draw().expect("it is open").present();
    hall.take_over();
    assert_eq!(hall.room.line().draw().expect("it is open").present(), draw);
}

#[test]
fn who_is_called_and_comes_may_shop_and_who_does_not_come_loses_his_place() {
    let (mut hall, line) = Hall::opened(&["a", "b", "c"]);
    let [first, second, third] = [line[0], line[1], line[2]];
    assert_eq!(hall.room.call(2, at(1)), 2);
    let waiting = Standing::Waiting { position: 0, ahead: 0 };
    assert_eq!(hall.standing(first, at(1)), Some(waiting), "nobody is told before it is durable");
    hall.commit(at(1));
    let until = at(1) + GRACE;
    assert_eq!(hall.standing(first, at(1)), Some(Standing::Called { position: 0, until }));
    assert_eq!(hall.standing(third, at(1)), Some(Standing::Waiting { position: 2, ahead: 0 }));
    assert_eq!(hall.room.line().active(at(1)), 2);

    hall.come(first, at(30));
    hall.come(third, at(30));
    hall.commit(at(30));
    let admitted = admitted(30);
    hall.take_over();
    assert_eq!(hall.standing(first, at(200)), Some(admitted));
    assert_eq!(hall.standing(third, at(200)), Some(Standing::Waiting { position: 2, ahead: 0 }));
    assert_eq!(hall.standing(second, at(121)), Some(Standing::Expired { position: 1 }));
    assert_eq!(hall.room.line().active(at(121)), 1);
    hall.come(second, at(121));
    hall.commit(at(121));
    assert_eq!(hall.standing(second, at(121)), Some(Standing::Expired { position: 1 }), "too late");
    assert_eq!(hall.standing(first, at(630)), Some(Standing::Expired { position: 0 }));
    assert_eq!(hall.room.line().active(at(630)), 0);

    hall.join(second, at(700));
    hall.commit(at(700));
    assert_eq!(hall.position(second), 3, "behind all others");
}

#[test]
fn coming_twice_gives_no_more_time() {
    let (mut hall, line) = Hall::opened(&["a", "b"]);
    hall.room.call(1, at(1));
    hall.commit(at(1));
    hall.come(line[0], at(10));
    hall.come(line[0], at(20));
    hall.commit(at(20));
    hall.come(line[0], at(50));
    hall.commit(at(50));
    let admitted = admitted(10);
    assert_eq!(hall.standing(line[0], at(50)), Some(admitted));
}

#[test]
fn an_admission_lasts_longer_when_it_is_renewed_and_never_once_it_is_over() {
    let (mut hall, line) = Hall::opened(&["a"]);
    let renew = |hall: &mut Hall, now| {
        hall.room.renew(&buyer(line[0]), now, "a").expect("he is there");
        hall.commit(now);
    };
    renew(&mut hall, at(0));
    assert_eq!(hall.standing(line[0], at(0)), Some(Standing::Waiting { position: 0, ahead: 0 }));
    hall.room.call(1, at(1));
    hall.commit(at(1));
    hall.come(line[0], at(10));
    hall.commit(at(10));
    renew(&mut hall, at(400));
    let admission = Admission { from: at(10), until: at(400) + ADMISSION };
    let longer = Some(Standing::Admitted { position: 0, admission });
    assert_eq!(hall.standing(line[0], at(999)), longer);
    hall.take_over();
    assert_eq!(hall.standing(line[0], at(999)), longer, "another owner knows of it");
    renew(&mut hall, at(1_000));
    assert_eq!(hall.standing(line[0], at(1_000)), Some(Standing::Expired { position: 0 }));
}

#[test]
fn who_came_in_time_or_was_given_longer_is_not_lost_while_that_is_on_its_way() {
    let (mut hall, line) = Hall::opened(&["a", "b"]);
    hall.room.call(1, at(1));
    hall.commit(at(1));
    let ana = line[0];
    hall.come(ana, at(120));
    let batch = hall.room.send(at(120)).expect("a batch").clone();
    hall.join(ana, at(122));
    write(&mut hall.rows, &batch);
    hall.room.committed();
    hall.commit(at(123));
    assert_eq!(hall.standing(ana, at(123)), Some(admitted(120)), "the same place");
    assert_eq!(hall.rows.places.len(), 2);

    hall.room.renew(&buyer(ana), at(719), ana).expect("he is there");
    let batch = hall.room.send(at(719)).expect("a batch").clone();
    hall.join(ana, at(721));
    hall.room.line().tidy(at(721), Duration::from_secs(60));
    write(&mut hall.rows, &batch);
    hall.room.committed();
    hall.commit(at(722));
    let admission = Admission { from: at(120), until: at(719) + ADMISSION };
    assert_eq!(hall.standing(ana, at(722)), Some(Standing::Admitted { position: 0, admission }));
    assert_eq!(hall.rows.places.len(), 2);
}

#[test]
fn nobody_is_called_over_a_call_that_nobody_has_heard() {
    let (mut hall, _) = Hall::opened(&["a", "b", "c"]);
    assert_eq!(hall.room.call(1, at(1)), 1);
    let batch = hall.room.send(at(1)).expect("a batch").clone();
    assert_eq!(hall.room.call(1, at(2)), 0, "it is on its way");
    write(&mut hall.rows, &batch);
    hall.room.committed();
    assert_eq!(hall.room.call(1, at(3)), 1);
}

#[test]
fn a_purchase_waits_for_what_is_on_its_way_of_its_buyer() {
    let (mut hall, line) = Hall::opened(&["a"]);
    hall.room.call(1, at(1));
    hall.commit(at(1));
    hall.come(line[0], at(10));
    hall.commit(at(10));
    hall.room.renew(&buyer(line[0]), at(400), "a").expect("he is there");
    hall.room.bought(&buyer(line[0]));
    hall.commit(at(400));
    let admission = Admission { from: at(10), until: at(400) + ADMISSION };
    let longer = Some(Standing::Admitted { position: 0, admission });
    assert_eq!((hall.standing(line[0], at(401)), hall.room.line().active(at(401))), (longer, 1));
    hall.room.bought(&buyer(line[0]));
    hall.commit(at(402));
    assert_eq!((hall.standing(line[0], at(403)), hall.room.line().active(at(403))), (longer, 0));
}

#[test]
fn nobody_uses_a_room_up_by_leaving_and_joining() {
    let (mut hall, line) = Hall::opened(&["a", "b"]);
    for nth in 0..20 {
        hall.leave(line[0], at(nth));
        hall.join(line[0], at(nth));
        hall.commit(at(nth));
        if nth == 10 {
            hall.take_over();
        }
    }
    hall.leave(line[0], at(30));
    let refused = hall.room.join(&buyer(line[0]), at(30), "a");
    assert_eq!(refused, Err(("a", QueueRefusal::TooOften)));
    hall.commit(at(30));
    assert_eq!(hall.rows.places.len(), 22);
    hall.leave(line[1], at(31));
    hall.join(line[1], at(31));
    hall.commit(at(31));
    assert_eq!(hall.position(line[1]), 22, "others may");
}

#[test]
fn who_has_bought_may_go_on_and_counts_among_those_inside_no_more() {
    let (mut hall, line) = Hall::opened(&["a", "b"]);
    hall.room.call(2, at(1));
    hall.commit(at(1));
    hall.room.bought(&buyer(line[1]));
    hall.come(line[0], at(10));
    hall.commit(at(10));
    assert_eq!(hall.room.line().active(at(10)), 2, "who has not come has not bought");
    hall.room.bought(&buyer(line[0]));
    hall.room.bought(&buyer("nobody"));
    hall.commit(at(20));
    for _ in 0..2 {
        assert_eq!(hall.room.line().active(at(20)), 1);
        assert_eq!(hall.standing(line[0], at(20)), Some(admitted(10)));
        hall.take_over();
    }
    hall.leave(line[0], at(30));
    hall.room.bought(&buyer(line[0]));
    hall.commit(at(30));
    assert_eq!(hall.standing(line[0], at(30)), Some(Standing::Left { position: Some(0) }));
}

#[test]
fn a_place_that_was_given_up_before_the_draw_is_taken_up_again_and_after_it_is_lost() {
    let mut hall = Hall::empty();
    for name in ["ana", "bob", "eva"] {
        hall.join(name, at(-10));
    }
    hall.leave("ana", at(-10));
    hall.commit(at(-10));
    assert_eq!(hall.standing("ana", at(-10)), Some(Standing::Left { position: None }));
    hall.take_over();
    hall.leave("bob", at(-9));
    hall.join("ana", at(-9));
    hall.join("bob", at(-9));
    hall.commit(at(-9));
    assert_eq!(hall.standing("ana", at(-9)), Some(Standing::PreSale));
    assert_eq!(hall.standing("bob", at(-9)), Some(Standing::PreSale));
    assert_eq!(hall.rows.places.len(), 3);
    hall.room.open_in_time(at(0));
    hall.commit(at(0));

    let before = hall.position("ana");
    hall.leave("ana", at(1));
    hall.join("ana", at(1));
    hall.commit(at(1));
    assert!(before < 3 && hall.position("ana") == 3, "behind those who came before");
    hall.take_over();
    assert_eq!(hall.position("ana"), 3);
    assert!(matches!(hall.room.line().standing(0, at(2)), Standing::Left { .. }));
}

#[test]
fn who_left_is_not_called_and_the_next_is() {
    let (mut hall, line) = Hall::opened(&["a", "b", "c", "d"]);
    hall.leave(line[0], at(1));
    hall.commit(at(1));
    hall.leave(line[2], at(1));
    assert_eq!(hall.room.call(2, at(2)), 2, "of those who are still there");
    hall.commit(at(2));
    assert_eq!(hall.room.line().served(), 4);
    for name in [line[1], line[3]] {
        assert!(matches!(hall.standing(name, at(2)), Some(Standing::Called { .. })), "{name}");
    }
    assert_eq!(hall.room.line().active(at(2)), 2);
    assert_eq!(hall.room.call(5, at(3)), 0, "there is nobody else");
}

#[test]
fn nobody_is_called_before_the_sale_opens_nor_before_the_draw_is_durable() {
    let mut hall = Hall::empty();
    hall.join("ana", at(-10));
    hall.commit(at(-10));
    assert_eq!(hall.room.call(1, at(-1)), 0);
    assert_eq!(hall.room.call(1, at(0)), 0);
    assert_eq!(hall.rows.calls, [] as [Call; 0]);
    hall.commit(at(0));
    assert_eq!(hall.room.call(1, at(0)), 1);
}

#[test]
fn a_stranger_has_no_place_and_a_full_room_takes_nobody_else() {
    let mut hall = Hall::empty();
    let refused = Err(("eva", QueueRefusal::NotFound));
    assert_eq!(hall.room.leave(&buyer("eva"), at(-1), "eva"), refused);
    assert_eq!(hall.room.come(&buyer("eva"), at(-1), "eva"), refused);
    hall.room = Hall::owner(&hall.rows, 2);
    hall.join("ana", at(-1));
    hall.join("bob", at(-1));
    let full = Err(("eva", QueueRefusal::Full));
    assert_eq!(hall.room.join(&buyer("eva"), at(-1), "eva"), full);
    hall.join("ana", at(-1));
}

#[test]
fn who_waits_for_an_answer_when_the_owner_dies_is_told_that_nobody_knows() {
    let mut hall = Hall::empty();
    hall.join("ana", at(-2));
    hall.room.send(at(-2));
    hall.join("bob", at(-1));
    assert_eq!(hall.room.give_up(), ["ana", "bob"]);
}

#[test]
fn a_raised_round_is_durable() {
    let mut hall = Hall::empty();
    let revokes = ControlPatch { revokes: true, ..ControlPatch::default() };
    let (who, why, detail) = ("op".into(), "leaked".into(), "{}".into());
    let deed = Deed { id: Uuid::from_u128(1), who, what: "admission", why, detail };
    hall.room.obey(revokes, deed, "op");
    assert!(hall.room.obeyed().is_empty(), "it is not durable");
    assert_eq!(hall.room.line().round(), 1, "it is not durable yet");
    hall.commit(at(0));
    assert_eq!(hall.room.line().round(), 2);
    hall.take_over();
    assert_eq!(hall.room.line().round(), 2);
}
