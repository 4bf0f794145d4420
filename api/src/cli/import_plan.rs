//! `taquilla import-plan`: a venue from a file, checked, mended on request, and made.

mod venue_options;

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::value::RawValue;
use taquilla_persistence::catalogue::{Catalogue, CreateError, NewVenue};
use taquilla_persistence::database::Database;
use taquilla_persistence::operator_action::OperatorAction;
use taquilla_persistence::pool::Pool;
use uuid::Uuid;

use self::venue_options::VenueOptions;
use super::instance::{Instance, Whose, told_first};
use super::{Failure, Outcome, say};
use crate::config::settings;
use crate::forms::venue::{Refused, VenueForm};
use crate::plans::{self, Defect, Repair, Sheet, Size};
use crate::strict::{FormError, pieces};

/// From which file, and how.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// A venue as POST /admin/venues takes it, or a plan, or a pretix layout, alone.
    file: PathBuf,
    /// Mend what can be mended of a pretix layout, and print each change.
    #[arg(long)]
    repair: bool,
    /// Check only; write nothing, and look for no database.
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    instance: Whose,
    #[command(flatten)]
    venue: VenueOptions,
}

pub(super) async fn run(config: Option<PathBuf>, args: Args) -> Outcome {
    let text = read(&args.file)?;
    let (repairs, venue) = check(&text, &args)?;
    let venue = match venue {
        Ok(venue) => venue,
        Err(refused) => {
            print_repairs(repairs.as_deref())?;
            print_refused(&refused)?;
            return Ok(ExitCode::FAILURE);
        }
    };
    if args.dry_run {
        print_repairs(repairs.as_deref())?;
        say(format_args!("ok: {}; nothing was written", Size::of(&venue.sections)))?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut instance = Instance::find(config.as_deref(), &args.instance)?;
    let database = instance.database().await?;
    let made = make(&instance, &venue).await;
    told_first(made, database.release().await)?;
    // Not before: a venue that cannot be made says so in one line, not after hundreds.
    print_repairs(repairs.as_deref())?;
    say(format_args!("made {} ({}): {}", venue.slug, venue.id, Size::of(&venue.sections)))?;
    Ok(ExitCode::SUCCESS)
}

fn read(file: &Path) -> Result<Vec<u8>, Failure> {
    let mut text = Vec::new();
    // One byte too many tells a file that is too large from one that is not.
    let read = File::open(file)
        .and_then(|file| file.take(plans::BYTES_MAX as u64 + 1).read_to_end(&mut text));
    read.map_err(|error| format!("cannot read {}: {error}", file.display()))?;
    Ok(text)
}

/// What was mended, if that was asked for; and the venue, or why the plan cannot be used.
type Checked = (Option<Vec<Repair>>, Result<NewVenue, Refused>);

/// The venue of the file. A failure is wrong use.
fn check(text: &[u8], args: &Args) -> Result<Checked, Failure> {
    let piece = match plans::document(text) {
        Ok(piece) => piece,
        Err(defects) => return Ok((None, Err(Refused::Plan(defects)))),
    };
    let mut form = match form(piece, args)? {
        Ok(form) => form,
        Err(error) => return Ok((None, Err(Refused::Form(vec![error].into())))),
    };
    let repairs = args.repair.then(|| {
        let mut repairs = Vec::new();
        form.repair(&mut |repair| repairs.push(repair));
        repairs
    });
    Ok((repairs, form.check(Uuid::new_v4())))
}

/// The form in the file, or the one that a plan and the options make.
fn form(piece: &RawValue, args: &Args) -> Result<Result<VenueForm, FormError>, Failure> {
    let is_venue = pieces::pick(piece, ["plan"]).is_ok_and(|it| it.values[0].is_some());
    if is_venue {
        args.venue.require_none()?;
        return Ok(VenueForm::of(piece));
    }
    let fields = args.venue.fields(piece);
    let mut plan = Sheet::of(piece);
    for (name, capacity) in args.venue.areas() {
        if !plan.add_area(name, capacity) {
            return Err("--general is for a pretix layout; a plan by rows has its own areas".into());
        }
    }
    Ok(Ok(VenueForm::new(fields, plan)))
}

async fn make(instance: &Instance, venue: &NewVenue) -> Result<(), Failure> {
    let settings = instance.setting(settings::database(&instance.config))?;
    let catalogue = Catalogue::new(Database::new(Pool::new(&settings)?, &settings));
    let action = OperatorAction {
        id: Uuid::new_v4(),
        who: "taquilla import-plan".into(),
        why: String::new(),
    };
    match catalogue.create_venue(venue, &action).await {
        Ok(_) => Ok(()),
        // A new venue's hall has no version yet.
        Err(CreateError::SlugTaken | CreateError::VersionTaken) => {
            Err(format!("there is a venue {} already", venue.slug).into())
        }
        Err(CreateError::Database(error)) => Err(error.into()),
    }
}

fn print_repairs(repairs: Option<&[Repair]>) -> io::Result<()> {
    let Some(repairs) = repairs else { return Ok(()) };
    let mut out = io::stdout().lock();
    repairs.iter().try_for_each(|repair| writeln!(out, "{repair}"))?;
    writeln!(out, "{} repairs", repairs.len())
}

fn print_refused(refused: &Refused) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match refused {
        Refused::Form(errors) => {
            for FormError { pointer, detail } in errors.clone().into_errors() {
                writeln!(out, "MALFORMED {pointer}: {detail}")?;
            }
        }
        Refused::Plan(defects) => {
            for Defect { code, r#where, detail } in defects {
                writeln!(out, "DEFECT {code} {where}: {detail}")?;
            }
        }
    }
    Ok(())
}
