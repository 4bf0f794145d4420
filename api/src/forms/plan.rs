//! A plan as the interface's document describes it; [`crate::plans`] reads it.

use utoipa::ToSchema;

/// A plan, told apart by `format`.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Plan)]
pub struct PlanForm {
    /// Which of the two.
    pub format: PlanFormat,
    /// Of the format `rows`: at least one.
    #[schema(required = false)]
    pub sections: Option<Vec<SectionForm>>,
    /// Of the format `pretix`: a file of pretix's seating-plan editor as it stands.
    #[schema(required = false, value_type = Option<Object>)]
    pub layout: Option<serde_json::Value>,
    /// Of the format `pretix`: places without number beside the layout.
    #[schema(required = false)]
    pub general: Option<Vec<AreaForm>>,
}

/// How a plan is written.
#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
pub enum PlanFormat {
    /// Sections with rows of so many seats, which the server lays out.
    Rows,
    /// A map with a place for each seat.
    Pretix,
}

/// One section: `rows` if it is seated, `capacity` if it is general.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = PlanSection)]
pub struct SectionForm {
    /// Unique in the plan.
    pub section: String,
    /// How it is sold.
    pub kind: SectionKindForm,
    /// Of a seated one, at most 1,000.
    #[schema(required = false)]
    pub rows: Option<Vec<RowForm>>,
    /// Of a general one, 1 to 1,000,000.
    #[schema(required = false, minimum = 1, maximum = 1_000_000)]
    pub capacity: Option<u32>,
}

/// How a section is sold.
#[derive(ToSchema)]
#[schema(as = SectionKind, rename_all = "snake_case")]
pub enum SectionKindForm {
    /// By numbered seats.
    Seated,
    /// By places without number.
    General,
}

/// One row; its seats are numbered from 1.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = PlanRow)]
pub struct RowForm {
    /// Unique in the section.
    pub row: String,
    /// How many.
    #[schema(minimum = 1, maximum = 1_000)]
    pub seats: u32,
    /// Numbers of the seats that are fit for a wheelchair.
    #[schema(required = false)]
    pub accessible: Vec<u32>,
}

/// Places without number.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = GeneralArea)]
pub struct AreaForm {
    /// Unique in the plan, zones included.
    pub section: String,
    /// How many.
    #[schema(minimum = 1, maximum = 1_000_000)]
    pub capacity: u32,
}
