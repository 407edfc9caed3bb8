//! Upper confidence bounds in turn with points that tell the likely best choices apart at little cost: for choices that cannot be measured.

use super::posterior_xy::Differences;
use super::slate::Slate;
use super::ucb;
use crate::bandit::ties::{first_largest, largest_first};
use crate::pool::PointId;
use rand::Rng;

/// Choices that are drawn jointly, those of the largest upper confidence bounds.
const CONTENDERS: usize = 200;
/// Deviations above the mean by which they are found.
const REACH: f64 = 3.0;
/// Draws: how often a choice is the best of one is its weight.
const DRAWS: usize = 256;
/// Choices kept, those of the largest weights.
const KEPT: usize = 32;
/// A measurement that tells choices apart is worth its slot when it moves their differences by this share of the expected loss. What
/// is rough about a choice itself is part of the loss, and no measurement of others takes it away.
const WORTH_A_SLOT: f64 = 0.1;
/// The least that a measurement costs, in the model's units, where outcomes have a deviation of about one.
const NO_COST: f64 = 1e-9;

/// The scores of the slots, turn by turn.
pub(super) struct Mixed {
    differences: Differences,
    /// What the leader is expected to be below the best choice, at the start of the batch.
    expected_loss: f64,
}

impl Mixed {
    pub(super) fn new(slate: &Slate, random: &mut impl Rng) -> Self {
        let LikelyBest { weights, expected_loss } = LikelyBest::drawn(slate, random);
        Self { differences: Differences::new(slate, &weights), expected_loss }
    }

    /// Every other measurement of the campaign tells choices apart, while that is worth it; the rest are upper confidence bounds.
    ///
    /// The point that tells apart is the one that explains most for the square of what it is expected to cost itself: the information
    /// ratio of Russo and Van Roy (2018), turned over.
    pub(super) fn scores(&self, slate: &Slate, optimism: f64) -> Vec<f64> {
        if slate.measurements().is_multiple_of(2) {
            return ucb::scores(slate, optimism);
        }
        let explained = self.differences.scores(slate);
        let ratios: Vec<f64> = explained
            .iter()
            .zip(expected_costs(slate))
            .map(|(explained, cost)| explained / (cost * cost))
            .collect();
        let moved = first_largest(&ratios).map_or(0.0, |point| explained[point].sqrt());
        if moved < WORTH_A_SLOT * self.expected_loss { ucb::scores(slate, optimism) } else { ratios }
    }

    pub(super) fn suppose(&mut self, slate: &Slate, point: PointId) {
        self.differences.suppose(slate, point);
    }
}

/// How far the mean of every point is below the largest `mean + deviation` of a point: about what measuring it costs.
fn expected_costs(slate: &Slate) -> impl Iterator<Item = f64> {
    let top = ucb::scores(slate, 1.0).into_iter().fold(f64::NEG_INFINITY, f64::max);
    slate.posterior.means().iter().map(move |mean| (top - mean).max(NO_COST))
}

/// The choices that are the best of some joint draw.
struct LikelyBest {
    /// With the share of draws as weight.
    weights: Vec<(PointId, f64)>,
    /// The average of what the leader is below the best.
    expected_loss: f64,
}

