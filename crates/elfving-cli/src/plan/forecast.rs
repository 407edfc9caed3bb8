//! Everything a plan says: computed where there is a formula, simulated where there is none.

use elfving::bandit::{Algorithm, Question, elimination::Constants, recommend};
use elfving::units::{Ridge, Tolerance};
use elfving_lab::complexity::{Truth, characteristic_time};
use elfving_lab::plan::{Planner, WorstCase};
use elfving_lab::simulate::{Environment, Law, Simulation};

use super::document::{
    AlgorithmPlan, ByBatch, ByEpsilon, ByGamma, PlanDocument, Simulated, WorstCaseDocument,
};
use super::{Asked, PlanArgs, refused};
use crate::error::CliError;
use crate::pool_source::LoadedPool;

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

pub(super) fn forecast(
    args: &PlanArgs,
    asked: &Asked,
    question: &Question,
    loaded: &LoadedPool,
    means: Option<&[f64]>,
    truth: Option<&Truth>,
) -> Result<PlanDocument, CliError> {
    let epsilon = asked.epsilon;
    let mut planner = Planner::new(question).map_err(|error| refused(&error))?;
    let suggested_gamma = planner.suggested_gamma(epsilon).map_err(|error| refused(&error))?;
    let f_differences = planner.worst_variance(suggested_gamma).map_err(|error| refused(&error))?;
    let mut worst = |robust: bool, epsilon: f64| -> Result<Option<WorstCase>, CliError> {
        match robust {
            true if asked.bound.is_none() => Ok(None),
            true => planner.rips(epsilon).map(Some).map_err(|error| refused(&error)),
            false => planner.ptr(epsilon).map(Some).map_err(|error| refused(&error)),
        }
    };
    let bench = Bench { args, asked, question, loaded };
    let guess = means.map(|means| bench.world(means)).transpose()?;
    let flat = bench.world(&vec![0.0; loaded.pool.len()])?;
    let ellipsoid = asked.norm.is_some();
    let mut algorithms = Vec::new();
    for (algorithm, robust) in [
        (Algorithm::EllipsoidBest, None),
        (Algorithm::RipsBest(Constants::Certified), Some(true)),
        (Algorithm::PtrBest(Constants::Certified), Some(false)),
    ] {
        let missing = match robust {
            None if !ellipsoid && !asked.sub_gaussian => Some("--norm and --noise sub-gaussian"),
            None if !ellipsoid => Some("--norm"),
            None | Some(false) if !asked.sub_gaussian => Some("--noise sub-gaussian"),
            Some(true) if asked.bound.is_none() => Some("--bound"),
            _ => None,
        };
        let worst_case = match robust {
            Some(robust) => worst(robust, epsilon)?,
            None => None,
        };
        let usable = missing.is_none();
        let affordable = worst_case.as_ref().is_none_or(|plan| {
            plan.samples <= args.simulation.budget
                && plan.samples as f64 * (loaded.pool.len() as f64).powi(2) <= ROBUST_WORK * 10.0
        });
        let all_equal = match robust {
            None if usable => Some(bench.simulate(algorithm, &flat, epsilon, args.simulation.batch, WORK)?),
            _ => None,
        };
        let guess = match &guess {
            Some(world) if usable && affordable => {
                Some(bench.simulate(algorithm, world, epsilon, args.simulation.batch, WORK)?)
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
    let usable_ellipsoid = ellipsoid && asked.sub_gaussian;
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
                    args.simulation.batch,
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
        let mut planner = Planner::new(&fixed).map_err(|error| refused(&error))?;
        let rips = match asked.bound {
            Some(_) => samples(Some(planner.rips(epsilon).map_err(|error| refused(&error))?)),
            None => None,
        };
        by_gamma.push(ByGamma {
            gamma: gamma.get(),
            f_differences: planner.worst_variance(gamma).map_err(|error| refused(&error))?,
            rips_best: rips,
            ptr_best: samples(Some(planner.ptr(epsilon).map_err(|error| refused(&error))?)),
        });
    }
    let mut by_batch = Vec::new();
    if usable_ellipsoid {
        for multiple in BATCHES {
            let batch = multiple * args.simulation.batch;
            let ellipsoid_best =
                bench.simulate(Algorithm::EllipsoidBest, simulated_world, epsilon, batch, 0.25 * WORK)?;
            by_batch.push(ByBatch { batch, ellipsoid_best });
        }
    }
    // Without a norm the bound is about all linear truths; a kernel's space is too large for that.
    let lower_bound =
        truth.filter(|truth| asked.norm.is_none_or(|norm| truth.norm <= norm)).and_then(|truth| {
            let norm = asked.norm.or_else(|| loaded.pool.exact().map(|_| truth.norm));
            let time = characteristic_time(&loaded.pool, truth, norm, Tolerance::new(1e-3).ok()?).ok()?;
            Some(time.measurements(asked.sigma, question.delta))
        });
    let ridge_pays = asked.norm.is_some() || loaded.pool.exact().is_some();
    Ok(PlanDocument {
        n: loaded.pool.len(),
        choices: loaded.pool.choice_count(),
        dimension: loaded.pool.dimension(),
        epsilon,
        delta: asked.delta,
        sigma: asked.sigma,
        bound: asked.bound,
        norm: asked.norm,
        batch: args.simulation.batch,
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

/// Runs algorithms in worlds.
struct Bench<'a> {
    args: &'a PlanArgs,
    asked: &'a Asked,
    question: &'a Question,
    loaded: &'a LoadedPool,
}

impl Bench<'_> {
    fn world(&self, means: &[f64]) -> Result<Environment, CliError> {
        let refused = |error: elfving_lab::simulate::SimulationError| {
            CliError::data("E354", error.to_string(), "look at the column of the truth")
        };
        let mut world = Environment::new(means.to_vec()).map_err(refused)?;
        if !self.loaded.pool.chooses_among_itself() {
            // The means of the targets follow from those of the candidates.
            let truth = Truth::from_means(&self.loaded.pool, means)?;
            let best = truth.gaps.iter().map(|gap| -gap).collect();
            world = world.choices(best).map_err(refused)?;
        }
        world.noise(Law::Normal, self.asked.sigma).map_err(refused)
    }

    fn simulate(
        &self,
        algorithm: Algorithm,
        world: &Environment,
        epsilon: f64,
        batch: usize,
        work: f64,
    ) -> Result<Simulated, CliError> {
        let settings = &self.args.simulation;
        let (rows, r) = (
            (self.loaded.pool.len() + self.loaded.pool.choice_count()) as f64,
            self.loaded.pool.dimension() as f64,
        );
        let round = rows * r * r + 9.0 * r.powi(3) + batch as f64 * rows * r;
        let affordable = match algorithm {
            Algorithm::EllipsoidBest => ((work / round) as u64 + 1).saturating_mul(batch as u64),
            _ => u64::MAX,
        };
        let budget = settings.budget.min(affordable).max(1);
        let mut question = self.question.clone();
        question.goal = elfving::bandit::Goal::Best { epsilon };
        let runs = Simulation::new(budget)
            .batch(batch)
            .repeats(settings.repetitions)
            .seed(settings.seed)
            .checkpoints(vec![budget])
            .run(world, |seed| algorithm.start(question.clone().seed(seed)))
            .map_err(|error| CliError::NoCertificate {
                code: "E703",
                message: format!("{}: {error}", algorithm.name()),
                help: "bring outcomes and features to a scale near 1, or give --gamma".to_owned(),
            })?;
        let stopped = runs.stopped().mean;
        let samples = (stopped > 0.0).then(|| runs.samples_to_stop());
        Ok(Simulated { samples, rounds: runs.rounds().mean, stopped, budget })
    }
}
