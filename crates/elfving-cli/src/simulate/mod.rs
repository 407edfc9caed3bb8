//! `elfving simulate`: what algorithms would have done on a pool whose truth is known, many times over.

mod picture;
mod settings;
mod sheet;
mod summary;
mod world;

use std::path::PathBuf;
use std::time::Instant;

use clap::{Args, ValueEnum};
use elfving::bandit::{BanditError, Question};
use elfving_lab::AnyAlgorithm;
use elfving_lab::simulate::{self, Comparison, Runs, SimulationError};

use crate::error::CliError;
use crate::output::{self, FileFormat, Format};
use crate::pool_args::PoolArgs;
use crate::pool_source::{LoadedPool, PoolFiles};
use crate::talk::Talk;
use settings::Settings;
use world::WorldArgs;

/// Arguments of `elfving simulate`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  elfving simulate --pool pool.csv --id id --truth yield --kernel rbf --algorithm gp-ucb,random --budget 200
      what two algorithms lose while they measure, with standard errors
  elfving simulate --pool pool.csv --id id --truth yield --kernel rbf --sigma 0.1 --norm 3 \\
          --algorithm ellipsoid-best,rips-best --goal best --epsilon 0.2 --budget 5000 --batch 10 --plot gap.svg
      how many measurements a certified answer takes
  elfving simulate --pool pool.csv --id id --truth toughness --records repeats.csv --algorithm gp-ts --budget 100
      outcomes drawn from real repeats: lines of `id,toughness`, several for each candidate
  elfving simulate --pool pool.csv --id id --truth yield --one-hot all --algorithm calibrated,random --budget 200 --batch 10
      a Gaussian process fitted after every batch, on the columns as they are; no proof

The truth is a column of POOL (and of --targets). Large outcomes are good unless --minimize is given.
The algorithms know the pool and what is vouched for, and never the truth.")]
pub(crate) struct SimulateArgs {
    #[command(flatten)]
    pool: PoolArgs,
    #[command(flatten)]
    world: WorldArgs,
    #[command(flatten)]
    vouched: VouchedArgs,
    #[command(flatten)]
    runs: RunArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// What the algorithms are told.
#[derive(Debug, Args)]
#[command(next_help_heading = "Assumptions")]
struct VouchedArgs {
    /// Bound on the standard deviation of the noise (default: the noise of the simulation)
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    assumed_sigma: Option<f64>,
    /// Bound on the mean outcomes, in absolute value (default: that of the truth)
    #[arg(long, value_name = "B", allow_negative_numbers = true)]
    bound: Option<f64>,
    /// Bound on the norm of theta, in the space of the kernel if there is one; the ellipsoid needs it
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    norm: Option<f64>,
    /// How far the means may be from the model
    #[arg(long, value_name = "H", default_value_t = 0.0, allow_negative_numbers = true)]
    misspecification: f64,
    /// Do not say that the noise is sub-Gaussian, although it is
    #[arg(long)]
    bounded_variance: bool,
    /// The probability with which a verdict may be wrong
    #[arg(long, value_name = "D", default_value_t = 0.05, allow_negative_numbers = true)]
    delta: f64,
    /// The ridge (default: chosen by each algorithm)
    #[arg(long, value_name = "G", allow_negative_numbers = true)]
    gamma: Option<f64>,
}

/// What is run, and how often.
#[derive(Debug, Args)]
#[command(next_help_heading = "Simulation")]
struct RunArgs {
    /// The algorithms to compare; `auto` is the certified one for what is vouched for
    #[arg(long, value_name = "NAME,..", value_delimiter = ',', required = true, value_parser = settings::algorithm)]
    algorithm: Vec<Option<AnyAlgorithm>>,
    /// What is wanted
    #[arg(long, value_enum, default_value = "regret")]
    goal: GoalName,
    /// How far from the best an answer may be (goals best, top, all-good), or how far off a mean (goal map)
    #[arg(long, value_name = "E", default_value_t = 0.0, allow_negative_numbers = true)]
    epsilon: f64,
    /// How many choices are wanted (goal top)
    #[arg(long, value_name = "M", default_value_t = 3)]
    top: usize,
    /// Measurements of one run, at most
    #[arg(long, value_name = "T")]
    budget: u64,
    /// Measurements asked for at once
    #[arg(long, value_name = "N", default_value_t = 1)]
    batch: usize,
    /// Repetitions
    #[arg(long, value_name = "N", default_value_t = 20)]
    repeats: usize,
    /// The seed of noise and algorithms
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
}

/// The goals by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum GoalName {
    /// Little loss while measuring
    Regret,
    /// One choice within epsilon of the best
    Best,
    /// M choices within epsilon of the M-th best
    Top,
    /// Every choice within epsilon of the best
    AllGood,
    /// Every mean within epsilon
    Map,
}

