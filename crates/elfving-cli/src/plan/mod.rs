//! `elfving plan`: what an answer will cost, before the first measurement.

mod document;
mod forecast;
mod picture;
mod summary;

use std::path::PathBuf;

use clap::Args;
use elfving::bandit::{BanditError, Goal, Question};
use elfving::units::{Confidence, Ridge};

use crate::error::CliError;
use crate::output::{self, picture_file};
use crate::pool_args::PoolArgs;
use crate::pool_source::{LoadedPool, PoolFiles};
use crate::talk::Talk;
use crate::truth::TruthArgs;
use crate::vouched::{Vouched, tails};

/// Arguments of `elfving plan`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  elfving plan pool.csv --id id --kernel matern52 --sigma 0.1 --bound 1 --epsilon 0.2
      how many measurements the certified algorithms take at worst, with noise of any shape
  elfving plan pool.csv --id id --kernel rbf --sigma 0.1 --norm 2 --sub-gaussian --epsilon 0.1 --batch 8
      the same when light tails and a norm are vouched for
  elfving plan pool.csv --id id --truth guess --sigma 0.1 --bound 1 --epsilon 0.1 --plot plan.svg
      also if a column were the truth, with the number that no algorithm undercuts

Nothing is measured and nothing is written but the picture.")]
pub(crate) struct PlanArgs {
    #[command(flatten)]
    pool: PoolArgs,
    #[command(flatten)]
    truth: TruthArgs,
    #[command(flatten)]
    vouched: VouchedArgs,
    #[command(flatten)]
    simulation: SimulationArgs,
    /// Draw measurements against epsilon, as .svg or .png
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    plot: Option<PathBuf>,
}

/// What is wanted, and what is vouched for.
#[derive(Debug, Args)]
#[command(next_help_heading = "Question")]
struct VouchedArgs {
    /// How far from the best the answer may be, in the unit of the outcome
    #[arg(long, value_name = "E", allow_negative_numbers = true)]
    epsilon: f64,
    /// Bound on the standard deviation of the noise
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    sigma: f64,
    /// Bound on the mean outcomes, in absolute value
    #[arg(long, value_name = "B", required_unless_present = "norm", allow_negative_numbers = true)]
    bound: Option<f64>,
    /// Bound on the norm of theta, in the space of the kernel if there is one
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    norm: Option<f64>,
    /// How far the means may be from the model
    #[arg(long, value_name = "H", default_value_t = 0.0, allow_negative_numbers = true)]
    misspecification: f64,
    /// The noise has light tails
    #[arg(long)]
    sub_gaussian: bool,
    /// The probability with which the verdict may be wrong
    #[arg(long, value_name = "D", default_value_t = 0.05, allow_negative_numbers = true)]
    delta: f64,
    /// The ridge (default: chosen by each algorithm, round by round)
    #[arg(long, value_name = "G", allow_negative_numbers = true)]
    gamma: Option<f64>,
}

/// How what cannot be computed is simulated.
#[derive(Debug, Args)]
#[command(next_help_heading = "Simulation")]
struct SimulationArgs {
    /// Measurements at a time
    #[arg(long, value_name = "N", default_value_t = 10)]
    batch: usize,
    /// Runs of each simulation
    #[arg(long, value_name = "N", default_value_t = 3)]
    repeats: usize,
    /// Measurements after which a simulated run is given up
    #[arg(long, value_name = "T", default_value_t = 20_000)]
    budget: u64,
    /// The seed
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
}

pub(crate) fn run(args: &PlanArgs, as_json: bool, talk: Talk) -> Result<(), CliError> {
    let plot = picture_file(args.plot.as_ref())?;
    for (option, value) in [("--batch", args.simulation.batch), ("--repeats", args.simulation.repeats)] {
        if value == 0 {
            return Err(CliError::usage(
                "E201",
                format!("{option} must be at least 1"),
                "give a number >= 1",
            ));
        }
    }
    if !(args.vouched.epsilon > 0.0 && args.vouched.epsilon.is_finite()) {
        let message = format!("--epsilon must be a finite number > 0, got {}", args.vouched.epsilon);
        return Err(CliError::usage("E201", message, "what difference would not matter?"));
    }
    let mut pool = args.pool.clone();
    pool.columns.outcome.extend(args.truth.truth.clone());
    let ridge = args.vouched.gamma.unwrap_or(1e-4);
    let loaded = PoolFiles::read(pool.settle()?, talk)?.build(ridge, 1e-3, args.simulation.seed, talk)?;
    let question = question(&args.vouched, &loaded)?;
    let means = args.truth.means(&loaded)?;
    let truth = args.truth.read(&loaded)?;
    let bar = talk.spinner("planning");
    let document = forecast::forecast(args, &question, &loaded, means.as_deref(), truth.as_ref())?;
    drop(bar);
    if let Some((path, format)) = &plot {
        output::write_file(path, &picture::draw(&document, &loaded)?.to_bytes(*format)?)?;
    }
    if as_json {
        output::print(output::json_line(&document))
    } else {
        output::print(summary::text(&document, &loaded))
    }
}

fn question(vouched: &VouchedArgs, loaded: &LoadedPool) -> Result<Question, CliError> {
    let assumptions = Vouched {
        sigma: vouched.sigma,
        bound: vouched.bound,
        norm: vouched.norm,
        misspecification: vouched.misspecification,
        tails: tails(vouched.sub_gaussian),
    }
    .assumptions()?;
    let question = Question::new(loaded.pool.clone(), assumptions, Goal::Best { epsilon: vouched.epsilon })
        .map_err(|error| refused(&error))?
        .delta(Confidence::new(vouched.delta)?);
    Ok(match vouched.gamma {
        Some(gamma) => question.gamma(Ridge::new(gamma)?),
        None => question,
    })
}

/// An error of the library in the words of the command line.
fn refused(error: &BanditError) -> CliError {
    match error {
        BanditError::Invalid(error) => (*error).into(),
        BanditError::Pool(error) => error.clone().into(),
        BanditError::Design(error) => error.clone().into(),
        other => CliError::usage("E202", other.to_string(), "see --bound, --norm and --sub-gaussian"),
    }
}
