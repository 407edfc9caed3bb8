//! Which targets a design is for, from the command line or from a design file.

use clap::Args;
use elfving::design::{Criterion, DesignError, Problem, TargetRef};
use elfving::numerics::Matrix;
use elfving::pool::{PointId, Subset, Targets};
use elfving::units::Ridge;
use serde::{Deserialize, Serialize};

use crate::error::CliError;
use crate::pool_source::LoadedPool;

/// The one target of criterion c.
#[derive(Debug, Clone, Default, Args, Serialize, Deserialize)]
#[serde(default)]
#[command(next_help_heading = "Question")]
pub(crate) struct TargetArgs {
    /// For criterion c: the combination of coefficients to estimate, one number per feature
    #[arg(long, value_name = "V1,V2,..", value_delimiter = ',', allow_hyphen_values = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) direction: Option<Vec<f64>>,
    /// For criterion c: the candidate (or row of --targets) whose mean to estimate
    #[arg(long, value_name = "ID", conflicts_with = "direction")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) target_id: Option<String>,
}

impl TargetArgs {
    /// The problem these targets pose on the pool.
    pub(crate) fn problem<'a>(
        &self,
        loaded: &'a LoadedPool,
        criterion: Criterion,
        gamma: Ridge,
    ) -> Result<Problem<'a>, CliError> {
        let named = self.direction.is_some() || self.target_id.is_some();
        if named && criterion != Criterion::C {
            let message =
                format!("--direction and --target-id name the one target of criterion c, not of {criterion}");
            return Err(CliError::usage("E202", message, "leave them out, or use --criterion c"));
        }
        let targets = match (&self.direction, &self.target_id) {
            (Some(direction), _) => Targets::Directions(self.checked_direction(direction, loaded)?),
            (None, Some(id)) => Targets::Points(Subset::Of(vec![choice(loaded, id)?])),
            (None, None) if criterion == Criterion::C && loaded.pool.choice_count() > 1 => {
                let message = "criterion c needs one target";
                let help = "name a candidate with --target-id ID, or coefficients with --direction V1,V2,..";
                return Err(CliError::usage("E205", message, help));
            }
            (None, None) => return Ok(Problem::over_choices(&loaded.pool, criterion, gamma)?),
        };
        Ok(Problem::new(&loaded.pool, criterion, targets, gamma)?)
    }

    fn checked_direction(&self, direction: &[f64], loaded: &LoadedPool) -> Result<Matrix, CliError> {
        let features = loaded.pool.dimension();
        if loaded.pool.exact().is_none() && direction.len() != features {
            const SHOWN: usize = 12;
            let mut names = loaded.feature_names.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", ");
            if features > SHOWN {
                names.push_str(", ..");
            }
            let message = format!("--direction has {} numbers for {features} features", direction.len());
            return Err(CliError::usage("E203", message, format!("give one number per feature: {names}")));
        }
        Ok(Matrix::from_row_major(1, direction.len(), direction.to_vec()))
    }

    /// What the user calls a target of the problem.
    pub(crate) fn name(&self, loaded: &LoadedPool, target: TargetRef) -> String {
        match (target, &self.direction, &self.target_id) {
            (_, Some(_), _) => "the direction".to_owned(),
            (_, None, Some(id)) => format!("target {id:?}"),
            (TargetRef::Row(i), None, None) if i < loaded.pool.choice_count() => {
                format!("target {:?}", loaded.choice_name(i))
            }
            (TargetRef::Pair(i, j), ..) if i.max(j) < loaded.pool.choice_count() => {
                format!("the difference of {:?} and {:?}", loaded.choice_name(i), loaded.choice_name(j))
            }
            (other, ..) => other.to_string(),
        }
    }

    /// An error of the library in the names of the user.
    pub(crate) fn explain(&self, loaded: &LoadedPool, error: DesignError) -> CliError {
        match error {
            DesignError::NotIdentifiable { target, gamma } => {
                CliError::NotIdentifiable { target: self.name(loaded, target), gamma }
            }
            other => other.into(),
        }
    }
}

/// The choice of that name.
fn choice(loaded: &LoadedPool, id: &str) -> Result<PointId, CliError> {
    let found = (0..loaded.pool.choice_count()).find(|&i| loaded.choice_name(i) == id);
    found.map(PointId::new).ok_or_else(|| {
        let shown: Vec<&str> =
            (0..loaded.pool.choice_count().min(5)).map(|i| loaded.choice_name(i)).collect();
        let help = format!(
            "the ids are {}{}",
            shown.join(", "),
            if loaded.pool.choice_count() > 5 { ", .." } else { "" }
        );
        CliError::usage("E203", format!("there is no target {id:?}"), help)
    })
}
