//! `Campaign`: ask and tell on the same file as the command line.

use std::sync::{Arc, Mutex};

use elfving::bandit::{Outcome, Reading};
use elfving_campaign::{self as core, At, Attachment, Batch, ExportedEvent, ResultsFile, TellOptions};
use elfving_table::Cell;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde::Serialize;
use serde_json::{Value, json};

use crate::campaign_question::{NamedBytes, Question, ResultsChanges};
use crate::failure::{Answer, Failure};
use crate::hints;
use crate::json::{parsed, to_json};
use crate::task;

/// A campaign on its file: see `elfving.Campaign`.
#[pyclass(frozen, module = "elfving._native")]
#[derive(Debug)]
pub(crate) struct Campaign(Arc<Mutex<core::Campaign>>);

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
            let warnings = &campaign.candidates()?.warnings;
            Ok(warnings.iter().map(|warning| warning.render(&hints::words)).collect())
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
