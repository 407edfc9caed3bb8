//! What a shell is told to begin a campaign, as one document: every option with its default, for those who do not type at a terminal.

use std::path::Path;

use elfving::bandit::{Goal, Limits};
use elfving_problem::{AssumptionSpec, Model, PoolSpec};
use elfving_table::{Condition, Decimal, PoolOptions, ReadOptions, Warning};
use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::at::At;
use crate::campaign::Campaign;
use crate::draft::Draft;
use crate::error::CampaignError;
use crate::layout::Layout;
use crate::results::ResultsFile;
use crate::spec::{Aim, Mode, OutcomeMarker, ResultsFormat, Spec};
use crate::store::Attachment;

/// The question of a campaign to be, and how its tables are read.
///
/// ```
/// use elfving_campaign::{At, Attachment, Opening};
/// # let folder = tempfile::tempdir()?;
/// let opening: Opening = serde_json::from_str(
///     r#"{"outcome": "yield", "aim": "maximise", "mode": "calibrated", "batch": 2, "columns": {"id": "id"}}"#,
/// )?;
/// let pool = Attachment::new("pool.csv", "id,dose\na,1\nb,2\nc,3\n");
/// let draft = opening.draft(pool, None)?;
/// let campaign = opening.begin(draft, folder.path().join("doses.elfving"), None, None, At(0))?;
/// assert_eq!(campaign.spec().name, "doses");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Opening {
    /// The column of the outcome.
    pub outcome: String,
    /// Whether large or small outcomes are good.
    pub aim: Aim,
    /// What is wanted.
    #[serde(default = "the_best")]
    pub goal: Goal,
    /// Theorem or practice.
    #[serde(default = "certified")]
    pub mode: Mode,
    /// What is assumed about noise and model.
    #[serde(default, deserialize_with = "over_defaults")]
    pub assumptions: AssumptionSpec,
    /// δ.
    #[serde(default = "usual_delta")]
    pub delta: f64,
    /// The ridge; chosen by the algorithm unless given.
    #[serde(default)]
    pub gamma: Option<f64>,
    /// The algorithm by name; `auto` chooses by the assumptions.
    #[serde(default = "auto")]
    pub algorithm: String,
    /// Slots handed out at a time.
    #[serde(default = "usual_batch")]
    pub batch: usize,
    /// Measurements in all, at most.
    #[serde(default)]
    pub budget: Option<u64>,
    /// The gain below which a batch is not worth its cost.
    #[serde(default)]
    pub worth: Option<f64>,
    /// Of every random choice.
    #[serde(default)]
    pub seed: u64,
    /// Candidates that are neither measured nor chosen.
    #[serde(default)]
    pub forbid: Vec<String>,
    /// Conditions: who meets one of them is neither measured nor chosen.
    #[serde(default)]
    pub forbid_where: Vec<Condition>,
    /// Candidates that are measured first.
    #[serde(default)]
    pub force: Vec<String>,
    /// How often one candidate may be in a batch.
    #[serde(default)]
    pub max_repeats: Option<u64>,
    /// How often one candidate may be measured in all.
    #[serde(default)]
    pub max_measurements: Option<u64>,
    /// Attempts that may fail before a candidate counts as infeasible.
    #[serde(default = "usual_tries")]
    pub tries: u64,
    /// What every batch looks like.
    #[serde(default)]
    pub layout: Layout,
    /// How the tables are read.
    #[serde(default, deserialize_with = "over_defaults")]
    pub reading: ReadOptions,
    /// Which columns are what.
    #[serde(default, deserialize_with = "over_defaults")]
    pub columns: PoolOptions,
    /// What is made of them.
    #[serde(default)]
    pub model: Model,
    /// How results come back, over what the pool says.
    #[serde(default)]
    pub results: ResultsChange,
}

/// What is said anew of how files of results are written; the rest stays.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ResultsChange {
    /// The decimal mark.
    pub decimal: Option<Decimal>,
    /// What texts mean in place of an outcome.
    pub markers: Vec<OutcomeMarker>,
    /// The column of standard errors.
    pub error_column: Option<String>,
    /// Columns of repeats.
    pub repeats: Vec<String>,
    /// Whether several lines of one slot are its repeats.
    pub repeated_slots: bool,
}

