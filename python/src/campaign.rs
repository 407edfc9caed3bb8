//! `Campaign`: ask and tell on the same file as the command line.

use std::sync::{Arc, Mutex};

use elfving::bandit::{Goal, Outcome, Reading};
use elfving::pool::{Factorisation, KernelSpec, Points};
use elfving::units::{Confidence, InvalidValue, Ridge};
use elfving_campaign::event::BroughtIn;
use elfving_campaign::{
    self as core, Aim, At, Attachment, Batch, ExportedEvent, Mode, Recipe, ResultsFile, ResultsFormat, Spec,
    TellOptions, Vouched,
};
use elfving_table::{Cell, CsvWriter, OneHot, PoolOptions, PoolTable, ReadOptions, Table, read_bytes};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::design::to_json;
use crate::failure::{Answer, Failure};
use crate::pool::{Model, PyColumns, parsed, resolve, table};
use crate::task;

/// A campaign on its file: see `elfving.Campaign`.
#[pyclass(frozen, module = "elfving._native")]
#[derive(Debug)]
pub(crate) struct Campaign(Arc<Mutex<core::Campaign>>);

/// A file by name and content.
type NamedBytes = (String, Vec<u8>);

/// What is wanted and what is vouched for.
#[derive(Debug, Deserialize)]
struct Wish {
    name: String,
    outcome: String,
    aim: Aim,
    goal: Goal,
    mode: Mode,
    vouched: Vouched,
    delta: f64,
    gamma: Option<f64>,
    algorithm: String,
    batch: usize,
    budget: Option<u64>,
    seed: u64,
    forbid: Vec<String>,
    force: Vec<String>,
}

/// What a kernel is factorised for when the ridge is left to the algorithm.
const USUAL_RIDGE: f64 = 1e-4;
const TOLERANCE: f64 = 1e-3;

impl Wish {
    fn check(&self) -> Answer<()> {
        self.goal.check(usize::MAX)?;
        Confidence::new(self.delta)?;
        self.gamma.map(Ridge::new).transpose()?;
        let Vouched { sigma, bound, .. } = self.vouched;
        match (sigma, bound) {
            (Some(got), _) if !(got >= 0.0 && got.is_finite()) => Err(InvalidValue::Sigma { got }.into()),
            (_, Some(got)) if !(got > 0.0 && got.is_finite()) => Err(InvalidValue::Bound { got }.into()),
            (None, _) if self.mode == Mode::Certified => Err(Failure::option(
                "a certified campaign needs --sigma; --mode \"calibrated\" needs no assumptions",
            )),
            _ => Ok(()),
        }
    }
}

/// The question of a campaign as the command line writes it: nothing in it is left to be guessed again.
struct Question {
    wish: Wish,
    pool: Attachment,
    targets: Option<Attachment>,
    reading: ReadOptions,
    columns: PoolOptions,
    model: Model,
    measured: Option<NamedBytes>,
    results: ResultsChanges,
}

/// How results come back, over what the pool says.
#[derive(Debug, Default, Deserialize)]
struct ResultsChanges {
    decimal: Option<elfving_table::Decimal>,
    markers: Vec<core::OutcomeMarker>,
    error_column: Option<String>,
    repeats: Vec<String>,
    repeated_slots: bool,
}

impl ResultsChanges {
    fn over(self, format: &ResultsFormat) -> ResultsFormat {
        let mut format = format.clone();
        // A text that is declared again has its new meaning.
        format.markers.retain(|known| self.markers.iter().all(|marker| marker.text != known.text));
        format.markers.extend(self.markers);
        format.decimal = self.decimal.unwrap_or(format.decimal);
        format.error_column = self.error_column.or(format.error_column);
        if !self.repeats.is_empty() {
            format.repeats = self.repeats;
        }
        format.repeated_slots |= self.repeated_slots;
        format
    }
}

