//! The model fitted to measurements.

use std::fmt;

use crate::numerics::norm_squared;

use super::likelihood::Conditioned;
use super::measurements::{check, outcomes_by_site};
use super::{
    Aim, GroupedMeasurements, Lbfgs, Measurement, Minimum, OutcomeScale, Parameters, Priors, SearchStatus,
    Space, StudentT, SurrogateError,
};

/// With more cells than this the starts are compared on a part of the data, and only the better one is followed on all.
pub(super) const SCREEN_ABOVE: usize = 400;
/// The size of that part.
const SCREEN_CELLS: usize = 250;
/// Iterations on all cells after that; the next fit goes on from there.
const SCREENED_ITERATIONS: usize = 1;
/// Where `log s²` and `log tau²` are looked for: below, the covariance is singular in double precision; above, there
/// is nothing but noise.
const LOG_VARIANCES: (f64, f64) = (-16.0, 4.0);
/// How far from the prior mean `log l_g` is looked for: eight prior deviations.
const LENGTH_DEVIATIONS: f64 = 8.0;

/// The settings of the model; the defaults are those that did best on real tables.
///
/// | setting | default | effect |
/// |---|---|---|
/// | `aim` | maximise | which outcomes are good |
/// | `warp` | yes | whether a long tail of bad outcomes may be compressed |
/// | `outcome` | learned | a map of outcomes to use as it is; then `aim` and `warp` say nothing |
/// | `priors` | [`Priors::default`] | pull the parameters where data are few |
/// | `search` | [`Lbfgs::default`] | how the parameters are looked for |
/// | `uncertain_mean` | yes | whether intervals count that the constant mean is estimated |
/// | `robust` | none | [`StudentT`] weights against outliers |
#[derive(Debug, Clone, PartialEq)]
pub struct Surrogate {
    aim: Aim,
    warp: bool,
    outcome: Option<OutcomeScale>,
    priors: Priors,
    search: Lbfgs,
    uncertain_mean: bool,
    robust: Option<StudentT>,
}

impl Default for Surrogate {
    fn default() -> Self {
        let (priors, search) = (Priors::default(), Lbfgs::default());
        Self {
            aim: Aim::Maximise,
            warp: true,
            outcome: None,
            priors,
            search,
            uncertain_mean: true,
            robust: None,
        }
    }
}

/// The model at its most probable parameters, conditioned on the measurements.
#[derive(Debug, Clone)]
pub struct Fit {
    pub(super) space: Space,
    pub(super) evidence: GroupedMeasurements,
    pub(super) conditioned: Conditioned,
    outcome: OutcomeScale,
    parameters: Parameters,
    log_posterior: f64,
    search: Option<SearchStatus>,
    evaluations: usize,
    weights: Vec<f64>,
    pub(super) uncertain_mean: bool,
}

impl Surrogate {
    /// Sets which outcomes are good.
    #[must_use]
    pub fn aim(self, aim: Aim) -> Self {
        Self { aim, ..self }
    }

    /// Allows or forbids the Yeo-Johnson transform.
    #[must_use]
    pub fn warp(self, warp: bool) -> Self {
        Self { warp, ..self }
    }

    /// Uses this map of outcomes instead of learning one.
    #[must_use]
    pub fn outcome(self, outcome: OutcomeScale) -> Self {
        Self { outcome: Some(outcome), ..self }
    }

    /// Sets the priors.
    #[must_use]
    pub fn priors(self, priors: Priors) -> Self {
        Self { priors, ..self }
    }

    /// Sets the search.
    #[must_use]
    pub fn search(self, search: Lbfgs) -> Self {
        Self { search, ..self }
    }

    /// Counts the uncertainty of the constant mean in every variance, or takes the estimate as known.
    #[must_use]
    pub fn uncertain_mean(self, uncertain_mean: bool) -> Self {
        Self { uncertain_mean, ..self }
    }

    /// Weighs measurements by a Student-t distribution, so that outliers pull less.
    #[must_use]
    pub fn robust(self, robust: StudentT) -> Self {
        Self { robust: Some(robust), ..self }
    }

    /// Finds the most probable parameters, from the `previous` optimum where there is one and from the middle of
    /// the priors, and conditions on the measurements.
    ///
    /// Cost: about `m³` for each evaluation, m the number of *distinct* rows measured; some dozens of evaluations. Above 400
    /// rows the starts are followed on 250 of them, and the best of starts and end for one iteration on all: a first fit
    /// may then end at the limit, and the next one goes on from there.
    ///
    /// # Errors
    /// [`SurrogateError`] without measurements or with some of another space, and for a `previous` of another space.
    pub fn fit(
        &self,
        space: &Space,
        measurements: &[Measurement],
        previous: Option<&Parameters>,
    ) -> Result<Fit, SurrogateError> {
        if let Some(previous) = previous {
            previous.check(space.dimension())?;
        }
        let (outcome, mut evidence) = self.read(space, measurements)?;
        let fresh = self.priors.centre(space.dimension());
        let starts: Vec<&Parameters> = previous.into_iter().chain([&fresh]).collect();
        let (mut parameters, mut found) = self.most_probable(space, &evidence, &starts)?;
        for _ in 0..self.robust.map_or(0, |robust| robust.rounds) {
            self.reweigh(space, &mut evidence, &parameters, 1)?;
            let (next, minimum) = self.most_probable(space, &evidence, &[&parameters])?;
            let evaluations = found.evaluations + minimum.evaluations;
            (parameters, found) = (next, Minimum { evaluations, ..minimum });
        }
        let fit = self.conditioned(space, outcome, evidence, parameters)?;
        Ok(Fit { search: Some(found.status), evaluations: found.evaluations, ..fit })
    }

