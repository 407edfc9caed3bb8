//! `Campaign`: ask and tell on the same file as the command line.

use std::sync::{Arc, Mutex};

use elfving::bandit::{Outcome, Reading};
use elfving_campaign::{
    self as core, At, Attachment, BatchInFull, ChangeRequest, ExportedEvent, NextBatch, Opening,
    ResultsChange, ResultsFile, TellDocument, TellOptions, Told, spec_for_programs,
};
use elfving_table::{Condition, TableError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde::Serialize;
use serde_json::json;

use crate::failure::{Answer, Failure};
use crate::hints;
use crate::json::{parsed, to_json};
use crate::pool::ModelOptions;
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
        ("infeasible", _) => Outcome::Infeasible,
        ("error", &[value, standard_error]) => {
            Outcome::Measured(Reading::WithError { value, standard_error })
        }
        ("value", &[value]) => Outcome::Measured(Reading::Value(value)),
        _ => Outcome::Measured(Reading::Repeats(numbers.clone())),
    }
}

/// A file by name and content.
type NamedBytes = (String, Vec<u8>);

/// What was told, and what another batch is expected to change.
#[derive(Serialize)]
struct Answered {
    #[serde(flatten)]
    told: Told,
    next_batch: Option<NextBatch>,
}

impl Answered {
    fn of(told: Told, campaign: &mut core::Campaign, dry_run: bool) -> Self {
        let next_batch = TellDocument::of(&told, campaign, dry_run).next_batch;
        Self { told, next_batch }
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
    /// Starts a campaign on a new file; also says what of the pool is not used.
    #[staticmethod]
    #[expect(clippy::too_many_arguments, reason = "the Python layer gives them names")]
    fn create(
        py: Python<'_>,
        path: String,
        settings: &str,
        pool: NamedBytes,
        targets: Option<NamedBytes>,
        reading: &str,
        columns: &str,
        model: &str,
        measured: Option<NamedBytes>,
        results: &str,
        priors: Vec<String>,
        at: u64,
    ) -> PyResult<(Self, Vec<String>)> {
        let mut opening: Opening = parsed("campaign", settings)?;
        (opening.reading, opening.columns) = (parsed("reading", reading)?, parsed("columns", columns)?);
        opening.model = parsed::<ModelOptions>("model", model)?.model()?;
        opening.results = parsed("results", results)?;
        let attached = |(name, bytes): NamedBytes| Attachment::new(name, bytes);
        let (campaign, unused) = task::run(py, move || {
            let mut draft = opening.draft(attached(pool), targets.map(attached))?;
            for prior in priors {
                draft.prior(&core::Campaign::open(prior)?)?;
            }
            let unused = opening.unused_outcomes(&draft, measured.is_some());
            let unused = unused.map(|warning| warning.render(&hints::words)).into_iter().collect();
            Ok((opening.begin(draft, &path, measured.map(attached), None, At(at))?, unused))
        })?;
        Ok((Self(Arc::new(Mutex::new(campaign))), unused))
    }

    /// Opens a campaign.
    #[staticmethod]
    fn open(py: Python<'_>, path: String) -> PyResult<Self> {
        let campaign = task::run(py, move || Ok(core::Campaign::open(path)?))?;
        Ok(Self(Arc::new(Mutex::new(campaign))))
    }

    /// What to measure now, as JSON, as a sheet, and as a map of its plates.
    fn ask<'py>(
        &self,
        py: Python<'py>,
        batch: Option<usize>,
        worker: Option<String>,
        open: bool,
        at: u64,
    ) -> PyResult<(String, Bound<'py, PyBytes>, Option<String>)> {
        let whole = self.with(py, move |campaign| {
            let batch = match open {
                true => {
                    campaign.refresh()?;
                    campaign.open_slots()?
                }
                false => campaign.ask_for(worker.as_deref(), batch, At(at))?,
            };
            Ok(batch.in_full(campaign)?)
        })?;
        let BatchInFull { batch, sheet, plate_map } = whole;
        Ok((batch.to_string(), PyBytes::new(py, sheet.as_bytes()), plate_map))
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
        let changes: ResultsChange = parsed("results", results)?;
        self.json(py, move |campaign| {
            let format = changes.over(&campaign.spec().results);
            let file = ResultsFile::from_bytes(&name, &bytes, &format)?;
            let options = TellOptions { correct: reason, dry_run, ..TellOptions::default() };
            let told = campaign.tell(&file, &options, At(at))?;
            Ok(Answered::of(told, campaign, dry_run))
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
            let options = TellOptions { correct: reason, dry_run, ..TellOptions::default() };
            let told = campaign.tell_outcomes(&told, &options, At(at))?;
            Ok(Answered::of(told, campaign, dry_run))
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
        self.json(py, move |campaign| {
            let told = campaign.correct(&slot, outcome(&to), &reason, At(at))?;
            Ok(Answered::of(told, campaign, false))
        })
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
                Outcome::Failed | Outcome::Infeasible => None,
            });
            let measured: Vec<(String, Reading)> = measured.collect();
            let brought = campaign.bring_in(&measured, None, At(at))?;
            Ok((brought.measurements, brought.used))
        })
    }

    /// Gives slots back: how many.
    fn release(
        &self,
        py: Python<'_>,
        slots: Vec<String>,
        worker: Option<String>,
        for_good: bool,
        at: u64,
    ) -> PyResult<usize> {
        self.with(py, move |campaign| {
            let slots: Vec<&str> = slots.iter().map(String::as_str).collect();
            Ok(campaign.release(&slots, worker.as_deref(), for_good, At(at))?)
        })
    }

    /// Changes what is asked from here on.
    fn change(&self, py: Python<'_>, changing: &str, at: u64) -> PyResult<String> {
        let request: ChangeRequest = parsed("change", changing)?;
        self.json(py, move |campaign| Ok(campaign.change_as_requested(&request, At(at))?))
    }

    /// Excludes candidates from here on.
    fn forbid(
        &self,
        py: Python<'_>,
        ids: Vec<String>,
        condition: Option<String>,
        infeasible: bool,
        reason: String,
        at: u64,
    ) -> PyResult<String> {
        self.json(py, move |campaign| {
            let ids = which(campaign, ids, condition.as_deref())?;
            Ok(campaign.forbid(&ids, infeasible, condition.as_deref(), &reason, At(at))?)
        })
    }

    /// Lets excluded candidates back in.
    fn allow(
        &self,
        py: Python<'_>,
        ids: Vec<String>,
        condition: Option<String>,
        reason: String,
        at: u64,
    ) -> PyResult<String> {
        self.json(py, move |campaign| {
            let ids = which(campaign, ids, condition.as_deref())?;
            Ok(campaign.allow(&ids, &reason, At(at))?)
        })
    }

    /// Adds the candidates of a table.
    fn extend(&self, py: Python<'_>, more: NamedBytes, reason: String, at: u64) -> PyResult<String> {
        let (name, bytes) = more;
        self.json(py, move |campaign| Ok(campaign.extend(Attachment::new(name, bytes), &reason, At(at))?))
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
        self.json(py, |campaign| Ok(spec_for_programs(campaign.spec())))
    }

    /// What the model sees: each column as data and in words.
    fn columns(&self, py: Python<'_>) -> PyResult<String> {
        self.json(py, |campaign| {
            let seen = campaign.candidates()?.columns_seen();
            let words = seen.iter().map(ToString::to_string);
            Ok(seen.iter().zip(words).map(|(seen, words)| json!([seen, words])).collect::<Vec<_>>())
        })
    }

    /// The model with its columns, in words.
    fn model(&self, py: Python<'_>) -> PyResult<String> {
        self.with(py, |campaign| Ok(campaign.model_in_words()?))
    }

    fn path(&self, py: Python<'_>) -> PyResult<String> {
        self.with(py, |campaign| Ok(campaign.path().display().to_string()))
    }

    /// What was noticed about the pool.
    fn warnings(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.with(py, |campaign| {
            let warnings = campaign.candidates()?.warnings();
            Ok(warnings.iter().map(|warning| warning.render(&hints::words)).collect())
        })
    }
}

/// Candidates by id, and those that meet a condition.
fn which(campaign: &core::Campaign, mut ids: Vec<String>, condition: Option<&str>) -> Answer<Vec<String>> {
    if let Some(condition) = condition {
        let condition: Condition = condition.parse().map_err(TableError::from)?;
        ids.extend(campaign.candidates()?.ids_where(&condition)?);
    }
    Ok(ids)
}
