//! `Bandit`: ask and tell in memory.

use std::sync::{Arc, Mutex};

use elfving::bandit::{self as core, Bandit as Conversation, Goal, Outcome, Question, Reading, SlotId, Told};
use elfving::pool::{ChoiceId, PointId};
use elfving::units::{Confidence, Ridge};
use elfving_lab::AnyAlgorithm;
use elfving_problem::defaults::{USUAL_RIDGE, USUAL_TOLERANCE};
use elfving_problem::{AssumptionSpec, Dataset};
use pyo3::prelude::*;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::campaign::{PyOutcome, outcome};
use crate::failure::{Answer, Failure};
use crate::json::parsed;
use crate::pool::Pool;
use crate::task;

/// A question to an algorithm.
#[derive(Debug, Deserialize)]
pub(crate) struct Asked {
    pub(crate) goal: Goal,
    pub(crate) assumptions: AssumptionSpec,
    pub(crate) delta: f64,
    pub(crate) gamma: Option<f64>,
    pub(crate) seed: u64,
    /// Whether small outcomes are good.
    pub(crate) minimise: bool,
}

impl Asked {
    pub(crate) fn question(&self, data: &Dataset, calibrated: bool) -> Answer<Question> {
        let pool = data.build(self.gamma.unwrap_or(USUAL_RIDGE), USUAL_TOLERANCE)?;
        let mut question = Question::new((*pool).clone(), self.assumptions.assumptions()?, self.goal)?
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

pub(crate) fn algorithm_named(name: &str) -> Answer<Option<AnyAlgorithm>> {
    if name == "auto" { Ok(None) } else { Ok(Some(name.parse()?)) }
}

/// Every algorithm by name.
#[pyfunction]
pub(crate) fn algorithms() -> Vec<&'static str> {
    AnyAlgorithm::all().map(AnyAlgorithm::name).collect()
}

/// A conversation with an algorithm: see `elfving.Bandit`.
#[pyclass(frozen, module = "elfving._native")]
#[derive(Debug)]
pub(crate) struct Bandit {
    conversation: Arc<Mutex<Conversation>>,
    data: Arc<Dataset>,
    sign: f64,
    /// The algorithm, and why it was chosen where it was.
    #[pyo3(get)]
    algorithm: &'static str,
    #[pyo3(get)]
    because: String,
}

impl Bandit {
    fn with<T: Send + 'static>(
        &self,
        py: Python<'_>,
        act: impl FnOnce(&mut Conversation, &Dataset, f64) -> Answer<T> + Send + 'static,
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
            let calibrated = named.is_some_and(AnyAlgorithm::is_calibrated);
            let question = asked.question(&data, calibrated)?;
            let (algorithm, because) = match named {
                Some(algorithm) => (algorithm, String::new()),
                None => {
                    let (algorithm, why) = AnyAlgorithm::auto(&question);
                    (algorithm, why.to_string())
                }
            };
            let mut conversation = Conversation::new(algorithm.start(question)?);
            if let Some(budget) = budget {
                conversation = conversation.budget(budget);
            }
            Ok((conversation, algorithm.name(), because, data))
        })?;
        Ok(Self { conversation: Arc::new(Mutex::new(conversation)), data, sign, algorithm, because })
    }

    /// Slot, row and reason of what to measure now.
    fn ask(&self, py: Python<'_>, batch: usize) -> PyResult<Vec<(u64, usize, String)>> {
        self.with(py, move |talk, _, sign| {
            let slots = talk.ask(batch)?;
            Ok(slots
                .iter()
                .map(|slot| (slot.id.number(), slot.point.index(), reason(talk, *slot, sign)))
                .collect())
        })
    }

    /// Takes an outcome in: `recorded`, `repeated` or `asked-again`.
    fn tell(&self, py: Python<'_>, slot: u64, told: PyOutcome) -> PyResult<&'static str> {
        self.with(py, move |talk, _, sign| {
            Ok(match talk.tell(SlotId::new(slot), turned(&told, sign))? {
                Told::Recorded => "recorded",
                Told::Repeated => "repeated",
                Told::AskedAgain => "asked-again",
                Told::NeverAgain => "never-again",
            })
        })
    }

    /// Takes in measurements made before; whether they are used.
    fn earlier(&self, py: Python<'_>, measured: Vec<(usize, PyOutcome)>) -> PyResult<bool> {
        self.with(py, move |talk, data, sign| {
            let readings = measured.iter().filter_map(|(row, told)| match turned(told, sign) {
                Outcome::Measured(reading) => Some((PointId::new(*row), reading)),
                Outcome::Failed | Outcome::Infeasible => None,
            });
            let readings: Vec<(PointId, Reading)> = readings.collect();
            if let Some((id, _)) = readings.iter().find(|(id, _)| id.index() >= data.names().len()) {
                return Err(Failure::option(format!("there is no row {id}")));
            }
            Ok(talk.earlier(&readings)?)
        })
    }

    /// Makes these rows the next round.
    fn force(&self, py: Python<'_>, rows: Vec<usize>) -> PyResult<()> {
        self.with(py, move |talk, _, _| {
            talk.force(rows.into_iter().map(PointId::new).collect())?;
            Ok(())
        })
    }

    fn close_without_guarantee(&self, py: Python<'_>) -> PyResult<()> {
        self.with(py, |talk, _, _| Ok(talk.close_without_guarantee()?))
    }

    fn finished(&self, py: Python<'_>) -> PyResult<bool> {
        self.with(py, |talk, _, _| Ok(talk.finished()))
    }

    fn open_slots(&self, py: Python<'_>) -> PyResult<usize> {
        self.with(py, |talk, _, _| Ok(talk.open_slots()))
    }

    /// What the algorithm knows, in the user's sign and names, as JSON.
    fn report(&self, py: Python<'_>) -> PyResult<String> {
        self.with(py, |talk, data, sign| Ok(report_json(&talk.report(), data, sign).to_string()))
    }
}

/// Why a slot is asked for, in the user's sign.
fn reason(talk: &Conversation, slot: core::Slot, sign: f64) -> String {
    let number = usize::try_from(slot.id.number()).unwrap_or(usize::MAX);
    let Some((round, place)) = talk.conversation().place(number) else { return String::new() };
    let round = &talk.conversation().rounds()[round];
    let why = round.plan().why().get(round.measurement(place)).copied();
    why.map_or_else(String::new, |why| why.turned(sign).to_string())
}

/// A report by names, in the user's sign.
fn report_json(report: &core::Report, data: &Dataset, sign: f64) -> Value {
    let name = |id: ChoiceId| data.choices().name(id.index());
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
