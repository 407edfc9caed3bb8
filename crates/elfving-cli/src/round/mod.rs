//! `elfving round`: from the weights of a design to whole measurements.

mod limits;
mod picture;
mod settings;
mod sheet;
mod summary;

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use elfving::rounding::{Method, Request, RoundingReport};
use elfving_problem::Measurements;
use elfving_problem::documents::{DesignDocument, PlanDocument};

use crate::console::Console;
use crate::error::CliError;
use crate::named::{NameOr, named_or};
use crate::output::{self, FileFormat, Format, OutputArgs, PlotArgs};
use crate::pool_source::LoadedPool;
use crate::saved_design::{self, DesignFiles};
use limits::{LimitArgs, Limits};
use settings::Settings;

/// Arguments of `elfving round`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  elfving design pool.csv --id id --out design.json
  elfving round pool.csv --design design.json --budget 20
      a good plan of 20 measurements
  elfving round pool.csv --design design.json --budget 20 --shuffle --out plan.json > sheet.csv
      a lab sheet in random order, and the plan for `estimate`
  elfving round pool.csv --design design.json --budget 24 --max 1 --force a7,b2 \\
          --measured results.csv
      each candidate at most once, two of them in any case, in addition to earlier measurements
  elfving round pool.csv --design design.json --budget 200 --method regret --json
      a plan with a guaranteed efficiency; one JSON object for scripts
  elfving round pool.csv --design design.json --budget 200 --method sample --seed 7
      independent draws, for estimators whose proof needs them

The ratio compares the plan with the continuous design at the same number of measurements:
1.05 means a variance 5 % above that of the design.")]
pub(crate) struct RoundArgs {
    #[command(flatten)]
    files: DesignFiles,
    /// The design, written by `elfving design --out`
    #[arg(long, value_name = "DESIGN.json")]
    design: PathBuf,
    /// Measurements to make
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    budget: u64,
    /// How to get from weights to whole measurements
    #[arg(long, value_parser = named_or::<Method>("sample", "Independent draws from the design"), default_value = "best")]
    method: NameOr<Method>,
    /// Improve the plan by exchanges until none helps
    #[arg(long)]
    polish: bool,
    /// The seed of the draws (--method sample) and of the run order (--shuffle)
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    limits: LimitArgs,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    plot: PlotArgs,
    /// Put the measurements in random order, as a lab sheet: one line per measurement, with an empty cell for the outcome
    #[arg(long, help_heading = "Output")]
    shuffle: bool,
    /// Candidates to list in the table
    #[arg(long, value_name = "N", default_value_t = 40, help_heading = "Output")]
    show: usize,
}

/// A plan with everything needed to print, file and draw it.
struct Answer<'a> {
    loaded: &'a LoadedPool,
    design: DesignDocument,
    limits: Limits,
    plan: Measurements,
    report: RoundingReport,
    /// The candidate of each measurement, in the order to make them; drawn or shuffled.
    order: Option<Vec<usize>>,
    seed: u64,
    seconds: f64,
}

pub(crate) fn run(args: &RoundArgs, as_json: bool, console: Console) -> Result<(), CliError> {
    let settings = Settings::resolve(args, as_json)?;
    let design = saved_design::read_design(&args.design)?;
    let of_file = |error| saved_design::of_file(&args.design, error);
    let loaded = args.files.rebuild(&design, console)?;
    let weights = design.weights(&loaded).map_err(of_file)?;
    let limits = args.limits.read(&loaded, console)?;

    let start = Instant::now();
    let spinner = console.spinner("rounding");
    let targets = &design.options.targets;
    let problem = targets.problem(&loaded, &loaded.pool, design.criterion, design.gamma)?;
    let request = Request::from_weights(&problem, &weights, args.budget, &limits.constraints)
        .map_err(|error| limits::explain(error, &loaded, targets))?;
    design.check_value(request.continuous_value(), &loaded).map_err(of_file)?;
    let (plan, report) = Measurements::make(&request, args.method.name(), args.polish, args.seed)
        .map_err(|error| limits::explain(error, &loaded, targets))?;
    drop(spinner);
    let listed = settings.shuffle || args.method.name().is_none();
    let order = listed.then(|| plan.order(settings.shuffle.then_some(args.seed)));
    let seconds = start.elapsed().as_secs_f64();

    let answer = Answer { loaded: &loaded, design, limits, plan, report, order, seed: args.seed, seconds };
    if settings.sheet_on_stdout() {
        console.note(summary::one_line(&answer));
    }
    answer.deliver(&settings)
}

impl Answer<'_> {
    fn document(&self) -> PlanDocument {
        let Self { loaded, design, limits, plan, report, order, seed, seconds } = self;
        let done = limits.done_file.clone().map(|file| (file, limits.constraints.done.as_slice()));
        PlanDocument::of(loaded, design.clone(), plan, report, order.as_deref(), done, *seed, *seconds)
    }

    /// Candidates with their counts, the most frequent first.
    fn most_first(&self) -> Vec<(usize, u64)> {
        let counts = self.plan.counts().into_iter().map(|(id, count)| (id.index(), count));
        let mut counts: Vec<(usize, u64)> = counts.collect();
        counts.sort_by_key(|&(row, count)| (std::cmp::Reverse(count), row));
        counts
    }

    fn deliver(&self, settings: &Settings) -> Result<(), CliError> {
        let document = self.document();
        if let Some((path, format)) = &settings.out {
            let bytes = match format {
                FileFormat::Json => output::json_file(&document),
                FileFormat::Csv => sheet::csv(self, settings.shuffle, path)?,
            };
            output::write_file(path, &bytes)?;
        }
        if let Some((path, format)) = &settings.plot {
            output::write_file(path, &picture::draw(self)?.to_bytes(*format)?)?;
        }
        match settings.format {
            Format::Json => output::print(output::json_line(&document)),
            Format::Table if !settings.shuffle => output::show(summary::text(self, settings.show)),
            _ => output::print(sheet::csv(self, settings.shuffle, Path::new("stdout"))?),
        }
    }
}
