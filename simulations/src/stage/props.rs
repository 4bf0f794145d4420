//! What is other than usual on a stage.

/// Beside the usual configuration; by default a simulated provider in which nothing goes wrong.
#[derive(Debug, Clone, Default)]
pub struct Props {
    /// Who moves money.
    pub provider: ProviderProps,
    /// Of every command, by environment.
    pub configuration: Vec<(&'static str, String)>,
}

/// A payment provider, and what goes wrong with it.
#[derive(Debug, Clone)]
pub enum ProviderProps {
    /// `taquilla simulated-provider`, with these arguments behind its own.
    Simulated(Vec<String>),
    /// localstripe, behind a wire that spoils two fifths of everything, as this seed says.
    Stripe(u64),
}

impl Default for ProviderProps {
    fn default() -> Self {
        Self::Simulated(Vec::new())
    }
}
