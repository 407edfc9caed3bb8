//! A column taken as the truth.

use clap::Args;
use elfving_lab::complexity::{ComplexityError, Truth};

use crate::error::CliError;
use crate::pool_source::LoadedPool;

/// A guess of the outcomes.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Truth")]
pub(crate) struct TruthArgs {
    /// A column of POOL with a guess of the mean outcomes
    #[arg(long, value_name = "COLUMN")]
    pub(crate) truth: Option<String>,
    /// Small outcomes are good
    #[arg(long, requires = "truth")]
    pub(crate) minimize: bool,
}

impl TruthArgs {
    /// The column, its sign turned so that large is good.
    pub(crate) fn means(&self, loaded: &LoadedPool) -> Result<Option<Vec<f64>>, CliError> {
        let Some(column) = &self.truth else { return Ok(None) };
        let table = loaded.table().ok_or_else(|| {
            CliError::usage(
                "E202",
                "--truth names a column, and the pool has none",
                "give a table as the pool",
            )
        })?;
        let sign = if self.minimize { -1.0 } else { 1.0 };
        Ok(Some(table.numbers(column)?.into_iter().map(|mean| sign * mean).collect()))
    }

    /// The linear truth that explains the column best.
    pub(crate) fn read(&self, loaded: &LoadedPool) -> Result<Option<Truth>, CliError> {
        let Some(means) = self.means(loaded)? else { return Ok(None) };
        Ok(Some(Truth::from_means(&loaded.pool, &means)?))
    }
}

impl From<ComplexityError> for CliError {
    fn from(error: ComplexityError) -> Self {
        match error {
            ComplexityError::Design(error) => error.into(),
            ComplexityError::Invalid(error) => error.into(),
            ComplexityError::Tie { .. } => CliError::usage("E201", error.to_string(), "give --epsilon"),
            error => CliError::usage("E201", error.to_string(), "see --help"),
        }
    }
}
