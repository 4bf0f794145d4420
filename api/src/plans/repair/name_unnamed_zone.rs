//! `name-unnamed-zone`: a zone with neither name nor id is called by its place in the file, from 1.

use super::Told;
use crate::plans::place::Place;
use crate::plans::pretix::{Draft, Said};

pub(super) fn apply(draft: &mut Draft, _: &[&str], told: Told<'_>) {
    for zone in &mut draft.zones {
        if zone.section().is_none() && zone.name.is_blank() {
            let name = format!("Zone {}", zone.index + 1);
            told(Place::Zone(zone.index, "name"), "", &name);
            zone.name = Said::Text(name.into());
        }
    }
}
