//! A campaign before it exists: its tables, read once, and what they become.

use std::path::Path;

use elfving::bandit::{Belief, Reading};
use elfving_problem::defaults::{USUAL_RIDGE, USUAL_TOLERANCE};
use elfving_problem::{Dataset, Model, PoolSpec, Source};
use elfving_table::{Column, ColumnData, Condition, Notice, Problems, Table, TableError, Warning};

use crate::at::At;
use crate::campaign::Campaign;
use crate::error::CampaignError;
use crate::event::BroughtIn;
use crate::prior::belief;
use crate::recipe::Recipe;
use crate::results::ResultsFile;
use crate::spec::{Meaning, Mode, OutcomeMarker, Spec};
use crate::store::Attachment;

/// The tables of a campaign to be, read and checked, with the recipe that makes the same of them everywhere.
///
/// Every shell starts campaigns this way: the files are read and parsed once, and a kernel is factorised once.
#[derive(Debug)]
pub struct Draft {
    attachments: Vec<Attachment>,
    recipe: Recipe,
    dataset: Dataset,
    /// One prediction per candidate, forbidden ones included.
    priors: Vec<Belief>,
}

impl Draft {
    /// Reads the tables. The outcome is no feature; in the calibrated mode text columns that look like categories are taken as such; `gamma` and
    /// `seed` fill in what a kernel leaves open. A certified campaign whose model is not stated takes [`KernelSpec::Smooth`](elfving::pool::KernelSpec::Smooth),
    /// unless the columns give every candidate a mean of its own.
    ///
    /// # Errors
    /// What is wrong with the tables or the model.
    pub fn read(
        pool: Attachment,
        targets: Option<Attachment>,
        mut spec: PoolSpec,
        outcome: &str,
        mode: Mode,
        gamma: Option<f64>,
        seed: u64,
    ) -> Result<Self, CampaignError> {
        let (pool, table) = parsed(pool, |source| spec.read(source))?;
        spec.leave_out(outcome, &table);
        if mode == Mode::Calibrated {
            spec.find_categories(&table);
        }
        let targets =
            targets.map(|targets| parsed(targets, |source| spec.read_targets(source))).transpose()?;
        let (targets, target_table) = targets.unzip();
        // A class that nobody stated is no assumption to rest a proof on. Where every candidate has a mean of its own, linear assumes nothing.
        let unstated = mode == Mode::Certified && spec.model == Model::Unstated;
        let mut dataset = Dataset::from_tables(table, target_table, spec, seed)?;
        if unstated && !dataset.is_saturated() {
            dataset = dataset.with_model(Model::smooth(), seed)?;
        }
        let mut reading = dataset.spec().reading.clone();
        reading.text.extend(dataset.id_column().map(str::to_owned).filter(|id| !reading.text.contains(id)));
        let model = dataset.recorded_model(gamma.unwrap_or(USUAL_RIDGE), USUAL_TOLERANCE);
        let mut recipe = Recipe::new(&pool, reading, dataset.spec().columns.clone()).model(model);
        if let Some(targets) = &targets {
            recipe = recipe.targets(targets);
        }
        Ok(Self {
            attachments: [pool].into_iter().chain(targets).collect(),
            recipe,
            dataset,
            priors: Vec::new(),
        })
    }

    /// Lets an earlier campaign bet beside the other models: what its results predict of every candidate is worked out now and kept in the
    /// record. A wrong prediction costs width, never truth.
    ///
    /// # Errors
    /// Without results there is nothing to predict from; the candidates need the columns that the earlier ones had.
    pub fn prior(&mut self, earlier: &Campaign) -> Result<(), CampaignError> {
        self.priors.push(belief(earlier, &self.dataset)?);
        Ok(())
    }

    /// How the files become a pool, for the spec of the campaign.
    pub fn recipe(&self) -> &Recipe {
        &self.recipe
    }

    /// All candidates, forbidden ones included.
    pub fn dataset(&self) -> &Dataset {
        &self.dataset
    }

    /// Numbers in a half-filled outcome column of the pool: what a user should know who does not give the file as earlier measurements.
    pub fn unused_outcomes(&self) -> Option<Warning> {
        let table = self.dataset.table()?;
        let column = self.dataset.spec().outcome.clone()?;
        let numbers = numbers_beside_gaps(table, &column);
        let notice = Notice::OutcomesInPool { column, numbers };
        (numbers > 0).then(|| Warning { file: self.attachments[0].name.clone(), notice })
    }

    /// The candidates that meet a condition, to be forbidden or forced.
    ///
    /// # Errors
    /// What is wrong with the condition.
    pub fn ids_where(&self, condition: &Condition) -> Result<Vec<String>, CampaignError> {
        Ok(self.dataset.ids_where(condition)?)
    }

