//! What an operator sets of a waiting room while it is at work.

/// An operator's bounds, over those of the configuration. Kept with the room.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Control {
    /// Nobody new is let in; those inside go on.
    pub paused: bool,
    /// No more than so many a second are let in; none: as configured.
    pub ceiling: Option<f64>,
}

/// What an operator changes of it; what is not named stays as it is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ControlPatch {
    /// Whether anybody new is let in.
    pub paused: Option<bool>,
    /// The ceiling, or that there is none but the configured one.
    pub ceiling: Option<Option<f64>>,
    /// Every token that has been given is worth nothing any more; whoever is inside is given a new one when he
    /// asks.
    pub revokes: bool,
}

impl ControlPatch {
    /// The control after this change.
    #[must_use]
    pub fn apply(&self, control: Control) -> Control {
        Control {
            paused: self.paused.unwrap_or(control.paused),
            ceiling: self.ceiling.unwrap_or(control.ceiling),
        }
    }
}
