//! Outcomes measured so far, candidate by candidate.

use elfving_table::Table;

use crate::{Dataset, ProblemError};

/// The outcomes of every candidate that has some.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// Row of the candidate and its outcomes, in pool order.
    measured: Vec<(usize, Vec<f64>)>,
}

impl Measured {
    /// Outcomes by row of the candidate, in any order.
    ///
    /// # Errors
    /// [`ProblemError::NoOutcome`]; [`ProblemError::Data`] for a number that is not finite, or a row that is not there.
    pub fn new(
        outcomes: impl IntoIterator<Item = (usize, f64)>,
        candidates: usize,
    ) -> Result<Self, ProblemError> {
        let mut all = vec![Vec::new(); candidates];
        for (row, outcome) in outcomes {
            let refused = |problem: String| ProblemError::Data { problem };
            if !outcome.is_finite() {
                return Err(refused(format!("an outcome of row {row} is {outcome}, not a finite number")));
            }
            all.get_mut(row).ok_or_else(|| refused(format!("there is no row {row}")))?.push(outcome);
        }
        let measured: Vec<(usize, Vec<f64>)> =
            all.into_iter().enumerate().filter(|(_, outcomes)| !outcomes.is_empty()).collect();
        if measured.is_empty() { Err(ProblemError::NoOutcome) } else { Ok(Self { measured }) }
    }

    /// Lines of id and outcome; lines without an outcome are passed over. The outcome is the column named, where the table has it, else `y`
    /// or `outcome`.
    ///
    /// # Errors
    /// What is wrong with the table; [`ProblemError::Data`] when no line has an outcome.
    pub fn read(
        table: &Table,
        id: &str,
        outcome: Option<&str>,
        dataset: &Dataset,
    ) -> Result<Self, ProblemError> {
        let outcome = match outcome.filter(|name| table.column(name).is_ok()) {
            Some(name) => name,
            None if table.column("y").is_ok() => "y",
            None => "outcome",
        };
        let rows = table.positions(id, dataset.names().text().iter())?;
        let outcomes = table.optional_numbers(outcome)?;
        let known = rows.into_iter().zip(outcomes).filter_map(|(row, outcome)| Some((row, outcome?)));
        Self::new(known, dataset.names().len()).map_err(|error| match error {
            ProblemError::NoOutcome => {
                let problem = format!("{}: no line has an outcome in {outcome:?}", table.file());
                ProblemError::Data { problem }
            }
            other => other,
        })
    }

    /// How many candidates have outcomes.
    pub fn candidates(&self) -> usize {
        self.measured.len()
    }

    /// The rows of the measured candidates, in order.
    pub(super) fn rows(&self) -> Vec<usize> {
        self.measured.iter().map(|(row, _)| *row).collect()
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