    /// The candidates of earlier measurements that are left out because they are forbidden, one per measurement.
    ///
    /// # Errors
    /// What is wrong with the file.
    pub fn forbidden_measurements(
        &self,
        measured: &ResultsFile,
        spec: &Spec,
    ) -> Result<Vec<String>, CampaignError> {
        let measurements = self.measurements(measured, spec)?;
        let ids = measurements.into_iter().map(|(id, _)| id);
        Ok(ids.filter(|id| spec.forbidden.contains(id)).collect())
    }

    /// Starts the campaign on a new file, which is complete or not there, with measurements that were made before. Those of forbidden
    /// candidates are left out.
    ///
    /// # Errors
    /// What is wrong with the spec or the measurements; [`CampaignError::Exists`], [`CampaignError::Durability`].
    pub fn create(
        self,
        path: impl AsRef<Path>,
        spec: Spec,
        measured: Option<&ResultsFile>,
        at: At,
    ) -> Result<Campaign, CampaignError> {
        self.create_by(path, spec, measured, None, at)
    }

    /// The same, with who does it on record.
    ///
    /// # Errors
    /// Those of [`create`](Self::create).
    pub fn create_by(
        self,
        path: impl AsRef<Path>,
        spec: Spec,
        measured: Option<&ResultsFile>,
        by: Option<String>,
        at: At,
    ) -> Result<Campaign, CampaignError> {
        let earlier = measured.map(|file| self.brought_in(file, &spec)).transpose()?;
        let Self { attachments, recipe, dataset, priors } = self;
        let dataset = dataset.without(&spec.forbidden)?;
        let rows: Vec<usize> =
            (0..dataset.names().len()).map(|candidate| dataset.table_row(candidate)).collect();
        let of_these = |belief: &Belief| belief.select(&rows);
        let priors = spec.priors.iter().cloned().chain(priors.iter().map(of_these)).collect();
        let spec = Spec { recipe, priors, ..spec };
        Campaign::begin(path.as_ref(), spec, &attachments, dataset, earlier, by, at)
    }

    fn brought_in(&self, file: &ResultsFile, spec: &Spec) -> Result<BroughtIn, CampaignError> {
        let mut measurements = self.measurements(file, spec)?;
        measurements.retain(|(id, _)| !spec.forbidden.contains(id));
        Ok(BroughtIn { measurements, source: Some(file.source().clone()), by: None })
    }

    /// The measurements of a file, by candidate.
    fn measurements(&self, file: &ResultsFile, spec: &Spec) -> Result<Vec<(String, Reading)>, CampaignError> {
        let names = self.dataset.names().text();
        // The pool's own file: its lines are the candidates, those that a condition left out are no mistakes, and no ids are needed.
        let own = file.source().sha256 == Some(self.attachments[0].digest());
        match (self.dataset.table(), self.dataset.id_column()) {
            (Some(table), id) if own && (id.is_none() || !self.recipe.columns.conditions.is_empty()) => {
                let found = readings(table, spec)?.into_iter().zip(names.iter());
                Ok(found.filter_map(|(reading, id)| Some((id.to_owned(), reading?))).collect())
            }
            (_, id) => Ok(file.measurements(&spec.outcome, id.unwrap_or("row"), names)?),
        }
    }
}

/// The numbers in a half-filled column: none where there is no such column, and none where every cell is one. A column that is complete is
/// known already, or a truth to simulate with; one with gaps waits for the rest.
pub fn numbers_beside_gaps(table: &Table, column: &str) -> usize {
    match table.column(column).map(Column::data) {
        Ok(ColumnData::Texts(texts)) => {
            let is_number = |(row, cell): &(usize, &str)| table.number_in(column, *row, cell).is_ok();
            texts.iter().enumerate().filter(is_number).count()
        }
        _ => 0,
    }
}

/// The outcomes in a pool's own column: a number, a text that means one, or nothing.
fn readings(table: &Table, spec: &Spec) -> Result<Vec<Option<Reading>>, TableError> {
    let mut problems = Problems::default();
    let cells = table.texts(&spec.outcome)?.into_iter().enumerate();
    let reading = |(row, cell): (usize, String)| match spec
        .results
        .markers
        .iter()
        .find(|marker| marker.text == cell.trim())
    {
        Some(OutcomeMarker { means: Meaning::Number(value), .. }) => Some(Reading::Value(*value)),
        Some(_) => None,
        None if cell.trim().is_empty() => None,
        None => match table.number_in(&spec.outcome, row, &cell) {
            Ok(value) => Some(Reading::Value(value)),
            Err(problem) => {
                problems.add(|| problem);
                None
            }
        },
    };
    let readings = cells.map(reading).collect();
    problems.finish().map(|()| readings)
}

/// The table of a file, which keeps its bytes.
fn parsed(
    file: Attachment,
    read: impl FnOnce(&Source) -> Result<Table, TableError>,
) -> Result<(Attachment, Table), CampaignError> {
    let source = Source::Bytes { name: file.name, bytes: file.bytes };
    let table = read(&source)?;
    let Source::Bytes { name, bytes } = source else { unreachable!("it was bytes just now") };
    Ok((Attachment::new(name, bytes), table))
}