impl Question {
    fn create(self, path: &str, at: At) -> Answer<core::Campaign> {
        let Self { wish, pool, targets, mut reading, mut columns, model, measured, results } = self;
        wish.check()?;
        if let Some(id) = &columns.id {
            reading = reading.text(id);
        }
        let table = read_bytes(&pool.name, &pool.bytes, &reading)?;
        // The outcome may be a column of the results alone.
        if table.column(&wish.outcome).is_ok() && !columns.exclude.contains(&wish.outcome) {
            columns.exclude.push(wish.outcome.clone());
        }
        if wish.mode == Mode::Calibrated && columns.one_hot == OneHot::Nothing && columns.features.is_none() {
            let others = columns.id.iter().chain(&columns.exclude).map(String::as_str);
            let categories = table.category_columns(others);
            if !categories.is_empty() {
                columns.one_hot = OneHot::Columns(categories);
            }
        }
        let PoolTable { ids, features, .. } = PoolTable::from_table(table, &columns)?;
        let model = recipe_model(model, features, wish.gamma, wish.seed)?;
        let mut recipe = Recipe::new(&pool, reading, columns).model(model);
        if let Some(targets) = &targets {
            recipe = recipe.targets(targets);
        }
        let format = ResultsFormat { decimal: recipe.reading.decimal, ..ResultsFormat::default() };
        let spec = Spec::new(wish.name, wish.outcome, wish.aim, recipe)
            .goal(wish.goal)
            .mode(wish.mode)
            .vouched(wish.vouched)
            .delta(wish.delta)
            .gamma(wish.gamma)
            .algorithm(wish.algorithm)
            .seed(wish.seed)
            .batch(wish.batch)
            .budget(wish.budget)
            .forbid(wish.forbid)
            .force(wish.force)
            .results(results.over(&format));
        let earlier = measured.map(|file| brought_in(&file, &spec, &ids)).transpose()?;
        let attachments: Vec<Attachment> = [pool].into_iter().chain(targets).collect();
        Ok(core::Campaign::create_with(path, spec, &attachments, earlier, at)?)
    }
}

/// The model with its kernel resolved on the features, all candidates counted.
fn recipe_model(
    model: Model,
    features: elfving::linalg::Matrix,
    gamma: Option<f64>,
    seed: u64,
) -> Answer<core::Model> {
    Ok(match (model.kernel, model.polynomial) {
        (Some(_), Some(_)) => {
            return Err(Failure::option("a polynomial model and a kernel exclude each other: give one"));
        }
        (None, None) => core::Model::Linear,
        (None, Some(degree)) => {
            core::Model::Polynomial { degree, interactions_only: model.interactions_only }
        }
        (Some(kernel), None) => match resolve(kernel, &Points::new(features)?, seed)? {
            KernelSpec::Linear => core::Model::Linear,
            of => {
                let residual = model.residual;
                let ridge = gamma.unwrap_or(USUAL_RIDGE);
                let usual = || Factorisation::for_design(ridge, TOLERANCE, false).residual;
                core::Model::Kernel { of, residual: residual.unwrap_or_else(usual) }
            }
        },
    })
}

/// Measurements made before, those of forbidden candidates left out.
fn brought_in((name, bytes): &NamedBytes, spec: &Spec, ids: &[String]) -> Answer<BroughtIn> {
    let file = ResultsFile::from_bytes(name, bytes, &spec.results)?;
    let id = spec.recipe.columns.id.as_deref().unwrap_or("row");
    let mut measurements = file.measurements(&spec.outcome, id, ids)?;
    measurements.retain(|(id, _)| !spec.forbidden.contains(id));
    Ok(BroughtIn { measurements, source: Some(file.source().clone()) })
}

/// An outcome as the Python layer sorts it: `failed`, `value`, `repeats` or `error`, and its numbers.
pub(crate) type PyOutcome = (String, Vec<f64>);

pub(crate) fn outcome((kind, numbers): &PyOutcome) -> Outcome {
    match (kind.as_str(), numbers.as_slice()) {
        ("failed", _) => Outcome::Failed,
        ("error", &[value, standard_error]) => {
            Outcome::Measured(Reading::WithError { value, standard_error })
        }
        ("value", &[value]) => Outcome::Measured(Reading::Value(value)),
        _ => Outcome::Measured(Reading::Repeats(numbers.clone())),
    }
}

/// A table as the bytes of a file.
fn csv(table: &Table) -> Answer<Vec<u8>> {
    let header = table.columns().iter().map(elfving_table::Column::name);
    let mut writer = CsvWriter::new(Vec::new(), table.dialect(), header)?;
    for row in 0..table.rows() {
        writer.row(table.cells(row))?;
    }
    Ok(writer.finish()?)
}

/// A data frame as the bytes of a .csv file.
#[pyfunction]
pub(crate) fn csv_of_columns<'py>(
    py: Python<'py>,
    name: &str,
    columns: PyColumns<'_>,
) -> PyResult<Bound<'py, PyBytes>> {
    let table = table(name, columns)?;
    let bytes = task::run(py, move || csv(&table))?;
    Ok(PyBytes::new(py, &bytes))
}

