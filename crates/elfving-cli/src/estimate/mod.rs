//! `elfving estimate`: from a plan and its outcomes to estimates with intervals.

mod document;
mod picture;
mod plan;
mod results;
mod settings;
mod sheet;
mod summary;

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::{Args, ValueEnum};
use elfving::estimate::{EstimateError, Interval, Intervals};
use elfving::pool::{Subset, Targets};

use crate::assumption_args::AssumptionArgs;
use crate::error::CliError;
use crate::output::{self, FileFormat, Format, OutputArgs, PlotArgs};
use crate::pool_source::LoadedPool;
use crate::round::PlanDocument;
use crate::saved_design::DesignFiles;
use crate::talk::Talk;
use plan::SavedPlan;
use results::Results;
use settings::Settings;

/// Arguments of `elfving estimate`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  elfving design pool.csv --id id --out design.json
  elfving round pool.csv --design design.json --budget 20 --shuffle --out plan.json \\
          > results.csv
      measure, and fill in the column `outcome`
  elfving estimate pool.csv --plan plan.json --results results.csv --sigma 0.1 \\
          --noise sub-gaussian
      least squares (ridge regression, if the design has a ridge), with intervals
  elfving estimate pool.csv --plan plan.json --results results.csv --sigma sd --format csv \\
          > estimates.csv
      the noise of each candidate in the column `sd` of the pool; all estimates for a spreadsheet
  elfving round pool.csv --design design.json --budget 400 --method sample --shuffle \\
          --out plan.json > results.csv
  elfving estimate pool.csv --plan plan.json --results results.csv --sigma 1 --bound 2 \\
          --norm 3 --plot estimates.png
      RIPS: intervals that hold for any tails of the noise

Results are matched by the column `slot`, else by the ids, with one line per repetition. A failed run
has an empty outcome and `failed` in the column `status`: it has to be repeated. Every interval is a
theorem under the assumptions printed with it; all intervals hold together.")]
pub(crate) struct EstimateArgs {
    #[command(flatten)]
    files: DesignFiles,
    /// The plan, written by `elfving round --out plan.json`
    #[arg(long, value_name = "PLAN.json")]
    plan: PathBuf,
    /// The outcomes: the lab sheet filled in, or a table with the ids and a column of outcomes
    #[arg(long, value_name = "FILE")]
    results: PathBuf,
    /// The column of the outcomes (default: that of the design, else `outcome`)
    #[arg(long, value_name = "COLUMN")]
    outcome: Option<String>,
    /// The estimator; the plan determines which ones are possible
    #[arg(long, value_enum, default_value = "auto")]
    estimator: EstimatorName,
    /// The robust mean of RIPS
    #[arg(long, value_enum, default_value = "catoni")]
    mean: MeanName,
    /// Go on although measurements are missing; forfeits the guarantee
    #[arg(long)]
    no_guarantee: bool,
    #[command(flatten)]
    assumptions: AssumptionArgs,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    plot: PlotArgs,
    /// The order of the estimates
    #[arg(long, value_enum, default_value = "estimate", help_heading = "Output")]
    sort: Sort,
    /// Estimates to print (default: 20 in a table, all elsewhere)
    #[arg(long, value_name = "N", help_heading = "Output")]
    show: Option<usize>,
}

/// The estimators by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum EstimatorName {
    /// rips for random draws; ridge or least-squares for fixed counts
    Auto,
    /// For fixed counts
    LeastSquares,
    /// For fixed counts, with the ridge of the design
    Ridge,
    /// For random draws: the plain mean of weighted outcomes
    Ips,
    /// For random draws: a robust mean per candidate, for any tails of the noise
    Rips,
    /// For random draws: the one function of the model that is closest to all robust means
    MinMax,
}

/// The robust means by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum MeanName {
    /// Catoni's mean, as in the paper
    Catoni,
    /// One pass centred at 0: any number of draws, never wider
    SoftTruncated,
    /// The median of the means of blocks
    MedianOfMeans,
}

/// The orders of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Sort {
    /// The largest estimate first
    Estimate,
    /// The largest lower end first: what is certainly good
    Lower,
    /// The largest upper end first: what may be good
    Upper,
    /// As in the pool
    Pool,
}

/// Estimates with everything needed to print, file and draw them.
struct Answer<'a> {
    loaded: &'a LoadedPool,
    document: &'a PlanDocument,
    results: Results,
    intervals: Intervals,
    /// Measurements of each candidate, where the candidates are the choices.
    measured: Vec<u64>,
    sort: Sort,
    seconds: f64,
}

