//! Estimates with what they rest on.

use elfving::estimate::{Interval, Intervals, Premise};
use elfving::units::Ridge;
use serde::Serialize;

use super::SCHEMA;
use crate::{Dataset, Measurements};

/// Estimates with their assumptions, as `elfving estimate --json` prints them.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EstimateDocument {
    /// [`SCHEMA`](super::SCHEMA).
    pub schema: u32,
    /// The estimator.
    pub estimator: &'static str,
    /// `allocation` or `draws`.
    pub kind: &'static str,
    /// The ridge.
    pub gamma: Ridge,
    /// Measurements with an outcome.
    pub measurements: usize,
    /// The probability that some interval misses; none when measurements are missing.
    pub delta: Option<f64>,
    /// Whether every interval is a theorem under the assumptions.
    pub guaranteed: bool,
    /// How many intervals hold together.
    pub statements: usize,
    /// What is assumed.
    pub assumptions: Vec<Assumption>,
    /// What became of the results.
    pub results: Account,
    /// The estimates.
    pub estimates: Vec<Estimate>,
    /// Time of the answer.
    pub seconds: f64,
    /// The version that wrote it.
    pub version: &'static str,
}

/// One assumption, for programs and in words.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Assumption {
    /// For programs.
    #[serde(flatten)]
    pub premise: Premise,
    /// In words.
    pub text: String,
}

/// What became of the results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Account {
    /// Lines read.
    pub lines: usize,
    /// Outcomes recorded.
    pub recorded: usize,
    /// Measurements without an outcome.
    pub open: usize,
    /// Those of them that failed.
    pub failed: usize,
}

/// The estimate of one choice.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Estimate {
    /// The choice.
    pub id: String,
    /// The estimate.
    pub estimate: f64,
    /// The lower end of its interval.
    pub lower: f64,
    /// The upper end.
    pub upper: f64,
    /// The part of the half width that is noise.
    pub noise_width: f64,
    /// The part that is the ridge's; null when no bound on the norm is given and a ridge pulls towards 0.
    pub ridge_width: Option<f64>,
    /// The part that is the model's.
    pub misspecification_width: f64,
    /// How often it was measured, where choices can be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measured: Option<u64>,
}

impl EstimateDocument {
    /// The document of estimates in the order of `shown`, rows of the choices.
    pub fn of(
        dataset: &Dataset,
        plan: &Measurements,
        gamma: Ridge,
        found: &Intervals,
        results: Account,
        shown: &[usize],
        seconds: f64,
    ) -> Self {
        let statement = &found.statement;
        let guaranteed = results.open == 0;
        let in_words = |premise: &Premise| Assumption { premise: premise.clone(), text: premise.to_string() };
        let own_choices = dataset.about().choice_names.is_some();
        let counts = plan.counts_of_all(dataset.names().len());
        let estimate = |&choice: &usize| {
            let interval: &Interval = &found.intervals[choice];
            Estimate {
                id: dataset.choices().name(choice).into_owned(),
                estimate: interval.estimate,
                lower: interval.lower(),
                upper: interval.upper(),
                noise_width: interval.noise,
                ridge_width: interval.bias.ridge,
                misspecification_width: interval.bias.misspecification,
                measured: (!own_choices).then(|| counts[choice]),
            }
        };
        Self {
            schema: SCHEMA,
            estimator: statement.estimator,
            kind: plan.kind(),
            gamma,
            measurements: results.recorded,
            delta: guaranteed.then_some(statement.delta),
            guaranteed,
            statements: statement.statements,
            assumptions: statement.premises.iter().map(in_words).collect(),
            results,
            estimates: shown.iter().map(estimate).collect(),
            seconds,
            version: env!("CARGO_PKG_VERSION"),
        }
    }
}
