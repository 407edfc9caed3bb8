//! The arguments of `elfving estimate`, checked once.

use std::path::PathBuf;

use elfving::estimate::minimax::theta_hat;
use elfving::estimate::{
    Assumptions, Counted, EstimateError, Intervals, Ips, LeastSquares, Mean, Rips, Sampled,
};
use elfving::pool::{Pool, Targets};
use elfving::units::{Confidence, Ridge, Tolerance};

use super::plan::SavedPlan;
use super::{EstimateArgs, EstimatorName, MeanName};
use crate::assumption_args::{AssumptionArgs, SigmaArg, sigma_column};
use crate::error::CliError;
use crate::output::{FileFormat, Format, answer_file, picture_file};
use crate::pool_source::LoadedPool;

/// What is to be done, every value valid.
pub(super) struct Settings {
    estimator: EstimatorName,
    mean: Mean,
    delta: Confidence,
    pub(super) assumptions: Assumed,
    pub(super) show: Option<usize>,
    pub(super) format: Format,
    pub(super) out: Option<(PathBuf, FileFormat)>,
    pub(super) plot: Option<(PathBuf, elfving_plot::Format)>,
}

/// Assumptions, but for a column of the pool that is still to be read.
pub(super) struct Assumed {
    assumptions: Assumptions,
    sigma_column: Option<String>,
}

impl Settings {
    /// Refuses what cannot work before any file is read.
    pub(super) fn resolve(args: &EstimateArgs, as_json: bool) -> Result<Self, CliError> {
        Ok(Self {
            estimator: args.estimator,
            mean: match args.mean {
                MeanName::Catoni => Mean::Catoni,
                MeanName::SoftTruncated => Mean::SoftTruncated,
                MeanName::MedianOfMeans => Mean::MedianOfMeans,
            },
            delta: Confidence::new(args.assumptions.delta)?,
            assumptions: Assumed::new(&args.assumptions)?,
            show: args.show,
            format: args.output.format_or(Format::Table, as_json)?,
            out: answer_file(args.output.out.as_ref(), "estimates are")?,
            plot: picture_file(args.plot.plot.as_ref())?,
        })
    }

    /// The estimator, if the plan is of the kind its theory needs.
    pub(super) fn estimator_for(&self, plan: &SavedPlan, gamma: Ridge) -> Result<Estimator, CliError> {
        let (delta, mean) = (self.delta, self.mean);
        match (self.estimator, plan) {
            (EstimatorName::Auto | EstimatorName::Rips, SavedPlan::Draws(_)) => {
                Ok(Estimator::Rips { gamma, delta, mean })
            }
            (EstimatorName::MinMax, SavedPlan::Draws(_)) => Ok(Estimator::MinMax { gamma, delta, mean }),
            (EstimatorName::Ips, SavedPlan::Draws(_)) => Ok(Estimator::Ips { gamma, delta }),
            (EstimatorName::Auto | EstimatorName::Ridge, SavedPlan::Allocation(_)) => {
                Ok(Estimator::LeastSquares { gamma, delta })
            }
            (EstimatorName::LeastSquares, SavedPlan::Allocation(_)) => {
                Ok(Estimator::LeastSquares { gamma: Ridge::ZERO, delta })
            }
            (EstimatorName::LeastSquares | EstimatorName::Ridge, SavedPlan::Draws(_)) => {
                let message = "the plan is a random sample: least squares has no guarantee on it";
                Err(CliError::usage(
                    "E202",
                    message,
                    "use --estimator rips or ips, or round with another --method",
                ))
            }
            (EstimatorName::Ips | EstimatorName::Rips | EstimatorName::MinMax, SavedPlan::Allocation(_)) => {
                let message = "the plan has fixed counts: ips, rips and min-max need independent draws";
                Err(CliError::usage(
                    "E202",
                    message,
                    "use --estimator least-squares, or round with --method sample",
                ))
            }
        }
    }
}

impl Assumed {
    fn new(args: &AssumptionArgs) -> Result<Self, CliError> {
        let sigma = args.sigma.as_ref().expect("the parser asks for it");
        sigma.check()?;
        let (level, column) = match sigma {
            SigmaArg::Number(sigma) => (*sigma, None),
            SigmaArg::Column(name) => (0.0, Some(name.clone())),
        };
        Ok(Self { assumptions: args.with_sigma(level)?, sigma_column: column })
    }

    /// With the noise of each candidate, if it is in a column of the pool.
    pub(super) fn of(&self, loaded: &LoadedPool) -> Result<Assumptions, CliError> {
        let Some(column) = &self.sigma_column else { return Ok(self.assumptions.clone()) };
        let sigmas = sigma_column(column, loaded.table())?;
        self.assumptions.clone().sigma_at(sigmas).map_err(|error| {
            CliError::data(
                "E354",
                format!("{}: column {column:?}: {error}", loaded.file_name()),
                "give numbers >= 0",
            )
        })
    }
}

/// How near the min-max fit comes to the best one, relatively. Its intervals hold for any fit.
const FIT_TOLERANCE: f64 = 1e-9;

/// An estimator with its settings.
pub(super) enum Estimator {
    LeastSquares { gamma: Ridge, delta: Confidence },
    Ips { gamma: Ridge, delta: Confidence },
    Rips { gamma: Ridge, delta: Confidence, mean: Mean },
    MinMax { gamma: Ridge, delta: Confidence, mean: Mean },
}

impl Estimator {
    pub(super) fn intervals(
        &self,
        pool: &Pool,
        plan: &SavedPlan,
        outcomes: &[f64],
        assumptions: Assumptions,
        targets: &Targets,
    ) -> Result<Intervals, EstimateError> {
        match (self, plan) {
            (Self::LeastSquares { gamma, delta }, SavedPlan::Allocation(allocation)) => {
                let penalty = Ridge::new(gamma.get() * allocation.total() as f64)?;
                let counted = Counted::new(pool, allocation, outcomes, penalty)?;
                LeastSquares::new(assumptions, *delta).intervals(&counted, targets)
            }
            (Self::Ips { gamma, delta }, SavedPlan::Draws(draws)) => Ips::new(assumptions, *delta)
                .intervals(&Sampled::new(pool, draws, outcomes, *gamma)?, targets),
            (Self::Rips { gamma, delta, mean }, SavedPlan::Draws(draws)) => {
                let sampled = Sampled::new(pool, draws, outcomes, *gamma)?;
                Rips::new(assumptions, *delta).mean(*mean).intervals(&sampled, targets)
            }
            (Self::MinMax { gamma, delta, mean }, SavedPlan::Draws(draws)) => {
                let sampled = Sampled::new(pool, draws, outcomes, *gamma)?;
                let robust = Rips::new(assumptions, *delta).mean(*mean).intervals(&sampled, targets)?;
                Ok(theta_hat(&sampled, targets, &robust, Tolerance::new(FIT_TOLERANCE)?)?.intervals(&robust))
            }
            _ => unreachable!("`estimator_for` matches the kinds"),
        }
    }
}
