//! Is another batch worth it? What the next measurements are expected to change, and how far the pick may be from the best.
//!
//! The parameters of the model are not known either, so both questions are asked of several models: draws of the parameters that the
//! measurements leave open. Each in turn plays the truth.
//!
//! - **Gain.** The outcomes of the planned batch are drawn from the truth. Means after a batch are linear in its outcomes, so the
//!   fitted model learns them exactly and picks anew; the gain is what the truth, which learns them too, thinks of the new pick
//!   minus the old one.
//! - **Loss.** The values of those that may be the best are drawn jointly; the loss is the largest of them minus that of the pick.

use super::model::Model;
use super::policy::Calibrated;
use crate::bandit::{BanditError, Wanted};
use crate::numerics::rng::{Normals, Purpose, Stream, stream};
use crate::numerics::{add_scaled_row, first_largest, largest_first};
use crate::pool::PointId;
use crate::surrogate::{Fit, Measurement, Posterior, PosteriorOver, RowId, Space};
use std::collections::BTreeSet;

const PARAMETERS: Purpose = Purpose::new("outlook-models");
const OUTCOMES: Purpose = Purpose::new("outlook-outcomes");
const VALUES: Purpose = Purpose::new("outlook-values");
/// Those that may be the best: the largest upper confidence bounds, by so many deviations.
const CONTENDERS: usize = 300;
const REACH: f64 = 3.0;
/// Draws of outcomes and values for each draw of the parameters.
const DRAWS: usize = 256;

/// A number that is not known yet: what is expected, and what it is between in eight cases of ten.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Expected {
    /// The mean.
    pub mean: f64,
    /// A tenth lies below.
    pub lower: f64,
    /// A tenth lies above.
    pub upper: f64,
}

/// What another batch is expected to change, and what is expected to be missing now; in the user's units, where large is good.
#[derive(Debug, Clone, PartialEq)]
pub struct Outlook {
    /// Measurements of the batch.
    pub size: usize,
    /// By how much the value of the pick rises if the batch is measured.
    pub gain: Expected,
    /// How far the value of the pick is below the best.
    pub loss: Expected,
    /// Draws of the loss, ascending.
    losses: Vec<f64>,
}

impl Outlook {
    fn new(size: usize, mut gains: Vec<f64>, mut losses: Vec<f64>) -> Self {
        gains.sort_by(f64::total_cmp);
        losses.sort_by(f64::total_cmp);
        Self { size, gain: Expected::of(&gains), loss: Expected::of(&losses), losses }
    }

    /// The share of the draws in which the pick is at most `epsilon` below the best.
    pub fn within(&self, epsilon: f64) -> f64 {
        self.losses.partition_point(|loss| *loss <= epsilon) as f64 / self.losses.len() as f64
    }

    /// What the loss is at most in a share of the draws.
    pub fn loss_quantile(&self, share: f64) -> f64 {
        quantile(&self.losses, share)
    }
}

impl Expected {
    /// Of ascending draws.
    fn of(draws: &[f64]) -> Self {
        let mean = draws.iter().sum::<f64>() / draws.len() as f64;
        Self { mean, lower: quantile(draws, 0.1), upper: quantile(draws, 0.9) }
    }
}

fn quantile(ascending: &[f64], share: f64) -> f64 {
    let at = (share * ascending.len() as f64).ceil() as usize;
    ascending[at.clamp(1, ascending.len()) - 1]
}

impl Calibrated {
    /// What is expected of the batch that would be planned now; nothing before there are measurements, or where none can be planned.
    ///
    /// Cost: 8 times that of conditioning on m rows and drawing 300 jointly, and 2 (G + 2) evaluations of the likelihood.
    ///
    /// # Errors
    /// What the fit finds.
    pub fn outlook_of(&self, wanted: &Wanted) -> Result<Option<Outlook>, BanditError> {
        let Some(model) = self.model()? else { return Ok(None) };
        let (batch, _) = self.choose_for(wanted)?;
        let (Some(pick), false) = (self.pick_of(model), batch.is_empty()) else { return Ok(None) };
        let random = |purpose| stream(self.settings.seed, self.data.len() as u64, purpose);
        let part = Part::new(self, model, pick, wanted.pending, &batch);
        let fitted = part.fit_at(self, &model.fit)?;
        let truths = match self.settings.members {
            0 => vec![fitted.clone()],
            members => {
                let drawn = self.surrogate().plausible(&model.fit, members, &mut random(PARAMETERS));
                let conditioned =
                    drawn.iter().filter_map(|parameters| self.surrogate().at(&part.space, &part.data, parameters).ok());
                conditioned.collect()
            }
        };
        let learner = Learner::new(&fitted, &part);
        let (mut normals, mut values) = (Normals::new(random(OUTCOMES)), random(VALUES));
        let (mut gains, mut losses) = (Vec::new(), Vec::new());
        for truth in &truths {
            let truth = Learner::new(truth, &part);
            truth.gains(&learner, &part, &mut normals, &mut gains);
            truth.losses(&part, &mut values, &mut losses);
        }
        Ok((!losses.is_empty()).then(|| Outlook::new(batch.len(), gains, losses)))
    }

    /// The row of the pick.
    fn pick_of(&self, model: &Model) -> Option<RowId> {
        let means: Vec<f64> = model.choices().map(|z| model.choice_mean(z)).collect();
        self.best(&model.fit, &means, &self.data).map(|choice| model.row(choice))
    }
}

/// The rows that the outlook is about, as a space of their own: measured, planned, or possibly the best.
struct Part {
    space: Space,
    data: Vec<Measurement>,
    pick: RowId,
    /// Under way: they come back whether or not the batch is measured.
    pending: Vec<PointId>,
    batch: Vec<PointId>,
    /// Rows that can be picked before the batch, and those that can be after.
    before: Vec<RowId>,
    after: Vec<RowId>,
    /// Rows that may be the best.
    contenders: Vec<RowId>,
}

