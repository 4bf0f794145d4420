//! What is done to a server under load, and what must come of it.
//!
//! Every drill ends the same way: the crowd finishes, every payment comes to its end, and the
//! auditor reads rows, books and recording. A drill that finds something keeps its folder.

pub mod bus_stop;
pub mod database_stop;
pub mod dev_kill;
pub mod kill;
pub mod opening;
pub mod purchases;
pub mod race;
pub mod watchers;

use std::fs::{self, File};
use std::io::BufWriter;
use std::path::Path;
use std::time::{Duration, Instant};

use chrono::Utc;
use taquilla_auditor::{Evidence, Recorded, RecordingError, Rows, audit, write_recording};

use crate::box_office::{Hall, OnSale};
use crate::client::{Buyer, Recorder, Site, Tokens};
use crate::figures::Figures;
use crate::stage::{Props, Stage};
use crate::workload::Workload;
use crate::{DrillError, patience};

/// What the operator is called.
const OPERATOR: &str = "operator";
/// A server that is back sells again by then.
const SELLING_MAX: Duration = Duration::from_secs(30);

/// A stage with an event on sale and an open door.
#[derive(Debug)]
pub struct Scene {
    /// What the server stands on.
    pub stage: Stage,
    /// Where buyers go.
    pub site: Site,
    /// What they get in with.
    pub tokens: Tokens,
    /// Who made the hall.
    pub operator: Buyer,
    /// What they come for.
    pub on_sale: OnSale,
}

impl Scene {
    /// Sets the stage and opens the sale.
    ///
    /// # Errors
    /// If anything does not start, or the operator is refused.
    pub async fn open(hall: Hall) -> Result<Self, DrillError> {
        Self::open_with(hall, Props::default()).await
    }

    /// The same, with other than the usual things on the stage.
    ///
    /// # Errors
    /// As [`Scene::open`].
    pub async fn open_with(hall: Hall, props: Props) -> Result<Self, DrillError> {
        let stage = Stage::set_up(props).await?;
        let site = Site::new(stage.url(), Recorder::default())?;
        let tokens = stage.tokens();
        let token = tokens.mint(OPERATOR, Some("operator")).await?;
        let operator = Buyer::new(site.clone(), OPERATOR.into(), token);
        let on_sale = hall.open(&operator).await?;
        Ok(Self { stage, site, tokens, operator, on_sale })
    }

    /// Lets a crowd in.
    #[must_use]
    pub fn crowd(&self, seed: u64, size: u32) -> Workload {
        Workload::begin(&self.site, &self.tokens, &self.on_sale, seed, size)
    }

    /// Waits for so many grants that were asked for from now on; says how long it took.
    ///
    /// # Errors
    /// [`DrillError::Late`].
    pub async fn sells(&self, grants: usize) -> Result<Duration, DrillError> {
        let recorder = self.site.recorder();
        let (from, since, started) = (recorder.len(), Utc::now(), Instant::now());
        let is_grant = |record: &Recorded| {
            record.path == "/holds" && record.status == Some(201) && record.at_start >= since
        };
        patience::until("the server sells", SELLING_MAX, patience::SOON, async || {
            Ok((recorder.count_from(from, is_grant) >= grants).then_some(()))
        })
        .await?;
        Ok(started.elapsed())
    }

    /// Closes the account: the figures if nothing is wrong, else the folder with the recording and
    /// the logs stays, and its place is printed. A drill that came to its end is audited even if
    /// there is a `complaint` about it: what was lost is said before what was late.
    ///
    /// # Errors
    /// What stopped the drill, what the audit found, or the complaint, in this order.
    pub async fn judge(
        mut self,
        passed: Result<(), DrillError>,
        complaint: Option<String>,
    ) -> Result<Figures, DrillError> {
        let recorded = self.site.recorder().take();
        let figures = Figures::of(&recorded);
        let verdict = match passed {
            Ok(()) => self.audit(&recorded, &figures).await,
            Err(error) => Err(error),
        };
        let verdict = verdict.and(complaint.map_or(Ok(()), |it| Err(DrillError::Broken(it))));
        match verdict {
            Ok(()) => self.stage.went_well(),
            Err(_) => {
                keep(&recorded, &figures, self.stage.folder());
                keep_money(&self.stage).await;
            }
        }
        verdict.map(|()| figures)
    }

    async fn audit(&self, recorded: &[Recorded], figures: &Figures) -> Result<(), DrillError> {
        let (rows, books) = (self.stage.settled_rows().await?, self.stage.books().await?);
        find_nothing(&Evidence { rows, books, recorded: recorded.to_vec() }, figures)?;
        found_nothing(self.stage.own_audit().await?)
    }
}

/// The auditor finds nothing, and no answer was a bug's.
fn find_nothing(evidence: &Evidence, figures: &Figures) -> Result<(), DrillError> {
    let report = audit(evidence);
    if !report.is_ok() {
        return Err(DrillError::Audit(report));
    }
    if figures.internal_errors > 0 {
        let said = format!("{} answers were internal-error", figures.internal_errors);
        return Err(DrillError::Broken(said));
    }
    Ok(())
}

/// The product's own audit found nothing either.
fn found_nothing(said: Option<String>) -> Result<(), DrillError> {
    match said {
        None => Ok(()),
        Some(said) => Err(DrillError::Broken(format!("`taquilla audit` found:\n{said}"))),
    }
}

/// The rows of money go there too: the database is gone with the stage.
async fn keep_money(stage: &Stage) {
    let kept = async {
        let Rows { orders, tickets, attempts, refunds, ledger, notices, .. } = stage.rows().await?;
        let money = format!(
            "{orders:#?}\n{tickets:#?}\n{attempts:#?}\n{refunds:#?}\n{ledger:#?}\n{notices:#?}\n"
        );
        Ok::<_, DrillError>(fs::write(stage.folder().join("money.txt"), money)?)
    };
    if let Err(error) = kept.await {
        eprintln!("the rows are not kept: {error}");
    }
}

/// The recording goes beside the logs. The run has failed already: a failure here is only said.
fn keep(recorded: &[Recorded], figures: &Figures, folder: &Path) {
    eprintln!("figures until then:\n{figures}");
    let written = File::create(folder.join("recording.jsonl"))
        .map_err(RecordingError::from)
        .and_then(|file| write_recording(recorded, BufWriter::new(file)));
    if let Err(error) = written {
        eprintln!("{error}: {:?}", std::error::Error::source(&error).map(ToString::to_string));
    }
}
