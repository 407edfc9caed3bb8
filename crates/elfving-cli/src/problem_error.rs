//! What the one door refuses, in the words of the command line.

use elfving::estimate::EstimateError;
use elfving::estimate::robust_mean::MeanError;
use elfving_problem::{Estimator, ProblemError};

use crate::error::CliError;

impl From<ProblemError> for CliError {
    fn from(error: ProblemError) -> Self {
        let message = error.to_string();
        match error {
            ProblemError::Table(error) => error.into(),
            ProblemError::Invalid(error) => error.into(),
            ProblemError::Pool(error) => error.into(),
            ProblemError::Design(error) => error.into(),
            ProblemError::NotIdentifiable { target, gamma } => Self::NotIdentifiable { target, gamma },
            ProblemError::Estimate(error) => of_estimate(error, message),
            ProblemError::Rounding(_) => Self::usage("E201", message, "check --budget"),
            ProblemError::Surrogate(_) => Self::data("E354", message, "look at the columns of the pool"),
            ProblemError::Bandit(_) => Self::usage("E202", message, "see --bound, --norm and --noise"),
            ProblemError::Complexity(error) => error.into(),
            ProblemError::Simulation { .. } => Self::NoCertificate {
                code: "E703",
                message,
                help: "bring outcomes and features to a scale near 1, or give --gamma".to_owned(),
            },
            ProblemError::KernelAndPolynomial => Self::usage(
                "E202",
                "--polynomial-model expands features and a kernel has its own: give one of them",
                "leave out --kernel, or use --kernel polynomial --degree",
            ),
            ProblemError::NameCount { .. }
            | ProblemError::NameTwice { .. }
            | ProblemError::FeatureNames { .. } => Self::data("E331", message, "give each row its own id"),
            ProblemError::UnknownName { nearest, examples, rows, .. } => {
                let more = if rows > examples.len() { ", .." } else { "" };
                let help = match nearest {
                    Some(nearest) => format!("the nearest id is {nearest:?}"),
                    None => format!("the ids are {}{more}", examples.join(", ")),
                };
                Self::usage("E203", message, help)
            }
            ProblemError::NothingLeft { .. } => Self::usage("E203", message, "change --forbid"),
            ProblemError::NeedsOneTarget => {
                let help = "name a candidate with --target-id ID, or coefficients with --direction V1,V2,..";
                Self::usage("E205", message, help)
            }
            ProblemError::DirectionForC { .. } => {
                Self::usage("E202", message, "leave out --direction, or use --criterion c")
            }
            ProblemError::NoTargets { .. } => Self::usage(
                "E202",
                message,
                "leave out --target-id and --direction, or use another --criterion",
            ),
            ProblemError::DirectionLength { names, features, .. } => {
                const SHOWN: usize = 12;
                let mut list = names.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", ");
                if features > SHOWN {
                    list.push_str(", ..");
                }
                Self::usage(
                    "E203",
                    format!("--direction: {message}"),
                    format!("one number for each of {list}"),
                )
            }
            ProblemError::MatrixSize { .. } => {
                let help = "it needs one row and one column for each candidate, then for each target";
                Self::data("E353", message, help)
            }
            ProblemError::NoTable { .. } => Self::usage("E202", message, "give a table as the pool"),
            ProblemError::NotADocument { what: "plan", .. } => {
                Self::data("E356", message, "give a file written by elfving round --out plan.json")
            }
            ProblemError::NotADocument { .. } => {
                Self::data("E352", message, "give a file written by elfving design --out design.json")
            }
            ProblemError::NewerDocument { .. } => Self::Newer {
                message,
                help: "use the version of elfving that wrote it, or a later one".to_owned(),
            },
            ProblemError::OtherPool { .. } => {
                Self::data("E355", message, "give the files that belong together")
            }
            ProblemError::Incomplete { .. } => {
                Self::decision("E801", message, "make them, or go on with --no-guarantee")
            }
            ProblemError::NoOutcome => Self::data("E357", message, "fill in the column of outcomes"),
            ProblemError::OtherKindOfPlan { estimator, .. } => {
                let help = match estimator {
                    Estimator::LeastSquares | Estimator::Ridge => {
                        "use --estimator rips or ips, or round with another --method"
                    }
                    _ => "use --estimator least-squares, or round with --method sample",
                };
                Self::usage("E202", message, help)
            }
            ProblemError::Data { .. } => Self::data("E354", message, "correct the table"),
            _ => Self::usage("E201", message, "see --help"),
        }
    }
}

fn of_estimate(error: EstimateError, message: String) -> CliError {
    match error {
        EstimateError::Pool(error) => error.into(),
        EstimateError::Invalid(error) => error.into(),
        EstimateError::Bound { .. } => CliError::usage("E201", message, "give a number >= 0"),
        EstimateError::NeedsBound { estimator } => {
            let message = format!("{estimator} needs a bound on the mean outcomes");
            CliError::usage("E202", message, "give --bound B, larger than every mean in absolute value")
        }
        EstimateError::Mean(MeanError::TooFewSamples { .. }) => {
            let help = "--mean soft-truncated needs no minimum; or make more measurements";
            CliError::NoCertificate { code: "E707", message, help: help.to_owned() }
        }
        EstimateError::NothingMeasured => {
            let help = "measure candidates with features that are not zero";
            CliError::NoCertificate { code: "E706", message, help: help.to_owned() }
        }
        _ => {
            let help = "bring outcomes and features to a scale near 1";
            CliError::NoCertificate { code: "E703", message, help: help.to_owned() }
        }
    }
}