impl LikelyBest {
    fn drawn(slate: &Slate, random: &mut impl Rng) -> Self {
        let (model, posterior) = (slate.model, &slate.posterior);
        let above: Vec<f64> = (0..model.choices())
            .map(|z| model.choice_mean(z) + REACH * posterior.deviation(model.choice(z)))
            .collect();
        let leader = model.choice(model.leader());
        let mut contenders: Vec<PointId> =
            largest_first(&above).into_iter().take(CONTENDERS).map(|z| model.choice(z)).collect();
        contenders.push(leader);
        contenders.sort_unstable();
        contenders.dedup();
        let leader = contenders.binary_search(&leader).expect("the leader is among them");
        let draws = posterior.samples(&contenders, DRAWS, random);
        let (mut wins, mut expected_loss) = (vec![0.0; contenders.len()], 0.0);
        for draw in (0..DRAWS).map(|k| draws.row(k)) {
            let best = first_largest(draw).expect("there is a choice");
            wins[best] += 1.0 / DRAWS as f64;
            expected_loss += (draw[best] - draw[leader]) / DRAWS as f64;
        }
        let order = largest_first(&wins).into_iter().take(KEPT).filter(|&k| wins[k] > 0.0);
        Self { weights: order.map(|k| (contenders[k], wins[k])).collect(), expected_loss }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bandit::calibrated::model::Model;
    use crate::linalg::Matrix;
    use crate::surrogate::{Columns, Measurement, Space, Surrogate};
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    /// Twenty points on a line, three of them measured, and two choices between them.
    fn model() -> Model {
        let line = |at: &[f64]| Columns::numeric(Matrix::from_fn(at.len(), 1, |i, _| at[i]));
        let points: Vec<f64> = (0..20).map(f64::from).collect();
        let space = Space::new(&line(&points), Some(&line(&[3.5, 12.5]))).unwrap();
        let data = [(1, 0.2), (9, 1.0), (16, 0.4)].map(|(row, y)| Measurement::new(PointId::new(row), y));
        Model::new(Surrogate::default().fit(&space, &data, None).unwrap())
    }

    #[test]
    fn the_expected_loss_of_one_of_two_choices_is_that_of_a_normal_difference() {
        let model = model();
        let slate = Slate::new(&model, vec![0; 20], 3, 10);
        let (leader, other) = (model.leader(), 1 - model.leader());
        let places = [leader, other].map(|z| model.choice(z));
        let variance = slate.posterior.variance(places[0]) + slate.posterior.variance(places[1])
            - 2.0 * slate.posterior.covariance(places[0], places[1]);
        let (mean, deviation) = (model.choice_mean(other) - model.choice_mean(leader), variance.sqrt());
        // E max(0, mean + deviation · t) under a standard normal t, by the trapezoidal rule.
        let density = |t: f64| (-0.5 * t * t).exp() / (2.0 * std::f64::consts::PI).sqrt();
        let at = |k: i32| f64::from(k) / 100.0;
        let expected: f64 =
            (-800..=800).map(|k| (mean + deviation * at(k)).max(0.0) * density(at(k)) / 100.0).sum();
        let mut random = ChaCha8Rng::seed_from_u64(4);
        let drawn: Vec<f64> = (0..40).map(|_| LikelyBest::drawn(&slate, &mut random).expected_loss).collect();
        let average = drawn.iter().sum::<f64>() / drawn.len() as f64;
        // 10,240 draws of something with a deviation of about half that of the difference.
        assert!((average - expected).abs() < 0.02 * deviation, "{average} {expected}");
    }

    #[test]
    fn what_tells_apart_is_the_most_for_the_square_of_its_cost() {
        let model = model();
        let slate = {
            let mut pulls = vec![0; 20];
            pulls[1] = 3;
            Slate::new(&model, pulls, 9, 10)
        };
        let mixed = Mixed::new(&slate, &mut ChaCha8Rng::seed_from_u64(4));
        let (ours, explained) = (mixed.scores(&slate, 2.0), mixed.differences.scores(&slate));
        let at =
            |k: usize| (slate.posterior.mean(PointId::new(k)), slate.posterior.deviation(PointId::new(k)));
        let top = (0..20).map(|k| at(k).0 + at(k).1).fold(f64::NEG_INFINITY, f64::max);
        for (k, explained) in explained.iter().enumerate() {
            let expected = explained / (top - at(k).0).powi(2);
            assert!((ours[k] - expected).abs() <= 1e-12 * expected, "{k}: {} {expected}", ours[k]);
        }
        let [cheap, telling] = [&ours, &explained].map(|scores| first_largest(scores).unwrap());
        assert!(cheap != telling && at(cheap).0 > at(telling).0, "{cheap} costs less than {telling}");
    }

    #[test]
    fn choices_are_told_apart_every_other_time_and_while_that_is_worth_it() {
        let model = model();
        let mut random = ChaCha8Rng::seed_from_u64(4);
        let mut scores = |measured: u64, loss: Option<f64>| {
            let mut pulls = vec![0; 20];
            pulls[1] = measured;
            let slate = Slate::new(&model, pulls, 3, 10);
            let mut mixed = Mixed::new(&slate, &mut random);
            mixed.expected_loss = loss.unwrap_or(mixed.expected_loss);
            (mixed.scores(&slate, 2.0), ucb::scores(&slate, 2.0))
        };
        for (measured, loss, apart) in
            [(3, None, true), (4, None, false), (3, Some(1e3), false), (4, Some(0.0), false)]
        {
            let (ours, bounds) = scores(measured, loss);
            assert_eq!(ours != bounds, apart, "{measured} measurements, expected loss {loss:?}");
        }
    }
}
