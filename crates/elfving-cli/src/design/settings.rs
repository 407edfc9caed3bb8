//! The arguments of `elfving design`, checked once.

use std::path::PathBuf;
use std::time::Duration;

use elfving::design::Criterion;
use elfving::rounding::ExactSearch;
use elfving::units::{Ridge, Tolerance};
use elfving_lab::solvers::SolverName;

use super::DesignArgs;
use crate::error::CliError;
use crate::output::{FileFormat, Format, answer_file, picture_file};

/// What is to be done, every value valid.
pub(super) struct Settings {
    pub(super) criterion: Criterion,
    pub(super) gamma: Ridge,
    pub(super) tolerance: Tolerance,
    pub(super) method: Option<SolverName>,
    pub(super) max_iterations: Option<usize>,
    pub(super) time_limit: Option<Duration>,
    pub(super) warm: Option<PathBuf>,
    pub(super) seed: u64,
    pub(super) runs: Option<u64>,
    pub(super) search: ExactSearch,
    pub(super) format: Format,
    pub(super) out: Option<(PathBuf, FileFormat)>,
    pub(super) plot: Option<(PathBuf, elfving_plot::Format)>,
    pub(super) show: usize,
}

impl Settings {
    /// Refuses what cannot work before any file is read.
    pub(super) fn resolve(args: &DesignArgs, as_json: bool) -> Result<Self, CliError> {
        let time_limit = args.solver.time_limit.map(|seconds| {
            Duration::try_from_secs_f64(seconds).map_err(|_| {
                let message = format!("--time-limit must be a number of seconds >= 0, got {seconds}");
                CliError::usage("E201", message, "leave it out for no limit")
            })
        });
        Ok(Self {
            criterion: args.question.criterion,
            gamma: Ridge::new(args.question.gamma)?,
            tolerance: Tolerance::new(args.solver.tolerance)?,
            method: args.solver.method,
            max_iterations: args.solver.max_iterations,
            time_limit: time_limit.transpose()?,
            warm: args.solver.warm.clone(),
            seed: args.solver.seed,
            runs: args.question.runs,
            search: match args.question.searches {
                Some(0) => {
                    return Err(CliError::usage("E201", "--searches must be at least 1", "leave it out"));
                }
                Some(searches) => ExactSearch::default().seed(args.solver.seed).searches(searches),
                None => ExactSearch::default().seed(args.solver.seed),
            },
            format: args.output.format_or(Format::Table, as_json)?,
            out: answer_file(args.output.out.as_ref(), "a design is")?,
            plot: picture_file(args.plot.plot.as_ref())?,
            show: args.show,
        })
    }
}
