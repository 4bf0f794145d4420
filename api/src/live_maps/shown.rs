//! One version of a map, as it leaves: each form is made when the first asks for it, and shared by all who do.

use std::sync::{Arc, OnceLock};

use axum::body::Bytes;
use taquilla_engine::event::availability::History;
use taquilla_engine::event::{Availability, Terms};
use taquilla_engine::id::{PlanId, Sequence};
use taquilla_engine::moment::Moment;

use crate::views::{AvailabilityView, ChangesView, binary_availability};

/// One version, and how it came to be.
pub struct Shown {
    history: History,
    as_of: Moment,
    terms: Terms,
    json: OnceLock<Bytes>,
    binary: OnceLock<Bytes>,
    snapshot_frame: OnceLock<Bytes>,
    /// By how many steps back they begin.
    changes: Vec<OnceLock<Bytes>>,
    delta_frames: Vec<OnceLock<Bytes>>,
}

impl Shown {
    /// What the map was known to be at this instant.
    #[must_use]
    pub fn new(history: History, as_of: Moment, terms: &Terms) -> Self {
        let for_each_step = || (0..=history.steps()).map(|_| OnceLock::new()).collect();
        let (changes, delta_frames) = (for_each_step(), for_each_step());
        let (json, binary, snapshot_frame) = Default::default();
        let terms = terms.clone();
        Self { history, as_of, terms, json, binary, snapshot_frame, changes, delta_frames }
    }

    /// The map.
    #[must_use]
    pub fn map(&self) -> &Arc<Availability> {
        self.history.latest()
    }

    /// When it was known to be so: now, while the event has an owner here.
    #[must_use]
    pub fn as_of(&self) -> Moment {
        self.as_of
    }

    /// The plan that it is a map of.
    pub(super) fn plan(&self) -> PlanId {
        self.terms.plan_id
    }

    pub(super) fn history(&self) -> &History {
        &self.history
    }

    /// All of it.
    #[must_use]
    pub fn json(&self) -> Bytes {
        let json = || encoded(&AvailabilityView::of(self.map(), self.as_of, &self.terms));
        self.json.get_or_init(json).clone()
    }

    /// All of it, in the form of `docs/availability.md`.
    #[must_use]
    pub fn binary(&self) -> Bytes {
        let binary = || binary_availability(self.map(), self.as_of, &self.terms).into();
        self.binary.get_or_init(binary).clone()
    }

    /// What has changed since this version. None if it is too long ago, or not known here.
    #[must_use]
    pub fn changes_since(&self, version: Sequence) -> Option<Bytes> {
        Some(self.changes(version, self.history.steps_since(version)?))
    }

    fn changes(&self, since: Sequence, steps: usize) -> Bytes {
        self.shared(&self.changes, since, steps, || {
            let changes = self.history.changes(steps);
            encoded(&ChangesView::of(since, changes, self.map(), self.as_of, &self.terms))
        })
    }

    /// All of it, as a stream sends it.
    #[must_use]
    pub fn snapshot_frame(&self) -> Bytes {
        let frame = || frame("snapshot", self.map().version, &self.json());
        self.snapshot_frame.get_or_init(frame).clone()
    }

    /// What a stream sends to whoever saw this version last: changes, or all of it.
    #[must_use]
    pub fn frame_since(&self, version: Sequence) -> Bytes {
        let Some(steps) = self.history.steps_since(version) else { return self.snapshot_frame() };
        let made = || frame("delta", self.map().version, &self.changes(version, steps));
        self.shared(&self.delta_frames, version, steps, made)
    }

    /// Made once for all who have one of our versions, and by itself for whoever has one between two of them.
    fn shared(
        &self,
        by_steps: &[OnceLock<Bytes>],
        version: Sequence,
        steps: usize,
        made: impl FnOnce() -> Bytes,
    ) -> Bytes {
        if self.history.version_at(steps) == version {
            by_steps[steps].get_or_init(made).clone()
        } else {
            made()
        }
    }
}

/// A message of a stream: the version is its id, so that whoever comes again says what he has.
fn frame(event: &str, version: Sequence, data: &[u8]) -> Bytes {
    let head = format!("id: {}\nevent: {event}\ndata: ", version.0);
    [head.as_bytes(), data, b"\n\n"].concat().into()
}

fn encoded(view: &impl serde::Serialize) -> Bytes {
    serde_json::to_vec(view).expect("a map is plain JSON").into()
}
