//! A plan that has been read and not yet checked; between the two it may be mended.

use serde_json::value::RawValue;

use super::defect::Defects;
use super::general::{self, Area};
use super::limits::SECTIONS_MAX;
use super::names::find_duplicates;
use super::place::{Base, Place};
use super::repair::{Repair, repair};
use super::shape::{members, text};
use super::{Defect, Plan, pretix, rows};
use crate::strict::pieces;

/// What was read.
#[derive(Debug)]
pub struct Sheet {
    /// What is wrong with the plan object itself.
    form: Defects,
    /// What is wrong with what it describes, as far as it is known.
    defects: Defects,
    draft: Draft,
}

#[derive(Debug)]
enum Draft {
    Rows(rows::Draft),
    Pretix {
        layout: pretix::Draft,
        areas: Vec<Area>,
        areas_count: usize,
    },
    /// The form has been noted.
    Unreadable,
}

/// Why there is no plan.
#[derive(Clone, Debug)]
pub enum Rejected {
    /// The plan object is not of the right form.
    Form(Vec<Defect>),
    /// It is, and what it describes cannot be used.
    Plan(Vec<Defect>),
}

impl Sheet {
    /// Of a whole text: a plan object, or a layout alone, which has zones and no format.
    #[must_use]
    pub fn of(piece: &RawValue) -> Self {
        let is_layout = pieces::pick(piece, ["format", "zones"])
            .is_ok_and(|picked| picked.values[0].is_none() && picked.values[1].is_some());
        if is_layout { Self::of_layout(piece) } else { Self::of_plan(piece, Base::Plan) }
    }

    /// Of a plan object.
    #[must_use]
    pub fn of_plan(plan: &RawValue, base: Base) -> Self {
        let (mut form, mut defects) = (Defects::new(base), Defects::new(base));
        let at = Place::Plan;
        let names = ["format", "sections", "layout", "general"];
        let [format, sections, layout, general] = members(&mut form, at(""), plan, names);
        let is_object = pieces::Kind::of(plan) == pieces::Kind::Object;
        let format = is_object.then(|| text(&mut form, at("format"), format)).flatten();
        let draft = match format.as_deref() {
            Some("rows") => {
                let foreign = "not of the format rows";
                form.require(layout.is_none(), "unknown-member", at("layout"), foreign);
                form.require(general.is_none(), "unknown-member", at("general"), foreign);
                Draft::Rows(rows::read(&mut form, sections))
            }
            Some("pretix") => {
                let foreign = "not of the format pretix";
                form.require(sections.is_none(), "unknown-member", at("sections"), foreign);
                form.require(layout.is_some(), "missing-member", at("layout"), "this is required");
                let layout = layout.map(|layout| pretix::read(&mut defects, layout));
                let (areas, areas_count) = general::read(&mut form, general);
                Draft::Pretix { layout: layout.unwrap_or_default(), areas, areas_count }
            }
            Some(_) => {
                form.add("unknown-format", at("format"), |_| "expected `rows` or `pretix`");
                Draft::Unreadable
            }
            None => Draft::Unreadable,
        };
        Self { form, defects, draft }
    }

    /// Of a layout alone.
    #[must_use]
    pub fn of_layout(layout: &RawValue) -> Self {
        let mut defects = Defects::new(Base::Layout);
        let layout = pretix::read(&mut defects, layout);
        let draft = Draft::Pretix { layout, areas: Vec::new(), areas_count: 0 };
        Self { form: Defects::new(Base::Layout), defects, draft }
    }

    /// Adds a general area beside a layout; whether there is one. A plan by rows has its own.
    #[must_use]
    pub fn add_area(&mut self, name: String, capacity: u32) -> bool {
        match &mut self.draft {
            Draft::Pretix { areas, areas_count, .. } => {
                areas.push(Area { name, capacity });
                *areas_count += 1;
                true
            }
            Draft::Rows(_) | Draft::Unreadable => false,
        }
    }

    /// Mends what can be mended of a layout, and tells each change. A plan by rows is left as it is.
    pub fn repair(&mut self, told: &mut dyn FnMut(Repair)) {
        let base = self.defects.base();
        if let Draft::Pretix { layout, areas, .. } = &mut self.draft {
            let taken = areas.iter().map(|area| area.name.as_str()).collect::<Vec<_>>();
            repair(layout, &taken, &mut |rule, place, was, now| {
                let r#where = Place::pointer(place, base);
                told(Repair { rule, r#where, was: was.into(), now: now.into() });
            });
        }
    }

    /// The plan.
    ///
    /// # Errors
    /// What is wrong with the form, or else all defects.
    pub fn check(self) -> Result<Plan, Rejected> {
        let Self { form, mut defects, draft } = self;
        if !form.is_empty() {
            return Err(Rejected::Form(form.into_list()));
        }
        match &draft {
            Draft::Rows(draft) => rows::check(draft, &mut defects),
            Draft::Pretix { layout, areas, areas_count } => {
                pretix::check(layout, &mut defects);
                general::check(areas, &mut defects);
                check_sections(layout, areas, *areas_count, &mut defects);
            }
            Draft::Unreadable => {}
        }
        if !defects.is_empty() {
            return Err(Rejected::Plan(defects.into_list()));
        }
        Ok(draft.build())
    }
}

impl Draft {
    /// Of a draft without defects.
    fn build(self) -> Plan {
        match self {
            Self::Rows(draft) => Plan { categories: Vec::new(), sections: rows::build(draft) },
            Self::Pretix { layout, areas, .. } => {
                let (categories, mut sections) = pretix::build(layout);
                sections.extend(areas.into_iter().map(Area::into_section));
                Plan { categories, sections }
            }
            Self::Unreadable => Plan { categories: Vec::new(), sections: Vec::new() },
        }
    }
}

/// Zones and general areas are sections side by side.
fn check_sections(
    layout: &pretix::Draft,
    areas: &[Area],
    areas_count: usize,
    defects: &mut Defects,
) {
    let zones = layout.zones.iter().filter_map(pretix::Zone::section);
    let areas = (0..).zip(areas);
    let areas = areas.map(|(index, area)| (Place::General(index, "section"), area.name.as_str()));
    find_duplicates(defects, "duplicate-section", zones.chain(areas));
    let sections = layout.zones.len() + areas_count;
    if layout.zones.len() <= SECTIONS_MAX && sections > SECTIONS_MAX {
        let detail = format!("{sections} sections, {SECTIONS_MAX} at most");
        defects.add("too-many-sections", Place::Plan("general"), |_| detail);
    }
}
