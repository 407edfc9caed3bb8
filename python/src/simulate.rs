//! `simulate`: algorithms on a pool whose truth is known.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use elfving::bandit::{Algorithm, BanditError, Goal};
use elfving::design::Progress;
use elfving::estimate::Tails;
use elfving::simulate::{Environment, Law, Run, Runs, Simulation, Summary};
use elfving::units::InvalidValue;
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::arrays::vector;
use crate::bandit::{Asked, algorithm_named};
use crate::estimate::Vouched;
use crate::failure::{Answer, Failure};
use crate::json::parsed;
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
    /// The environment, its noise level, and whether it is sub-Gaussian.
    fn build(&self, means: Vec<f64>, records: Option<Vec<Vec<f64>>>) -> Answer<(Environment, f64, bool)> {
        if let Some(records) = records {
            // Outcomes in an interval of length 2 sigma are sigma-sub-Gaussian (Hoeffding).
            let half_range = |record: &Vec<f64>| {
                let largest = record.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                let smallest = record.iter().copied().fold(f64::INFINITY, f64::min);
                if record.is_empty() { 0.0 } else { (largest - smallest) / 2.0 }
            };
            let sigma = records.iter().map(half_range).fold(0.0, f64::max);
            return Ok((Environment::repeats(records)?, sigma, true));
        }
        let environment = Environment::new(means)?;
        let law = match self.noise.as_str() {
            "normal" => Law::Normal,
            "uniform" => Law::Uniform,
            "rademacher" => Law::Rademacher,
            "student-t" => Law::StudentT { degrees: self.tail.unwrap_or(3.0) },
            "pareto" => Law::Pareto { shape: self.tail.unwrap_or(3.0) },
            "two-point" => Law::TwoPoint { probability: self.tail.unwrap_or(0.01) },
            // A coin is sub-Gaussian with parameter 1/2, whatever its mean.
            "bernoulli" => return Ok((environment.bernoulli()?, 0.5, true)),
            other => {
                return Err(Failure::option(format!(
                    "there is no noise {other:?}; it is normal, uniform, rademacher, student-t, pareto, two-point or \
                     bernoulli"
                )));
            }
        };
        if !(self.sigma >= 0.0 && self.sigma.is_finite()) {
            return Err(InvalidValue::Sigma { got: self.sigma }.into());
        }
        let light = matches!(law, Law::Normal | Law::Uniform | Law::Rademacher);
        Ok((environment.noise(law, self.sigma)?, self.sigma, light))
    }
}

/// What is run, and what the algorithms are told.
#[derive(Debug, Deserialize)]
struct Simulated {
    algorithms: Vec<String>,
    goal: Goal,
    budget: u64,
    batch: usize,
    repeats: usize,
    seed: u64,
    minimise: bool,
    assumed_sigma: Option<f64>,
    bound: Option<f64>,
    norm: Option<f64>,
    misspecification: f64,
    bounded_variance: bool,
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
        let (mut environment, sigma, light) = simulated.world.build(truth.unwrap_or_default(), records)?;
        if let Some(means) = choice_truth {
            environment = environment.choices(means)?;
        }
        let environment = environment.misspecified(simulated.world.perturb, simulated.seed)?;
        let means = environment.means().iter().chain(environment.choice_means());
        let largest = means.fold(0.0, |largest: f64, mean| largest.max(mean.abs()));
        let vouched = Vouched {
            sigma: simulated.assumed_sigma.unwrap_or(sigma),
            bound: Some(simulated.bound.unwrap_or(if largest > 0.0 { largest } else { 1.0 })),
            norm: simulated.norm,
            misspecification: simulated.misspecification,
            tails: match light && !simulated.bounded_variance {
                true => Tails::SubGaussian,
                false => Tails::BoundedVariance,
            },
        };
        let named =
            simulated.algorithms.iter().map(|name| algorithm_named(name)).collect::<Answer<Vec<_>>>()?;
        let asked = Asked {
            goal: simulated.goal,
            vouched,
            delta: simulated.delta,
            gamma: simulated.gamma,
            seed: 0,
            minimise: false,
        };
        let calibrated = named.iter().flatten().any(|algorithm| algorithm.is_calibrated());
        let question = asked.question(&data, calibrated)?;
        let runner = Simulation::new(simulated.budget)
            .batch(simulated.batch)
            .repeats(simulated.repeats)
            .seed(simulated.seed);
        let (done, all) = (AtomicUsize::new(0), simulated.repeats * named.len());
        let step = || {
            let iterations = done.fetch_add(1, Ordering::Relaxed) + 1;
            monitor.report(Progress { gap: 0.0, iterations, passes: all });
        };
        let mut tried = Vec::new();
        for algorithm in named {
            let algorithm = algorithm.unwrap_or_else(|| Algorithm::auto(&question).0);
            let start = Instant::now();
            let policy = |seed| match monitor.stopped() {
                // Nobody waits for the answer any more.
                true => Err(BanditError::NoRound),
                false => algorithm.start(question.clone().seed(seed)),
            };
            let runs = runner.run_watched(&environment, policy, &step)?;
            tried.push(algorithm_json(algorithm, &runs, start.elapsed().as_secs_f64()));
        }
        // The last words of two runs may have crossed.
        monitor.report(Progress { gap: 0.0, iterations: all, passes: all });
        let pool = &question.pool;
        Ok(json!({
            "goal": simulated.goal,
            "n": pool.len(),
            "dimension": pool.dimension(),
            "budget": simulated.budget,
            "batch": simulated.batch,
            "repeats": simulated.repeats,
            "seed": simulated.seed,
            "algorithms": tried,
            "version": env!("CARGO_PKG_VERSION"),
        })
        .to_string())
    })
}

fn algorithm_json(algorithm: Algorithm, runs: &Runs, seconds: f64) -> Value {
    let (regret, simple_regret) = (runs.regret(), runs.simple_regret());
    let any_stopped = runs.runs.iter().any(Run::stopped);
    let last = |curve: &[Summary]| curve.last().copied();
    let curve: Vec<Value> = (runs.checkpoints.iter().zip(&regret).zip(&simple_regret))
        .map(|((samples, regret), simple_regret)| {
            json!({"samples": samples, "regret": regret, "simple_regret": simple_regret})
        })
        .collect();
    json!({
        "algorithm": algorithm.name(),
        "regret": last(&regret),
        "simple_regret": last(&simple_regret),
        "stopped": runs.stopped().mean,
        "wrong": runs.error_rate().mean,
        "samples_to_stop": any_stopped.then(|| runs.samples_to_stop()),
        "rounds": runs.rounds(),
        "curve": curve,
        "seconds": seconds,
    })
}
