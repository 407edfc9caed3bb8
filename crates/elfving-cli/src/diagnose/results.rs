//! Outcomes measured so far, candidate by candidate.

use std::path::Path;

use elfving_table::read;

use crate::error::CliError;
use crate::pool_args::ColumnArgs;
use crate::pool_source::LoadedPool;

/// The outcomes of every candidate that has some.
pub(super) struct Results {
    /// Row of the candidate and its outcomes, in pool order.
    pub(super) measured: Vec<(usize, Vec<f64>)>,
}

impl Results {
    /// Lines of id and outcome; lines without an outcome are passed over.
    pub(super) fn read(path: &Path, columns: &ColumnArgs, loaded: &LoadedPool) -> Result<Self, CliError> {
        let id = columns.id.as_deref().ok_or_else(|| {
            CliError::usage("E202", "--measured is matched by ids", "name the column of ids with --id")
        })?;
        let table = read(path, &columns.reading())?;
        let named = columns.outcome.iter().find(|name| table.column(name).is_ok());
        let outcome = match named {
            Some(name) => name.as_str(),
            None if table.column("y").is_ok() => "y",
            None => "outcome",
        };
        let rows = table.positions(id, loaded.ids().iter())?;
        let outcomes = table.optional_numbers(outcome)?;
        let mut all = vec![Vec::new(); loaded.pool.len()];
        for (row, outcome) in rows.into_iter().zip(outcomes) {
            all[row].extend(outcome);
        }
        let measured: Vec<(usize, Vec<f64>)> =
            all.into_iter().enumerate().filter(|(_, outcomes)| !outcomes.is_empty()).collect();
        if measured.is_empty() {
            let message = format!("{}: no line has an outcome in {outcome:?}", table.file());
            return Err(CliError::data("E354", message, "name the column with --outcome"));
        }
        Ok(Self { measured })
    }

    /// The mean outcome of each measured candidate.
    pub(super) fn means(&self) -> Vec<f64> {
        self.measured.iter().map(|(_, y)| y.iter().sum::<f64>() / y.len() as f64).collect()
    }

    /// The standard deviation within candidates, pooled over all repeats, and its degrees of freedom.
    pub(super) fn repeat_deviation(&self) -> Option<(f64, usize)> {
        let (mut squares, mut degrees) = (0.0, 0);
        for ((_, outcomes), mean) in self.measured.iter().zip(self.means()) {
            squares += outcomes.iter().map(|y| (y - mean).powi(2)).sum::<f64>();
            degrees += outcomes.len() - 1;
        }
        (degrees > 0).then(|| ((squares / degrees as f64).sqrt(), degrees))
    }

    /// Fourth moment over squared second moment of the deviations from each candidate's mean: 3 for normal noise.
    pub(super) fn kurtosis(&self) -> Option<f64> {
        let means = self.means();
        let deviations: Vec<f64> = (self.measured.iter().zip(means))
            .filter(|((_, y), _)| y.len() > 2)
            .flat_map(|((_, y), mean)| y.iter().map(move |y| y - mean))
            .collect();
        let moment = |power: i32| {
            deviations.iter().map(|d| d.powi(power)).sum::<f64>() / deviations.len().max(1) as f64
        };
        (deviations.len() >= 30 && moment(2) > 0.0).then(|| moment(4) / moment(2).powi(2))
    }
}
