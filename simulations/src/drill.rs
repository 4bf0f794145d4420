//! What is done to a server under load, and what must come of it.
//!
//! Every drill ends the same way: the crowd finishes, every payment comes to its end, and the
//! auditor reads rows, books and recording. A drill that finds something keeps its folder.

pub mod database_stop;
pub mod dev_kill;
pub mod kill;
pub mod race;

use std::fs::File;
use std::io::BufWriter;

use taquilla_auditor::{Evidence, Recorded, audit, write_recording};

use crate::DrillError;
use crate::box_office::{Hall, OnSale};
use crate::client::{Buyer, Recorder, Site, Tokens};
use crate::figures::Figures;
use crate::stage::Stage;
use crate::workload::Workload;

/// Who makes the hall.
const OPERATOR: &str = "operator";

/// A stage with an event on sale and an open door.
#[derive(Debug)]
pub struct Scene {
    /// What the server stands on.
    pub stage: Stage,
    /// Where buyers go.
    pub site: Site,
    /// What they get in with.
    pub tokens: Tokens,
    /// What they come for.
    pub on_sale: OnSale,
}

impl Scene {
    /// Sets the stage and opens the sale.
    ///
    /// # Errors
    /// If anything does not start, or the operator is refused.
    pub async fn open(hall: Hall) -> Result<Self, DrillError> {
        let stage = Stage::set_up().await?;
        let site = Site::new(stage.url(), Recorder::default())?;
        let tokens = stage.tokens();
        let token = tokens.mint(OPERATOR, Some("operator")).await?;
        let operator = Buyer::new(site.clone(), OPERATOR.into(), token);
        match hall.open(&operator).await {
            Ok(on_sale) => Ok(Self { stage, site, tokens, on_sale }),
            Err(error) => {
                eprintln!("kept for a look: {}", stage.keep_folder().display());
                Err(error)
            }
        }
    }

    /// Lets a crowd in.
    #[must_use]
    pub fn crowd(&self, seed: u64, size: u32) -> Workload {
        Workload::begin(&self.site, &self.tokens, &self.on_sale, seed, size)
    }

    /// Closes the account: the figures if nothing is wrong, else the folder with the recording and
    /// the logs stays, and its place is printed. A drill that came to its end is audited even if
    /// there is a `complaint` about it: what was lost is said before what was late.
    ///
    /// # Errors
    /// What stopped the drill, what the audit found, or the complaint, in this order.
    pub async fn judge(
        self,
        passed: Result<(), DrillError>,
        complaint: Option<String>,
    ) -> Result<Figures, DrillError> {
        let recorded = self.site.recorder().take();
        let figures = Figures::of(&recorded);
        let verdict = match passed {
            Ok(()) => self.audit(recorded.clone(), &figures).await,
            Err(error) => Err(error),
        };
        let verdict = verdict.and(complaint.map_or(Ok(()), |it| Err(DrillError::Broken(it))));
        if verdict.is_err() {
            let folder = self.stage.keep_folder();
            let file = File::create(folder.join("recording.jsonl"))?;
            write_recording(&recorded, BufWriter::new(file))?;
            eprintln!("figures until then:\n{figures}\nkept for a look: {}", folder.display());
        }
        verdict.map(|()| figures)
    }

    async fn audit(&self, recorded: Vec<Recorded>, figures: &Figures) -> Result<(), DrillError> {
        let rows = self.stage.settled_rows().await?;
        let books = self.stage.books().await?;
        let report = audit(&Evidence { rows, books, recorded });
        if !report.is_ok() {
            return Err(DrillError::Audit(report));
        }
        if figures.internal_errors > 0 {
            let said = format!("{} answers were internal-error", figures.internal_errors);
            return Err(DrillError::Broken(said));
        }
        match self.stage.own_audit().await? {
            None => Ok(()),
            Some(said) => Err(DrillError::Broken(format!("`taquilla audit` found:\n{said}"))),
        }
    }
}
