//! `Bandit`, `simulate` and `complexity`.

use std::sync::{Arc, Mutex};
use std::time::Instant;

use elfving::bandit::{
    self as core, Algorithm, Bandit as Conversation, Goal, Outcome, Question, Reading, SlotId, Told,
};
use elfving::complexity::{
    Over, Truth, characteristic_time, effective_dimension, epsilon_bar, floor, greedy_information_gain,
    information_gain, near_best_variance, rho_star, worst_subset, worst_variance,
};
use elfving::pool::PointId;
use elfving::simulate::{Environment, Law, Run, Runs, Simulation, Summary};
use elfving::units::{Confidence, Ridge, Tolerance};
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::arrays::vector;
use crate::campaign::{PyOutcome, outcome};
use crate::estimate::Vouched;
use crate::failure::{Answer, Failure};
use crate::pool::{Pool, PoolData, parsed};
use crate::task;

/// What a kernel is factorised for when the ridge is left to the algorithm.
const USUAL_RIDGE: f64 = 1e-4;
const TOLERANCE: f64 = 1e-3;

/// A question to an algorithm.
#[derive(Debug, Deserialize)]
struct Asked {
    goal: Goal,
    vouched: Vouched,
    delta: f64,
    gamma: Option<f64>,
    seed: u64,
    /// Whether small outcomes are good.
    minimise: bool,
}

impl Asked {
    fn question(&self, data: &PoolData, calibrated: bool) -> Answer<Question> {
        let pool = data.build(self.gamma.unwrap_or(USUAL_RIDGE), TOLERANCE)?;
        let mut question = Question::new((*pool).clone(), self.vouched.assumptions()?, self.goal)?
            .delta(Confidence::new(self.delta)?)
            .seed(self.seed);
        if let Some(gamma) = self.gamma {
            question = question.gamma(Ridge::new(gamma)?);
        }
        question.space = if calibrated { data.space()? } else { None };
        Ok(question)
    }

    fn sign(&self) -> f64 {
        if self.minimise { -1.0 } else { 1.0 }
    }
}

fn algorithm_named(name: &str) -> Answer<Option<Algorithm>> {
    match (name, Algorithm::from_name(name)) {
        ("auto", _) => Ok(None),
        (_, Some(algorithm)) => Ok(Some(algorithm)),
        _ => {
            let names: Vec<&str> = Algorithm::all().map(Algorithm::name).collect();
            Err(Failure::option(format!(
                "there is no algorithm {name:?}; they are auto, {}",
                names.join(", ")
            )))
        }
    }
}

/// Every algorithm by name.
#[pyfunction]
pub(crate) fn algorithms() -> Vec<&'static str> {
    Algorithm::all().map(Algorithm::name).collect()
}

/// A conversation with an algorithm: see `elfving.Bandit`.
#[pyclass(frozen, module = "elfving._native")]
#[derive(Debug)]
pub(crate) struct Bandit {
    conversation: Arc<Mutex<Talk>>,
    data: Arc<PoolData>,
    sign: f64,
    /// The algorithm, and why it was chosen where it was.
    #[pyo3(get)]
    algorithm: &'static str,
    #[pyo3(get)]
    because: String,
}

/// A conversation, and the number of the first slot of its round once that is known.
#[derive(Debug)]
struct Talk {
    bandit: Conversation,
    first: Option<u64>,
}

impl Talk {
    /// The next slots, each with its place in the plan of the round.
    fn ask(&mut self, batch: usize) -> Answer<Vec<(core::Slot, usize)>> {
        if self.bandit.plan().is_none() {
            self.first = None;
        }
        let slots = self.bandit.ask(batch)?;
        let Some(slot) = slots.first() else { return Ok(Vec::new()) };
        let first = *self.first.get_or_insert(slot.id.number());
        let place =
            |slot: core::Slot| (slot, usize::try_from(slot.id.number() - first).unwrap_or(usize::MAX));
        Ok(slots.into_iter().map(place).collect())
    }
}

