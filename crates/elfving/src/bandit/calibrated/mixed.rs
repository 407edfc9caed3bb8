//! Upper confidence bounds in turn with points that tell the likely best choices apart at little cost: for choices that cannot be measured.

use super::posterior_xy::Differences;
use super::scores;
use super::slate::{Ground, Slate};
use crate::numerics::rng::Stream;
use crate::numerics::{first_largest, largest_first};
use crate::pool::{ChoiceId, PointId};
use crate::surrogate::RowId;

/// Choices that are drawn jointly, those of the largest upper confidence bounds.
const CONTENDERS: usize = 200;
/// Deviations above the mean by which they are found.
const REACH: f64 = 3.0;
/// Draws: how often a choice is the best of one is its weight.
const DRAWS: usize = 256;
/// Choices kept, those of the largest weights.
const KEPT: usize = 32;
/// One measurement of so many tells choices apart.
const EVERY: u64 = 6;
/// The power of the cost that what a measurement tells is divided by.
const THRIFT: f64 = 2.25;
/// The least that a measurement costs, in the model's units, where outcomes have a deviation of about one.
const NO_COST: f64 = 1e-9;

/// The scores of the slots, turn by turn.
pub(super) struct Mixed {
    differences: Differences,
}

impl Mixed {
    pub(super) fn new(slate: &Slate, random: &mut Stream) -> Self {
        Self { differences: Differences::new(slate, &likely_best(slate, random)) }
    }

    /// Every sixth measurement of the campaign tells choices apart.
    pub(super) fn ground(slate: &Slate) -> Ground {
        if slate.measurements() % EVERY == 1 { Ground::Telling } else { Ground::Promise }
    }

    /// Upper confidence bounds, and for a slot that tells apart what a point tells over what it costs.
    ///
    /// The point that tells apart is the one that explains most for a power of what it is expected to cost itself. With the square that is
    /// the information ratio of Russo and Van Roy (2018), turned over; a little more was measured to pay less for the same picks.
    pub(super) fn scores(&self, slate: &Slate, optimism: f64) -> Vec<f64> {
        if Self::ground(slate) == Ground::Promise {
            return scores::optimistic(slate, optimism);
        }
        let explained = self.differences.scores(slate);
        explained
            .iter()
            .zip(expected_costs(slate))
            .map(|(explained, cost)| explained / cost.powf(THRIFT))
            .collect()
    }

    pub(super) fn suppose(&mut self, slate: &Slate, point: PointId) {
        self.differences.suppose(slate, point);
    }
}

/// How far the mean of every point is below the largest `mean + deviation` of a point: about what measuring it costs.
fn expected_costs(slate: &Slate) -> impl Iterator<Item = f64> {
    let top = scores::optimistic(slate, 1.0).into_iter().fold(f64::NEG_INFINITY, f64::max);
    slate.posterior.means().iter().map(move |mean| (top - mean).max(NO_COST))
}