/// Where the answer goes.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
struct OutputArgs {
    /// What to print on stdout; --json is short for --format json
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
    /// Short for --format csv
    #[arg(long)]
    csv: bool,
    /// Also write the curves, as .json or .csv
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Draw the curves with bands of two standard errors, as .svg or .png
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
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

pub(crate) fn run(args: &SimulateArgs, as_json: bool, talk: Talk) -> Result<(), CliError> {
    let settings = Settings::resolve(args, as_json)?;
    let mut pool = args.pool.clone();
    pool.columns.outcome.extend(args.world.truth_in_pool().map(str::to_owned));
    let ridge = args.vouched.gamma.unwrap_or(DEFAULT_RIDGE);
    let files = PoolFiles::read(pool.settle()?, talk)?;
    let calibrated = args.runs.algorithm.iter().flatten().any(|algorithm| algorithm.is_calibrated());
    let space = if calibrated { files.space()? } else { None };
    let loaded = files.build(ridge, 1e-3, args.runs.seed, talk)?;
    let environment = args.world.build(&loaded, args.runs.seed)?;
    let mut question = settings.question(args, &loaded, &environment, talk)?;
    question.space = space;

    let total = args.runs.repeats * args.runs.algorithm.len();
    let bar = talk.bar("simulating", total);
    let mut tried = Vec::new();
    for &algorithm in &args.runs.algorithm {
        let algorithm = algorithm.unwrap_or_else(|| {
            let (algorithm, why) = AnyAlgorithm::auto(&question);
            talk.note(format!("auto is {}; {why}", algorithm.name()));
            algorithm
        });
        let start = Instant::now();
        let policy = |seed| algorithm.start(question.clone().seed(seed));
        bar.say(|| algorithm.name().to_owned());
        let runs = settings.simulation.run_watched(&environment, policy, &|| bar.step());
        let runs = runs.map_err(|error| explain(error, algorithm))?;
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
            Format::Table => output::print(summary::text(self)),
        }
    }
}

/// An error of the library in the words of the command line.
fn explain(error: SimulationError, algorithm: AnyAlgorithm) -> CliError {
    let name = algorithm.name();
    match error {
        SimulationError::Bandit(BanditError::Invalid(error)) => error.into(),
        SimulationError::Bandit(BanditError::Pool(error)) => error.into(),
        SimulationError::Bandit(BanditError::Design(error)) => error.into(),
        SimulationError::Bandit(error @ BanditError::OtherGoal { .. }) => {
            CliError::usage("E202", error.to_string(), "change --goal or --algorithm")
        }
        SimulationError::Bandit(error @ BanditError::NeedsAssumption { .. }) => CliError::usage(
            "E202",
            error.to_string(),
            "--norm, --bound and light noise are what can be stated",
        ),
        SimulationError::Bandit(error @ BanditError::ChoicesNotMeasurable { .. }) => {
            CliError::usage("E202", error.to_string(), "leave out --targets, or use --goal best")
        }
        error => CliError::NoCertificate {
            code: "E703",
            message: format!("{name}: {error}"),
            help: "bring outcomes and features to a scale near 1, or give --gamma".to_owned(),
        },
    }
}
