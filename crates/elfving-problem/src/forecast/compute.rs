//! Everything a forecast says: computed where there is a formula, simulated where there is none.

use std::sync::Arc;

use elfving::bandit::{Algorithm, BanditError, Goal, Question, elimination::Constants, recommend};
use elfving::estimate::Tails;
use elfving::pool::Pool;
use elfving::units::{Confidence, Ridge, Tolerance};
use elfving_lab::complexity::{Truth, characteristic_time};
use elfving_lab::plan::{Planner, WorstCase};
use elfving_lab::simulate::{Environment, Law, Simulation, SimulationError};

use super::ForecastRequest;
use super::document::{
    AlgorithmPlan, ByBatch, ByEpsilon, ByGamma, Forecast, Needed, Simulated, WorstCaseDocument,
};
use crate::defaults::{USUAL_RIDGE, USUAL_TOLERANCE};
use crate::{Dataset, ProblemError, documents};

/// Arithmetic that one simulated run may take: some seconds.
const WORK: f64 = 2e10;
/// Draws times candidates up to which a robust elimination is simulated.
const ROBUST_WORK: f64 = 1e9;
/// Multiples of ε for which costs are shown.
const EPSILONS: [f64; 5] = [4.0, 2.0, 1.0, 0.5, 0.25];
/// Multiples of γ for which costs are shown.
const GAMMAS: [f64; 3] = [0.1, 1.0, 10.0];
/// Multiples of the batch for which costs are shown.
const BATCHES: [usize; 3] = [1, 4, 16];

pub(super) fn forecast(request: &ForecastRequest, dataset: &Dataset) -> Result<Forecast, ProblemError> {
    let pool = dataset.build(request.gamma.unwrap_or(USUAL_RIDGE), USUAL_TOLERANCE)?;
    let question = &question(request, &pool)?;
    let asked = &request.assumptions;
    let (epsilon, sigma) = (request.epsilon, asked.sigma.unwrap_or(0.0));
    let sub_gaussian = asked.tails == Tails::SubGaussian;
    let truth = request.means.as_ref().map(|means| Truth::from_means(&pool, means)).transpose()?;
    let mut planner = Planner::new(question).map_err(refused)?;
    let suggested_gamma = planner.suggested_gamma(epsilon).map_err(refused)?;
    let f_differences = planner.worst_variance(suggested_gamma).map_err(refused)?;
    let mut worst = |robust: bool, epsilon: f64| -> Result<Option<WorstCase>, ProblemError> {
        match robust {
            true if asked.bound.is_none() => Ok(None),
            true => planner.rips(epsilon).map(Some).map_err(refused),
            false => planner.ptr(epsilon).map(Some).map_err(refused),
        }
    };
    let bench = Bench { request, question, pool: &pool, sigma };
    let guess = request.means.as_ref().map(|means| bench.world(means)).transpose()?;
    let flat = bench.world(&vec![0.0; pool.len()])?;
    let ellipsoid = asked.norm.is_some();
    let mut algorithms = Vec::new();
    for (algorithm, robust) in [
        (Algorithm::EllipsoidBest, None),
        (Algorithm::RipsBest(Constants::Certified), Some(true)),
        (Algorithm::PtrBest(Constants::Certified), Some(false)),
    ] {
        let needed = match robust {
            None => vec![(ellipsoid, Needed::Norm), (sub_gaussian, Needed::SubGaussian)],
            Some(false) => vec![(sub_gaussian, Needed::SubGaussian)],
            Some(true) => vec![(asked.bound.is_some(), Needed::Bound)],
        };
        let missing: Vec<Needed> =
            needed.into_iter().filter(|(given, _)| !given).map(|(_, need)| need).collect();
        let worst_case = match robust {
            Some(robust) => worst(robust, epsilon)?,
            None => None,
        };
        let usable = missing.is_empty();
        let affordable = worst_case.as_ref().is_none_or(|plan| {
            plan.samples <= request.budget
                && plan.samples as f64 * (pool.len() as f64).powi(2) <= ROBUST_WORK * 10.0
        });
        let all_equal = match robust {
            None if usable => Some(bench.simulate(algorithm, &flat, epsilon, request.batch, WORK)?),
            _ => None,
        };
        let guess = match &guess {
            Some(world) if usable && affordable => {
                Some(bench.simulate(algorithm, world, epsilon, request.batch, WORK)?)
            }
            _ => None,
        };
        let worst_case = worst_case.map(|plan| WorstCaseDocument {
            samples: plan.samples,
            reached: plan.reached,
            rounds: plan.rounds,
        });
        algorithms.push(AlgorithmPlan { algorithm: algorithm.name(), missing, worst_case, all_equal, guess });
    }
    let samples = |plan: Option<WorstCase>| plan.filter(|plan| plan.reached).map(|plan| plan.samples);
    let simulated_world = guess.as_ref().unwrap_or(&flat);
    let usable_ellipsoid = ellipsoid && sub_gaussian;
    let mut by_epsilon = Vec::new();
    for multiple in EPSILONS {
        let epsilon = multiple * epsilon;
        by_epsilon.push(ByEpsilon {
            epsilon,
            rips_best: samples(worst(true, epsilon)?),
            ptr_best: samples(worst(false, epsilon)?),
            ellipsoid_best: match usable_ellipsoid {
                true => Some(bench.simulate(
                    Algorithm::EllipsoidBest,
                    simulated_world,
                    epsilon,
                    request.batch,
                    0.25 * WORK,
                )?),
                false => None,
            },
        });
    }
    let mut by_gamma = Vec::new();
    for multiple in GAMMAS {
        let gamma = Ridge::new(multiple * suggested_gamma.get())?;
        let fixed = question.clone().gamma(gamma);
        let mut planner = Planner::new(&fixed).map_err(refused)?;
        let rips = match asked.bound {
            Some(_) => samples(Some(planner.rips(epsilon).map_err(refused)?)),
            None => None,
        };
        by_gamma.push(ByGamma {
            gamma: gamma.get(),
            f_differences: planner.worst_variance(gamma).map_err(refused)?,
            rips_best: rips,
            ptr_best: samples(Some(planner.ptr(epsilon).map_err(refused)?)),
        });
    }
    let mut by_batch = Vec::new();
    if usable_ellipsoid {
        for multiple in BATCHES {
            let batch = multiple * request.batch;
            let ellipsoid_best =
                bench.simulate(Algorithm::EllipsoidBest, simulated_world, epsilon, batch, 0.25 * WORK)?;
            by_batch.push(ByBatch { batch, ellipsoid_best });
        }
    }
    // Without a norm the bound is about all linear truths; a kernel's space is too large for that.
    let lower_bound =
        truth.as_ref().filter(|truth| asked.norm.is_none_or(|norm| truth.norm <= norm)).and_then(|truth| {
            let norm = asked.norm.or_else(|| pool.exact().map(|_| truth.norm));
            let time = characteristic_time(&pool, truth, norm, Tolerance::new(1e-3).ok()?).ok()?;
            Some(time.measurements(sigma, question.delta))
        });
    let ridge_pays = asked.norm.is_some() || pool.exact().is_some();
    Ok(Forecast {
        schema: documents::SCHEMA,
        n: pool.len(),
        choices: pool.choice_count(),
        dimension: pool.dimension(),
        epsilon,
        delta: request.delta,
        sigma,
        bound: asked.bound,
        norm: asked.norm,
        batch: request.batch,
        f_differences,
        suggested_gamma: ridge_pays.then_some(suggested_gamma.get()),
        recommendation: recommend(question),
        algorithms,
        simulated_truth: if guess.is_some() { "guess" } else { "all-equal" },
        by_epsilon,
        by_gamma,
        by_batch,
        lower_bound,
        version: env!("CARGO_PKG_VERSION"),
    })
}

