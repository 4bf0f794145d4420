//! What a file with nothing but a plan does not say of its venue.

use std::io::{self, Write as _};

use serde_json::value::RawValue;

use super::super::Failure;
use crate::forms::venue::VenueFields;
use crate::slug::slug_of;
use crate::strict::pieces;

/// A venue's members, for a file that is a plan alone.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "For a plan alone")]
pub(super) struct VenueOptions {
    /// Its name; as the layout is called unless said.
    #[arg(long)]
    name: Option<String>,
    /// Unique among venues; from the name unless said.
    #[arg(long)]
    slug: Option<String>,
    /// Its city.
    #[arg(long)]
    city: Option<String>,
    /// Two capital letters, ISO 3166.
    #[arg(long)]
    country: Option<String>,
    /// Degrees, within 90.
    #[arg(long, allow_negative_numbers = true)]
    lat: Option<f64>,
    /// Degrees, within 180.
    #[arg(long, allow_negative_numbers = true)]
    lon: Option<f64>,
    /// An IANA name, such as Europe/Madrid.
    #[arg(long)]
    timezone: Option<String>,
    /// A general area beside a pretix layout; any number of them.
    #[arg(long, value_name = "SECTION=CAPACITY", value_parser = area)]
    general: Vec<(String, u32)>,
}

impl VenueOptions {
    /// Refuses options that would say what the file says.
    pub(super) fn require_none(&self) -> Result<(), Failure> {
        let given = self.missing().len() < REQUIRED || self.name.is_some() || self.slug.is_some();
        if given || !self.general.is_empty() {
            return Err("the file has a venue of its own: options for one do not go with it".into());
        }
        Ok(())
    }

    /// The venue of this plan. What nobody says of it is made up, so that any layout can be tried; it is
    /// told on standard error, since buyers would read it.
    pub(super) fn fields(&self, plan: &RawValue) -> VenueFields {
        let missing = self.missing();
        if !missing.is_empty() {
            let _ = writeln!(
                io::stderr(),
                "taquilla: a plan alone says nothing of its venue; made up: Nowhere, XX, 0, 0, UTC, as \
                 far as not said by {}",
                missing.join(", ")
            );
        }
        let name = self.name.clone().or_else(|| name_of(plan));
        let name = name.unwrap_or_else(|| "Imported venue".into());
        let or = |given: &Option<String>, made_up: &str| given.clone().unwrap_or(made_up.into());
        VenueFields {
            slug: self.slug.clone().unwrap_or_else(|| slug_of(&name)),
            name,
            city: or(&self.city, "Nowhere"),
            // ISO 3166 leaves it to its users.
            country: or(&self.country, "XX"),
            lat: self.lat.unwrap_or_default(),
            lon: self.lon.unwrap_or_default(),
            timezone: or(&self.timezone, "UTC"),
        }
    }

    /// General areas.
    pub(super) fn areas(&self) -> impl Iterator<Item = (String, u32)> + '_ {
        self.general.iter().cloned()
    }

    fn missing(&self) -> Vec<&'static str> {
        let given: [(&str, bool); REQUIRED] = [
            ("--city", self.city.is_some()),
            ("--country", self.country.is_some()),
            ("--lat", self.lat.is_some()),
            ("--lon", self.lon.is_some()),
            ("--timezone", self.timezone.is_some()),
        ];
        given.into_iter().filter(|(_, given)| !given).map(|(name, _)| name).collect()
    }
}

/// Options for which nothing in a plan can stand.
const REQUIRED: usize = 5;

/// What a layout calls itself.
fn name_of(plan: &RawValue) -> Option<String> {
    let [name] = pieces::pick(plan, ["name"]).ok()?.values;
    let name = pieces::text(name?).ok()?;
    Some(name.trim().to_owned()).filter(|name| !name.is_empty())
}

fn area(text: &str) -> Result<(String, u32), String> {
    let wrong = || "expected SECTION=CAPACITY, such as FLOOR=5000".to_owned();
    let (name, capacity) = text.rsplit_once('=').ok_or_else(wrong)?;
    Ok((name.to_owned(), capacity.parse().map_err(|_| wrong())?))
}
