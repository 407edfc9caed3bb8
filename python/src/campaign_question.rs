//! From options to the question of a campaign, as the command line settles it.

use elfving::bandit::Goal;
use elfving::numerics::Matrix;
use elfving::pool::{Factorisation, KernelSpec, Points};
use elfving::units::{Confidence, InvalidValue, Ridge};
use elfving_campaign::event::BroughtIn;
use elfving_campaign::{
    self as core, Aim, AssumptionSpec, At, Attachment, Mode, Recipe, ResultsFile, ResultsFormat, Spec,
};
use elfving_table::{OneHot, PoolOptions, PoolTable, ReadOptions, TextColumn, read_bytes};
use serde::Deserialize;

use crate::candidates::{Model, resolve};
use crate::failure::{Answer, Failure};

/// A file by name and content.
pub(crate) type NamedBytes = (String, Vec<u8>);

/// What is wanted and what is assumed.
#[derive(Debug, Deserialize)]
pub(crate) struct Wish {
    name: String,
    outcome: String,
    aim: Aim,
    goal: Goal,
    mode: Mode,
    assumed: AssumptionSpec,
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
        let AssumptionSpec { sigma, bound, .. } = self.assumed;
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
pub(crate) struct Question {
    pub(crate) wish: Wish,
    pub(crate) pool: Attachment,
    pub(crate) targets: Option<Attachment>,
    pub(crate) reading: ReadOptions,
    pub(crate) columns: PoolOptions,
    pub(crate) model: Model,
    pub(crate) measured: Option<NamedBytes>,
    pub(crate) results: ResultsChanges,
}

/// How results come back, over what the pool says.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct ResultsChanges {
    decimal: Option<elfving_table::Decimal>,
    markers: Vec<core::OutcomeMarker>,
    error_column: Option<String>,
    repeats: Vec<String>,
    repeated_slots: bool,
}

impl ResultsChanges {
    pub(crate) fn over(self, format: &ResultsFormat) -> ResultsFormat {
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
    pub(crate) fn create(self, path: &str, at: At) -> Answer<core::Campaign> {
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
            .assumed(wish.assumed)
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
fn recipe_model(model: Model, features: Matrix, gamma: Option<f64>, seed: u64) -> Answer<core::Model> {
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
fn brought_in((name, bytes): &NamedBytes, spec: &Spec, ids: &TextColumn) -> Answer<BroughtIn> {
    let file = ResultsFile::from_bytes(name, bytes, &spec.results)?;
    let id = spec.recipe.columns.id.as_deref().unwrap_or("row");
    let mut measurements = file.measurements(&spec.outcome, id, ids)?;
    measurements.retain(|(id, _)| !spec.forbidden.contains(id));
    Ok(BroughtIn { measurements, source: Some(file.source().clone()) })
}
