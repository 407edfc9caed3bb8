//! The arguments of `elfving estimate`, checked once.

use std::path::PathBuf;

use clap::Args;
use elfving::estimate::minimax::theta_hat;
use elfving::estimate::{
    Assumptions, Counted, EstimateError, Intervals, Ips, LeastSquares, Mean, Rips, Sampled,
};
use elfving::pool::{Pool, Targets};
use elfving::units::{Confidence, Ridge, Tolerance};

use super::plan::SavedPlan;
use super::{EstimateArgs, EstimatorName, MeanName};
use crate::error::CliError;
use crate::output::{FileFormat, Format, answer_file, picture_file};
use crate::pool_source::LoadedPool;
use crate::vouched::tails;

/// What is vouched for.
#[derive(Debug, Args)]
#[command(next_help_heading = "Assumptions")]
pub(super) struct AssumptionArgs {
    /// Bound on the standard deviation of the noise: a number, or a column of POOL with one for each candidate
    #[arg(long, value_name = "S|COLUMN", allow_hyphen_values = true)]
    sigma: String,
    /// Bound on the mean outcomes, in absolute value; for rips and ips
    #[arg(long, value_name = "B", allow_negative_numbers = true)]
    bound: Option<f64>,
    /// Bound on the norm of theta, in the space of the kernel if there is one; without it the bias of a ridge is not in the widths
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    norm: Option<f64>,
    /// How far the means may be from the model
    #[arg(long, value_name = "H", default_value_t = 0.0, allow_negative_numbers = true)]
    misspecification: f64,
    /// The noise is sub-Gaussian (normal, bounded): narrower intervals for least-squares, ridge and ips
    #[arg(long)]
    sub_gaussian: bool,
    /// The probability that some interval misses
    #[arg(long, value_name = "D", default_value_t = 0.05, allow_negative_numbers = true)]
    delta: f64,
}

/// What is to be done, every value valid.
pub(super) struct Settings {
    estimator: EstimatorName,
    mean: Mean,
    delta: Confidence,
    pub(super) assumptions: Vouched,
    pub(super) top: Option<usize>,
    pub(super) format: Format,
    pub(super) out: Option<(PathBuf, FileFormat)>,
    pub(super) plot: Option<(PathBuf, elfving_plot::Format)>,
}

/// Assumptions, but for a column of the pool that is still to be read.
pub(super) struct Vouched {
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
            assumptions: Vouched::new(&args.assumptions)?,
            top: args.output.top,
            format: match (as_json, args.output.csv) {
                (true, _) => Format::Json,
                (_, true) => Format::Csv,
                _ => args.output.format,
            },
            out: answer_file(args.output.out.as_ref(), "estimates are")?,
            plot: picture_file(args.output.plot.as_ref())?,
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
                let message = "the plan is independent draws: least squares has no guarantee on them";
                Err(CliError::usage(
                    "E202",
                    message,
                    "use --estimator rips or ips, or round with another --method",
                ))
            }
            (EstimatorName::Ips | EstimatorName::Rips | EstimatorName::MinMax, SavedPlan::Allocation(_)) => {
                let message =
                    "the counts of the plan were chosen: ips, rips and min-max need independent draws";
                Err(CliError::usage(
                    "E202",
                    message,
                    "use --estimator least-squares, or round with --method sample",
                ))
            }
        }
    }
}

impl Vouched {
    fn new(args: &AssumptionArgs) -> Result<Self, CliError> {
        let (sigma, sigma_column) = match args.sigma.trim().parse::<f64>() {
            Ok(sigma) => (sigma, None),
            Err(_) => (0.0, Some(args.sigma.clone())),
        };
        let assumptions = crate::vouched::Vouched {
            sigma,
            bound: args.bound,
            norm: args.norm,
            misspecification: args.misspecification,
            tails: tails(args.sub_gaussian),
        }
        .assumptions()?;
        Ok(Self { assumptions, sigma_column })
    }

    /// With the noise of each candidate, if it is in a column of the pool.
    pub(super) fn of(&self, loaded: &LoadedPool) -> Result<Assumptions, CliError> {
        let Some(column) = &self.sigma_column else { return Ok(self.assumptions.clone()) };
        let table = loaded.table().filter(|table| table.column(column).is_ok()).ok_or_else(|| {
            let message = format!("--sigma: {column:?} is neither a number nor a column of the pool");
            CliError::usage("E203", message, "give a number >= 0, or a column of the pool")
        })?;
        let sigmas = table.numbers(column)?;
        self.assumptions.clone().sigma_at(sigmas).map_err(|error| {
            CliError::data(
                "E354",
                format!("{}: column {column:?}: {error}", table.file()),
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
