//! What the one door of all shells refuses, in the words of Python. The exception follows from the kind of the error.

use elfving::estimate::EstimateError;
use elfving::units::ErrorKind;
use elfving_problem::{Estimator, ProblemError};

use crate::failure::Failure;

/// The names of so many features are listed where one is missing.
const SHOWN: usize = 12;

impl From<ProblemError> for Failure {
    fn from(error: ProblemError) -> Self {
        let (kind, message) = (error.kind(), error.to_string());
        let with = |hint: &str| Self::Refused(kind.into(), format!("{message}; {hint}"));
        match error {
            ProblemError::Table(error) => error.into(),
            ProblemError::Estimate(EstimateError::NeedsBound { estimator }) => Self::option(format!(
                "{estimator} needs bound=, larger than every mean outcome in absolute value, for its intervals"
            )),
            ProblemError::Simulation { .. } if kind == ErrorKind::Numerical => {
                with("bring outcomes and features to a scale near 1, or give gamma=")
            }
            ProblemError::NotIdentifiable { .. } => {
                with("give gamma a small positive number such as 1e-3, or leave the target out")
            }
            ProblemError::UnknownName { nearest: Some(nearest), .. } => {
                with(&format!("the nearest is {nearest:?}"))
            }
            ProblemError::UnknownName { nearest: None, rows, examples, .. } => {
                let more = if rows > examples.len() { ", .." } else { "" };
                with(&format!("there are {}{more}", examples.join(", ")))
            }
            ProblemError::NothingLeft { .. } => with("leave some out of forbid="),
            ProblemError::NeedsOneTarget => {
                with("name it with targets=, or give coefficients with direction=")
            }
            ProblemError::DirectionForC { .. } => with("leave direction= out, or use criterion \"c\""),
            ProblemError::NoTargets { .. } => {
                with("leave out targets= and direction=, or use another criterion")
            }
            ProblemError::DirectionLength { names, features, .. } if !names.is_empty() => {
                let more = if features > SHOWN { ", .." } else { "" };
                let names = names.iter().take(SHOWN).map(String::as_str).collect::<Vec<_>>().join(", ");
                with(&format!("give one for each of {names}{more}"))
            }
            ProblemError::Incomplete { .. } => {
                with("wait for them, make them again, or go on with no_guarantee=True")
            }
            ProblemError::OtherKindOfPlan {
                estimator: Estimator::LeastSquares | Estimator::Ridge, ..
            } => with("use rips or ips, or elfving.round in place of elfving.draw"),
            ProblemError::OtherKindOfPlan { .. } => {
                with("use least-squares or ridge, or elfving.draw in place of elfving.round")
            }
            ProblemError::Ranges { .. } => with("make candidates with elfving.factors"),
            ProblemError::NoTable { .. } => with("make the pool from a data frame, a file or an array"),
            ProblemError::NewerDocument { .. } => {
                with("use the version of elfving that wrote it, or a later one")
            }
            // The message says it all.
            _ => Self::Refused(kind.into(), message),
        }
    }
}
