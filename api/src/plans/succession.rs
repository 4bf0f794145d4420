//! A plan as the next version of its hall: what was there before keeps its place, so that an event which moves from
//! one version to the next keeps every seat's index. Seats, sections and categories are matched by their names.
//!
//! Sections and seats that the new plan lacks stay as dropped; new sections and categories stand behind the others.
//! Since the seats of a section lie next to each other, a section never has more seats than it began with.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use taquilla_engine::name::canonical;
use taquilla_engine::plan::{SEATS_MAX, SectionKind};
use taquilla_persistence::catalogue::{
    NewSeat, NewSection, SeatGeometry, SeatingPlan, SectionRoom,
};

use super::defect::{Defect, Defects};
use super::limits::{CATEGORIES_MAX, SECTIONS_MAX};
use super::names::shown;
use super::place::{Base, Place};
use super::{Plan, Size};

/// The version before, with its seats in index order.
#[derive(Clone, Copy, Debug)]
pub struct Before<'a> {
    /// Sections and categories.
    pub plan: &'a SeatingPlan,
    /// Every seat that has an index.
    pub seats: &'a [SeatGeometry],
}

/// The plan with everything where it was, if it can be that.
///
/// # Errors
/// All that it would change of what does not change.
pub fn succeed(new: Plan, before: Before<'_>) -> Result<Plan, Vec<Defect>> {
    let mut defects = Defects::new(Base::Venue);
    let (categories, category_of) = merged(&before.plan.categories, &new.categories);
    let mut hall = Hall::of(before);
    for section in new.sections {
        hall.place(section, &category_of, &mut defects);
    }
    let sections = hall.into_sections();
    check_limits(&sections, &categories, &mut defects);
    if defects.is_empty() { Ok(Plan { categories, sections }) } else { Err(defects.into_list()) }
}

/// The hall as it comes to be.
struct Hall<'a> {
    before: Before<'a>,
    section_of: HashMap<Cow<'a, str>, usize>,
    seat_of: HashMap<Cow<'a, str>, usize>,
    /// Of the sections that there were, those that are still there.
    stay: Vec<Option<NewSection>>,
    /// Of the seats that there were, those that are still there.
    seats: Vec<Option<NewSeat>>,
    more: Vec<NewSection>,
}

impl<'a> Hall<'a> {
    fn of(before: Before<'a>) -> Self {
        let sections = before.plan.sections.iter().enumerate();
        let seats = before.seats.iter().enumerate();
        Self {
            section_of: sections.map(|(at, section)| (canonical(&section.name), at)).collect(),
            seat_of: seats.map(|(at, seat)| (canonical(&seat.label), at)).collect(),
            stay: before.plan.sections.iter().map(|_| None).collect(),
            seats: before.seats.iter().map(|_| None).collect(),
            more: Vec::new(),
            before,
        }
    }

    fn place(&mut self, section: NewSection, category_of: &[u16], defects: &mut Defects) {
        let at = self.section_of.get(&*canonical(&section.name)).copied();
        let is_seated = at.map(|at| match self.before.plan.sections[at].kind {
            SectionKind::Seated { .. } => true,
            SectionKind::General { .. } => false,
        });
        let NewSection { name, room } = section;
        let room = match (room, is_seated) {
            (SectionRoom::Seated(_), Some(false)) | (SectionRoom::General { .. }, Some(true)) => {
                return defects.add("section-kind-changed", Place::Plan(""), |_| {
                    let was = if is_seated == Some(true) { "seated" } else { "general" };
                    format!(
                        "{} has been {was}, and stays so: give the new one another name",
                        shown(&name)
                    )
                });
            }
            (room @ SectionRoom::General { .. }, _) => room,
            (SectionRoom::Seated(seats), _) => {
                let mut new = Vec::new();
                for mut seat in seats {
                    seat.category =
                        seat.category.map(|category| category_of[usize::from(category)]);
                    match self.index_of(&name, at, &seat, defects) {
                        Found::Here(index) => self.seats[index] = Some(seat),
                        Found::New => new.push(seat),
                        Found::Refused => {}
                    }
                }
                SectionRoom::Seated(new)
            }
        };
        let section = NewSection { name, room };
        match at {
            Some(at) => self.stay[at] = Some(section),
            None => self.more.push(section),
        }
    }

