//! Which targets a design is for.

use elfving::design::{Criterion, DesignError, Problem, TargetRef};
use elfving::numerics::Matrix;
use elfving::pool::{ChoiceId, Pool, Subset, Targets};
use elfving::units::Ridge;
use serde::{Deserialize, Serialize};

use crate::{Dataset, ProblemError};

/// What a design is to tell about.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TargetSpec {
    /// Every choice of the pool.
    #[default]
    All,
    /// These choices, by name.
    Ids(Vec<String>),
    /// One combination of coefficients.
    Direction(Vec<f64>),
}

impl TargetSpec {
    /// The problem these targets pose on the pool.
    ///
    /// # Errors
    /// [`ProblemError::UnknownName`], [`ProblemError::NeedsOneTarget`], [`ProblemError::DirectionForC`],
    /// [`ProblemError::DirectionLength`], and what the problem itself finds.
    pub fn problem<'a>(
        &self,
        dataset: &Dataset,
        pool: &'a Pool,
        criterion: Criterion,
        gamma: Ridge,
    ) -> Result<Problem<'a>, ProblemError> {
        if *self != Self::All && matches!(criterion, Criterion::D | Criterion::A) {
            return Err(ProblemError::NoTargets { criterion });
        }
        let targets = match self {
            Self::All if criterion == Criterion::C && pool.choice_count() > 1 => {
                return Err(ProblemError::NeedsOneTarget);
            }
            Self::All => return Ok(Problem::over_choices(pool, criterion, gamma)?),
            Self::Ids(ids) if criterion == Criterion::C && ids.len() != 1 => {
                return Err(ProblemError::NeedsOneTarget);
            }
            Self::Ids(ids) => {
                let rows = dataset.choices().rows(ids, "target")?;
                // One target has no difference to another: its own variance is made small.
                if criterion == Criterion::Xy && rows.len() == 1 {
                    let targets = Targets::Points(Subset::Of(vec![ChoiceId::new(rows[0])]));
                    return Ok(Problem::new(pool, Criterion::G, targets, gamma)?);
                }
                Targets::Points(Subset::Of(rows.into_iter().map(ChoiceId::new).collect()))
            }
            Self::Direction(direction) => {
                if criterion != Criterion::C {
                    return Err(ProblemError::DirectionForC { criterion });
                }
                let features = pool.dimension();
                if pool.exact().is_none() && direction.len() != features {
                    let names = dataset.feature_names().unwrap_or_default();
                    return Err(ProblemError::DirectionLength { got: direction.len(), features, names });
                }
                Targets::Directions(Matrix::from_row_major(1, direction.len(), direction.clone()))
            }
        };
        Ok(Problem::new(pool, criterion, targets, gamma)?)
    }

    /// What the user calls a target of the problem.
    pub fn name(&self, dataset: &Dataset, target: TargetRef) -> String {
        let choices = dataset.choices();
        let named = |i: usize| match self {
            Self::Ids(ids) => ids.get(i).cloned(),
            _ => (i < choices.len()).then(|| choices.name(i).into_owned()),
        };
        match (self, target) {
            (Self::Direction(_), _) => "the direction".to_owned(),
            (_, TargetRef::Row(i)) => {
                named(i).map_or_else(|| target.to_string(), |name| format!("target {name:?}"))
            }
            (_, TargetRef::Pair(i, j)) => match (named(i), named(j)) {
                (Some(one), Some(other)) => format!("the difference of {one:?} and {other:?}"),
                _ => target.to_string(),
            },
        }
    }

    /// An error of the library in the names of the user.
    pub fn explain(&self, dataset: &Dataset, error: DesignError) -> ProblemError {
        match error {
            DesignError::NotIdentifiable { target, gamma } => {
                ProblemError::NotIdentifiable { target: self.name(dataset, target), gamma }
            }
            other => other.into(),
        }
    }
}
