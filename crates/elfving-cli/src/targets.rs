//! Which targets a design is for, on the command line.

use clap::Args;
use elfving_problem::TargetSpec;

use crate::error::CliError;

/// The targets of a design, where these are not all choices.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Question")]
pub(crate) struct TargetArgs {
    /// For criterion c: the combination of coefficients to estimate, one number per feature
    #[arg(long, value_name = "V1,V2,..", value_delimiter = ',', allow_hyphen_values = true)]
    pub(crate) direction: Option<Vec<f64>>,
    /// A candidate (or row of --targets) whose mean to estimate; repeat it for several. Criterion c takes one, d and a none
    #[arg(long, value_name = "ID", conflicts_with = "direction")]
    pub(crate) target_id: Vec<String>,
}

impl TargetArgs {
    /// What the options name.
    pub(crate) fn spec(&self) -> Result<TargetSpec, CliError> {
        let not_finite = self.direction.iter().flatten().find(|number| !number.is_finite());
        if let Some(number) = not_finite {
            let message = format!("--direction: {number} is not a finite number");
            return Err(CliError::usage("E201", message, "give one finite number per feature"));
        }
        Ok(match (&self.direction, self.target_id.as_slice()) {
            (Some(direction), _) => TargetSpec::Direction(direction.clone()),
            (None, []) => TargetSpec::All,
            (None, ids) => TargetSpec::Ids(ids.to_vec()),
        })
    }
}
