//! What is other than usual on a stage.

/// Beside the usual configuration and arguments; nothing by default.
#[derive(Debug, Clone, Default)]
pub struct Props {
    /// Of `taquilla simulated-provider`, behind its own.
    pub provider_arguments: Vec<String>,
    /// Of every command, by environment.
    pub configuration: Vec<(&'static str, String)>,
}
