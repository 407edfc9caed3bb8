//! What is wanted: the outcome with its direction, and the goal.

use clap::Args;
use elfving::bandit::{Goal, GoalName};

use crate::error::CliError;
use crate::named::named;

/// The outcome and which values of it are good.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Question")]
pub(crate) struct AimArgs {
    /// The outcome column; large values are good
    #[arg(long, value_name = "COLUMN", conflicts_with = "minimize")]
    pub(crate) maximize: Option<String>,
    /// The outcome column; small values are good
    #[arg(long, value_name = "COLUMN")]
    pub(crate) minimize: Option<String>,
}

impl AimArgs {
    /// The outcome column, from either option.
    pub(crate) fn column(&self) -> Option<&str> {
        self.maximize.as_deref().or(self.minimize.as_deref())
    }

    /// What an outcome is multiplied by so that large is good.
    pub(crate) fn sign(&self) -> f64 {
        if self.minimize.is_some() { -1.0 } else { 1.0 }
    }
}

/// The goal.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Question")]
pub(crate) struct GoalArgs {
    /// What to find
    #[arg(long, value_parser = named::<GoalName>(), default_value = "best")]
    pub(crate) goal: GoalName,
    /// How far from the best an answer may be (goals best, top, all-good), or how precisely every mean is to be known (goal
    /// map) [default: 0]
    #[arg(long, value_name = "E", allow_negative_numbers = true)]
    pub(crate) epsilon: Option<f64>,
    /// How many candidates are wanted (goal top)
    #[arg(long, value_name = "M", default_value_t = 3)]
    pub(crate) top: usize,
}

impl GoalArgs {
    /// The goal with this epsilon; regret is counted up to the horizon.
    pub(crate) fn goal(&self, epsilon: f64, horizon: Option<u64>) -> Result<Goal, CliError> {
        let goal = self.goal.goal(epsilon, self.top, horizon);
        Ok(goal.check(usize::MAX)?)
    }
}
