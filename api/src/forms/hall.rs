//! Which hall of a venue is meant.

use taquilla_engine::name::canonical;
use taquilla_persistence::catalogue::Venue;

use crate::problem::Problem;
use crate::strict::FormError;

/// The plans of the hall of this name, or of the only one, in order; `plans` are all of the venue.
///
/// # Errors
/// `malformed-request`, with the halls that there are, if it is none of them or none is named; `not-found` if there
/// is no plan at all.
pub(super) fn chosen_hall(plans: Vec<Venue>, hall: Option<&str>) -> Result<Vec<Venue>, Problem> {
    if plans.is_empty() {
        return Err(Problem::not_found());
    }
    let names: Vec<&str> = names(&plans);
    let chosen = match hall {
        Some(hall) => names.iter().find(|name| canonical(name) == canonical(hall)).copied(),
        None => Some(names[0]).filter(|_| names.len() == 1),
    };
    let Some(chosen) = chosen.map(str::to_owned) else {
        let detail = format!("the venue has the halls {}: name one", names.join(", "));
        return Err(FormError::at("/hall", detail).into());
    };
    Ok(plans
        .into_iter()
        .filter(|venue| canonical(&venue.plan.hall) == canonical(&chosen))
        .collect())
}

/// Of the halls, each once.
pub(super) fn names(plans: &[Venue]) -> Vec<&str> {
    let first = plans.iter().filter(|venue| venue.plan.version == 1);
    first.map(|venue| venue.plan.hall.as_str()).collect()
}