    /// Conditions on the measurements at given parameters; nothing is looked for. At the parameters of a fit it is that fit.
    ///
    /// # Errors
    /// Those of [`Surrogate::fit`], and [`SurrogateError::Singular`] when noise and roughness are too small to factor.
    pub fn at(
        &self,
        space: &Space,
        measurements: &[Measurement],
        parameters: &Parameters,
    ) -> Result<Fit, SurrogateError> {
        parameters.check(space.dimension())?;
        let (outcome, evidence) = self.read(space, measurements)?;
        self.conditioned(space, outcome, evidence, parameters.clone())
    }

    /// The model at its parameters, outliers weighed at these.
    fn conditioned(
        &self,
        space: &Space,
        outcome: OutcomeScale,
        mut evidence: GroupedMeasurements,
        parameters: Parameters,
    ) -> Result<Fit, SurrogateError> {
        let mut weights = vec![1.0; evidence.measurements()];
        if let Some(robust) = &self.robust {
            // From equal weights, so that the answer depends on data and parameters alone.
            evidence.weigh(&weights);
            weights = self.reweigh(space, &mut evidence, &parameters, robust.rounds)?;
        }
        let conditioned = evidence.condition(space, &parameters)?;
        let logs = parameters.logs();
        let log_prior = self.priors.log_density(&logs, &mut vec![0.0; logs.len()]);
        Ok(Fit {
            space: space.clone(),
            log_posterior: conditioned.log_likelihood + log_prior,
            conditioned,
            evidence,
            outcome,
            parameters,
            search: None,
            evaluations: 1,
            weights,
            uncertain_mean: self.uncertain_mean,
        })
    }

    /// Some rounds of Student-t weights at the same parameters.
    fn reweigh(
        &self,
        space: &Space,
        evidence: &mut GroupedMeasurements,
        parameters: &Parameters,
        rounds: usize,
    ) -> Result<Vec<f64>, SurrogateError> {
        let mut weights = evidence.factors().to_vec();
        if let Some(robust) = &self.robust {
            for _ in 0..rounds {
                let conditioned = evidence.condition(space, parameters)?;
                weights = robust.weights(evidence, &conditioned, parameters, &weights);
                evidence.weigh(&weights);
            }
        }
        Ok(weights)
    }

    fn read(
        &self,
        space: &Space,
        measurements: &[Measurement],
    ) -> Result<(OutcomeScale, GroupedMeasurements), SurrogateError> {
        check(space, measurements)?;
        let outcome = match &self.outcome {
            Some(outcome) => outcome.clone(),
            None => OutcomeScale::learn(&outcomes_by_site(space, measurements), self.aim, self.warp),
        };
        let evidence = GroupedMeasurements::new(space, measurements, &outcome)?;
        Ok((outcome, evidence))
    }

    /// The best end of a search from each start.
    fn most_probable(
        &self,
        space: &Space,
        evidence: &GroupedMeasurements,
        starts: &[&Parameters],
    ) -> Result<(Parameters, Minimum), SurrogateError> {
        let starts: Vec<Vec<f64>> = starts.iter().map(|start| start.logs()).collect();
        let minimum = if evidence.cells() > SCREEN_ABOVE {
            let part = evidence.thinned(space, SCREEN_CELLS);
            let screened = self.best_search(space, &part, &starts)?;
            // A previous optimum on nearly the same data may be better than any optimum on a part of them.
            let mut promising = starts;
            promising.push(screened.point);
            let value = |logs: &[f64]| {
                let parameters = Parameters::from_logs(logs);
                let conditioned = evidence.condition(space, &parameters).ok()?;
                Some(-conditioned.log_likelihood - self.priors.log_density(logs, &mut vec![0.0; logs.len()]))
            };
            let best = best_start(&promising, value);
            let short = Self { search: self.search.at_most(SCREENED_ITERATIONS), ..self.clone() };
            short.best_search(space, evidence, &[promising.swap_remove(best)])?
        } else {
            self.best_search(space, evidence, &starts)?
        };
        Ok((Parameters::from_logs(&minimum.point), minimum))
    }