pub(crate) fn run(args: &EstimateArgs, as_json: bool, talk: Talk) -> Result<(), CliError> {
    let settings = Settings::resolve(args, as_json)?;
    let document = plan::read(&args.plan)?;
    let loaded = args.files.rebuild(&document.design, talk)?;
    let saved = SavedPlan::of(&args.plan, &document, &loaded)?;
    let estimator = settings.estimator_for(&saved, document.gamma)?;
    let assumptions = settings.assumptions.of(&loaded)?;
    let results = Results::read(&args.results, args.outcome.as_deref(), &document, &saved, &loaded)?;
    talk.note(results.account());
    if results.open() > 0 && !args.no_guarantee {
        return Err(results.incomplete(&saved, &loaded));
    }

    let start = Instant::now();
    let spinner = talk.spinner("estimating");
    let (saved, outcomes) = saved.measured(&results)?;
    let intervals = estimator
        .intervals(&loaded.pool, &saved, &outcomes, assumptions, &Targets::Points(Subset::All))
        .map_err(|error| explain(error, &loaded, document.gamma.get()))?;
    drop(spinner);
    let seconds = start.elapsed().as_secs_f64();

    let measured = saved.counts(loaded.pool.len());
    let sort = args.sort;
    let answer = Answer { loaded: &loaded, document: &document, results, intervals, measured, sort, seconds };
    answer.deliver(&settings)
}

impl Answer<'_> {
    /// The intervals in the order asked for; ties as in the pool.
    fn sorted(&self) -> Vec<(usize, &Interval)> {
        let key = |interval: &Interval| match self.sort {
            Sort::Estimate => interval.estimate,
            Sort::Lower => interval.lower(),
            Sort::Upper => interval.upper(),
            Sort::Pool => 0.0,
        };
        let mut list: Vec<(usize, &Interval)> = self.intervals.intervals.iter().enumerate().collect();
        list.sort_by(|a, b| key(b.1).total_cmp(&key(a.1)).then(a.0.cmp(&b.0)));
        list
    }

    /// How often choice `i` was measured, where choices can be.
    fn measured(&self, i: usize) -> Option<u64> {
        self.loaded.pool.chooses_among_itself().then(|| self.measured[i])
    }

    fn deliver(&self, settings: &Settings) -> Result<(), CliError> {
        if let Some((path, format)) = &settings.out {
            let bytes = match format {
                FileFormat::Json => output::json_file(&document::EstimateDocument::of(self, None)),
                FileFormat::Csv => sheet::csv(self, None, path)?,
            };
            output::write_file(path, &bytes)?;
        }
        if let Some((path, format)) = &settings.plot {
            output::write_file(path, &picture::draw(self)?.to_bytes(*format)?)?;
        }
        match settings.format {
            Format::Json => {
                output::print(output::json_line(&document::EstimateDocument::of(self, settings.show)))
            }
            Format::Csv => output::print(sheet::csv(self, settings.show, Path::new("stdout"))?),
            Format::Table => output::print(summary::text(self, settings.show.unwrap_or(summary::MOST_ROWS))),
        }
    }
}

/// An error of the library in the names of the user.
fn explain(error: EstimateError, loaded: &LoadedPool, gamma: f64) -> CliError {
    use elfving::design::TargetRef;
    use elfving::estimate::robust_mean::MeanError;
    match error {
        EstimateError::Pool(error) => error.into(),
        EstimateError::Invalid(error) => error.into(),
        EstimateError::NotIdentifiable { target: TargetRef::Row(i) } => {
            CliError::NotIdentifiable { target: format!("target {:?}", loaded.choice_name(i)), gamma }
        }
        EstimateError::NeedsBound { estimator } => {
            let message = format!("{estimator} needs a bound on the mean outcomes");
            CliError::usage("E202", message, "give --bound B, larger than every mean in absolute value")
        }
        EstimateError::Mean(MeanError::TooFewSamples { .. }) => {
            let help = "--mean soft-truncated has no minimum; or make more measurements";
            CliError::NoCertificate { code: "E707", message: error.to_string(), help: help.to_owned() }
        }
        EstimateError::NothingMeasured => CliError::NoCertificate {
            code: "E706",
            message: error.to_string(),
            help: "measure candidates with features that are not zero".to_owned(),
        },
        other => CliError::NoCertificate {
            code: "E703",
            message: other.to_string(),
            help: "bring outcomes and features to a scale near 1".to_owned(),
        },
    }
}