impl Campaign {
    /// Does something with the campaign, away from the interpreter.
    fn with<T: Send + 'static>(
        &self,
        py: Python<'_>,
        act: impl FnOnce(&mut core::Campaign) -> Answer<T> + Send + 'static,
    ) -> PyResult<T> {
        let campaign = Arc::clone(&self.0);
        task::run(py, move || {
            let mut campaign = campaign
                .lock()
                .map_err(|_| Failure::internal("an earlier call panicked; open the campaign again"))?;
            act(&mut campaign)
        })
    }

    fn json<T: Serialize>(
        &self,
        py: Python<'_>,
        act: impl FnOnce(&mut core::Campaign) -> Answer<T> + Send + 'static,
    ) -> PyResult<String> {
        self.with(py, move |campaign| to_json(&act(campaign)?))
    }
}

#[pymethods]
impl Campaign {
    /// Starts a campaign on a new file.
    #[staticmethod]
    #[expect(clippy::too_many_arguments, reason = "the Python layer gives them names")]
    fn create(
        py: Python<'_>,
        path: String,
        wish: &str,
        pool: NamedBytes,
        targets: Option<NamedBytes>,
        reading: &str,
        columns: &str,
        model: &str,
        measured: Option<NamedBytes>,
        results: &str,
        at: u64,
    ) -> PyResult<Self> {
        let question = Question {
            wish: parsed("campaign", wish)?,
            pool: Attachment::new(pool.0, pool.1),
            targets: targets.map(|(name, bytes)| Attachment::new(name, bytes)),
            reading: parsed("reading", reading)?,
            columns: parsed("columns", columns)?,
            model: parsed("model", model)?,
            measured,
            results: parsed("results", results)?,
        };
        let campaign = task::run(py, move || question.create(&path, At(at)))?;
        Ok(Self(Arc::new(Mutex::new(campaign))))
    }

    /// Opens a campaign.
    #[staticmethod]
    fn open(py: Python<'_>, path: String) -> PyResult<Self> {
        let campaign = task::run(py, move || Ok(core::Campaign::open(path)?))?;
        Ok(Self(Arc::new(Mutex::new(campaign))))
    }

