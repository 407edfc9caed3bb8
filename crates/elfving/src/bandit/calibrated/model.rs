//! What a fit says, kept until the next measurement.

use crate::numerics::first_largest;
use crate::pool::ChoiceId;
use crate::surrogate::{Fit, Posterior, PosteriorOver, Reported, RowId};

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

    /// The row of a choice.
    pub(super) fn row(&self, choice: ChoiceId) -> RowId {
        self.fit.space().choice_row(choice)
    }

    /// All choices.
    pub(super) fn choices(&self) -> impl Iterator<Item = ChoiceId> {
        (0..self.fit.space().choices()).map(ChoiceId::new)
    }

    /// The choice with the largest mean.
    pub(super) fn leader(&self) -> ChoiceId {
        let means: Vec<f64> = self.choices().map(|z| self.choice_mean(z)).collect();
        ChoiceId::new(first_largest(&means).expect("there is a choice, and its mean is finite"))
    }

    /// The mean of a choice in the model's units, where large is good.
    pub(super) fn choice_mean(&self, choice: ChoiceId) -> f64 {
        self.posterior.mean(self.row(choice))
    }

    /// Median and interval of a choice in the user's units, `width` deviations to each side.
    pub(super) fn reported(&self, choice: ChoiceId, width: f64) -> Reported {
        let row = self.row(choice);
        let deviation = self.widening * self.posterior.deviation(row);
        self.fit.outcome().report(self.posterior.mean(row), deviation, width)
    }
}