impl ResultsChange {
    /// The format with this said of it.
    pub fn over(&self, format: &ResultsFormat) -> ResultsFormat {
        let mut format = format.clone();
        // A text that is declared again has its new meaning.
        format.markers.retain(|known| self.markers.iter().all(|marker| marker.text != known.text));
        format.markers.extend(self.markers.iter().cloned());
        format.decimal = self.decimal.unwrap_or(format.decimal);
        if self.error_column.is_some() {
            format.error_column.clone_from(&self.error_column);
        }
        if !self.repeats.is_empty() {
            format.repeats.clone_from(&self.repeats);
        }
        format.repeated_slots |= self.repeated_slots;
        format
    }
}

impl Opening {
    /// Reads the tables.
    ///
    /// # Errors
    /// Those of [`Draft::read`].
    pub fn draft(&self, pool: Attachment, targets: Option<Attachment>) -> Result<Draft, CampaignError> {
        let Self { reading, columns, model, .. } = self.clone();
        let spec = PoolSpec { reading, columns, model, ..PoolSpec::default() };
        Draft::read(pool, targets, spec, &self.outcome, self.mode, self.gamma, self.seed)
    }

    /// Numbers in the outcome column of the pool that are not used, where no earlier measurements are given.
    pub fn unused_outcomes(&self, draft: &Draft, measured: bool) -> Option<Warning> {
        draft.unused_outcomes().filter(|_| !measured)
    }

    /// Starts the campaign on a new file, whose name is that of the campaign, with measurements that were made before.
    ///
    /// # Errors
    /// Those of [`Draft::create`], and what is wrong with a condition.
    pub fn begin(
        &self,
        draft: Draft,
        path: impl AsRef<Path>,
        measured: Option<Attachment>,
        by: Option<String>,
        at: At,
    ) -> Result<Campaign, CampaignError> {
        let path = path.as_ref();
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let spec = self.spec(name, &draft)?;
        let measured = measured.map(|file| ResultsFile::from_bytes(&file.name, &file.bytes, &spec.results));
        let measured = measured.transpose()?;
        draft.create_by(path, spec, measured.as_ref(), by, at)
    }

    fn spec(&self, name: String, draft: &Draft) -> Result<Spec, CampaignError> {
        let decimal = draft.recipe().reading.decimal;
        let results = self.results.over(&ResultsFormat { decimal, ..ResultsFormat::default() });
        let mut forbidden = self.forbid.clone();
        for condition in &self.forbid_where {
            let more = draft.ids_where(condition)?.into_iter().filter(|id| !forbidden.contains(id));
            forbidden.extend(more.collect::<Vec<_>>());
        }
        Ok(Spec::new(name, self.outcome.clone(), self.aim, draft.recipe().clone())
            .goal(self.goal)
            .mode(self.mode)
            .assumed(self.assumptions)
            .delta(self.delta)
            .gamma(self.gamma)
            .algorithm(self.algorithm.clone())
            .seed(self.seed)
            .batch(self.batch)
            .budget(self.budget)
            .worth(self.worth)
            .forbid(forbidden)
            .force(self.force.clone())
            .limits(Limits { in_a_batch: self.max_repeats, in_all: self.max_measurements })
            .tries(self.tries)
            .layout(self.layout.clone())
            .results(results))
    }
}

fn the_best() -> Goal {
    Goal::Best { epsilon: 0.0 }
}

fn certified() -> Mode {
    Mode::Certified
}

fn usual_delta() -> f64 {
    0.05
}

fn auto() -> String {
    "auto".to_owned()
}

/// A quarter of a plate of 96 wells.
fn usual_batch() -> usize {
    24
}

fn usual_tries() -> u64 {
    2
}

/// An object that says only what is other than usual.
fn over_defaults<'d, T, D>(from: D) -> Result<T, D::Error>
where
    T: Default + Serialize + DeserializeOwned,
    D: Deserializer<'d>,
{
    let given = serde_json::Map::<String, Value>::deserialize(from)?;
    let mut whole = serde_json::to_value(T::default()).map_err(D::Error::custom)?;
    if let Some(fields) = whole.as_object_mut() {
        fields.extend(given);
    }
    serde_json::from_value(whole).map_err(D::Error::custom)
}