/// The choices that are the best of some joint draw, with the share of draws as weight.
fn likely_best(slate: &Slate, random: &mut Stream) -> Vec<(RowId, f64)> {
    let (model, posterior) = (slate.model, &slate.posterior);
    let above: Vec<f64> =
        model.choices().map(|z| model.choice_mean(z) + REACH * posterior.deviation(model.row(z))).collect();
    let first = largest_first(&above).into_iter().take(CONTENDERS);
    let mut contenders: Vec<RowId> = first.map(|z| model.row(ChoiceId::new(z))).collect();
    contenders.sort_unstable();
    contenders.dedup();
    let draws = posterior.samples(&contenders, DRAWS, random);
    let mut wins = vec![0.0; contenders.len()];
    for draw in (0..DRAWS).map(|k| draws.row(k)) {
        wins[first_largest(draw).expect("there is a choice")] += 1.0 / DRAWS as f64;
    }
    let order = largest_first(&wins).into_iter().take(KEPT).filter(|&k| wins[k] > 0.0);
    order.map(|k| (contenders[k], wins[k])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bandit::calibrated::model::Model;
    use crate::bandit::calibrated::slate::Rules;
    use crate::numerics::Matrix;
    use crate::surrogate::{Columns, Measurement, Space, Surrogate};

    /// Twenty points on a line, three of them measured, and two choices between them.
    fn model() -> Model {
        let line = |at: &[f64]| Columns::numeric(Matrix::from_fn(at.len(), 1, |i, _| at[i]));
        let points: Vec<f64> = (0..20).map(f64::from).collect();
        let space = Space::new(&line(&points), Some(&line(&[3.5, 12.5]))).unwrap();
        let data = [(1, 0.2), (9, 1.0), (16, 0.4)].map(|(row, y)| Measurement::new(PointId::new(row), y));
        Model::new(Surrogate::default().fit(&space, &data, None).unwrap())
    }

    fn slate(model: &Model, pulls: Vec<u64>, settled_at: u64) -> Slate<'_> {
        Slate::new(model, pulls, Rules::free(20, settled_at), None)
    }

    #[test]
    fn a_choice_weighs_as_often_as_it_is_the_best_of_a_draw() {
        let model = model();
        let slate = slate(&model, vec![0; 20], 3);
        let choices = [0, 1].map(ChoiceId::new);
        let places = choices.map(|z| model.row(z));
        let variance = slate.posterior.variance(places[0]) + slate.posterior.variance(places[1])
            - 2.0 * slate.posterior.covariance(places[0], places[1]);
        let (mean, deviation) =
            (model.choice_mean(choices[1]) - model.choice_mean(choices[0]), variance.sqrt());
        // P(mean + deviation · t > 0) under a standard normal t, by the trapezoidal rule.
        let density = |t: f64| (-0.5 * t * t).exp() / (2.0 * std::f64::consts::PI).sqrt();
        let at = |k: i32| f64::from(k) / 1000.0;
        let expected: f64 =
            (-8000..=8000).filter(|&k| mean + deviation * at(k) > 0.0).map(|k| density(at(k)) / 1000.0).sum();
        let mut random = Stream::of_seed(4);
        let mut share = 0.0;
        for _ in 0..40 {
            let weights = likely_best(&slate, &mut random);
            share +=
                weights.iter().filter(|(place, _)| *place == places[1]).map(|(_, w)| w / 40.0).sum::<f64>();
        }
        // 10,240 draws: a standard error of at most 0.005.
        assert!((share - expected).abs() < 0.02, "{share} {expected}");
    }

    #[test]
    fn what_tells_apart_is_the_most_for_a_power_of_its_cost() {
        let model = model();
        let slate = {
            let mut pulls = vec![0; 20];
            pulls[1] = 7;
            slate(&model, pulls, 9)
        };
        let mixed = Mixed::new(&slate, &mut Stream::of_seed(4));
        let (ours, explained) = (mixed.scores(&slate, 2.0), mixed.differences.scores(&slate));
        let at = |k: usize| (slate.posterior.mean(RowId::new(k)), slate.posterior.deviation(RowId::new(k)));
        let top = (0..20).map(|k| at(k).0 + at(k).1).fold(f64::NEG_INFINITY, f64::max);
        for (k, explained) in explained.iter().enumerate() {
            let expected = explained / (top - at(k).0).powf(2.25);
            assert!((ours[k] - expected).abs() <= 1e-12 * expected, "{k}: {} {expected}", ours[k]);
        }
        let [cheap, telling] = [&ours, &explained].map(|scores| first_largest(scores).unwrap());
        assert!(cheap != telling && at(cheap).0 > at(telling).0, "{cheap} costs less than {telling}");
    }

    #[test]
    fn choices_are_told_apart_every_sixth_time() {
        let model = model();
        let mut random = Stream::of_seed(4);
        for measured in 3..16 {
            let mut pulls = vec![0; 20];
            pulls[1] = measured;
            let slate = slate(&model, pulls, 3);
            let ours = Mixed::new(&slate, &mut random).scores(&slate, 2.0);
            assert_eq!(ours != scores::optimistic(&slate, 2.0), measured % 6 == 1, "{measured}");
        }
    }
}
