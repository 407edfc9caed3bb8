//! `elfving complexity`: what a problem costs, in the quantities of the theory.

mod document;
mod quantities;

use clap::Args;
use elfving::units::{Ridge, Tolerance};
use elfving_lab::complexity::Enclosure;
use elfving_table::Cell;

use crate::assumption_args::{AssumptionArgs, SigmaArg};
use crate::console::Console;
use crate::error::CliError;
use crate::output::{self, OutputArgs};
use crate::pool_args::PoolArgs;
use crate::pool_source::LoadedPool;
use crate::truth::TruthArgs;
use quantities::Quantity;

/// Arguments of `elfving complexity`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  elfving complexity pool.csv --id id --kernel rbf --gamma 0.01 --horizon 200
      how many directions matter, and how much 200 measurements can reveal
  elfving complexity pool.csv --id id --maximize yield --epsilon 0.05 --json
      what finding the best would cost if the column were the truth

Numbers that rest on a design come with certified bounds on both sides.")]
pub(crate) struct ComplexityArgs {
    #[command(flatten)]
    pool: PoolArgs,
    #[command(flatten)]
    truth: TruthArgs,
    #[command(flatten)]
    question: QuestionArgs,
    #[command(flatten)]
    assumptions: AssumptionArgs,
    #[command(flatten)]
    output: OutputArgs,
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
    /// Accuracy of every certificate, relative
    #[arg(long, value_name = "TOL", default_value_t = 1e-6, allow_negative_numbers = true)]
    tolerance: f64,
    /// The seed of the median length scale
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
}

/// The question in numbers.
struct Asked {
    horizon: u64,
    epsilon: f64,
    norm: Option<f64>,
    misspecification: Option<f64>,
    sigma: f64,
    delta: f64,
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

pub(crate) fn run(args: &ComplexityArgs, as_json: bool, console: Console) -> Result<(), CliError> {
    let question = &args.question;
    args.output.check(as_json, "quantities are")?;
    let assumed = &args.assumptions;
    let unused = [("--noise", assumed.noise.is_some()), ("--bound", assumed.bound.is_some())];
    if let Some((option, _)) = unused.iter().find(|(_, given)| *given) {
        let message = format!("{option} plays no part in these quantities");
        return Err(CliError::usage("E202", message, "leave it out; `elfving plan` uses it"));
    }
    let sigma = assumed.sigma.clone().unwrap_or(SigmaArg::Number(1.0));
    sigma.check()?;
    let tolerance = Tolerance::new(question.tolerance)?;
    let mut pool = args.pool.clone();
    pool.columns.ignore.extend(sigma.column().map(str::to_owned));
    pool.columns.outcome.extend(args.truth.column()?.map(str::to_owned));
    let pool = pool.settle()?;
    let gamma = Ridge::new(question.gamma.unwrap_or_else(|| {
        let chosen = if pool.kernel.is_linear() { 0.0 } else { KERNEL_RIDGE };
        console.note(format!("gamma = {chosen}; --gamma sets it"));
        chosen
    }))?;
    let loaded = LoadedPool::load(&pool, gamma.get(), tolerance.get(), question.seed, console)?;
    let truth = args.truth.read(&loaded)?;
    let spinner = console.spinner("solving");
    let asked = Asked {
        horizon: question.horizon,
        epsilon: question.epsilon,
        norm: assumed.norm,
        misspecification: assumed.misspecification,
        sigma: sigma.largest(loaded.table())?,
        delta: assumed.delta,
    };
    let (quantities, unavailable) = quantities::all(&asked, &loaded, truth.as_ref(), gamma, tolerance)?;
    drop(spinner);
    let answer = Answer { loaded: &loaded, gamma, quantities, unavailable };
    for (name, reason) in &answer.unavailable {
        console.note(format!("{name} is left out: {reason}"));
    }
    let document = document::ComplexityDocument::of(&answer);
    let csv = || sheet(&answer);
    args.output.deliver(as_json, "quantities are", &document, csv, || document::text(&answer))
}

/// One line per quantity.
fn sheet(answer: &Answer) -> Result<Vec<u8>, CliError> {
    let rows = answer.quantities.iter().map(|found| {
        let Enclosure { value, at_least, at_most } = found.enclosure;
        let numbers = [value, at_least, at_most].map(Cell::Number);
        [Cell::from(found.name)]
            .into_iter()
            .chain(numbers)
            .chain([Cell::from(found.meaning.as_str())])
            .collect()
    });
    output::csv(&["quantity", "value", "at least", "at most", "meaning"], rows)
}
