//! Estimates as JSON: stable names for programs.

use elfving::estimate::Premise;
use elfving::units::Ridge;
use serde::Serialize;

use super::Answer;

/// Estimates with what they rest on.
#[derive(Debug, Serialize)]
pub(super) struct EstimateDocument {
    estimator: &'static str,
    /// `allocation` or `draws`.
    kind: String,
    gamma: Ridge,
    measurements: usize,
    /// The probability that some interval misses; none when measurements are missing.
    delta: Option<f64>,
    /// Whether every interval is a theorem under the assumptions.
    guaranteed: bool,
    /// How many intervals hold together.
    statements: usize,
    assumptions: Vec<Assumption>,
    results: Account,
    estimates: Vec<Estimate>,
    seconds: f64,
    version: &'static str,
}

/// One assumption, for programs and in words.
#[derive(Debug, Serialize)]
struct Assumption {
    #[serde(flatten)]
    premise: Premise,
    text: String,
}

#[derive(Debug, Serialize)]
struct Account {
    lines: usize,
    recorded: usize,
    open: usize,
    failed: usize,
}

#[derive(Debug, Serialize)]
struct Estimate {
    id: String,
    estimate: f64,
    lower: f64,
    upper: f64,
    noise_width: f64,
    /// Null when no bound on the norm is given and a ridge pulls towards 0.
    ridge_width: Option<f64>,
    misspecification_width: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    measured: Option<u64>,
}

impl EstimateDocument {
    pub(super) fn of(answer: &Answer, top: Option<usize>) -> Self {
        let statement = &answer.intervals.statement;
        let sorted = answer.sorted();
        let shown = &sorted[..top.unwrap_or(usize::MAX).min(sorted.len())];
        let guaranteed = answer.results.open() == 0;
        let in_words = |premise: &Premise| Assumption { premise: premise.clone(), text: premise.to_string() };
        Self {
            estimator: statement.estimator,
            kind: answer.document.kind.clone(),
            gamma: answer.document.gamma,
            measurements: answer.results.recorded(),
            delta: guaranteed.then_some(statement.delta),
            guaranteed,
            statements: statement.statements,
            assumptions: statement.premises.iter().map(in_words).collect(),
            results: Account {
                lines: answer.results.lines(),
                recorded: answer.results.recorded(),
                open: answer.results.open(),
                failed: answer.results.failed(),
            },
            estimates: shown
                .iter()
                .map(|&(i, interval)| Estimate {
                    id: answer.loaded.choice_name(i).to_owned(),
                    estimate: interval.estimate,
                    lower: interval.lower(),
                    upper: interval.upper(),
                    noise_width: interval.noise,
                    ridge_width: interval.bias.ridge,
                    misspecification_width: interval.bias.misspecification,
                    measured: answer.measured(i),
                })
                .collect(),
            seconds: answer.seconds,
            version: env!("CARGO_PKG_VERSION"),
        }
    }
}
