//! What was believed of every candidate before the first measurement.

use super::BanditError;
use serde::{Deserialize, Serialize};

/// A prediction of every mean, made before the first measurement: by an earlier campaign, say. In the ellipsoid family it bets
/// beside the other models, so it may be as wrong as it likes: it then costs width, never truth.
///
/// ```
/// use elfving::bandit::Belief;
/// let belief = Belief::new("last year", vec![0.2, 0.9], vec![0.1, 0.1])?;
/// assert_eq!(belief.means(), [0.2, 0.9]);
/// assert!(Belief::new("nobody", vec![0.2], vec![0.0]).is_err());
/// # Ok::<(), elfving::bandit::BanditError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Belief {
    name: String,
    means: Vec<f64>,
    deviations: Vec<f64>,
}

impl Belief {
    /// Means and standard deviations, one per measurable point.
    ///
    /// # Errors
    /// [`BanditError::Belief`] unless there are as many of both, means finite and deviations finite and positive.
    pub fn new(name: impl Into<String>, means: Vec<f64>, deviations: Vec<f64>) -> Result<Self, BanditError> {
        let belief = Self { name: name.into(), means, deviations };
        match belief.problem() {
            Some(problem) => Err(BanditError::Belief { name: belief.name, problem }),
            None => Ok(belief),
        }
    }

    /// What is wrong with it: one that was read need not be sound.
    pub fn problem(&self) -> Option<String> {
        if self.means.is_empty() || self.means.len() != self.deviations.len() {
            let (means, deviations) = (self.means.len(), self.deviations.len());
            return Some(format!("{means} means and {deviations} deviations"));
        }
        let bad_mean = self.means.iter().find(|mean| !mean.is_finite());
        let bad_deviation =
            self.deviations.iter().find(|deviation| !(**deviation > 0.0 && deviation.is_finite()));
        match (bad_mean, bad_deviation) {
            (Some(mean), _) => Some(format!("the mean {mean} is not finite")),
            (_, Some(deviation)) => Some(format!("the deviation {deviation} is not a finite number > 0")),
            _ => None,
        }
    }

    /// Whose it is.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The predicted means.
    pub fn means(&self) -> &[f64] {
        &self.means
    }

    /// Their standard deviations.
    pub fn deviations(&self) -> &[f64] {
        &self.deviations
    }

    /// The same of `-f`, for campaigns that look for the smallest outcome.
    #[must_use]
    pub fn negated(mut self) -> Self {
        self.means.iter_mut().for_each(|mean| *mean = -*mean);
        self
    }

    /// The same of these points only, in the order given.
    ///
    /// # Panics
    /// When there is no such point.
    #[must_use]
    pub fn select(&self, points: &[usize]) -> Self {
        let of = |values: &[f64]| points.iter().map(|&point| values[point]).collect();
        Self { name: self.name.clone(), means: of(&self.means), deviations: of(&self.deviations) }
    }

    /// What is believed of a point; of one that came later, the average with twice the largest deviation.
    pub(crate) fn of(&self, point: usize) -> (f64, f64) {
        match (self.means.get(point), self.deviations.get(point)) {
            (Some(&mean), Some(&deviation)) => (mean, deviation),
            _ => {
                let average = self.means.iter().sum::<f64>() / self.means.len() as f64;
                (average, 2.0 * self.deviations.iter().copied().fold(0.0, f64::max))
            }
        }
    }
}
