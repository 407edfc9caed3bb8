//! `elfving certify`: checks a saved design again, from the pool and the weights alone.

use std::path::PathBuf;

use clap::Args;
use elfving::design::{Certificate, Criterion, recheck};
use elfving::units::Tolerance;
use serde::Serialize;

use crate::console::Console;
use crate::error::CliError;
use crate::output::{self, OutputArgs};
use crate::pool_source::LoadedPool;
use crate::saved_design::{self, DesignFiles};
use elfving_problem::documents::DesignDocument;

/// Arguments of `elfving certify`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  elfving design pool.csv --id id --out design.json
  elfving certify design.json pool.csv
  elfving design measurable.csv --targets orderable.csv --id id --criterion xy \\
          --out comparison.json
  elfving certify comparison.json measurable.csv --targets orderable.csv

The problem is rebuilt from the options in the design file. The check is independent of the
solvers: it computes the value of the design and a bound that no design can beat. Exit code 0
means that the numbers in the file are right and the gap is within the tolerance; otherwise 7.")]
pub(crate) struct CertifyArgs {
    /// The design, written by `elfving design --out`
    #[arg(value_name = "DESIGN.json")]
    design: PathBuf,
    #[command(flatten)]
    files: DesignFiles,
    /// The gap to certify (default: that of the design file)
    #[arg(long, value_name = "T", allow_negative_numbers = true)]
    tolerance: Option<f64>,
    #[command(flatten)]
    output: OutputArgs,
}

/// What the check found.
#[derive(Debug, Serialize)]
struct Verdict {
    design: String,
    pool: String,
    criterion: Criterion,
    value: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    lower_bound: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    upper_bound: Option<f64>,
    relative_gap: f64,
    tolerance: f64,
    checked_by: elfving::design::CheckedBy,
    stated_value: f64,
    stated_bound: Option<f64>,
    /// Whether the file states what the check finds.
    agrees: bool,
    certified: bool,
    /// Why not.
    reasons: Vec<String>,
}

pub(crate) fn run(args: &CertifyArgs, as_json: bool, console: Console) -> Result<(), CliError> {
    args.output.check(as_json, "a verdict is")?;
    let tolerance = args.tolerance.map(Tolerance::new).transpose()?;
    let document = saved_design::read_design(&args.design)?;
    let tolerance = match tolerance {
        Some(tolerance) => tolerance,
        None => Tolerance::new(document.tolerance)?,
    };
    let loaded = args.files.rebuild(&document, console)?;
    let of_file = |error| saved_design::of_file(&args.design, error);
    let weights = document.weights(&loaded).map_err(of_file)?;
    let targets = &document.options.targets;
    let problem = targets.problem(&loaded, &loaded.pool, document.criterion, document.gamma)?;
    let target_weights = document.proof().map_err(of_file)?;
    let found =
        recheck(&problem, &weights, &target_weights).map_err(|error| targets.explain(&loaded, error))?;
    let verdict = Verdict::of(args, &document, &loaded, found, tolerance);
    let csv = || output::csv_of_fields(&verdict);
    args.output.deliver(as_json, "a verdict is", &verdict, csv, || verdict.text())?;
    verdict.outcome()
}

impl Verdict {
    fn of(
        args: &CertifyArgs,
        document: &DesignDocument,
        loaded: &LoadedPool,
        found: Certificate,
        tolerance: Tolerance,
    ) -> Self {
        let maximised = document.criterion.is_maximised();
        let (lower_bound, upper_bound) =
            if maximised { (None, Some(found.bound())) } else { (Some(found.bound()), None) };
        let mut reasons = document.disagreements(&found);
        let agrees = reasons.is_empty();
        let within = found.relative_gap() <= tolerance.get();
        if !within {
            let (gap, wanted) = (found.relative_gap(), tolerance.get());
            reasons.push(format!("the gap is {gap:.1e}, above the tolerance {wanted:.0e}"));
        }
        Self {
            design: crate::pool_source::file_name(Some(&args.design)),
            pool: loaded.file_name(),
            criterion: document.criterion,
            value: found.value(),
            lower_bound,
            upper_bound,
            relative_gap: found.relative_gap(),
            tolerance: tolerance.get(),
            checked_by: found.checked_by(),
            stated_value: document.value,
            stated_bound: document.bound(),
            agrees,
            certified: agrees && within,
            reasons,
        }
    }

    fn text(&self) -> String {
        let bound = self.lower_bound.or(self.upper_bound).unwrap_or(f64::NAN);
        let side = if self.criterion.is_maximised() { "upper bound" } else { "lower bound" };
        let mut lines = vec![
            format!("{} on {}, criterion {}", self.design, self.pool, self.criterion),
            String::new(),
            format!("  value        {:<24} the file states {}", self.value, self.stated_value),
            match self.stated_bound {
                Some(stated) => format!("  {side}  {bound:<24} the file states {stated}"),
                None => format!("  {side}  {bound}"),
            },
            format!("  gap          {:<24.1e} wanted {:.0e}", self.relative_gap, self.tolerance),
            String::new(),
        ];
        if self.certified {
            let good = crate::words::how_good(self.criterion, self.relative_gap);
            lines.push(format!("Certified: this design {good} on this pool."));
        } else {
            lines.push("NOT certified:".to_owned());
            lines.extend(self.reasons.iter().map(|reason| format!("  {reason}")));
        }
        lines.join("\n") + "\n"
    }

    fn outcome(&self) -> Result<(), CliError> {
        if self.certified {
            return Ok(());
        }
        let message = format!("{}: {}", self.design, self.reasons.join("; "));
        let help = "compute the design again with elfving design";
        Err(CliError::no_certificate("E712", message, help))
    }
}