    /// Where the seat stands, in this section or as one of a new section.
    fn index_of(
        &self,
        section: &str,
        at: Option<usize>,
        seat: &NewSeat,
        defects: &mut Defects,
    ) -> Found {
        match (self.seat_of.get(&*canonical(&seat.label)), at) {
            (None, None) => Found::New,
            (None, Some(_)) => {
                defects.add("seat-added", Place::Plan(""), |_| {
                    let (seat, section) = (shown(&seat.label), shown(section));
                    format!(
                        "{seat} is new in {section}, which has its seats: put it into a new section"
                    )
                });
                Found::Refused
            }
            (Some(index), at) => {
                let was = usize::from(self.before.seats[*index].section.0);
                if Some(was) == at {
                    return Found::Here(*index);
                }
                defects.add("seat-moved", Place::Plan(""), |_| {
                    let was = shown(&self.before.plan.sections[was].name);
                    let (seat, section) = (shown(&seat.label), shown(section));
                    format!("{seat} is one of {was}, and cannot be one of {section}: give it another label")
                });
                Found::Refused
            }
        }
    }

    fn into_sections(self) -> Vec<NewSection> {
        let Self { before, stay, seats, more, .. } = self;
        let mut seats = seats.into_iter().zip(before.seats);
        let old = before.plan.sections.iter().zip(stay).map(|(section, stays)| {
            let room = match (section.kind, stays.as_ref().map(|it| &it.room)) {
                (SectionKind::Seated { seats: count, .. }, _) => {
                    let seats = seats.by_ref().take(count as usize);
                    SectionRoom::Seated(
                        seats.map(|(seat, was)| seat.unwrap_or_else(|| dropped(was))).collect(),
                    )
                }
                (SectionKind::General { .. }, Some(SectionRoom::General { capacity })) => {
                    SectionRoom::General { capacity: *capacity }
                }
                (SectionKind::General { .. }, Some(SectionRoom::Seated(_)) | None) => {
                    SectionRoom::General { capacity: 0 }
                }
            };
            let name = stays.map_or_else(|| section.name.clone(), |section| section.name);
            NewSection { name, room }
        });
        let mut sections: Vec<NewSection> = old.collect();
        sections.extend(more);
        sections
    }
}

enum Found {
    /// At this index.
    Here(usize),
    /// Nowhere; its section is new, too.
    New,
    /// Where it must not; that has been noted.
    Refused,
}

/// As it was.
fn dropped(seat: &SeatGeometry) -> NewSeat {
    NewSeat {
        label: seat.label.clone(),
        row: Arc::from(seat.row.as_str()),
        seat: seat.seat.clone(),
        x: seat.x,
        y: seat.y,
        accessible: seat.accessible,
        category: seat.category,
        dropped: true,
    }
}

/// All categories, those that there were first; and of each new one its place among them.
fn merged(before: &[String], new: &[String]) -> (Vec<String>, Vec<u16>) {
    let mut all = before.to_vec();
    let places = new.iter().map(|name| {
        let known = before.iter().position(|it| canonical(it) == canonical(name));
        let place = known.unwrap_or_else(|| {
            all.push(name.clone());
            all.len() - 1
        });
        u16::try_from(place).expect("a plan has few categories, and so has the one before")
    });
    let places = places.collect();
    (all, places)
}

fn check_limits(sections: &[NewSection], categories: &[String], defects: &mut Defects) {
    let seats = Size::of(sections).seats;
    let counts = [
        ("too-many-sections", sections.len(), SECTIONS_MAX, "sections"),
        ("too-many-seats", seats, SEATS_MAX as usize, "seats"),
        ("too-many-categories", categories.len(), CATEGORIES_MAX, "categories"),
    ];
    for (code, count, max, what) in counts {
        if count > max {
            let detail = format!("{count} {what} with those of all versions before, {max} at most");
            defects.add(code, Place::Plan(""), |_| detail);
        }
    }
}
