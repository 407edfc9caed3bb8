//! Elimination by posterior widths with an XY design: the points that tell the leader from its strongest rival.

use super::slate::Slate;
use crate::numerics::first_largest;
use crate::pool::{ChoiceId, PointId};
use crate::surrogate::RowId;

/// The variance that measuring each point takes from the difference of the leader and its strongest rival, that with the largest
/// `mean difference + b · deviation of the difference`: `(cov(x, rival) - cov(x, leader))² / (var(x) + s²)`.
///
/// A choice whose difference is known to be negative by b deviations is never the rival while another one is not: it is eliminated,
/// until the data say otherwise.
pub(super) fn scores(slate: &Slate, optimism: f64) -> Vec<f64> {
    let (model, posterior) = (slate.model, &slate.posterior);
    let leader = model.leader();
    let with_leader = posterior.covariances(model.row(leader));
    let rival = strongest_rival(slate, leader, &with_leader, optimism);
    // A single choice has no rival: then its own variance is what is left to know.
    let mut covariances =
        rival.map_or_else(|| vec![0.0; with_leader.len()], |rival| posterior.covariances(rival));
    covariances.iter_mut().zip(&with_leader).for_each(|(rival, leader)| *rival -= leader);
    let noise = model.fit.next_noise();
    let variances = posterior.variances();
    (0..slate.space().points()).map(|x| covariances[x].powi(2) / (variances[x] + noise)).collect()
}

fn strongest_rival(slate: &Slate, leader: ChoiceId, with_leader: &[f64], optimism: f64) -> Option<RowId> {
    let (model, variances) = (slate.model, slate.posterior.variances());
    let own = variances[model.row(leader).index()];
    let above = |z: ChoiceId| {
        let place = model.row(z).index();
        let variance = (variances[place] + own - 2.0 * with_leader[place]).max(0.0);
        let rival = z != leader;
        if rival { model.choice_mean(z) + optimism * variance.sqrt() } else { f64::NEG_INFINITY }
    };
    let strengths: Vec<f64> = model.choices().map(above).collect();
    first_largest(&strengths).map(|z| model.row(ChoiceId::new(z)))
}

/// Weighted differences of choices from the leader: what is to be known when several choices may be best.
pub(super) struct Differences {
    /// The weight p_z of each contender, and `cov(x, z) - cov(x, leader)` for every row x.
    contenders: Vec<(f64, Vec<f64>)>,
}

impl Differences {
    /// Cost: n (G + m) for each contender.
    pub(super) fn new(slate: &Slate, weighted: &[(RowId, f64)]) -> Self {
        let with_leader = slate.posterior.covariances(slate.model.row(slate.model.leader()));
        let against = |&(row, weight): &(RowId, f64)| {
            let mut column = slate.posterior.covariances(row);
            column.iter_mut().zip(&with_leader).for_each(|(with, leader)| *with -= leader);
            (weight, column)
        };
        Self { contenders: weighted.iter().map(against).collect() }
    }

    /// `Σ_z p_z (cov(x, z) - cov(x, leader))² / (var(x) + s²)`: what a measurement takes from the weighted variances.
    pub(super) fn scores(&self, slate: &Slate) -> Vec<f64> {
        let noise = slate.model.fit.next_noise();
        let mut scores = vec![0.0; slate.space().points()];
        for (weight, column) in &self.contenders {
            scores.iter_mut().zip(column).for_each(|(score, with)| *score += weight * with * with);
        }
        let variances = slate.posterior.variances();
        scores.iter_mut().zip(variances).for_each(|(score, variance)| *score /= variance + noise);
        scores
    }

    /// Takes the point that was chosen last as measured.
    pub(super) fn suppose(&mut self, slate: &Slate, point: PointId) {
        let Some((root, explained)) = slate.posterior.last_measured() else { return };
        for (_, column) in &mut self.contenders {
            let share = column[point.index()] / root;
            column.iter_mut().zip(explained).for_each(|(with, explained)| *with -= share * explained);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bandit::calibrated::model::Model;
    use crate::bandit::calibrated::slate::{Ground, Rules};
    use crate::numerics::Matrix;
    use crate::surrogate::{Columns, Measurement, Space, Surrogate};

    #[test]
    fn differences_follow_the_slots_as_if_computed_anew() {
        let table = Columns::numeric(Matrix::from_fn(30, 2, |i, j| ((i * (2 + 5 * j)) % 30) as f64));
        let space = Space::new(&table, None).unwrap();
        let data: Vec<_> = (0..8).map(|k| Measurement::new(PointId::new(3 * k), (k as f64).sin())).collect();
        let model = Model::new(Surrogate::default().fit(&space, &data, None).unwrap());
        let mut slate = Slate::new(&model, vec![0; 30], Rules::free(30, 4), None);
        let weighted = [(RowId::new(1), 0.5), (RowId::new(9), 0.3), (RowId::new(20), 0.2)];
        let mut differences = Differences::new(&slate, &weighted);
        for _ in 0..3 {
            let point = slate.fill(Ground::Telling, &differences.scores(&slate)).unwrap();
            differences.suppose(&slate, point);
        }
        let anew = Differences::new(&slate, &weighted);
        for (ours, exact) in differences.scores(&slate).iter().zip(anew.scores(&slate)) {
            assert!((ours - exact).abs() < 1e-10 * exact.abs().max(1e-3), "{ours} {exact}");
        }
    }
}