    /// What to measure now, as JSON and as a sheet.
    fn ask<'py>(
        &self,
        py: Python<'py>,
        batch: Option<usize>,
        at: u64,
    ) -> PyResult<(String, Bound<'py, PyBytes>)> {
        let (json, sheet) = self.with(py, move |campaign| {
            let batch = campaign.ask(batch, At(at))?;
            let sheet = batch.to_csv(campaign.spec(), campaign.candidates()?)?;
            Ok((batch_json(campaign, &batch)?.to_string(), sheet))
        })?;
        Ok((json, PyBytes::new(py, &sheet)))
    }

    /// Tells a file of results.
    #[expect(clippy::too_many_arguments, reason = "the Python layer gives them names")]
    fn tell_file(
        &self,
        py: Python<'_>,
        name: String,
        bytes: Vec<u8>,
        results: &str,
        reason: Option<String>,
        dry_run: bool,
        at: u64,
    ) -> PyResult<String> {
        let changes: ResultsChanges = parsed("results", results)?;
        self.json(py, move |campaign| {
            let format = changes.over(&campaign.spec().results);
            let file = ResultsFile::from_bytes(&name, &bytes, &format)?;
            let options = TellOptions { correct: reason, dry_run };
            Ok(campaign.tell(&file, &options, At(at))?)
        })
    }

    /// Tells outcomes by slot.
    fn tell_outcomes(
        &self,
        py: Python<'_>,
        outcomes: Vec<(String, PyOutcome)>,
        reason: Option<String>,
        dry_run: bool,
        at: u64,
    ) -> PyResult<String> {
        self.json(py, move |campaign| {
            let told: Vec<(&str, Outcome)> =
                outcomes.iter().map(|(slot, told)| (slot.as_str(), outcome(told))).collect();
            let options = TellOptions { correct: reason, dry_run };
            Ok(campaign.tell_outcomes(&told, &options, At(at))?)
        })
    }

    /// Replaces one outcome.
    fn correct(
        &self,
        py: Python<'_>,
        slot: String,
        to: PyOutcome,
        reason: String,
        at: u64,
    ) -> PyResult<String> {
        self.json(py, move |campaign| Ok(campaign.correct(&slot, outcome(&to), &reason, At(at))?))
    }

    /// Brings in measurements made elsewhere: how many, and whether they are used.
    fn bring_in(
        &self,
        py: Python<'_>,
        measurements: Vec<(String, PyOutcome)>,
        at: u64,
    ) -> PyResult<(usize, bool)> {
        self.with(py, move |campaign| {
            let measured = measurements.iter().filter_map(|(id, told)| match outcome(told) {
                Outcome::Measured(reading) => Some((id.clone(), reading)),
                Outcome::Failed => None,
            });
            let measured: Vec<(String, Reading)> = measured.collect();
            let brought = campaign.bring_in(&measured, None, At(at))?;
            Ok((brought.measurements, brought.used))
        })
    }

    /// Closes the round under way.
    fn close(&self, py: Python<'_>, no_guarantee: bool, at: u64) -> PyResult<()> {
        self.with(py, move |campaign| {
            match no_guarantee {
                true => campaign.close_without_guarantee(At(at)).map(drop)?,
                false => campaign.close(At(at))?,
            }
            Ok(())
        })
    }

    fn status(&self, py: Python<'_>) -> PyResult<String> {
        self.json(py, |campaign| {
            campaign.refresh()?;
            Ok(campaign.status()?)
        })
    }

    fn candidate(&self, py: Python<'_>, id: String) -> PyResult<String> {
        self.json(py, move |campaign| {
            campaign.refresh()?;
            Ok(campaign.candidate(&id)?)
        })
    }

    fn slots(&self, py: Python<'_>) -> PyResult<String> {
        self.json(py, |campaign| {
            campaign.refresh()?;
            Ok(campaign.slots()?)
        })
    }

    fn html(&self, py: Python<'_>, at: u64) -> PyResult<String> {
        self.with(py, move |campaign| {
            campaign.refresh()?;
            Ok(campaign.html(At(at))?)
        })
    }

    fn export(&self, py: Python<'_>) -> PyResult<String> {
        self.json(py, |campaign| {
            campaign.refresh()?;
            Ok(campaign.export()?)
        })
    }

    fn export_csv<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = self.with(py, |campaign| {
            campaign.refresh()?;
            Ok(campaign.export_csv()?)
        })?;
        Ok(PyBytes::new(py, &bytes))
    }

    fn log(&self, py: Python<'_>) -> PyResult<String> {
        self.json(py, |campaign| Ok(campaign.log()?.into_iter().map(ExportedEvent::from).collect::<Vec<_>>()))
    }

    fn verify(&self, py: Python<'_>) -> PyResult<String> {
        self.json(py, |campaign| {
            campaign.refresh()?;
            Ok(campaign.verify()?)
        })
    }

    fn spec(&self, py: Python<'_>) -> PyResult<String> {
        self.json(py, |campaign| Ok(campaign.spec().clone()))
    }

    fn path(&self, py: Python<'_>) -> PyResult<String> {
        self.with(py, |campaign| Ok(campaign.path().display().to_string()))
    }

    /// What was noticed about the pool.
    fn warnings(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.with(py, |campaign| {
            Ok(campaign.candidates()?.warnings.iter().map(ToString::to_string).collect())
        })
    }
}

/// A batch with the user's own columns beside each slot.
fn batch_json(campaign: &core::Campaign, batch: &Batch) -> Answer<Value> {
    let candidates = campaign.candidates()?;
    let own = &candidates.table;
    let mut document = serde_json::to_value(batch).map_err(|error| Failure::internal(&error.to_string()))?;
    let cell = |cell: Cell<'_>| match cell {
        Cell::Number(number) => json!(number),
        Cell::Integer(number) => json!(number),
        Cell::Empty => Value::Null,
        other => json!(other.to_string()),
    };
    for (k, row) in batch.rows.iter().enumerate() {
        let names = own.columns().iter().map(|column| column.name().to_owned());
        // A list of pairs keeps the order of the table.
        let cells: Vec<(String, Value)> = names.zip(own.cells(row.table_row()).map(cell)).collect();
        document["rows"][k]["columns"] = json!(cells);
    }
    document["outcome"] = json!(campaign.spec().outcome);
    document["id_column"] = json!(candidates.id_column);
    if let Some(stop) = &batch.stopped {
        document["stopped_words"] = json!(stop.to_string());
    }
    Ok(document)
}
