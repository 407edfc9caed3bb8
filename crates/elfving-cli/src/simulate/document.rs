//! A simulation as JSON: stable names for programs.

use elfving::bandit::Goal;
use elfving::simulate::{Run, Summary};
use serde::Serialize;

use super::{Answer, Tried};

/// All algorithms, with everything needed to run them again.
#[derive(Debug, Serialize)]
pub(super) struct SimulationDocument {
    goal: Goal,
    n: usize,
    dimension: usize,
    budget: u64,
    batch: usize,
    repeats: usize,
    seed: u64,
    algorithms: Vec<AlgorithmDocument>,
    version: &'static str,
}

#[derive(Debug, Serialize)]
struct AlgorithmDocument {
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

#[derive(Debug, Serialize)]
struct CurvePoint {
    samples: u64,
    regret: Summary,
    simple_regret: Summary,
}

impl SimulationDocument {
    pub(super) fn of(answer: &Answer) -> Self {
        let settings = answer.settings;
        Self {
            goal: settings.goal,
            n: answer.loaded.pool.len(),
            dimension: answer.loaded.pool.dimension(),
            budget: settings.budget,
            batch: settings.batch,
            repeats: settings.repeats,
            seed: settings.seed,
            algorithms: answer.tried.iter().map(AlgorithmDocument::of).collect(),
            version: env!("CARGO_PKG_VERSION"),
        }
    }
}

impl AlgorithmDocument {
    fn of(tried: &Tried) -> Self {
        let runs = &tried.runs;
        let (regret, simple_regret) = (runs.regret(), runs.simple_regret());
        let any_stopped = runs.runs.iter().any(Run::stopped);
        let last = |curve: &[Summary]| *curve.last().expect("the budget is a checkpoint");
        Self {
            algorithm: tried.algorithm.name(),
            regret: last(&regret),
            simple_regret: last(&simple_regret),
            stopped: runs.stopped().mean,
            wrong: runs.error_rate().mean,
            samples_to_stop: any_stopped.then(|| runs.samples_to_stop()),
            rounds: runs.rounds(),
            curve: (runs.checkpoints.iter().zip(regret).zip(simple_regret))
                .map(|((&samples, regret), simple_regret)| CurvePoint { samples, regret, simple_regret })
                .collect(),
            seconds: tried.seconds,
        }
    }
}