impl Bandit {
    fn with<T: Send + 'static>(
        &self,
        py: Python<'_>,
        act: impl FnOnce(&mut Talk, &PoolData, f64) -> Answer<T> + Send + 'static,
    ) -> PyResult<T> {
        let (conversation, data, sign) = (Arc::clone(&self.conversation), Arc::clone(&self.data), self.sign);
        task::run(py, move || {
            let mut conversation = conversation
                .lock()
                .map_err(|_| Failure::internal("an earlier call of this bandit panicked"))?;
            act(&mut conversation, &data, sign)
        })
    }
}

/// An outcome with large ones good.
fn turned(told: &PyOutcome, sign: f64) -> Outcome {
    match outcome(told) {
        Outcome::Measured(reading) if sign < 0.0 => Outcome::Measured(reading.negated()),
        other => other,
    }
}

#[pymethods]
impl Bandit {
    #[new]
    fn new(py: Python<'_>, pool: &Pool, algorithm: &str, asked: &str, budget: Option<u64>) -> PyResult<Self> {
        let (named, asked): (_, Asked) = (algorithm_named(algorithm)?, parsed("bandit", asked)?);
        let data = Arc::clone(&pool.0);
        let sign = asked.sign();
        let (conversation, algorithm, because, data) = task::run(py, move || {
            let calibrated = named.is_some_and(Algorithm::is_calibrated);
            let question = asked.question(&data, calibrated)?;
            let (algorithm, because) = match named {
                Some(algorithm) => (algorithm, String::new()),
                None => {
                    let (algorithm, why) = Algorithm::auto(&question);
                    (algorithm, why.to_string())
                }
            };
            let mut conversation = Conversation::new(algorithm.start(question)?);
            if let Some(budget) = budget {
                conversation = conversation.budget(budget);
            }
            Ok((conversation, algorithm.name(), because, data))
        })?;
        let talk = Talk { bandit: conversation, first: None };
        Ok(Self { conversation: Arc::new(Mutex::new(talk)), data, sign, algorithm, because })
    }

    /// Slot, row and reason of what to measure now.
    fn ask(&self, py: Python<'_>, batch: usize) -> PyResult<Vec<(u64, usize, String)>> {
        self.with(py, move |talk, _, sign| {
            let slots = talk.ask(batch)?;
            let why = talk.bandit.plan().map(core::Plan::why).unwrap_or_default();
            let reason = |place: usize| match why.get(place) {
                Some(core::Why::Promise { mean, deviation }) => {
                    core::Why::Promise { mean: sign * mean, deviation: *deviation }.to_string()
                }
                Some(other) => other.to_string(),
                None => String::new(),
            };
            Ok(slots
                .iter()
                .map(|(slot, place)| (slot.id.number(), slot.point.index(), reason(*place)))
                .collect())
        })
    }

