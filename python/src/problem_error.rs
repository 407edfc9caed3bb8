//! What the one door of all shells refuses, in the words of Python.

use elfving::estimate::EstimateError;
use elfving_problem::{Estimator, ProblemError};

use crate::failure::{Class, Failure};

/// The names of so many features are listed where one is missing.
const SHOWN: usize = 12;

impl From<ProblemError> for Failure {
    fn from(error: ProblemError) -> Self {
        let message = error.to_string();
        let with = |class, hint: &str| Self::Refused(class, format!("{message}; {hint}"));
        match error {
            ProblemError::Table(error) => error.into(),
            ProblemError::Invalid(error) => error.into(),
            ProblemError::Pool(error) => error.into(),
            ProblemError::Design(error) => error.into(),
            ProblemError::Rounding(error) => error.into(),
            ProblemError::Estimate(EstimateError::NeedsBound { estimator }) => Self::option(format!(
                "{estimator} needs bound=, larger than every mean outcome in absolute value, for its intervals"
            )),
            ProblemError::Estimate(error) => error.into(),
            ProblemError::Surrogate(error) => error.into(),
            ProblemError::Bandit(error) => error.into(),
            ProblemError::Complexity(error) => error.into(),
            ProblemError::Simulation { .. } => {
                with(Class::Numerical, "bring outcomes and features to a scale near 1, or give gamma=")
            }
            ProblemError::NotIdentifiable { .. } => with(
                Class::NotIdentifiable,
                "give gamma a small positive number such as 1e-3, or leave the target out",
            ),
            ProblemError::UnknownName { nearest: Some(nearest), .. } => {
                with(Class::Option, &format!("the nearest is {nearest:?}"))
            }
            ProblemError::UnknownName { nearest: None, rows, examples, .. } => {
                let more = if rows > examples.len() { ", .." } else { "" };
                with(Class::Option, &format!("there are {}{more}", examples.join(", ")))
            }
            ProblemError::NothingLeft { .. } => with(Class::Option, "leave some out of forbid="),
            ProblemError::NeedsOneTarget => {
                with(Class::Option, "name it with targets=, or give coefficients with direction=")
            }
            ProblemError::DirectionForC { .. } => {
                with(Class::Option, "leave direction= out, or use criterion \"c\"")
            }
            ProblemError::NoTargets { .. } => {
                with(Class::Option, "leave out targets= and direction=, or use another criterion")
            }
            ProblemError::DirectionLength { names, features, .. } if !names.is_empty() => {
                let more = if features > SHOWN { ", .." } else { "" };
                let names = names.iter().take(SHOWN).map(String::as_str).collect::<Vec<_>>().join(", ");
                with(Class::Option, &format!("give one for each of {names}{more}"))
            }
            ProblemError::Incomplete { .. } => with(
                Class::RoundIncomplete,
                "wait for them, make them again, or go on with no_guarantee=True",
            ),
            ProblemError::OtherKindOfPlan {
                estimator: Estimator::LeastSquares | Estimator::Ridge, ..
            } => with(Class::Option, "use rips or ips, or elfving.round in place of elfving.draw"),
            ProblemError::OtherKindOfPlan { .. } => {
                with(Class::Option, "use least-squares or ridge, or elfving.draw in place of elfving.round")
            }
            ProblemError::NoTable { .. } => {
                with(Class::Option, "make the pool from a data frame, a file or an array")
            }
            ProblemError::KernelAndPolynomial
            | ProblemError::DirectionLength { .. }
            | ProblemError::Setting { .. } => Self::option(message),
            ProblemError::NewerDocument { .. } => {
                with(Class::Version, "use the version of elfving that wrote it, or a later one")
            }
            // What is left is about the data: ids, sizes, documents, outcomes.
            _ => Self::data(message),
        }
    }
}
