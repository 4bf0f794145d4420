//! `/problems/{slug}`: the pages that problems' types lead to.

use axum::response::Html;

use crate::problem::documented::PageProblems;
use crate::problem::{Problem, page, table};
use crate::strict::PathName;

/// What a problem means.
#[utoipa::path(
    get,
    path = "/problems/{slug}",
    tag = "problems",
    params(("slug" = String, Path, description = "The end of a problem's `type`")),
    responses((status = 200, content_type = "text/html", body = String), PageProblems)
)]
pub(super) async fn show_problem(slug: PathName) -> Result<Html<String>, Problem> {
    let kind = table::find(slug.as_str()).ok_or_else(Problem::not_found)?;
    Ok(Html(page::render(kind)))
}
