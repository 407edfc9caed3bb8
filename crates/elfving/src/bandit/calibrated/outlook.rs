//! Is another batch worth it? What the next measurements are expected to change, and how far the pick may be from the best.
//!
//! The parameters of the model are not known either, so both questions are asked of several models: draws of the parameters that the
//! measurements leave open. Each in turn plays the truth.
//!
//! - A truth is a joint draw of the values of all rows that matter: measured, planned, or possibly the best.
//! - **Gain.** The outcomes of the planned batch are drawn around the truth. Means after a batch are linear in its outcomes, so the
//!   fitted model learns them exactly and picks anew; the gain is the true value of the new pick minus that of the old one.
//! - **Loss.** The largest true value minus that of the pick.

use super::model::Model;
use super::policy::Calibrated;
use crate::bandit::{BanditError, Limits, Wanted};
use crate::numerics::rng::{Normals, Purpose, Stream, stream};
use crate::numerics::{add_scaled_row, first_largest, largest_first};
use crate::pool::PointId;
use crate::surrogate::{Fit, Measurement, PosteriorOver, RowId, Space};
use rayon::prelude::*;
use std::collections::BTreeSet;

const PARAMETERS: Purpose = Purpose::new("outlook-models");
const OUTCOMES: Purpose = Purpose::new("outlook-outcomes");
const VALUES: Purpose = Purpose::new("outlook-values");
/// Those that may be the best: the largest upper confidence bounds, by so many deviations.
const CONTENDERS: usize = 200;
const REACH: f64 = 3.0;
/// Truths for each draw of the parameters.
const TRUTHS: usize = 256;
/// Batches that are looked ahead: the next one and two more.
const BATCHES_AHEAD: usize = 3;

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
///
/// On real tables the upper end of `gain` was right about as often as stated. The other numbers were not everywhere (`docs/stop.md`), and
/// programs do not show them.
#[derive(Debug, Clone, PartialEq)]
pub struct Outlook {
    /// Measurements of the batch.
    pub size: usize,
    /// By how much the value of the pick rises if the batch is measured.
    pub gain: Expected,
    /// Measurements that are looked ahead: three batches, as far as there are measurements left.
    pub ahead: usize,
    /// By how much the value of the pick rises if all of these are made.
    pub gain_ahead: Expected,
    /// How far the value of the pick is below the best.
    pub loss: Expected,
    /// The largest outcome so far minus the smallest.
    pub range: f64,
    /// Draws of the loss, ascending.
    losses: Vec<f64>,
}

impl Outlook {
    fn new([size, ahead]: [usize; 2], range: f64, draws: Draws) -> Self {
        let Draws { mut gains, mut gains_ahead, mut losses } = draws;
        [&mut gains, &mut gains_ahead, &mut losses]
            .into_iter()
            .for_each(|draws| draws.sort_by(f64::total_cmp));
        let [gain, gain_ahead, loss] = [&gains, &gains_ahead, &losses].map(|draws| Expected::of(draws));
        Self { size, gain, ahead, gain_ahead, loss, range, losses }
    }

