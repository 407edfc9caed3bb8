//! What a plan must respect: minima, maxima, what is forced, and what was measured before.

use std::path::{Path, PathBuf};

use clap::Args;
use elfving::pool::PointId;
use elfving::rounding::{Constraints, RoundingError};
use elfving_problem::TargetSpec;
use elfving_table::nearest;

use crate::console::Console;
use crate::error::CliError;
use crate::input;
use crate::pool_source::LoadedPool;

/// The limits of a plan.
#[derive(Debug, Args)]
#[command(next_help_heading = "Limits")]
pub(super) struct LimitArgs {
    /// Measure every candidate at least this often: a number, or a column of POOL with one per candidate
    #[arg(long, value_name = "N|COLUMN")]
    min: Option<String>,
    /// Measure no candidate more often than this: a number, or a column of POOL (empty: no limit, 0: never)
    #[arg(long, value_name = "N|COLUMN")]
    max: Option<String>,
    /// Measure these candidates at least once
    #[arg(long, value_name = "ID,ID,..", value_delimiter = ',')]
    force: Vec<String>,
    /// Earlier measurements: a table with the ids, and a column `count` or one line per measurement
    #[arg(long, value_name = "FILE")]
    measured: Option<PathBuf>,
    /// The outcome column, of --measured (a line without an outcome does not count) and of the lab sheet (default: that of
    /// the design, else `outcome`)
    #[arg(long, value_name = "COLUMN")]
    outcome: Option<String>,
}

/// The limits, by row of the pool.
pub(super) struct Limits {
    pub(super) constraints: Constraints,
    /// The file of the measurements already made, without its folder.
    pub(super) done_file: Option<String>,
    /// The name of the outcome column.
    pub(super) outcome: String,
}

impl LimitArgs {
    pub(super) fn any(&self) -> bool {
        self.min.is_some() || self.max.is_some() || self.measured.is_some() || !self.force.is_empty()
    }

    pub(super) fn read(&self, loaded: &LoadedPool, console: Console) -> Result<Limits, CliError> {
        let n = loaded.pool.len();
        let mut minimum = vec![None; n];
        let mut constraints = Constraints::default();
        match self.min.as_deref().map(|text| Limit::parse("--min", text, loaded)).transpose()? {
            Some(Limit::Each(least)) => minimum.fill(Some(least)),
            Some(Limit::Listed(list)) => minimum = list,
            None => {}
        }
        for id in &self.force {
            let row = row_of(loaded, id.trim()).map_err(|help| {
                CliError::usage("E203", format!("--force: there is no candidate {id:?}"), help)
            })?;
            minimum[row] = Some(minimum[row].unwrap_or(0).max(1));
        }
        constraints.minimum = given(&minimum);
        match self.max.as_deref().map(|text| Limit::parse("--max", text, loaded)).transpose()? {
            Some(Limit::Each(most)) => constraints.maximum_each = Some(most),
            Some(Limit::Listed(list)) => constraints.maximum = given(&list),
            None => {}
        }
        if let Some(path) = &self.measured {
            constraints.done = self.done(path, loaded, console)?;
        }
        let done_file = self.measured.as_deref().map(|path| crate::pool_source::file_name(Some(path)));
        let outcome = self.outcome.as_ref().or(loaded.spec().outcome.as_ref());
        let outcome = outcome.map_or("outcome", String::as_str).to_owned();
        Ok(Limits { constraints, done_file, outcome })
    }

    /// Counts of a table that has a column `count`, else one measurement a line, where it has an outcome.
    fn done(
        &self,
        path: &Path,
        loaded: &LoadedPool,
        console: Console,
    ) -> Result<Vec<(PointId, u64)>, CliError> {
        let id = loaded.id_column().unwrap_or("row");
        let table = input::table(path, &loaded.spec().reading.clone().text(id))?;
        let rows = table.positions(id, loaded.ids().iter())?;
        let has = |name: &&str| table.column(name).is_ok();
        let of_design = loaded.spec().outcome.iter().map(String::as_str).chain(["outcome"]).find(has);
        let (times, how): (Vec<u64>, String) = match self.outcome.as_deref().or(of_design) {
            _ if has(&"count") => {
                let counts = table.optional_counts("count")?;
                (counts.into_iter().map(|count| count.unwrap_or(0)).collect(), "column \"count\"".to_owned())
            }
            // An empty outcome is a measurement that was not made, or that failed.
            Some(outcome) => {
                let outcomes = table.optional_numbers(outcome)?;
                let measured = outcomes.into_iter().map(|outcome| u64::from(outcome.is_some()));
                (measured.collect(), format!("lines with a value of {outcome:?}"))
            }
            None => (vec![1; table.rows()], "every line: there is no outcome column".to_owned()),
        };
        let all = times.iter().fold(0u64, |sum, &count| sum.saturating_add(count));
        let file = crate::pool_source::file_name(Some(path));
        console.note(format!("{file}: {} lines read, {all} earlier measurements ({how})", times.len()));
        let points = rows.into_iter().map(PointId::new);
        Ok(points.zip(times).filter(|&(_, count)| count > 0).collect())
    }
}

/// A number for all candidates, or one for each of them.
enum Limit {
    Each(u64),
    Listed(Vec<Option<u64>>),
}

impl Limit {
    fn parse(option: &str, text: &str, loaded: &LoadedPool) -> Result<Self, CliError> {
        if let Ok(count) = text.trim().parse() {
            return Ok(Self::Each(count));
        }
        let help = "give a whole number >= 0, or a column of the pool";
        let column = loaded.table().filter(|table| table.column(text).is_ok()).ok_or_else(|| {
            let message = format!("{option}: {text:?} is neither a whole number nor a column of the pool");
            CliError::usage("E203", message, help)
        })?;
        Ok(Self::Listed(column.optional_counts(text)?))
    }
}

fn given(list: &[Option<u64>]) -> Vec<(PointId, u64)> {
    list.iter().enumerate().filter_map(|(row, count)| Some((PointId::new(row), (*count)?))).collect()
}

/// The row of a candidate, or what to write instead.
fn row_of(loaded: &LoadedPool, id: &str) -> Result<usize, String> {
    let found = loaded.ids().iter().position(|known| known == id);
    found.ok_or_else(|| match nearest(id, loaded.ids().iter()) {
        Some(close) => format!("the nearest id of the pool is {close:?}"),
        None => format!("the ids of {} are like {:?}", loaded.file_name(), &loaded.ids()[0]),
    })
}

/// An error of the library in the names of the user.
pub(super) fn explain(error: RoundingError, loaded: &LoadedPool, targets: &TargetSpec) -> CliError {
    let limit = |message: String, help: &str| CliError::usage("E208", message, help);
    match error {
        RoundingError::Design(error) => targets.explain(loaded, error).into(),
        RoundingError::Invalid(error) => error.into(),
        RoundingError::MinimumAboveMaximum { id, minimum, maximum } => {
            let name = &loaded.ids()[id.index()];
            let message =
                format!("candidate {name:?} must be measured at least {minimum} times and at most {maximum}");
            limit(message, "change --min, --force or --max; no maximum exceeds the budget")
        }
        RoundingError::MinimaAboveBudget { .. } | RoundingError::MaximaBelowBudget { .. } => {
            limit(error.to_string(), "change --budget, --min, --force or --max")
        }
        other => CliError::usage("E201", other.to_string(), "check --budget"),
    }
}
