//! The experiments by name.

use elfving::named::named_enum;

use super::{ExperimentError, Findings, bandits, g_optimal, kernel, rips_vs_ips};

named_enum! {
    /// An experiment, in the order of the paper.
    pub enum Experiment: "experiment" {
        /// The paper's first: estimates from a G-optimal design in 50 dimensions.
        GOptimal = "g-optimal": "Estimates from a G-optimal design in 50 dimensions",
        /// The paper's second: a G-optimal design in the space of an RBF kernel.
        Kernel = "kernel": "A G-optimal design in the space of an RBF kernel",
        /// The paper's third: a setting in which the plain IPS estimate has large deviations.
        RipsVsIps = "rips-vs-ips": "Where plain IPS has large deviations",
        /// Ours: the elimination algorithms and the baselines as bandits.
        Bandits = "bandits": "Elimination algorithms and baselines as bandits; the paper has no such experiment",
    }
}

/// How an experiment is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Settings {
    /// Repetitions; those of the paper unless given.
    pub repeats: Option<usize>,
    /// The seed of everything random.
    pub seed: u64,
}

impl Settings {
    /// This many repetitions.
    #[must_use]
    pub fn repeats(mut self, repeats: usize) -> Self {
        self.repeats = Some(repeats);
        self
    }

    /// Another seed.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }
}

impl Experiment {
    /// The repetitions printed in the paper (ours, for the bandits).
    pub fn default_repeats(self) -> usize {
        match self {
            Experiment::GOptimal | Experiment::RipsVsIps => 16,
            Experiment::Kernel => 40,
            Experiment::Bandits => 10,
        }
    }

    /// How often `progress` of [`Experiment::run`] is called.
    pub fn steps(self, settings: &Settings) -> usize {
        let repeats = settings.repeats.unwrap_or(self.default_repeats());
        match self {
            Experiment::GOptimal => repeats,
            Experiment::Kernel => repeats * kernel::NOISES.len(),
            Experiment::RipsVsIps => repeats * rips_vs_ips::SIZES.len(),
            Experiment::Bandits => repeats * bandits::runs(),
        }
    }

    /// Runs it, repetitions in parallel; `progress` is called after each. The same settings give the same findings on any
    /// number of threads.
    ///
    /// # Errors
    /// [`ExperimentError::Repeats`], and whatever the library finds.
    pub fn run(self, settings: &Settings, progress: &(dyn Fn() + Sync)) -> Result<Findings, ExperimentError> {
        let repeats = settings.repeats.unwrap_or(self.default_repeats());
        if repeats < 2 {
            return Err(ExperimentError::Repeats { got: repeats });
        }
        let found = match self {
            Experiment::GOptimal => g_optimal::run(repeats, settings.seed, progress),
            Experiment::Kernel => kernel::run(repeats, settings.seed, progress),
            Experiment::RipsVsIps => rips_vs_ips::run(repeats, settings.seed, progress),
            Experiment::Bandits => bandits::run(repeats, settings.seed, progress),
        }?;
        Ok(Findings {
            experiment: self.name(),
            version: env!("CARGO_PKG_VERSION"),
            seed: settings.seed,
            repeats,
            parameters: found.parameters,
            panels: found.panels,
            claims: found.claims,
        })
    }
}