    /// Takes an outcome in: `recorded`, `repeated` or `asked-again`.
    fn tell(&self, py: Python<'_>, slot: u64, told: PyOutcome) -> PyResult<&'static str> {
        self.with(py, move |talk, _, sign| {
            Ok(match talk.bandit.tell(SlotId::new(slot), turned(&told, sign))? {
                Told::Recorded => "recorded",
                Told::Repeated => "repeated",
                Told::AskedAgain => "asked-again",
            })
        })
    }

    /// Takes in measurements made before; whether they are used.
    fn earlier(&self, py: Python<'_>, measured: Vec<(usize, PyOutcome)>) -> PyResult<bool> {
        self.with(py, move |talk, data, sign| {
            let readings = measured.iter().filter_map(|(row, told)| match turned(told, sign) {
                Outcome::Measured(reading) => Some((PointId::new(*row), reading)),
                Outcome::Failed => None,
            });
            let readings: Vec<(PointId, Reading)> = readings.collect();
            if let Some((id, _)) = readings.iter().find(|(id, _)| id.index() >= data.about.ids.len()) {
                return Err(Failure::option(format!("there is no row {id}")));
            }
            Ok(talk.bandit.earlier(&readings)?)
        })
    }

    /// Makes these rows the next round.
    fn force(&self, py: Python<'_>, rows: Vec<usize>) -> PyResult<()> {
        self.with(py, move |talk, _, _| {
            talk.bandit.force(rows.into_iter().map(PointId::new).collect())?;
            talk.first = None;
            Ok(())
        })
    }

    fn close_without_guarantee(&self, py: Python<'_>) -> PyResult<()> {
        self.with(py, |talk, _, _| Ok(talk.bandit.close_without_guarantee()?))
    }

    fn finished(&self, py: Python<'_>) -> PyResult<bool> {
        self.with(py, |talk, _, _| Ok(talk.bandit.finished()))
    }

    fn open_slots(&self, py: Python<'_>) -> PyResult<usize> {
        self.with(py, |talk, _, _| Ok(talk.bandit.open_slots()))
    }

    /// What the algorithm knows, in the user's sign and names, as JSON.
    fn report(&self, py: Python<'_>) -> PyResult<String> {
        self.with(py, |talk, data, sign| Ok(report_json(&talk.bandit.report(), data, sign).to_string()))
    }
}

/// A report by names, in the user's sign.
fn report_json(report: &core::Report, data: &PoolData, sign: f64) -> Value {
    let name = |id: PointId| data.choices().name(id.index());
    let intervals: Vec<Value> = (report.intervals.iter())
        .map(|interval| {
            let (lower, upper) = match sign < 0.0 {
                true => (-interval.upper, -interval.lower),
                false => (interval.lower, interval.upper),
            };
            json!({"id": name(interval.choice), "estimate": sign * interval.estimate, "lower": lower, "upper": upper})
        })
        .collect();
    let eliminated: Vec<Value> = (report.eliminated.iter())
        .map(|out| {
            json!({
                "id": name(out.choice), "by": name(out.by), "round": out.round,
                "difference": out.difference, "threshold": out.threshold,
            })
        })
        .collect();
    json!({
        "algorithm": report.policy,
        "goal": report.goal,
        "status": report.status,
        "guarantee": report.guarantee,
        "delta": report.delta,
        "picks": report.picks.iter().map(|&pick| name(pick)).collect::<Vec<_>>(),
        "epsilon": report.epsilon,
        "floor": report.floor,
        "survivors": report.survivors.iter().map(|&choice| name(choice)).collect::<Vec<_>>(),
        "intervals": intervals,
        "eliminated": eliminated,
        "rounds": report.rounds,
        "samples": report.samples,
        "assumptions": report.premises.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "margins": report.margins,
        "standing": report.standing,
    })
}

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
            return Err(elfving::units::InvalidValue::Sigma { got: self.sigma }.into());
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
#[pyo3(signature = (pool, truth, choice_truth, records, simulated))]
pub(crate) fn simulate(
    py: Python<'_>,
    pool: &Pool,
    truth: Option<PyReadonlyArray1<'_, f64>>,
    choice_truth: Option<PyReadonlyArray1<'_, f64>>,
    records: Option<Vec<Vec<f64>>>,
    simulated: &str,
) -> PyResult<String> {
    let simulated: Simulated = parsed("simulation", simulated)?;
    let sign = if simulated.minimise { -1.0 } else { 1.0 };
    let signed = |means: Vec<f64>| -> Vec<f64> { means.into_iter().map(|mean| sign * mean).collect() };
    let truth = truth.as_ref().map(|means| signed(vector(means)));
    let choice_truth = choice_truth.as_ref().map(|means| signed(vector(means)));
    let records = records.map(|records| records.into_iter().map(signed).collect());
    let data = Arc::clone(&pool.0);
    task::run(py, move || {
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
                true => elfving::estimate::Tails::SubGaussian,
                false => elfving::estimate::Tails::BoundedVariance,
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
        let mut tried = Vec::new();
        for algorithm in named {
            let algorithm = algorithm.unwrap_or_else(|| Algorithm::auto(&question).0);
            let start = Instant::now();
            let runs = runner.run(&environment, |seed| algorithm.start(question.clone().seed(seed)))?;
            tried.push(algorithm_json(algorithm, &runs, start.elapsed().as_secs_f64()));
        }
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

/// The numbers a quantity is computed for.
#[derive(Debug, Deserialize)]
struct CostQuestion {
    gamma: f64,
    tolerance: f64,
    #[serde(default)]
    epsilon: f64,
    #[serde(default)]
    horizon: f64,
    #[serde(default)]
    noise: f64,
    #[serde(default)]
    norm: Option<f64>,
    #[serde(default)]
    misspecification: f64,
    #[serde(default)]
    sigma: f64,
    #[serde(default)]
    delta: f64,
    #[serde(default)]
    over: Option<String>,
}

/// One quantity of the theory by name, as JSON.
#[pyfunction]
#[pyo3(signature = (pool, quantity, question, truth))]
pub(crate) fn complexity(
    py: Python<'_>,
    pool: &Pool,
    quantity: String,
    question: &str,
    truth: Option<PyReadonlyArray1<'_, f64>>,
) -> PyResult<String> {
    let question: CostQuestion = parsed("complexity", question)?;
    let truth = truth.as_ref().map(vector);
    let data = Arc::clone(&pool.0);
    task::run(py, move || {
        let pool = data.build(question.gamma, question.tolerance)?;
        let (gamma, tolerance) = (Ridge::new(question.gamma)?, Tolerance::new(question.tolerance)?);
        let truth = truth.map(|means| Truth::from_means(&pool, &means)).transpose()?;
        let known = || truth.as_ref().ok_or_else(|| Failure::option(format!("{quantity} needs truth=")));
        let over = match question.over.as_deref() {
            Some("differences") => Over::Differences,
            None | Some("points") => Over::Points,
            Some(other) => {
                return Err(Failure::option(format!("over is 'points' or 'differences', not {other:?}")));
            }
        };
        let (epsilon, h) = (question.epsilon, question.misspecification);
        let found = match quantity.as_str() {
            "worst_variance" => json!(worst_variance(&pool, over, gamma, tolerance)?),
            "effective_dimension" => {
                let found = effective_dimension(&pool, gamma, tolerance)?;
                json!({"trace": found.trace, "count": found.count, "dimension": found.dimension})
            }
            "worst_subset" => json!(worst_subset(&pool, gamma, tolerance)?.worst),
            "information_gain" => {
                json!(information_gain(&pool, question.horizon, question.noise, tolerance)?.gain)
            }
            "greedy_information_gain" => {
                let found = greedy_information_gain(&pool, question.horizon as usize, question.noise)?;
                json!({"value": found.value, "points": found.points})
            }
            "floor" => {
                let norm = question.norm.or(truth.as_ref().map(|truth| truth.norm));
                let norm = norm.ok_or_else(|| Failure::option("the floor needs norm= or truth="))?;
                json!(floor(&pool, gamma, norm, h, tolerance)?.floor)
            }
            "rho_star" => json!(rho_star(&pool, known()?, gamma, epsilon, tolerance)?),
            "near_best_variance" => json!(near_best_variance(&pool, known()?, gamma, epsilon, tolerance)?),
            "epsilon_bar" => json!(epsilon_bar(&pool, known()?, gamma, h, over, tolerance)?.epsilon_bar),
            "characteristic_time" => {
                let time = characteristic_time(&pool, known()?, question.norm, tolerance)?;
                let measurements = time.measurements(question.sigma, Confidence::new(question.delta)?);
                json!({"time": time.time, "measurements": measurements})
            }
            "truth" => {
                let truth = known()?;
                json!({"norm": truth.norm, "misfit": truth.misfit, "best": data.choices().name(truth.best.index())})
            }
            other => return Err(Failure::option(format!("there is no quantity {other:?}"))),
        };
        Ok(found.to_string())
    })
}
