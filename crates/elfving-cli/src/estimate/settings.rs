//! The arguments of `elfving estimate`, checked once.

use std::path::PathBuf;

use elfving::estimate::{Assumptions, Mean};
use elfving::units::Confidence;

use super::EstimateArgs;
use crate::assumption_args::{AssumptionArgs, SigmaArg, sigma_column};
use crate::error::CliError;
use crate::output::{FileFormat, Format, answer_file, picture_file};
use crate::pool_source::LoadedPool;

/// What is to be done, every value valid.
pub(super) struct Settings {
    pub(super) mean: Mean,
    pub(super) delta: Confidence,
    pub(super) assumptions: AssumedNoise,
    pub(super) show: Option<usize>,
    pub(super) format: Format,
    pub(super) out: Option<(PathBuf, FileFormat)>,
    pub(super) plot: Option<(PathBuf, elfving_plot::Format)>,
}

/// Assumptions, but for a column of the pool that is still to be read.
pub(super) struct AssumedNoise {
    assumptions: Assumptions,
    sigma_column: Option<String>,
}

impl Settings {
    /// Refuses what cannot work before any file is read.
    pub(super) fn resolve(args: &EstimateArgs, as_json: bool) -> Result<Self, CliError> {
        Ok(Self {
            mean: args.mean,
            delta: Confidence::new(args.assumptions.delta)?,
            assumptions: AssumedNoise::new(&args.assumptions)?,
            show: args.show,
            format: args.output.format_or(Format::Table, as_json)?,
            out: answer_file(args.output.out.as_ref(), "estimates are")?,
            plot: picture_file(args.plot.plot.as_ref())?,
        })
    }
}

impl AssumedNoise {
    fn new(args: &AssumptionArgs) -> Result<Self, CliError> {
        let sigma = args.sigma.as_ref().expect("the parser asks for it");
        sigma.check()?;
        let (level, column) = match sigma {
            SigmaArg::Number(sigma) => (*sigma, None),
            SigmaArg::Column(name) => (0.0, Some(name.clone())),
        };
        Ok(Self { assumptions: args.with_sigma(level)?, sigma_column: column })
    }

    /// With the noise of each candidate, if it is in a column of the pool.
    pub(super) fn of(&self, loaded: &LoadedPool) -> Result<Assumptions, CliError> {
        let Some(column) = &self.sigma_column else { return Ok(self.assumptions.clone()) };
        let sigmas = sigma_column(column, loaded.table())?;
        self.assumptions.clone().sigma_at(sigmas).map_err(|error| {
            CliError::data(
                "E354",
                format!("{}: column {column:?}: {error}", loaded.file_name()),
                "give numbers >= 0",
            )
        })
    }
}
