//! What a file with nothing but a plan does not say of its venue.

use std::fmt::Debug;
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
        let Self { name, slug, city, country, lat, lon, timezone, general } = self;
        let texts = [name, slug, city, country, timezone];
        let given = texts.into_iter().any(Option::is_some) || lat.is_some() || lon.is_some();
        if given || !general.is_empty() {
            return Err("the file has a venue of its own: options for one do not go with it".into());
        }
        Ok(())
    }

    /// The venue of this plan. What nobody says of it is made up, so that any layout can be tried; it is
    /// told on standard error, since buyers would read it.
    pub(super) fn fields(&self, plan: &RawValue) -> VenueFields {
        let mut made_up = Vec::new();
        let said = self.name.clone().or_else(|| name_of(plan));
        let name = or(&mut made_up, "--name", said, "Imported venue".to_owned());
        let mut text = |option, given: &Option<String>, stand_in: &str| {
            or(&mut made_up, option, given.clone(), stand_in.to_owned())
        };
        let city = text("--city", &self.city, "Nowhere");
        // ISO 3166 leaves it to its users.
        let country = text("--country", &self.country, "XX");
        let timezone = text("--timezone", &self.timezone, "UTC");
        let lat = or(&mut made_up, "--lat", self.lat, 0.0);
        let lon = or(&mut made_up, "--lon", self.lon, 0.0);
        if !made_up.is_empty() {
            let made_up = made_up.join(", ");
            let _ = writeln!(io::stderr(), "taquilla: made up, since nothing says it: {made_up}");
        }
        let slug = self.slug.clone().unwrap_or_else(|| slug_of(&name));
        VenueFields { name, slug, city, country, lat, lon, timezone, hall: None }
    }

    /// General areas.
    pub(super) fn areas(&self) -> impl Iterator<Item = (String, u32)> + '_ {
        self.general.iter().cloned()
    }
}

/// What is given or else the stand-in, which is noted.
fn or<T: Debug>(made_up: &mut Vec<String>, option: &str, given: Option<T>, stand_in: T) -> T {
    given.unwrap_or_else(|| {
        made_up.push(format!("{option} {stand_in:?}"));
        stand_in
    })
}

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
