//! A seating plan by rows. Its form is checked with the venue's; whether it makes sense is told apart,
//! as defects of the plan.

mod defects;

use std::sync::Arc;

use serde::Deserialize;
use serde::de::IgnoredAny;
use taquilla_persistence::catalogue::{NewSeat, NewSection, SectionRoom};
use utoipa::ToSchema;

use self::defects::find_defects;
use super::text::check_name;
use crate::layout::{Block, Spot, lay_out};
use crate::problem::{Problem, table};
use crate::strict::FormErrors;

/// A plan, told apart by `format`.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Plan)]
pub struct PlanForm {
    /// `rows`.
    format: String,
    /// At least one.
    sections: Option<Vec<SectionForm>>,
    /// Of the format `pretix`, which is not taken yet.
    #[schema(value_type = Option<Object>)]
    layout: Option<IgnoredAny>,
    /// Of the format `pretix`, which is not taken yet.
    #[schema(value_type = Option<Object>)]
    general: Option<IgnoredAny>,
}

/// One section: `rows` if it is seated, `capacity` if it is general.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = PlanSection)]
struct SectionForm {
    section: String,
    kind: SectionKindForm,
    rows: Option<Vec<RowForm>>,
    capacity: Option<u32>,
}

#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = SectionKind)]
enum SectionKindForm {
    Seated,
    General,
}

/// One row; its seats are numbered from 1.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = PlanRow)]
struct RowForm {
    row: String,
    seats: u32,
    /// Numbers of the seats that are fit for a wheelchair.
    #[serde(default)]
    accessible: Vec<u32>,
}

/// A plan of the right form.
pub(super) struct Plan(Vec<Section>);

struct Section {
    name: String,
    room: Room,
}

enum Room {
    Rows(Vec<RowForm>),
    Places(u32),
}

impl PlanForm {
    /// Notes what is wrong with the form. What is left out is taken as empty, so that all is noted.
    pub(super) fn check(self, errors: &mut FormErrors) -> Plan {
        if self.format != "rows" {
            let detail = match self.format.as_str() {
                "pretix" => "plans of the format pretix are not taken yet",
                _ => "expected `rows`",
            };
            errors.add("/plan/format", detail);
            return Plan(Vec::new());
        }
        errors.require(self.layout.is_none(), "/plan/layout", "not of the format rows");
        errors.require(self.general.is_none(), "/plan/general", "not of the format rows");
        errors.require(self.sections.is_some(), "/plan/sections", "this is required");
        let sections = self.sections.unwrap_or_default();
        let check = |(place, section): (usize, SectionForm)| {
            section.check(errors, &format!("/plan/sections/{place}"))
        };
        Plan(sections.into_iter().enumerate().map(check).collect())
    }
}

impl SectionForm {
    fn check(self, errors: &mut FormErrors, at: &str) -> Section {
        check_name(errors, &format!("{at}/section"), &self.section);
        let (rows, capacity) = (self.rows.is_some(), self.capacity.is_some());
        let required = |member| format!("{at}/{member}");
        let room = match self.kind {
            SectionKindForm::Seated => {
                errors.require(rows, &required("rows"), "a seated section has rows");
                errors.require(!capacity, &required("capacity"), "its rows say how many seats");
                Room::Rows(self.rows.unwrap_or_default())
            }
            SectionKindForm::General => {
                errors.require(capacity, &required("capacity"), "a general section has a capacity");
                errors.require(!rows, &required("rows"), "a general section has no rows");
                Room::Places(self.capacity.unwrap_or_default())
            }
        };
        if let Room::Rows(rows) = &room {
            for (place, row) in rows.iter().enumerate() {
                check_name(errors, &format!("{at}/rows/{place}/row"), &row.row);
            }
        }
        Section { name: self.section, room }
    }
}

impl Plan {
    /// Sections with labelled seats at their places.
    pub(super) fn lay_out(self) -> Result<Vec<NewSection>, Problem> {
        let defects = find_defects(&self);
        if !defects.is_empty() {
            let detail = format!("the plan has {} defects", defects.len());
            return Err(Problem::new(&table::PLAN_INVALID, detail).with("defects", defects));
        }
        let blocks = self.0.iter().filter_map(|section| match &section.room {
            Room::Rows(rows) => Some(Block(rows.iter().map(|row| row.seats).collect())),
            Room::Places(_) => None,
        });
        let mut spots = lay_out(&blocks.collect::<Vec<_>>()).into_iter();
        let section = |Section { name, room }: Section| {
            let room = match room {
                Room::Places(capacity) => SectionRoom::General { capacity },
                Room::Rows(rows) => SectionRoom::Seated(
                    rows.into_iter().flat_map(|row| seats(&name, row, &mut spots)).collect(),
                ),
            };
            NewSection { name, room }
        };
        Ok(self.0.into_iter().map(section).collect())
    }
}

/// The next row's seats.
fn seats(section: &str, row: RowForm, spots: &mut impl Iterator<Item = Spot>) -> Vec<NewSeat> {
    let name: Arc<str> = row.row.as_str().into();
    let seat = |(number, Spot { x, y }): (u32, Spot)| NewSeat {
        label: label(section, &row.row, number),
        row: Arc::clone(&name),
        seat: number.to_string(),
        x,
        y,
        accessible: row.accessible.contains(&number),
        category: None,
    };
    (1..=row.seats).zip(spots).map(seat).collect()
}

/// What people call a seat.
fn label(section: &str, row: &str, number: u32) -> String {
    format!("{section}-{row}-{number}")
}