/// What the algorithms are asked.
fn question(request: &ForecastRequest, pool: &Arc<Pool>) -> Result<Question, ProblemError> {
    let goal = Goal::Best { epsilon: request.epsilon };
    let question = Question::new((**pool).clone(), request.assumptions.assumptions()?, goal)
        .map_err(refused)?
        .delta(Confidence::new(request.delta)?);
    Ok(match request.gamma {
        Some(gamma) => question.gamma(Ridge::new(gamma)?),
        None => question,
    })
}

/// An error of an algorithm without its wrapping.
fn refused(error: BanditError) -> ProblemError {
    match error {
        BanditError::Invalid(error) => error.into(),
        BanditError::Pool(error) => error.into(),
        BanditError::Design(error) => error.into(),
        other => other.into(),
    }
}

/// Runs algorithms in worlds.
struct Bench<'a> {
    request: &'a ForecastRequest,
    question: &'a Question,
    pool: &'a Pool,
    sigma: f64,
}

impl Bench<'_> {
    fn world(&self, means: &[f64]) -> Result<Environment, ProblemError> {
        let refused = |error: SimulationError| ProblemError::Data { problem: error.to_string() };
        let mut world = Environment::new(means.to_vec()).map_err(refused)?;
        if !self.pool.chooses_among_itself() {
            // The means of the targets follow from those of the candidates.
            let truth = Truth::from_means(self.pool, means)?;
            let best = truth.gaps.iter().map(|gap| -gap).collect();
            world = world.choices(best).map_err(refused)?;
        }
        world.noise(Law::Normal, self.sigma).map_err(refused)
    }

    fn simulate(
        &self,
        algorithm: Algorithm,
        world: &Environment,
        epsilon: f64,
        batch: usize,
        work: f64,
    ) -> Result<Simulated, ProblemError> {
        let (rows, r) = ((self.pool.len() + self.pool.choice_count()) as f64, self.pool.dimension() as f64);
        let round = rows * r * r + 9.0 * r.powi(3) + batch as f64 * rows * r;
        let affordable = match algorithm {
            Algorithm::EllipsoidBest => ((work / round) as u64 + 1).saturating_mul(batch as u64),
            _ => u64::MAX,
        };
        let budget = self.request.budget.min(affordable).max(1);
        let mut question = self.question.clone();
        question.goal = Goal::Best { epsilon };
        let runs = Simulation::new(budget)
            .batch(batch)
            .repeats(self.request.repetitions)
            .seed(self.request.seed)
            .checkpoints(vec![budget])
            .run(world, |seed| algorithm.start(question.clone().seed(seed)))
            .map_err(|source| ProblemError::Simulation { algorithm: algorithm.name(), source })?;
        let stopped = runs.stopped().mean;
        let samples = (stopped > 0.0).then(|| runs.samples_to_stop());
        Ok(Simulated { samples, rounds: runs.rounds().mean, stopped, budget })
    }
}
