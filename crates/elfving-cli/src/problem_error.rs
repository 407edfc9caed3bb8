//! What the one door refuses, in the words of the command line. The kind of an error, and so the exit code, is the library's.

use elfving::bandit::BanditError;
use elfving::units::ErrorKind;
use elfving_lab::complexity::ComplexityError;
use elfving_lab::simulate::SimulationError;
use elfving_problem::codes::{code_of, code_of_bandit};
use elfving_problem::{Estimator, ProblemError};

use crate::error::{CliError, help_of_bandit};

/// So many names of features are listed.
const SHOWN: usize = 12;

impl From<ProblemError> for CliError {
    fn from(error: ProblemError) -> Self {
        let (kind, mut message) = (error.kind(), error.to_string());
        let (code, help) = match error {
            ProblemError::Table(error) => return error.into(),
            ProblemError::Invalid(error) => return error.into(),
            ProblemError::Pool(error) => return error.into(),
            ProblemError::Design(error) => return error.into(),
            ProblemError::Estimate(error) => return error.into(),
            ProblemError::Complexity(error) => return error.into(),
            ProblemError::Bandit(error) => return error.into(),
            ProblemError::Simulation { algorithm, source } => return of_simulation(algorithm, source),
            ProblemError::NotIdentifiable { target, gamma } => {
                return Self::NotIdentifiable { target, gamma };
            }
            ProblemError::UnknownName { nearest, examples, rows, .. } => {
                let more = if rows > examples.len() { ", .." } else { "" };
                let help = match nearest {
                    Some(nearest) => format!("the nearest id is {nearest:?}"),
                    None => format!("the ids are {}{more}", examples.join(", ")),
                };
                return Self::refused(kind, "E203", message, help);
            }
            ProblemError::DirectionLength { names, features, .. } => {
                let more = if features > SHOWN { ", .." } else { "" };
                let names = names.iter().take(SHOWN).map(String::as_str).collect::<Vec<_>>().join(", ");
                let help = format!("one number for each of {names}{more}");
                return Self::refused(kind, "E203", format!("--direction: {message}"), help);
            }
            ProblemError::TooFewRuns { .. } => {
                ("E713", "plan more runs, leave terms out of the model, or give a ridge (--gamma 1e-3)")
            }
            ProblemError::TwoModels { .. } => {
                message = "--model, --polynomial-model and --kernel exclude each other: give one of them"
                    .to_owned();
                ("E202", "products of all columns are also --kernel polynomial --degree")
            }
            ProblemError::Formula(_) => {
                message = format!("--model: {message}");
                ("E212", "for example --model \"~ temp + I(temp^2) + base*time\"; elfving help formula")
            }
            ProblemError::Rounding(_) => (code_of(kind), "check --budget"),
            ProblemError::Surrogate(_) => (code_of(kind), "look at the columns of the pool"),
            ProblemError::NameCount { .. }
            | ProblemError::NameTwice { .. }
            | ProblemError::FeatureNames { .. } => ("E331", "give each row its own id"),
            ProblemError::NothingLeft { .. } => ("E203", "change --forbid"),
            ProblemError::NeedsOneTarget => {
                ("E205", "name a candidate with --target-id ID, or coefficients with --direction V1,V2,..")
            }
            ProblemError::DirectionForC { .. } => ("E202", "leave out --direction, or use --criterion c"),
            ProblemError::NoTargets { .. } => {
                ("E202", "leave out --target-id and --direction, or use another --criterion")
            }
            ProblemError::MatrixSize { .. } => {
                ("E353", "it needs one row and one column for each candidate, then for each target")
            }
            ProblemError::Ranges { file, .. } => {
                let help = format!("make candidates of it: elfving pool {file} --out candidates.csv");
                return Self::refused(kind, "E331", message, help);
            }
            ProblemError::NoTable { .. } => ("E202", "give a table as the pool"),
            ProblemError::NotADocument { what: "plan", .. } => {
                ("E356", "give a file written by elfving round --out plan.json")
            }
            ProblemError::NotADocument { .. } => {
                ("E352", "give a file written by elfving design --out design.json")
            }
            ProblemError::NewerDocument { .. } => {
                ("E901", "use the version of elfving that wrote it, or a later one")
            }
            ProblemError::OtherPool { .. } => ("E355", "give the files that belong together"),
            ProblemError::Incomplete { .. } => ("E801", "make them, or go on with --no-guarantee"),
            ProblemError::NoOutcome => ("E357", "fill in the column of outcomes"),
            ProblemError::OtherKindOfPlan {
                estimator: Estimator::LeastSquares | Estimator::Ridge, ..
            } => ("E202", "use --estimator rips or ips, or round with another --method"),
            ProblemError::OtherKindOfPlan { .. } => {
                ("E202", "use --estimator least-squares, or round with --method sample")
            }
            ProblemError::Data { .. } => (code_of(kind), "correct the table"),
            _ => (code_of(kind), "see --help"),
        };
        Self::refused(kind, code, message, help)
    }
}

impl From<BanditError> for CliError {
    fn from(error: BanditError) -> Self {
        match error {
            BanditError::Invalid(error) => error.into(),
            BanditError::Pool(error) => error.into(),
            BanditError::Design(error) => error.into(),
            BanditError::Estimate(error) => error.into(),
            error => {
                let help = help_of_bandit(&error).unwrap_or("see --goal, --bound, --norm and --noise");
                Self::refused(error.kind(), code_of_bandit(&error), error.to_string(), help)
            }
        }
    }
}

impl From<ComplexityError> for CliError {
    fn from(error: ComplexityError) -> Self {
        match error {
            ComplexityError::Design(error) => error.into(),
            ComplexityError::Invalid(error) => error.into(),
            error => {
                let help = if matches!(error, ComplexityError::Tie { .. }) {
                    "give --epsilon"
                } else {
                    "see --help"
                };
                Self::refused(error.kind(), code_of(error.kind()), error.to_string(), help)
            }
        }
    }
}

/// A run of an algorithm that failed.
pub(crate) fn of_simulation(algorithm: &str, error: SimulationError) -> CliError {
    let kind = error.kind();
    let help = match kind {
        ErrorKind::Numerical => "bring outcomes and features to a scale near 1, or give --gamma",
        ErrorKind::Budget => "give a larger --budget, or a larger --epsilon",
        ErrorKind::Data => "look at the column of the truth",
        _ => "see --help",
    };
    match error {
        // What is wrong with the question is not about one algorithm.
        SimulationError::Bandit(
            error @ (BanditError::Invalid(_) | BanditError::Pool(_) | BanditError::Design(_)),
        ) => error.into(),
        SimulationError::Bandit(error) if kind == ErrorKind::Usage => error.into(),
        error => CliError::refused(kind, code_of(kind), format!("{algorithm}: {error}"), help),
    }
}
