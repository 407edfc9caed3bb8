//! `elfving complexity`: what a problem costs, in the quantities of the theory.

mod document;
mod quantities;

use clap::Args;
use elfving::units::{Ridge, Tolerance};

use crate::error::CliError;
use crate::output;
use crate::pool_args::PoolArgs;
use crate::pool_source::{LoadedPool, PoolFiles};
use crate::talk::Talk;
use crate::truth::TruthArgs;
use quantities::Quantity;

/// Arguments of `elfving complexity`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  elfving complexity pool.csv --id id --kernel rbf --gamma 0.01 --horizon 200
      how many directions matter, and what 200 measurements can tell
  elfving complexity pool.csv --id id --truth yield --epsilon 0.05 --json
      what finding the best would cost if the column were the truth

Every number that a design is behind comes with certified bounds on both sides.")]
pub(crate) struct ComplexityArgs {
    #[command(flatten)]
    pool: PoolArgs,
    #[command(flatten)]
    truth: TruthArgs,
    #[command(flatten)]
    question: QuestionArgs,
}

/// What the quantities are computed for.
#[derive(Debug, Args)]
#[command(next_help_heading = "Question")]
struct QuestionArgs {
    /// The ridge (default: 0, and 0.01 for a kernel)
    #[arg(long, value_name = "G", allow_negative_numbers = true)]
    gamma: Option<f64>,
    /// Measurements T, for the information gain
    #[arg(long, value_name = "T", default_value_t = 100)]
    horizon: u64,
    /// How far from the best a choice may be, for rho* and g
    #[arg(long, value_name = "E", default_value_t = 0.0, allow_negative_numbers = true)]
    epsilon: f64,
    /// Bound on the norm of theta, for the floor and T* (default: the norm of the truth for the floor, none for T*)
    #[arg(long, value_name = "R", allow_negative_numbers = true)]
    norm: Option<f64>,
    /// How far the means may be from the model, for the floor and epsilon-bar (default: what the truth shows)
    #[arg(long, value_name = "H", allow_negative_numbers = true)]
    misspecification: Option<f64>,
    /// Standard deviation of the noise, for the information gain and the lower bound
    #[arg(long, value_name = "S", default_value_t = 1.0, allow_negative_numbers = true)]
    sigma: f64,
    /// The probability with which a verdict may be wrong, for the lower bound
    #[arg(long, value_name = "D", default_value_t = 0.05, allow_negative_numbers = true)]
    delta: f64,
    /// Accuracy of every certificate, relative
    #[arg(long, value_name = "TOL", default_value_t = 1e-6, allow_negative_numbers = true)]
    tolerance: f64,
    /// The seed of the median lengthscale
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
}

/// The answer.
struct Answer<'a> {
    loaded: &'a LoadedPool,
    gamma: Ridge,
    quantities: Vec<Quantity>,
    /// What could not be computed, and why.
    unavailable: Vec<(&'static str, String)>,
}

/// The ridge for a kernel where none is given.
const KERNEL_RIDGE: f64 = 0.01;

pub(crate) fn run(args: &ComplexityArgs, as_json: bool, talk: Talk) -> Result<(), CliError> {
    let question = &args.question;
    let tolerance = Tolerance::new(question.tolerance)?;
    let mut pool = args.pool.clone();
    pool.columns.outcome.extend(args.truth.truth.clone());
    let pool = pool.settle()?;
    let gamma = Ridge::new(question.gamma.unwrap_or_else(|| {
        let chosen = if pool.kernel.is_linear() { 0.0 } else { KERNEL_RIDGE };
        talk.note(format!("gamma = {chosen}; --gamma sets it"));
        chosen
    }))?;
    let loaded = PoolFiles::read(pool, talk)?.build(gamma.get(), tolerance.get(), question.seed, talk)?;
    let truth = args.truth.read(&loaded)?;
    let spinner = talk.spinner("solving");
    let (quantities, unavailable) = quantities::all(question, &loaded, truth.as_ref(), gamma, tolerance)?;
    drop(spinner);
    let answer = Answer { loaded: &loaded, gamma, quantities, unavailable };
    for (name, reason) in &answer.unavailable {
        talk.note(format!("{name} is left out: {reason}"));
    }
    if as_json {
        output::print(output::json_line(&document::ComplexityDocument::of(&answer)))
    } else {
        output::print(document::text(&answer))
    }
}
