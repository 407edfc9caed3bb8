//! A column taken as the truth: known means, or a guess of them.

use clap::Args;
use elfving_lab::complexity::Truth;

use crate::error::CliError;
use crate::goal_args::AimArgs;
use crate::pool_source::LoadedPool;

/// The mean outcomes, known or guessed.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Truth")]
pub(crate) struct TruthArgs {
    /// The column of POOL with the mean outcomes, known or guessed; large values are good. --maximize COLUMN says the same,
    /// --minimize COLUMN the opposite direction
    #[arg(long, value_name = "COLUMN")]
    pub(crate) truth: Option<String>,
    #[command(flatten)]
    pub(crate) aim: AimArgs,
}

impl TruthArgs {
    /// The column, from whichever option names it.
    pub(crate) fn column(&self) -> Result<Option<&str>, CliError> {
        match (self.truth.as_deref(), self.aim.column()) {
            (Some(truth), Some(outcome)) if truth != outcome => {
                let message =
                    format!("--truth names {truth:?}, the direction {outcome:?}: they are one column");
                Err(CliError::usage(
                    "E202",
                    message,
                    "leave out --truth: --maximize or --minimize names the column",
                ))
            }
            (truth, outcome) => Ok(truth.or(outcome)),
        }
    }

    /// The column, its sign turned so that large is good.
    pub(crate) fn means(&self, loaded: &LoadedPool) -> Result<Option<Vec<f64>>, CliError> {
        let Some(column) = self.column()? else { return Ok(None) };
        let table = loaded.table().ok_or_else(|| {
            CliError::usage(
                "E202",
                "--truth names a column, and the pool has no columns",
                "give a table as the pool",
            )
        })?;
        let sign = self.aim.sign();
        Ok(Some(table.numbers(column)?.into_iter().map(|mean| sign * mean).collect()))
    }

    /// The linear truth that explains the column best.
    pub(crate) fn read(&self, loaded: &LoadedPool) -> Result<Option<Truth>, CliError> {
        let Some(means) = self.means(loaded)? else { return Ok(None) };
        Ok(Some(Truth::from_means(&loaded.pool, &means)?))
    }
}
