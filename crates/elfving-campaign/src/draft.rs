//! A campaign before it exists: its tables, read once, and what they become.

use std::path::Path;

use elfving_problem::defaults::{USUAL_RIDGE, USUAL_TOLERANCE};
use elfving_problem::{Dataset, PoolSpec, Source};
use elfving_table::{Condition, Table, TableError};

use crate::at::At;
use crate::campaign::Campaign;
use crate::error::CampaignError;
use crate::event::BroughtIn;
use crate::recipe::Recipe;
use crate::results::ResultsFile;
use crate::spec::{Mode, Spec};
use crate::store::Attachment;

/// The tables of a campaign to be, read and checked, with the recipe that makes the same of them everywhere.
///
/// Every shell starts campaigns this way: the files are read and parsed once, and a kernel is factorised once.
#[derive(Debug)]
pub struct Draft {
    attachments: Vec<Attachment>,
    recipe: Recipe,
    dataset: Dataset,
}

impl Draft {
    /// Reads the tables. The outcome is no feature; in the calibrated mode text columns that look like categories are taken as such; `gamma` and
    /// `seed` fill in what a kernel leaves open.
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
        let dataset = Dataset::from_tables(table, target_table, spec, seed)?;
        let mut reading = dataset.spec().reading.clone();
        reading.text.extend(dataset.id_column().map(str::to_owned).filter(|id| !reading.text.contains(id)));
        let model = dataset.recorded_model(gamma.unwrap_or(USUAL_RIDGE), USUAL_TOLERANCE);
        let mut recipe = Recipe::new(&pool, reading, dataset.spec().columns.clone()).model(model);
        if let Some(targets) = &targets {
            recipe = recipe.targets(targets);
        }
        Ok(Self { attachments: [pool].into_iter().chain(targets).collect(), recipe, dataset })
    }

    /// How the files become a pool, for the spec of the campaign.
    pub fn recipe(&self) -> &Recipe {
        &self.recipe
    }

    /// All candidates, forbidden ones included.
    pub fn dataset(&self) -> &Dataset {
        &self.dataset
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
        let id = self.dataset.id_column().unwrap_or("row");
        let measurements = measured.measurements(&spec.outcome, id, self.dataset.names().text())?;
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
        let Self { attachments, recipe, dataset } = self;
        let spec = Spec { recipe, ..spec };
        let earlier = measured.map(|file| brought_in(file, &spec, &dataset)).transpose()?;
        let dataset = dataset.without(&spec.forbidden)?;
        Campaign::begin(path.as_ref(), spec, &attachments, dataset, earlier, at)
    }
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

fn brought_in(file: &ResultsFile, spec: &Spec, dataset: &Dataset) -> Result<BroughtIn, CampaignError> {
    let id = dataset.id_column().unwrap_or("row");
    let mut measurements = file.measurements(&spec.outcome, id, dataset.names().text())?;
    measurements.retain(|(id, _)| !spec.forbidden.contains(id));
    Ok(BroughtIn { measurements, source: Some(file.source().clone()), by: None })
}
