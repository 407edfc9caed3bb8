//! `elfving design`: which candidates to measure, in which proportions, and how good that is.

mod picture;
mod settings;
mod summary;

use std::ops::ControlFlow;
use std::path::Path;
use std::time::{Duration, Instant};

use clap::Args;
use elfving::design::{Control, Criterion, Design, DesignStatus, Problem, Progress, Solver};
use elfving::pool::PointId;
use elfving::rounding::Constraints;
use elfving_lab::solvers::SolverName;
use elfving_problem::documents::DesignDocument;
use elfving_problem::{ExactPlan, TargetSpec, exact_plan};
use elfving_table::Cell;

use crate::candidate_sheet;
use crate::console::Console;
use crate::error::CliError;
use crate::named::named;
use crate::output::{self, FileFormat, Format, OutputArgs, PlotArgs};
use crate::pool_args::PoolArgs;
use crate::pool_source::{self, LoadedPool};
use crate::saved_design::read_design;
use crate::targets::TargetArgs;
use settings::Settings;

/// Arguments of `elfving design`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  elfving design pool.csv --id id
      every candidate's mean as precisely as possible (criterion g, linear model)
  elfving design pool.csv --id id --polynomial-model 2 --criterion d --plot design.png
      the classical D-optimal design of a quadratic model, with a picture
  elfving design reactions.csv --id id --one-hot --criterion v --out design.csv
      text columns as categories; the average variance; the weights as a spreadsheet
  elfving design pool.csv --id id --kernel rbf --lengthscale 0.025 --gamma 0.005 --json
      a kernel and a ridge; one JSON object for scripts
  elfving design measurable.csv --targets orderable.csv --id id --criterion xy
      measure these, choose among those
  elfving design pool.csv --id id --model \"~ x*y + I(x^2)\" --criterion d --runs 12
      a plan of 12 whole runs for a formula, and how far it can be from the best one
  elfving design pool.csv --id id --out design.json && elfving certify design.json pool.csv
      save the design with its certificate, and check it later

The weights are shares of the measurements: a weight of 0.25 asks for a quarter of them.
Every design comes with a bound that no design on the pool can beat. `certified` means that
an independent check found the design within --tolerance of that bound; otherwise the exit code is 7.")]
pub(crate) struct DesignArgs {
    #[command(flatten)]
    pool: PoolArgs,
    #[command(flatten)]
    question: QuestionArgs,
    #[command(flatten)]
    targets: TargetArgs,
    #[command(flatten)]
    solver: SolverArgs,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    plot: PlotArgs,
    /// Candidates to list in the table
    #[arg(long, value_name = "N", default_value_t = 40, help_heading = "Output")]
    show: usize,
}

/// What is optimised.
#[derive(Debug, Args)]
#[command(next_help_heading = "Question")]
struct QuestionArgs {
    /// What to minimise; c needs --target-id or --direction
    #[arg(long, value_parser = named::<Criterion>(), default_value = "g")]
    criterion: Criterion,
    /// The ridge; needed where the pool cannot determine all targets
    #[arg(long, value_name = "G", default_value = "0", allow_negative_numbers = true)]
    gamma: f64,
    /// Also choose this many whole runs, as good as many searches find them (`elfving round` has maxima, forced and earlier runs)
    #[arg(long, value_name = "N")]
    runs: Option<u64>,
    /// With --runs: how many searches (default: as many as take a second or two)
    #[arg(long, value_name = "N", requires = "runs")]
    searches: Option<usize>,
}

/// How the answer is found, and when to stop looking.
#[derive(Debug, Args)]
#[command(next_help_heading = "Solver")]
struct SolverArgs {
    /// The relative gap to certify
    #[arg(long, value_name = "T", default_value = "1e-6", allow_negative_numbers = true)]
    tolerance: f64,
    /// The solver (default: the one that suits the problem)
    #[arg(long, value_parser = named::<SolverName>())]
    method: Option<SolverName>,
    /// Stop after this many iterations, with the best design so far
    #[arg(long, value_name = "N")]
    max_iterations: Option<usize>,
    /// Stop after this time, with the best design so far
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    time_limit: Option<f64>,
    /// Start from a saved design on the same or a similar pool
    #[arg(long, value_name = "DESIGN.json")]
    warm: Option<std::path::PathBuf>,
    /// The seed of everything random (the median of more than 2000 candidates, the searches of --runs)
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
}

/// A design with everything needed to print, file and draw it.
struct Answer<'a> {
    loaded: &'a LoadedPool,
    design: Design,
    /// Whole runs, where they were asked for.
    plan: Option<ExactPlan>,
    targets: TargetSpec,
    tolerance: f64,
    seconds: f64,
}

