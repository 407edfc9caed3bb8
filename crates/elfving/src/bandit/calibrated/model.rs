//! What a fit says, kept until the next measurement.

use crate::numerics::first_largest;
use crate::pool::PointId;
use crate::surrogate::{Fit, Posterior, PosteriorOver, Reported};

/// A fit and its posterior over the points, and the choices after them where these are others.
pub(super) struct Model {
    pub(super) fit: Fit,
    pub(super) posterior: Posterior,
    /// What deviations are multiplied by in an interval that is reported.
    widening: f64,
}

impl Model {
    pub(super) fn new(fit: Fit) -> Self {
        Self { posterior: fit.posterior(PosteriorOver::Both), widening: fit.widening(), fit }
    }

    /// The place of a choice in the posterior.
    pub(super) fn choice(&self, choice: usize) -> PointId {
        let space = self.fit.space();
        PointId::new(if space.chooses_among_itself() { choice } else { space.points() + choice })
    }

    /// How many choices there are.
    pub(super) fn choices(&self) -> usize {
        self.fit.space().choices()
    }

    /// The choice with the largest mean.
    pub(super) fn leader(&self) -> usize {
        let means: Vec<f64> = (0..self.choices()).map(|z| self.choice_mean(z)).collect();
        first_largest(&means).expect("there is a choice, and its mean is finite")
    }

    /// The mean of a choice in the model's units, where large is good.
    pub(super) fn choice_mean(&self, choice: usize) -> f64 {
        self.posterior.mean(self.choice(choice))
    }

    /// Median and interval of a choice in the user's units, `width` deviations to each side.
    pub(super) fn reported(&self, choice: usize, width: f64) -> Reported {
        let place = self.choice(choice);
        let deviation = self.widening * self.posterior.deviation(place);
        self.fit.outcome().report(self.posterior.mean(place), deviation, width)
    }
}