impl Part {
    fn new(of: &Calibrated, model: &Model, pick: RowId, pending: &[PointId], batch: &[PointId]) -> Self {
        let space = &of.space;
        let site = |row: usize| space.site(row);
        let sites = |points: &[PointId]| -> Vec<usize> { points.iter().map(|point| site(point.index())).collect() };
        let (measured, coming, planned) = (of.measured().collect::<Vec<_>>(), sites(pending), sites(batch));
        let choosable: Vec<usize> = of.choosable().map(|choice| model.row(choice).index()).collect();
        let above = |row: &usize| {
            let row = RowId::new(*row);
            model.posterior.mean(row) + REACH * model.posterior.deviation(row)
        };
        let bounds: Vec<f64> = choosable.iter().map(above).collect();
        let mut contenders: BTreeSet<usize> =
            largest_first(&bounds).into_iter().take(CONTENDERS).map(|k| site(choosable[k])).collect();
        contenders.insert(site(pick.index()));
        let mut rows: BTreeSet<usize> = contenders.clone();
        rows.extend(measured.iter().chain(&coming).chain(&planned));
        let rows: Vec<usize> = rows.into_iter().collect();
        let place = |row: usize| rows.binary_search(&row).expect("its site is among the rows");
        let may_be_picked: BTreeSet<usize> = choosable.iter().map(|&row| site(row)).collect();
        let eligible = |with_the_batch: bool| -> Vec<RowId> {
            let mut eligible: BTreeSet<usize> = match space.chooses_among_itself() {
                true => measured.iter().chain(&coming).copied().collect(),
                false => contenders.clone(),
            };
            if with_the_batch && space.chooses_among_itself() {
                eligible.extend(&planned);
            }
            let kept = eligible.into_iter().filter(|row| may_be_picked.contains(row));
            kept.map(|row| RowId::new(place(row))).collect()
        };
        let points = |sites: &[usize]| sites.iter().map(|&row| PointId::new(place(row))).collect();
        let local = |one: &Measurement| Measurement { point: PointId::new(place(site(one.point.index()))), ..*one };
        Self {
            space: space.part(&rows),
            data: of.data.iter().map(local).collect(),
            pick: RowId::new(place(site(pick.index()))),
            before: eligible(false),
            after: eligible(true),
            pending: points(&coming),
            batch: points(&planned),
            contenders: contenders.iter().map(|&row| RowId::new(place(row))).collect(),
        }
    }

    /// The model at the parameters of a fit.
    fn fit_at(&self, of: &Calibrated, fit: &Fit) -> Result<Fit, BanditError> {
        Ok(of.surrogate().at(&self.space, &self.data, fit.parameters())?)
    }
}

/// A model that learns outcomes one by one: its means are linear in them.
struct Learner {
    fit: Fit,
    posterior: Posterior,
    /// For each measurement to come: its row, its standard deviation given those before, and what every mean moves by when it is one
    /// such deviation above what is expected.
    steps: Vec<(usize, f64, Vec<f64>)>,
}

impl Learner {
    fn new(fit: &Fit, part: &Part) -> Self {
        let posterior = fit.posterior(PosteriorOver::Points);
        let mut measured = posterior.clone();
        let step = |point: &PointId| {
            measured.measure(*point);
            let (root, column) = measured.last_measured().expect("it was just measured");
            (point.index(), root, column.to_vec())
        };
        let steps = part.pending.iter().chain(&part.batch).map(step).collect();
        Self { fit: fit.clone(), posterior, steps }
    }

    /// The user's value of a mean.
    fn value(&self, mean: f64) -> f64 {
        self.fit.outcome().inverse(mean)
    }

    /// Draws of what the batch is worth when this is the truth and `learner` picks.
    fn gains(&self, learner: &Learner, part: &Part, normals: &mut Normals, gains: &mut Vec<f64>) {
        let pending = part.pending.len();
        let (mut mine, mut its) = (Vec::new(), Vec::new());
        for _ in 0..DRAWS {
            mine.clear();
            mine.extend_from_slice(self.posterior.means());
            its.clear();
            its.extend_from_slice(learner.posterior.means());
            let mut old = part.pick;
            for (k, (truth, model)) in self.steps.iter().zip(&learner.steps).enumerate() {
                if k == pending && pending > 0 {
                    old = largest_of(&part.before, &its);
                }
                let (row, deviation, moved) = truth;
                let normal = normals.draw();
                let outcome = mine[*row] + deviation * normal;
                let surprise = (outcome - its[model.0]) / model.1;
                add_scaled_row(&mut mine, normal, moved);
                add_scaled_row(&mut its, surprise, &model.2);
            }
            let new = largest_of(&part.after, &its);
            gains.push(self.value(mine[new.index()]) - self.value(mine[old.index()]));
        }
    }

    /// Draws of how far the pick is below the best when this is the truth.
    fn losses(&self, part: &Part, random: &mut Stream, losses: &mut Vec<f64>) {
        let draws = self.posterior.samples(&part.contenders, DRAWS, random);
        let pick = part.contenders.binary_search(&part.pick).expect("the pick is a contender");
        for draw in (0..DRAWS).map(|k| draws.row(k)) {
            let best = draw.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            losses.push(self.value(best) - self.value(draw[pick]));
        }
    }
}

/// The row with the largest mean, ties to the first.
fn largest_of(rows: &[RowId], means: &[f64]) -> RowId {
    let of: Vec<f64> = rows.iter().map(|row| means[row.index()]).collect();
    rows[first_largest(&of).expect("there is a row, and its mean is finite")]
}
