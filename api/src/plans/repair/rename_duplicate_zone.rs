//! `rename-duplicate-zone`: of several zones of one name the first in the file keeps it, the second
//! becomes `Name (2)`. A zone with the name of a general area is not the first.

use super::Told;
use super::free_name::Taken;
use crate::plans::pretix::{Draft, Said, Zone};

pub(super) fn apply(draft: &mut Draft, areas: &[&str], told: Told<'_>) {
    let names = draft.zones.iter().filter_map(Zone::section).map(|(_, name)| name);
    let mut taken = Taken::of(names.chain(areas.iter().copied()));
    for area in areas {
        taken.rename(area, |area, number| format!("{area} ({number})"));
    }
    for zone in &mut draft.zones {
        let Some((place, name)) = zone.section() else { continue };
        if let Some(new) = taken.rename(name, |name, number| format!("{name} ({number})")) {
            told(place.at("name"), name, &new);
            zone.name = Said::Text(new.into());
        }
    }
}
