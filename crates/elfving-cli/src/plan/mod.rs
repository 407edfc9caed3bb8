//! `elfving plan`: what an answer will cost, before the first measurement.

mod picture;
mod summary;

use clap::Args;
use elfving_problem::AssumptionSpec;
use elfving_problem::defaults::{USUAL_RIDGE, USUAL_TOLERANCE};
use elfving_problem::forecast::{AlgorithmPlan, Forecast, ForecastRequest, Needed, Simulated};
use elfving_table::Cell;

use crate::assumption_args::AssumptionArgs;
use crate::console::Console;
use crate::error::CliError;
use crate::limits;
use crate::output::{self, OutputArgs, PlotArgs, picture_file};
use crate::pool_args::PoolArgs;
use crate::pool_source::LoadedPool;
use crate::truth::TruthArgs;

/// Arguments of `elfving plan`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  elfving plan pool.csv --id id --kernel matern52 --sigma 0.1 --bound 1 --epsilon 0.2
      how many measurements the certified algorithms take at worst, with noise of any shape
  elfving plan pool.csv --id id --kernel rbf --sigma 0.1 --norm 2 --noise sub-gaussian \\
          --epsilon 0.1 --batch 8
      the same, assuming light tails and a bounded norm
  elfving plan pool.csv --id id --maximize guess --sigma 0.1 --bound 1 --epsilon 0.1 \\
          --plot plan.svg
      also if a column were the truth, with the number that no algorithm can beat

Nothing is measured, and nothing is written but --out and --plot.")]
pub(crate) struct PlanArgs {
    #[command(flatten)]
    pool: PoolArgs,
    #[command(flatten)]
    truth: TruthArgs,
    #[command(flatten)]
    question: QuestionArgs,
    #[command(flatten)]
    assumptions: AssumptionArgs,
    #[command(flatten)]
    simulation: SimulationArgs,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    plot: PlotArgs,
}

/// What is wanted.
#[derive(Debug, Args)]
#[command(next_help_heading = "Question")]
struct QuestionArgs {
    /// How far from the best the answer may be, in the unit of the outcome
    #[arg(long, value_name = "E", allow_negative_numbers = true)]
    epsilon: f64,
    /// The ridge (default: chosen by each algorithm, round by round)
    #[arg(long, value_name = "G", allow_negative_numbers = true)]
    gamma: Option<f64>,
}

/// How what cannot be computed is simulated.
#[derive(Debug, Args)]
#[command(next_help_heading = "Simulation")]
struct SimulationArgs {
    /// Measurements at a time
    #[arg(long, short = 'n', value_name = "N", default_value_t = 10)]
    batch: usize,
    /// How often each simulation is run
    #[arg(long, value_name = "N", default_value_t = 3)]
    repetitions: usize,
    /// Measurements after which a simulated run is given up
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    budget: u64,
    /// The seed
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
}

pub(crate) fn run(args: &PlanArgs, as_json: bool, console: Console) -> Result<(), CliError> {
    let plot = picture_file(args.plot.plot.as_ref())?;
    args.output.check(as_json, "a plan is")?;
    let SimulationArgs { batch, repetitions, budget, .. } = args.simulation;
    for (option, value, most) in [
        ("--batch", batch as u64, limits::MOST_MEASUREMENTS),
        ("--repetitions", repetitions as u64, limits::MOST_REPETITIONS),
        ("--budget", budget, limits::MOST_MEASUREMENTS),
    ] {
        limits::check(option, value, most)?;
    }
    let epsilon = args.question.epsilon;
    if !(epsilon > 0.0 && epsilon.is_finite()) {
        let message = format!("--epsilon must be a finite number > 0, got {epsilon}");
        return Err(CliError::usage("E201", message, "which difference would not matter to you?"));
    }
    let sigma = args.assumptions.sigma.as_ref().expect("the parser asks for it");
    sigma.check()?;
    let mut pool = args.pool.clone();
    pool.columns.ignore.extend(sigma.column().map(str::to_owned));
    pool.columns.outcome.extend(args.truth.column()?.map(str::to_owned));
    let ridge = args.question.gamma.unwrap_or(USUAL_RIDGE);
    let loaded = LoadedPool::load(&pool.settle()?, ridge, USUAL_TOLERANCE, args.simulation.seed, console)?;
    let sigma = sigma.largest(loaded.table())?;
    let AssumptionArgs { delta, bound, norm, misspecification, .. } = args.assumptions;
    let (tails, misspecification) = (args.assumptions.tails(), misspecification.unwrap_or(0.0));
    let request = ForecastRequest {
        assumptions: AssumptionSpec { sigma: Some(sigma), tails, bound, norm, misspecification, range: None },
        epsilon,
        delta,
        gamma: args.question.gamma,
        batch: args.simulation.batch,
        repetitions: args.simulation.repetitions,
        budget: args.simulation.budget,
        means: args.truth.means(&loaded)?,
        seed: args.simulation.seed,
    };
    let bar = console.spinner("planning");
    let document = request.forecast(&loaded)?;
    drop(bar);
    let csv = || sheet(&document);
    args.output.deliver(as_json, "a plan is", &document, csv, || summary::text(&document, &loaded))?;
    if let Some((path, format)) = &plot {
        output::write_file(path, &picture::draw(&document, &loaded)?.to_bytes(*format)?)?;
    }
    Ok(())
}

/// One line per algorithm.
fn sheet(plan: &Forecast) -> Result<Vec<u8>, CliError> {
    let header = [
        "algorithm",
        "at worst",
        "rounds",
        "all equal",
        "all equal se",
        "guess",
        "guess se",
        "missing assumption",
    ];
    let simulated = |found: Option<&Simulated>| match found.and_then(|found| found.samples) {
        Some(samples) => [Cell::Number(samples.mean), Cell::Number(samples.standard_error)],
        None => [Cell::Empty, Cell::Empty],
    };
    let rows = plan.algorithms.iter().map(|one| {
        let worst = one.worst_case.as_ref().filter(|worst| worst.reached);
        let count = |number: Option<u64>| number.map_or(Cell::Empty, |number| Cell::Integer(number as i64));
        let mut row = vec![Cell::from(one.algorithm), count(worst.map(|worst| worst.samples))];
        row.push(count(worst.map(|worst| worst.rounds.len() as u64)));
        row.extend(simulated(one.all_equal.as_ref()));
        row.extend(simulated(one.guess.as_ref()));
        row.push(missing(one).map_or(Cell::Empty, |missing| Cell::Text(missing.into())));
        row
    });
    output::csv(&header, rows)
}

/// What an algorithm needs that is not assumed, as options.
fn missing(one: &AlgorithmPlan) -> Option<String> {
    let option = |need: &Needed| match need {
        Needed::Norm => "--norm",
        Needed::SubGaussian => "--noise sub-gaussian",
        Needed::Bound => "--bound",
    };
    let options: Vec<&str> = one.missing.iter().map(option).collect();
    (!options.is_empty()).then(|| options.join(" and "))
}