pub(crate) fn run(args: &DesignArgs, as_json: bool, console: Console) -> Result<(), CliError> {
    let settings = Settings::resolve(args, as_json)?;
    let mut pool_args = args.pool.clone().settle()?;
    if matches!(settings.criterion, Criterion::D | Criterion::A) && pool_args.targets.take().is_some() {
        console.note(format!(
            "criterion {} does not depend on targets: --targets is not used",
            settings.criterion
        ));
    }
    let targets = args.targets.spec()?;
    let warm = settings.warm.as_deref().map(read_design).transpose()?;
    let data = pool_source::read(&pool_args, settings.seed, console)?;

    let start = Instant::now();
    let loaded = LoadedPool::build(data, settings.gamma.get(), settings.tolerance.get(), console)?;
    let problem = targets.problem(&loaded, &loaded.pool, settings.criterion, settings.gamma)?;
    if problem.criterion() != settings.criterion {
        console
            .note("there is only one target and no difference: its own variance (criterion g) is minimised");
    }
    let warm = warm.map_or_else(Vec::new, |design| warm_start(&design, &loaded, console));
    let solver = settings.method.unwrap_or_else(|| SolverName::suited_to(&problem)).solver(&warm);
    let solved = solve(&*solver, &problem, &settings, start, console);
    let design = solved.map_err(|error| targets.explain(&loaded, error))?;
    let plan = settings.runs.map(|runs| {
        let _spinner = console.spinner("searching for the best plan");
        exact_plan(&loaded, &problem, &design, runs, &Constraints::default(), settings.search)
    });
    let plan = plan.transpose()?;
    let seconds = start.elapsed().as_secs_f64();

    let tolerance = settings.tolerance.get();
    let answer = Answer { loaded: &loaded, design, plan, targets, tolerance, seconds };
    answer.deliver(&settings)?;
    answer.verdict()
}

/// Runs the solver, with its progress on the terminal and the clock beside it.
fn solve(
    solver: &dyn Solver,
    problem: &Problem,
    settings: &Settings,
    start: Instant,
    console: Console,
) -> Result<Design, elfving::design::DesignError> {
    let spinner = console.spinner("solving");
    let limit: Option<Duration> = settings.time_limit;
    let wanted = settings.tolerance.get();
    let mut watch = |progress: &Progress| {
        spinner.say(|| {
            let gap =
                if progress.gap.is_finite() { format!("{:.1e}", progress.gap) } else { "open".to_owned() };
            format!(
                "iteration {}, pass {}, gap {gap}, wanted {wanted:.0e}",
                progress.iterations, progress.passes
            )
        });
        match limit {
            Some(limit) if start.elapsed() >= limit => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    };
    let mut control = Control::new(settings.tolerance).watch(&mut watch);
    if let Some(most) = settings.max_iterations {
        control = control.iteration_limit(most);
    }
    solver.solve(problem, &mut control)
}

/// The weights of an earlier design on the candidates that are still there.
fn warm_start(design: &DesignDocument, loaded: &LoadedPool, console: Console) -> Vec<(PointId, f64)> {
    let rows = loaded.names().index();
    let found =
        design.support.iter().filter_map(|share| Some((PointId::new(rows.get(&share.id)?), share.weight)));
    let found: Vec<(PointId, f64)> = found.collect();
    if found.len() < design.support.len() {
        let gone = design.support.len() - found.len();
        console.note(format!("{gone} candidates of the earlier design are not in this pool"));
    }
    found
}

impl Answer<'_> {
    fn document(&self) -> DesignDocument {
        let Self { loaded, design, plan, targets, tolerance, seconds } = self;
        let document =
            DesignDocument::of(loaded, &loaded.pool, targets, &design.stated(), *tolerance, *seconds);
        match plan {
            Some(plan) => document.with_runs(loaded, plan),
            None => document,
        }
    }

    fn deliver(&self, settings: &Settings) -> Result<(), CliError> {
        let document = self.document();
        if let Some((path, format)) = &settings.out {
            let bytes = match format {
                FileFormat::Json => output::json_file(&document),
                FileFormat::Csv => self.csv(Path::new(path))?,
            };
            output::write_file(path, &bytes)?;
        }
        if let Some((path, format)) = &settings.plot {
            output::write_file(path, &picture::draw(self)?.to_bytes(*format)?)?;
        }
        match settings.format {
            Format::Table => output::show(summary::text(self, settings.show)),
            Format::Csv => output::print(self.csv(Path::new("stdout"))?),
            Format::Json => output::print(output::json_line(&document)),
        }
    }

    /// Without a certificate the design is still printed, and the exit code says so.
    fn verdict(&self) -> Result<(), CliError> {
        let gap = self.design.certificate().relative_gap();
        let wanted = self.tolerance;
        let (why, help) = match self.design.status() {
            DesignStatus::Certified => return Ok(()),
            DesignStatus::IterationLimit => ("the iteration limit came first", "raise --max-iterations"),
            DesignStatus::Stopped => ("the time limit came first", "raise --time-limit"),
            _ => (
                "no further progress in double precision",
                "raise --tolerance or --gamma, or use --standardize",
            ),
        };
        let message = format!("no certificate: the gap is {gap:.1e}, wanted {wanted:.0e}; {why}");
        Err(CliError::no_certificate("E711", message, help))
    }

    /// `id,weight,...`, the heaviest first; with whole runs `id,runs,...` in the order of the pool.
    fn csv(&self, to: &Path) -> Result<Vec<u8>, CliError> {
        if let Some(plan) = &self.plan {
            let counts = plan.allocation.counts().iter();
            let counts = counts.map(|&(id, count)| (id.index(), Cell::Integer(count as i64)));
            return candidate_sheet::csv(self.loaded, ("runs", "planned runs"), counts, to);
        }
        let weights = self.heaviest_first().into_iter().map(|(row, weight)| (row, Cell::Number(weight)));
        candidate_sheet::csv(self.loaded, ("weight", "design weight"), weights, to)
    }

    /// Candidates with weight, the heaviest first; weights that are printed alike stay in pool order.
    fn heaviest_first(&self) -> Vec<(usize, f64)> {
        let rank = |weight: f64| (weight * 1e6).round() as i64;
        let mut support: Vec<(usize, f64)> =
            self.design.support().iter().map(|&(id, w)| (id.index(), w)).collect();
        support.sort_by_key(|&(row, weight)| (-rank(weight), row));
        support
    }
}
