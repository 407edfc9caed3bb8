//! `elfving simulate`: what algorithms would have done on a pool whose truth is known, many times over.

mod picture;
mod settings;
mod sheet;
mod summary;
mod world;

use std::time::Instant;

use clap::Args;
use elfving::bandit::Question;
use elfving_lab::AnyAlgorithm;
use elfving_lab::simulate::{self, Comparison, Runs};

use crate::assumption_args::{AssumptionArgs, SigmaArg};
use crate::console::Console;
use crate::error::CliError;
use crate::goal_args::GoalArgs;
use crate::output::{self, FileFormat, Format, OutputArgs, PlotArgs};
use crate::pool_args::PoolArgs;
use crate::pool_source::{self, LoadedPool};
use crate::problem_error::of_simulation;
use elfving_problem::defaults::USUAL_TOLERANCE;
use settings::Settings;
use world::WorldArgs;

/// Arguments of `elfving simulate`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  elfving simulate pool.csv --id id --maximize yield --kernel rbf --goal regret \\
          --algorithm gp-ucb,random --budget 200
      what two algorithms lose while they measure, with standard errors
  elfving simulate pool.csv --id id --maximize yield --kernel rbf --world-sigma 0.1 --norm 3 \\
          --algorithm ellipsoid-best,rips-best --epsilon 0.2 --budget 5000 --batch 10 \\
          --plot gap.svg
      how many measurements a certified answer takes
  elfving simulate pool.csv --id id --minimize ms --records repeats.csv --goal regret \\
          --algorithm random --budget 100
      outcomes drawn from real repeats: lines of `id,ms`, several for each candidate
  elfving simulate reactions.csv --id id --maximize yield --one-hot \\
          --algorithm calibrated,random --budget 60 --batch 10
      a Gaussian process fitted after every batch, on the columns as they are; no proof

The truth is a column of POOL (and of --targets): --maximize or --minimize names it with its direction. The algorithms know
the pool and what is assumed, never the truth. --world-noise and --world-sigma are the noise of the simulated world;
--noise and --sigma are what the algorithms assume, by default the same.")]
pub(crate) struct SimulateArgs {
    #[command(flatten)]
    pool: PoolArgs,
    #[command(flatten)]
    world: WorldArgs,
    #[command(flatten)]
    goal: GoalArgs,
    #[command(flatten)]
    assumptions: AssumptionArgs,
    #[command(flatten)]
    runs: RunArgs,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    plot: PlotArgs,
}

/// What is run, and how often.
#[derive(Debug, Args)]
#[command(next_help_heading = "Simulation")]
struct RunArgs {
    /// The algorithms to compare; `auto` is the certified one for these assumptions
    #[arg(long, value_name = "NAME,..", value_delimiter = ',', required = true, value_parser = settings::algorithm)]
    algorithm: Vec<Option<AnyAlgorithm>>,
    /// The ridge (default: chosen by each algorithm)
    #[arg(long, value_name = "G", allow_negative_numbers = true)]
    gamma: Option<f64>,
    /// Measurements of one run, at most
    #[arg(long, value_name = "N")]
    budget: u64,
    /// Measurements at a time
    #[arg(long, short = 'n', value_name = "N", default_value_t = 1)]
    batch: usize,
    /// How often the simulation is run
    #[arg(long, value_name = "N", default_value_t = 20)]
    repetitions: usize,
    /// The seed of noise and algorithms
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
}

/// What came out.
struct Answer<'a> {
    loaded: &'a LoadedPool,
    settings: &'a Settings,
    question: &'a Question,
    tried: Vec<Tried>,
}

/// One algorithm.
struct Tried {
    algorithm: AnyAlgorithm,
    runs: Runs,
    seconds: f64,
}

pub(crate) fn run(args: &SimulateArgs, as_json: bool, console: Console) -> Result<(), CliError> {
    let settings = Settings::resolve(args, as_json)?;
    let mut pool = args.pool.clone();
    pool.columns.outcome.extend(args.world.truth_in_pool()?.map(str::to_owned));
    let sigma = args.assumptions.sigma.as_ref();
    pool.columns.ignore.extend(sigma.and_then(SigmaArg::column).map(str::to_owned));
    let ridge = args.runs.gamma.unwrap_or(DEFAULT_RIDGE);
    let data = pool_source::read(&pool.settle()?, args.runs.seed, console)?;
    let calibrated = args.runs.algorithm.iter().flatten().any(|algorithm| algorithm.is_calibrated());
    let space = if calibrated { data.space()? } else { None };
    let loaded = LoadedPool::build(data, ridge, USUAL_TOLERANCE, console)?;
    let environment = args.world.build(&loaded, args.runs.seed)?;
    let mut question = settings.question(args, &loaded, &environment, console)?;
    question.space = space;

    let total = args.runs.repetitions * args.runs.algorithm.len();
    let bar = console.bar("simulating", total);
    let mut tried = Vec::new();
    for &algorithm in &args.runs.algorithm {
        let algorithm = algorithm.unwrap_or_else(|| {
            let (algorithm, why) = AnyAlgorithm::auto(&question);
            console.note(format!("auto is {}; {why}", algorithm.name()));
            algorithm
        });
        let start = Instant::now();
        let policy = |seed| algorithm.start(question.clone().seed(seed));
        bar.say(|| algorithm.name().to_owned());
        let runs = settings.simulation.run_watched(&environment, policy, &|| bar.step());
        let runs = runs.map_err(|error| of_simulation(algorithm.name(), error))?;
        tried.push(Tried { algorithm, runs, seconds: start.elapsed().as_secs_f64() });
    }
    drop(bar);
    Answer { loaded: &loaded, settings: &settings, question: &question, tried }.deliver()
}

/// What a kernel is factorised for when the ridge is left to the algorithms.
const DEFAULT_RIDGE: f64 = 1e-4;

impl Answer<'_> {
    fn document(&self) -> Comparison {
        let tried = self.tried.iter();
        let algorithms = tried.map(|tried| simulate::Tried::new(tried.algorithm, &tried.runs, tried.seconds));
        Comparison::new(&self.settings.simulation, self.question, algorithms.collect())
    }

    fn deliver(&self) -> Result<(), CliError> {
        let settings = self.settings;
        if let Some((path, format)) = &settings.out {
            let bytes = match format {
                FileFormat::Json => output::json_file(&self.document()),
                FileFormat::Csv => sheet::csv(self, path)?,
            };
            output::write_file(path, &bytes)?;
        }
        if let Some((path, format)) = &settings.plot {
            output::write_file(path, &picture::draw(self)?.to_bytes(*format)?)?;
        }
        match settings.format {
            Format::Json => output::print(output::json_line(&self.document())),
            Format::Csv => output::print(sheet::csv(self, std::path::Path::new("stdout"))?),
            Format::Table => output::show(summary::text(self)),
        }
    }
}