    fn best_search(
        &self,
        space: &Space,
        evidence: &GroupedMeasurements,
        starts: &[Vec<f64>],
    ) -> Result<Minimum, SurrogateError> {
        let bounds = self.bounds(space.dimension());
        let ends = starts.iter().filter_map(|start| {
            self.search.minimise(start, &bounds, |logs| self.objective(space, evidence, logs))
        });
        let mut evaluations = 0;
        let mut best: Option<Minimum> = None;
        for end in ends {
            evaluations += end.evaluations;
            // A tie goes to the earlier start.
            if best.as_ref().is_none_or(|best| end.value < best.value) {
                best = Some(end);
            }
        }
        let Parameters { noise, roughness, .. } = self.priors.centre(space.dimension());
        let best = best.ok_or(SurrogateError::Singular { cells: evidence.cells(), noise, roughness })?;
        Ok(Minimum { evaluations, ..best })
    }

    /// The negative log posterior of the parameters and its gradient; none where the covariance cannot be factored.
    fn objective(
        &self,
        space: &Space,
        evidence: &GroupedMeasurements,
        logs: &[f64],
    ) -> Option<(f64, Vec<f64>)> {
        let evaluation = evidence.evaluate(space, &Parameters::from_logs(logs), &self.priors).ok()?;
        let gradient = evaluation.gradient.iter().map(|slope| -slope).collect();
        Some((-(evaluation.log_likelihood + evaluation.log_prior), gradient))
    }

    pub(super) fn priors_of_parameters(&self) -> &Priors {
        &self.priors
    }

    /// Where each logarithm is looked for.
    pub(super) fn bounds(&self, dimension: usize) -> Vec<(f64, f64)> {
        let mut bounds: Vec<(f64, f64)> = self
            .priors
            .of_logs(dimension)
            .iter()
            .map(|prior| {
                let reach = LENGTH_DEVIATIONS * prior.deviation;
                (prior.mean - reach, prior.mean + reach)
            })
            .collect();
        bounds[dimension..].fill(LOG_VARIANCES);
        bounds
    }
}

/// The start with the smallest value, ties to the earlier one; where none has a value, the last.
fn best_start(starts: &[Vec<f64>], mut value: impl FnMut(&[f64]) -> Option<f64>) -> usize {
    let mut best = (f64::INFINITY, starts.len() - 1);
    for (k, start) in starts.iter().enumerate() {
        if let Some(value) = value(start).filter(|value| *value < best.0) {
            best = (value, k);
        }
    }
    best.1
}

impl Fit {
    /// The candidates.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// The parameters: give them to the next fit as its `previous`.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The map between the table's units and the model's.
    pub fn outcome(&self) -> &OutcomeScale {
        &self.outcome
    }

    /// The measurements by distinct row.
    pub fn evidence(&self) -> &GroupedMeasurements {
        &self.evidence
    }

    /// The constant mean, in the model's units.
    pub fn mean(&self) -> f64 {
        self.conditioned.mean
    }

    /// Log likelihood plus log prior at the parameters.
    pub fn log_posterior(&self) -> f64 {
        self.log_posterior
    }

    /// How far the search got; none when the parameters were given.
    pub fn status(&self) -> Option<SearchStatus> {
        self.search
    }

    /// Evaluations of the likelihood on the final evidence.
    pub fn evaluations(&self) -> usize {
        self.evaluations
    }

    /// The weight of each measurement: 1, or less where the robust fit takes it for an outlier.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// For each distinct row in the order of the table, how far its mean is from what all other rows predict, in deviations of
    /// that prediction: about standard normal when the model is right. Cost: m³.
    pub fn leave_one_out(&self) -> Vec<f64> {
        self.conditioned.leave_one_out()
    }

    /// What to multiply deviations by in an interval that is reported: the root mean square of the
    /// [leave-one-out residuals](Self::leave_one_out), at least 1, times `√(1 + (G + 5)/m)`.
    ///
    /// G + 5 numbers are estimated from m distinct rows (lengthscales, noise, roughness; centre, spread and λ of the outcomes) and then
    /// taken as known, which makes intervals too narrow; on pools drawn from the prior this gives it back. It is not for
    /// choosing what to measure. Cost: m³.
    pub fn widening(&self) -> f64 {
        let residuals = self.leave_one_out();
        let rows = residuals.len() as f64;
        let estimated = (self.space.dimension() + 5) as f64;
        (norm_squared(&residuals) / rows).sqrt().max(1.0) * (1.0 + estimated / rows).sqrt()
    }

    /// The variance of one more measurement, in the model's units.
    pub fn next_noise(&self) -> f64 {
        self.evidence.next_noise(self.parameters.noise)
    }
}

impl fmt::Display for Fit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let how = match self.search {
            Some(SearchStatus::Converged) => "fitted",
            Some(SearchStatus::Limit) => "fitted up to the iteration limit",
            None => "at given parameters",
        };
        let Parameters { noise, roughness, .. } = self.parameters;
        write!(
            f,
            "{how}: {} measurements of {} rows, noise {:.3}, roughness {:.3}, log posterior {:.3}",
            self.evidence.measurements(),
            self.evidence.cells(),
            noise.sqrt(),
            roughness.sqrt(),
            self.log_posterior
        )
    }
}
