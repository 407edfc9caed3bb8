//! What came out of many runs: means and standard errors.

use elfving::bandit::{Reason, Status};
use serde::Serialize;

/// A mean over the repetitions, with its standard error.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Summary {
    /// The mean.
    pub mean: f64,
    /// Its standard error; 0 for a single repetition, which has none.
    pub standard_error: f64,
}

impl Summary {
    /// Mean and standard error of a sample; both 0 for an empty one.
    pub fn of(sample: impl IntoIterator<Item = f64>) -> Self {
        let sample: Vec<f64> = sample.into_iter().collect();
        let n = sample.len().max(1) as f64;
        // Differences to the first number: equal numbers have themselves as mean, without rounding.
        let first = sample.first().copied().unwrap_or(0.0);
        let mean = first + sample.iter().map(|x| x - first).sum::<f64>() / n;
        let squares: f64 = sample.iter().map(|x| (x - mean).powi(2)).sum();
        let standard_error = if sample.len() > 1 { (squares / (n - 1.0) / n).sqrt() } else { 0.0 };
        Self { mean, standard_error }
    }
}

/// One repetition.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Run {
    /// Sum of the gaps of the points measured, at each checkpoint.
    pub regret: Vec<f64>,
    /// The gap of the pick (the largest, when there are several), at each checkpoint.
    pub simple_regret: Vec<f64>,
    /// Measurements made.
    pub samples: u64,
    /// Rounds closed.
    pub rounds: u64,
    /// Whether the policy stopped by itself, and why.
    pub status: Status,
    /// Whether a policy that reached its goal was wrong: a pick worse than ε allows.
    pub wrong: bool,
}

impl Run {
    /// Whether the policy stopped because it had its answer, and not because the horizon was over.
    pub fn stopped(&self) -> bool {
        !matches!(self.status, Status::Measuring | Status::Finished(Reason::Horizon))
    }
}

/// All repetitions of one policy in one environment.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Runs {
    /// After how many measurements the curves have a point.
    pub checkpoints: Vec<u64>,
    /// In the order of the repetitions.
    pub runs: Vec<Run>,
}

impl Runs {
    /// Cumulative regret at each checkpoint.
    pub fn regret(&self) -> Vec<Summary> {
        self.curve(|run| &run.regret)
    }

    /// Simple regret at each checkpoint.
    pub fn simple_regret(&self) -> Vec<Summary> {
        self.curve(|run| &run.simple_regret)
    }

    /// Measurements until the policy stopped, over the runs that did; none did: mean 0.
    pub fn samples_to_stop(&self) -> Summary {
        Summary::of(self.runs.iter().filter(|run| run.stopped()).map(|run| run.samples as f64))
    }

    /// The share of runs that stopped with their answer.
    pub fn stopped(&self) -> Summary {
        Summary::of(self.runs.iter().map(|run| f64::from(run.stopped())))
    }

    /// The share of wrong answers among all runs.
    pub fn error_rate(&self) -> Summary {
        Summary::of(self.runs.iter().map(|run| f64::from(run.wrong)))
    }

    /// Rounds closed.
    pub fn rounds(&self) -> Summary {
        Summary::of(self.runs.iter().map(|run| run.rounds as f64))
    }

    fn curve(&self, of: impl Fn(&Run) -> &Vec<f64>) -> Vec<Summary> {
        (0..self.checkpoints.len()).map(|k| Summary::of(self.runs.iter().map(|run| of(run)[k]))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_standard_error_is_that_of_the_mean() {
        let summary = Summary::of([1.0, 2.0, 3.0, 6.0]);
        assert_eq!(summary.mean, 3.0);
        // Σ(x - 3)² = 14, variance 14/3, of the mean 14/12.
        assert!((summary.standard_error - (14.0f64 / 12.0).sqrt()).abs() < 1e-15);
        assert_eq!(Summary::of([0.1; 7]), Summary { mean: 0.1, standard_error: 0.0 });
        assert_eq!(Summary::of([4.0]), Summary { mean: 4.0, standard_error: 0.0 });
    }
}
