//! `simulate`: algorithms on a pool whose truth is known.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use elfving::bandit::{BanditError, Goal};
use elfving::design::Progress;
use elfving::estimate::Tails;
use elfving::units::InvalidValue;
use elfving_lab::AnyAlgorithm;
use elfving_lab::simulate::{Comparison, Environment, LawName, Simulation, Tried};
use elfving_problem::AssumptionSpec;
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use serde::Deserialize;

use crate::arrays::vector;
use crate::bandit::{Asked, algorithm_named};
use crate::failure::Answer;
use crate::json::{parsed, to_json};
use crate::pool::Pool;
use crate::task;

/// How outcomes come about in a simulation.
#[derive(Debug, Deserialize)]
struct World {
    noise: String,
    tail: Option<f64>,
    sigma: f64,
    perturb: f64,
}

impl World {
    fn build(&self, means: Vec<f64>, records: Option<Vec<Vec<f64>>>) -> Answer<Environment> {
        if let Some(records) = records {
            return Ok(Environment::repeats(records)?);
        }
        let environment = Environment::new(means)?;
        match self.noise.parse::<LawName>()?.law(self.tail) {
            None => Ok(environment.bernoulli()?),
            Some(_) if !(self.sigma >= 0.0 && self.sigma.is_finite()) => {
                Err(InvalidValue::Sigma { got: self.sigma }.into())
            }
            Some(law) => Ok(environment.noise(law, self.sigma)?),
        }
    }
}

/// What is run, and what the algorithms are told.
#[derive(Debug, Deserialize)]
struct Simulated {
    algorithms: Vec<String>,
    goal: Goal,
    budget: u64,
    batch: usize,
    repetitions: usize,
    seed: u64,
    minimise: bool,
    sigma: Option<f64>,
    noise: Option<Tails>,
    bound: Option<f64>,
    norm: Option<f64>,
    misspecification: f64,
    delta: f64,
    gamma: Option<f64>,
    world: World,
}

/// Runs algorithms on a truth that is known; the answer is the JSON of `elfving simulate`.
#[pyfunction]
#[pyo3(signature = (pool, truth, choice_truth, records, simulated, progress))]
pub(crate) fn simulate(
    py: Python<'_>,
    pool: &Pool,
    truth: Option<PyReadonlyArray1<'_, f64>>,
    choice_truth: Option<PyReadonlyArray1<'_, f64>>,
    records: Option<Vec<Vec<f64>>>,
    simulated: &str,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let simulated: Simulated = parsed("simulation", simulated)?;
    let sign = if simulated.minimise { -1.0 } else { 1.0 };
    let signed = |means: Vec<f64>| -> Vec<f64> { means.into_iter().map(|mean| sign * mean).collect() };
    let truth = truth.as_ref().map(|means| signed(vector(means)));
    let choice_truth = choice_truth.as_ref().map(|means| signed(vector(means)));
    let records = records.map(|records| records.into_iter().map(signed).collect());
    let data = Arc::clone(&pool.0);
    task::run_watched(py, progress, move |monitor| {
        let mut environment = simulated.world.build(truth.unwrap_or_default(), records)?;
        if let Some(means) = choice_truth {
            environment = environment.choices(means)?;
        }
        let environment = environment.misspecified(simulated.world.perturb, simulated.seed)?;
        let (sigma, tails) = environment.noise_level();
        let largest = environment.largest_mean();
        let assumptions = AssumptionSpec {
            sigma: Some(simulated.sigma.unwrap_or(sigma)),
            bound: Some(simulated.bound.unwrap_or(if largest > 0.0 { largest } else { 1.0 })),
            norm: simulated.norm,
            misspecification: simulated.misspecification,
            tails: simulated.noise.unwrap_or(tails),
            range: None,
        };
        let named =
            simulated.algorithms.iter().map(|name| algorithm_named(name)).collect::<Answer<Vec<_>>>()?;
        let asked = Asked {
            goal: simulated.goal,
            assumptions,
            delta: simulated.delta,
            gamma: simulated.gamma,
            seed: 0,
            minimise: false,
        };
        let calibrated = named.iter().flatten().any(|algorithm| algorithm.is_calibrated());
        let question = asked.question(&data, calibrated)?;
        let runner = Simulation::new(simulated.budget)
            .batch(simulated.batch)
            .repeats(simulated.repetitions)
            .seed(simulated.seed);
        let (done, all) = (AtomicUsize::new(0), simulated.repetitions * named.len());
        let step = || {
            let iterations = done.fetch_add(1, Ordering::Relaxed) + 1;
            monitor.report(Progress { gap: 0.0, iterations, passes: all });
        };
        let mut tried = Vec::new();
        for algorithm in named {
            let algorithm = algorithm.unwrap_or_else(|| AnyAlgorithm::auto(&question).0);
            let start = Instant::now();
            let policy = |seed| match monitor.stopped() {
                // Nobody waits for the answer any more.
                true => Err(BanditError::NoRound),
                false => algorithm.start(question.clone().seed(seed)),
            };
            let runs = runner.run_watched(&environment, policy, &step)?;
            tried.push(Tried::new(algorithm, &runs, start.elapsed().as_secs_f64()));
        }
        // The last words of two runs may have crossed.
        monitor.report(Progress { gap: 0.0, iterations: all, passes: all });
        to_json(&Comparison::new(&runner, &question, tried))
    })
}
