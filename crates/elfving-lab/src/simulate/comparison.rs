//! Several algorithms on one truth, for programs: stable names.

use super::{Run, Runs, Simulation, Summary};
use crate::AnyAlgorithm;
use elfving::bandit::{Goal, Question};
use serde::Serialize;

/// All algorithms, with everything needed to run them again.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    goal: Goal,
    n: usize,
    dimension: usize,
    budget: u64,
    batch: usize,
    repeats: usize,
    seed: u64,
    algorithms: Vec<Tried>,
    version: &'static str,
}

/// What one algorithm did.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Tried {
    algorithm: &'static str,
    /// At the end.
    regret: Summary,
    simple_regret: Summary,
    /// Shares of the runs.
    stopped: f64,
    wrong: f64,
    /// Over the runs that stopped; null when none did.
    samples_to_stop: Option<Summary>,
    rounds: Summary,
    curve: Vec<CurvePoint>,
    seconds: f64,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
struct CurvePoint {
    samples: u64,
    regret: Summary,
    simple_regret: Summary,
}

impl Comparison {
    /// What became of a question under a simulation.
    pub fn new(simulation: &Simulation, question: &Question, algorithms: Vec<Tried>) -> Self {
        let &Simulation { budget, batch, repeats, seed, .. } = simulation;
        let (n, dimension) = (question.pool.len(), question.pool.dimension());
        let (goal, version) = (question.goal, env!("CARGO_PKG_VERSION"));
        Self { goal, n, dimension, budget, batch, repeats, seed, algorithms, version }
    }
}

impl Tried {
    /// An algorithm, its runs, and the seconds they took.
    pub fn new(algorithm: AnyAlgorithm, runs: &Runs, seconds: f64) -> Self {
        let (regret, simple_regret) = (runs.regret(), runs.simple_regret());
        let any_stopped = runs.runs.iter().any(Run::stopped);
        let last = |curve: &[Summary]| curve.last().copied().unwrap_or_else(|| Summary::of([]));
        Self {
            algorithm: algorithm.name(),
            regret: last(&regret),
            simple_regret: last(&simple_regret),
            stopped: runs.stopped().mean,
            wrong: runs.error_rate().mean,
            samples_to_stop: any_stopped.then(|| runs.samples_to_stop()),
            rounds: runs.rounds(),
            curve: (runs.checkpoints.iter().zip(regret).zip(simple_regret))
                .map(|((&samples, regret), simple_regret)| CurvePoint { samples, regret, simple_regret })
                .collect(),
            seconds,
        }
    }
}