    /// What is expected, as it stands.
    #[cfg(test)]
    pub(super) fn expecting(sizes: [usize; 2], range: f64, gain: f64, gain_ahead: f64, loss: f64) -> Self {
        Self::new(
            sizes,
            range,
            Draws { gains: vec![gain], gains_ahead: vec![gain_ahead], losses: vec![loss] },
        )
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

/// Draws of what is not known, in no order.
#[derive(Default)]
struct Draws {
    gains: Vec<f64>,
    gains_ahead: Vec<f64>,
    losses: Vec<f64>,
}

impl Calibrated {
    /// What is expected of the batch that would be planned now; nothing before there are measurements, or where none can be planned.
    ///
    /// Cost: 8 times that of conditioning on m rows and drawing some hundreds jointly, 2 (G + 2) evaluations of the likelihood, and
    /// planning three batches.
    ///
    /// # Errors
    /// What the fit finds.
    pub fn outlook_of(&self, wanted: &Wanted) -> Result<Option<Outlook>, BanditError> {
        let Some(model) = self.model()? else { return Ok(None) };
        let (batch, _) = self.choose_for(wanted)?;
        let (Some(pick), false) = (self.pick_of(model), batch.is_empty()) else { return Ok(None) };
        let later = self.batches_after(wanted, &batch)?;
        let (seed, measured, surrogate) = (self.settings.seed, self.data.len() as u64, self.surrogate());
        let part = Part::new(self, model, pick, wanted.pending, [&batch, &later]);
        let fitted = surrogate.at(&part.space, &part.data, model.fit.parameters())?;
        let learner = Learner::new(&fitted, &part);
        let parameters = match self.settings.members {
            0 => vec![fitted.parameters().clone()],
            members => surrogate.plausible(&model.fit, members, &mut stream(seed, measured, PARAMETERS)),
        };
        let draws = parameters.par_iter().enumerate().filter_map(|(member, parameters)| {
            let truth = surrogate.at(&part.space, &part.data, parameters).ok()?;
            let at = (measured << 16) + member as u64;
            Some(part.draws(&truth, &learner, &mut stream(seed, at, VALUES), stream(seed, at, OUTCOMES)))
        });
        let mut all = Draws::default();
        for draws in draws.collect::<Vec<Draws>>() {
            all.gains.extend(draws.gains);
            all.gains_ahead.extend(draws.gains_ahead);
            all.losses.extend(draws.losses);
        }
        let sizes = [batch.len(), batch.len() + later.len()];
        Ok((!all.losses.is_empty()).then(|| Outlook::new(sizes, self.range(), all)))
    }

    /// Two more batches after the planned one, as they would be planned without knowing its outcomes.
    fn batches_after(&self, wanted: &Wanted, batch: &[PointId]) -> Result<Vec<PointId>, BanditError> {
        let left = wanted.left.saturating_sub(batch.len() as u64);
        let size = ((BATCHES_AHEAD - 1) * wanted.batch).min(usize::try_from(left).unwrap_or(usize::MAX));
        if size == 0 {
            return Ok(Vec::new());
        }
        let pending: Vec<PointId> = wanted.pending.iter().chain(batch).copied().collect();
        let limits = Limits { in_all: wanted.limits.in_all, ..Limits::default() };
        let later = Wanted { left, limits, round: wanted.round, ..Wanted::batch(size) };
        Ok(self.choose_for(&Wanted { pending: &pending, ..later })?.0)
    }

    /// The largest outcome minus the smallest.
    fn range(&self) -> f64 {
        let outcomes = || self.data.iter().map(|one| one.outcome);
        outcomes().fold(f64::NEG_INFINITY, f64::max) - outcomes().fold(f64::INFINITY, f64::min)
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
    /// Measurements to come, in order: under way, which come back whatever is decided; the batch; the batches after it.
    coming: Vec<PointId>,
    /// How many of them are under way, how many are that or in the batch, and all.
    until: [usize; 3],
    /// Rows whose means are followed.
    followed: Vec<RowId>,
    /// Those of them that can be picked once all under way are in, once the batch is, and once all are.
    eligible: [Vec<usize>; 3],
    /// Rows that may be the best.
    contenders: Vec<RowId>,
}

impl Part {
    fn new(
        of: &Calibrated,
        model: &Model,
        pick: RowId,
        pending: &[PointId],
        batches: [&[PointId]; 2],
    ) -> Self {
        let space = &of.space;
        let site = |row: usize| space.site(row);
        let sites =
            |points: &[PointId]| -> Vec<usize> { points.iter().map(|point| site(point.index())).collect() };
        let (measured, under_way) = (of.measured().collect::<Vec<_>>(), sites(pending));
        let [next, later] = batches.map(sites);
        let choosable: Vec<usize> = of.choosable().map(|choice| model.row(choice).index()).collect();
        let above = |row: &usize| {
            let row = RowId::new(*row);
            model.posterior.mean(row) + REACH * model.posterior.deviation(row)
        };
        let bounds: Vec<f64> = choosable.iter().map(above).collect();
        let first = largest_first(&bounds).into_iter().take(CONTENDERS).map(|k| site(choosable[k]));
        let contenders: BTreeSet<usize> = first.chain([site(pick.index())]).collect();
        let coming: Vec<usize> = under_way.iter().chain(&next).chain(&later).copied().collect();
        let rows: BTreeSet<usize> = contenders.iter().chain(&measured).chain(&coming).copied().collect();
        let rows: Vec<usize> = rows.into_iter().collect();
        let place = |row: usize| rows.binary_search(&row).expect("its site is among the rows");
        let may_be_picked: BTreeSet<usize> = choosable.iter().map(|&row| site(row)).collect();
        let until = [under_way.len(), under_way.len() + next.len(), coming.len()];
        // Who chooses among others can pick any of them at any time.
        let eligible_after = |count: usize| -> BTreeSet<usize> {
            match space.chooses_among_itself() {
                true => measured
                    .iter()
                    .chain(&coming[..count])
                    .copied()
                    .filter(|row| may_be_picked.contains(row))
                    .collect(),
                false => contenders.clone(),
            }
        };
        let eligible = until.map(eligible_after);
        let followed: BTreeSet<usize> =
            eligible[2].iter().chain(&coming).chain([&site(pick.index())]).copied().collect();
        let followed: Vec<usize> = followed.into_iter().collect();
        let among = |row: &usize| followed.binary_search(row).expect("it is followed");
        let points = |sites: &[usize]| sites.iter().map(|&row| PointId::new(place(row))).collect();
        let places = |rows: &[usize]| rows.iter().map(|&row| RowId::new(place(row))).collect();
        let local =
            |one: &Measurement| Measurement { point: PointId::new(place(site(one.point.index()))), ..*one };
        Self {
            space: space.part(&rows),
            data: of.data.iter().map(local).collect(),
            pick: RowId::new(place(site(pick.index()))),
            eligible: eligible.map(|rows| rows.iter().map(among).collect()),
            coming: points(&coming),
            until,
            followed: places(&followed),
            contenders: contenders.iter().map(|&row| RowId::new(place(row))).collect(),
        }
    }

    /// What happens in many worlds, drawn where `truth` is the model; `learner` picks.
    fn draws(&self, truth: &Fit, learner: &Learner, values: &mut Stream, outcomes: Stream) -> Draws {
        let rows: Vec<RowId> = (0..self.space.points()).map(RowId::new).collect();
        let worlds = truth.posterior(PosteriorOver::Points).samples(&rows, TRUTHS, values);
        let (mut normals, noise) = (Normals::new(outcomes), truth.next_noise().sqrt());
        let value = |mean: f64| truth.outcome().inverse(mean);
        let mut draws = Draws::default();
        for world in (0..TRUTHS).map(|k| worlds.row(k)) {
            let [old, next, last] = learner.picks(self, |row| world[row] + noise * normals.draw());
            let best = self.contenders.iter().map(|row| world[row.index()]).fold(f64::NEG_INFINITY, f64::max);
            let now = world[self.pick.index()];
            draws.gains.push(value(world[next]) - value(world[old]));
            draws.gains_ahead.push(value(world[last]) - value(world[old]));
            draws.losses.push(value(best) - value(now));
        }
        draws
    }
}

/// The fitted model as it learns outcomes one by one: its means are linear in them.
struct Learner {
    /// The means of the rows that are followed.
    means: Vec<f64>,
    steps: Vec<Lesson>,
}

/// What one measurement to come teaches, those before it supposed to be in.
struct Lesson {
    /// Its row, also among those that are followed.
    row: usize,
    followed: usize,
    /// The standard deviation of its outcome.
    deviation: f64,
    /// What every mean moves by when the outcome is one such deviation above what is expected.
    moved: Vec<f64>,
}

impl Lesson {
    /// Moves all means by what an outcome teaches.
    fn learn(&self, outcome: f64, means: &mut [f64]) {
        let surprise = (outcome - means[self.followed]) / self.deviation;
        add_scaled_row(means, surprise, &self.moved);
    }
}

impl Learner {
    fn new(fit: &Fit, part: &Part) -> Self {
        let mut posterior = fit.posterior(PosteriorOver::Points);
        let means = part.followed.iter().map(|row| posterior.mean(*row)).collect();
        let lesson = |point: &PointId| {
            posterior.measure(*point);
            let (deviation, moved) = posterior.last_measured().expect("it was just measured");
            let row = point.index();
            let followed = part.followed.binary_search(&RowId::new(row)).expect("it is followed");
            let moved = part.followed.iter().map(|row| moved[row.index()]).collect();
            Lesson { row, followed, deviation, moved }
        };
        Self { means, steps: part.coming.iter().map(lesson).collect() }
    }

    /// The rows picked once all under way are in, once the batch is, and once all are, with these outcomes.
    fn picks(&self, part: &Part, mut outcome: impl FnMut(usize) -> f64) -> [usize; 3] {
        let mut means = self.means.clone();
        let mut picks = [part.pick.index(); 3];
        let mut learned = 0;
        for (pick, (until, eligible)) in picks.iter_mut().zip(part.until.iter().zip(&part.eligible)) {
            for lesson in &self.steps[learned..*until] {
                lesson.learn(outcome(lesson.row), &mut means);
            }
            learned = *until;
            // Before the first of them is in, the pick is what it is.
            if learned > 0 {
                *pick = part.followed[largest_of(eligible, &means)].index();
            }
        }
        picks
    }
}

/// The place with the largest mean, ties to the first.
fn largest_of(places: &[usize], means: &[f64]) -> usize {
    let of: Vec<f64> = places.iter().map(|place| means[*place]).collect();
    places[first_largest(&of).expect("there is a row, and its mean is finite")]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bandit::{CalibratedSettings, Goal, Policy};
    use crate::numerics::{Cholesky, Matrix};
    use crate::surrogate::{Columns, Surrogate};

    /// A curve over a line of points, some of them measured; `noise` is added with alternating sign.
    fn campaign(points: usize, measured: &[usize], noise: f64, members: usize) -> Calibrated {
        let space = Space::new(&Columns::numeric(Matrix::from_fn(points, 1, |i, _| i as f64)), None).unwrap();
        let settings = CalibratedSettings::default().seed(5).members(members).start(1);
        let mut policy = Calibrated::new(space, Goal::Best { epsilon: 0.0 }, settings).unwrap();
        let curve = |i: usize| 50.0 + 20.0 * (0.4 * i as f64).sin() + 0.7 * i as f64;
        let sign = |k: usize| if k.is_multiple_of(2) { noise } else { -noise };
        let told: Vec<_> = measured
            .iter()
            .enumerate()
            .map(|(k, &i)| (PointId::new(i), (curve(i) + sign(k)).into()))
            .collect();
        policy.note(&told).unwrap();
        policy
    }

    /// The same by brute force at the fitted parameters: every world is measured, the model is conditioned anew, and it picks.
    fn simulated(policy: &Calibrated, batch: &[PointId], worlds: usize) -> (f64, f64) {
        let model = policy.model().unwrap().unwrap();
        let (fit, n) = (&model.fit, policy.space.points());
        let surrogate = Surrogate::default().outcome(fit.outcome().clone());
        let at = |i: usize| RowId::new(i);
        let covariance = Matrix::from_fn(n, n, |i, j| {
            model.posterior.covariance(at(i), at(j)) + if i == j { 1e-10 } else { 0.0 }
        });
        let factor = Cholesky::new(covariance).unwrap();
        let upper = factor.upper();
        let mut normals = Normals::new(Stream::of_seed(77));
        let value = |mean: f64| fit.outcome().inverse(mean);
        let pick = policy.pick_of(model).unwrap().index();
        let (mut gain, mut loss) = (0.0, 0.0);
        for _ in 0..worlds {
            let z: Vec<f64> = (0..n).map(|_| normals.draw()).collect();
            let world: Vec<f64> = (0..n)
                .map(|i| model.posterior.mean(at(i)) + (0..=i).map(|k| upper[(k, i)] * z[k]).sum::<f64>())
                .collect();
            let mut data = policy.data.clone();
            for point in batch {
                let outcome = world[point.index()] + fit.next_noise().sqrt() * normals.draw();
                data.push(Measurement::new(*point, value(outcome)));
            }
            let after =
                surrogate.at(&policy.space, &data, fit.parameters()).unwrap().means(PosteriorOver::Points);
            let measured: BTreeSet<usize> = data.iter().map(|one| one.point.index()).collect();
            let new = measured.into_iter().max_by(|a, b| after[*a].total_cmp(&after[*b])).unwrap();
            gain += (value(world[new]) - value(world[pick])) / worlds as f64;
            let best = world.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            loss += (value(best) - value(world[pick])) / worlds as f64;
        }
        (gain, loss)
    }

    #[test]
    fn gain_and_loss_are_those_of_campaigns_that_go_on() {
        // At the fitted parameters alone, over many streams.
        let policy = campaign(14, &[0, 2, 5, 7, 9], 2.0, 0);
        let (batch, _) = policy.choose(3, &[]).unwrap();
        let wanted = Wanted::batch(3);
        let outlooks: Vec<Outlook> = (0..24)
            .map(|seed| {
                let mut policy = campaign(14, &[0, 2, 5, 7, 9], 2.0, 0);
                policy.settings = policy.settings.clone().seed(seed);
                policy.outlook_of(&wanted).unwrap().unwrap()
            })
            .collect();
        let mean = |of: fn(&Outlook) -> f64| outlooks.iter().map(of).sum::<f64>() / 24.0;
        let (gain, loss) = simulated(&policy, &batch, 6000);
        assert!(gain > 0.5, "there is something to gain: {gain}");
        for (ours, simulated) in [(mean(|o| o.gain.mean), gain), (mean(|o| o.loss.mean), loss)] {
            // 6,144 and 6,000 draws of something about twice as wide as its mean.
            assert!((ours - simulated).abs() < 0.1 * simulated, "{ours} {simulated}");
        }
    }

    #[test]
    fn means_after_a_batch_are_those_of_the_model_conditioned_anew() {
        let policy = campaign(14, &[0, 2, 5, 7, 9, 7], 2.0, 0);
        let model = policy.model().unwrap().unwrap();
        let batch: Vec<PointId> = [3, 7, 12, 3].map(PointId::new).to_vec();
        let part = Part::new(&policy, model, policy.pick_of(model).unwrap(), &[], [&batch, &[]]);
        let surrogate = Surrogate::default().outcome(model.fit.outcome().clone());
        let learner =
            Learner::new(&surrogate.at(&part.space, &part.data, model.fit.parameters()).unwrap(), &part);
        let (mut means, mut data) = (learner.means.clone(), part.data.clone());
        for (lesson, outcome) in learner.steps.iter().zip([58.0, 71.0, 40.0, 63.0]) {
            lesson.learn(model.fit.outcome().forward(outcome), &mut means);
            data.push(Measurement::new(PointId::new(lesson.row), outcome));
        }
        let anew =
            surrogate.at(&part.space, &data, model.fit.parameters()).unwrap().means(PosteriorOver::Points);
        for (mean, row) in means.iter().zip(&part.followed) {
            assert!((mean - anew[row.index()]).abs() < 1e-8, "{row:?}: {mean} {}", anew[row.index()]);
        }
    }

    #[test]
    fn what_is_known_exactly_gains_and_loses_nothing() {
        let all: Vec<usize> = (0..12).chain(0..12).collect();
        let policy = campaign(12, &all, 0.0, 8);
        let outlook = policy.outlook_of(&Wanted::batch(4)).unwrap().unwrap();
        let Outlook { gain, gain_ahead, loss, range, .. } = &outlook;
        for number in [gain.mean, gain.upper, gain_ahead.mean, loss.mean, loss.upper] {
            assert!(number.abs() < 1e-3 * range, "{outlook:?}");
        }
        assert_eq!(outlook.within(0.01 * range), 1.0);
    }

    #[test]
    fn a_batch_that_tells_more_gains_no_less() {
        for members in [0, 8] {
            let policy = campaign(30, &[0, 4, 11, 15, 22], 3.0, members);
            let gain = |batch| policy.outlook_of(&Wanted::batch(batch)).unwrap().unwrap().gain.mean;
            let gains = [1, 3, 9].map(gain);
            assert!(gains[0] < gains[1] && gains[1] < gains[2], "{members}: {gains:?}");
            let outlook = policy.outlook_of(&Wanted::batch(3)).unwrap().unwrap();
            assert!(outlook.gain_ahead.mean > outlook.gain.mean && outlook.ahead == 9, "{outlook:?}");
            assert!(
                outlook.gain_ahead.mean < outlook.loss.mean,
                "nobody gains more than is missing: {outlook:?}"
            );
        }
    }

    #[test]
    fn measurements_under_way_are_no_gain_of_the_next_batch() {
        let policy = campaign(14, &[0, 2, 5, 7, 9], 2.0, 8);
        let rest: Vec<PointId> = (0..14).flat_map(|i| [PointId::new(i); 6]).collect();
        let alone = policy.outlook_of(&Wanted::batch(3)).unwrap().unwrap();
        let wanted = Wanted { pending: &rest, ..Wanted::batch(3) };
        let beside = policy.outlook_of(&wanted).unwrap().unwrap();
        assert!(beside.gain.mean < 0.2 * alone.gain.mean, "{} {}", beside.gain.mean, alone.gain.mean);
    }

    #[test]
    fn before_there_are_data_nothing_is_said_and_what_is_said_is_the_same_again() {
        let empty = campaign(9, &[], 0.0, 8);
        assert_eq!(empty.outlook_of(&Wanted::batch(3)).unwrap(), None);
        let policy = campaign(9, &[1, 5], 1.0, 8);
        let outlook = || policy.outlook_of(&Wanted::batch(3)).unwrap();
        assert_eq!(outlook(), outlook());
    }

    #[test]
    fn quantiles_are_the_draws_in_order() {
        let draws = [0.0, 1.0, 2.0, 3.0];
        assert_eq!(
            [0.0, 0.25, 0.26, 0.5, 1.0].map(|share| quantile(&draws, share)),
            [0.0, 0.0, 1.0, 1.0, 3.0]
        );
    }
}
