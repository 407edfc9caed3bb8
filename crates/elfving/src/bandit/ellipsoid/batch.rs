//! Which points to measure: those that sharpen the open comparison most.

use super::contest::{Contest, Pair};
use super::snapshot::{Geometry, Snapshot};
use crate::bandit::batch_rules::Counts;
use crate::bandit::{Precision, Wanted, Why};
use crate::estimate::Assumptions;
use crate::numerics::first_largest;
use crate::numerics::{add_scaled_row, apply, dot, norm_squared};
use crate::pool::{ChoiceId, PointId};
use std::borrow::Cow;

/// The algorithm box (LinGapE of Xu, Honda and Sugiyama 2018, with a kernel and in batches): take the open comparison v,
/// measure the point that reduces its variance most, `argmax (φᵀV⁻¹v)² / (1/w + φᵀV⁻¹φ)`, suppose it measured, again. The
/// means are held inside a batch. Cost: (n + m) r a point.
pub(super) fn choose_batch(
    snapshot: &Snapshot,
    mut contest: Contest,
    precision: &Precision,
    assumed: &Assumptions,
    wanted: &Wanted,
    may_measure: impl Fn(PointId) -> bool,
) -> (Vec<PointId>, Vec<Why>) {
    let geometry = match contest.open_pair(assumed) {
        Some(pair) => snapshot.geometry_of(&pair.difference, assumed),
        None => Cow::Borrowed(snapshot.geometry()),
    };
    for pair in contest.all_pairs() {
        pair.difference.norm = geometry.distance(pair.rival, pair.leader);
        pair.difference.norm_now = pair.difference.norm;
    }
    let mut supposed = Supposed::new(&geometry, precision);
    let mut counts = Counts::new(precision.counts(), wanted);
    for point in wanted.pending {
        supposed.measure(point.index(), &mut contest);
    }
    let mut chosen = Vec::new();
    for _ in 0..wanted.batch {
        let may = |point: usize| counts.allow(point) && may_measure(PointId::new(point));
        let (point, why) = match contest.open_pair(assumed) {
            Some(pair) => (supposed.sharpest(pair.rival, pair.leader, may), why(pair, assumed)),
            // One choice and nothing to compare it with: any point is as good as another.
            None => ((0..precision.counts().len()).find(|&point| may(point)), Why::Start),
        };
        let Some(point) = point else { break };
        counts.add(point);
        supposed.measure(point, &mut contest);
        chosen.push((PointId::new(point), why));
    }
    chosen.into_iter().unzip()
}

fn why(pair: &Pair, assumed: &Assumptions) -> Why {
    let (rival, leader) = (ChoiceId::new(pair.rival), ChoiceId::new(pair.leader));
    Why::Comparison { rival, leader, width: pair.difference.width(assumed) }
}

/// V⁻¹ after the points of the batch so far, as `I - Σ_j g_j g_jᵀ` in the coordinates of the snapshot.
struct Supposed<'a> {
    geometry: &'a Geometry,
    precision: &'a Precision,
    /// `φᵀV⁻¹φ` of every point.
    norms: Vec<f64>,
    steps: Vec<Step>,
}

struct Step {
    g: Vec<f64>,
    /// `⟨g, φ⟩` of every point.
    at_points: Vec<f64>,
    /// `⟨g, z⟩` of every choice, when these are not the points.
    at_choices: Option<Vec<f64>>,
}

impl Step {
    fn at_choice(&self, i: usize) -> f64 {
        self.at_choices.as_ref().unwrap_or(&self.at_points)[i]
    }
}

impl<'a> Supposed<'a> {
    fn new(geometry: &'a Geometry, precision: &'a Precision) -> Self {
        let points = geometry.points();
        let norms = (0..points.rows()).map(|i| norm_squared(points.row(i))).collect();
        Self { geometry, precision, norms, steps: Vec::new() }
    }

    /// The point that reduces the variance of `rival - leader` most, among those that may be measured.
    fn sharpest(&self, rival: usize, leader: usize, may: impl Fn(usize) -> bool) -> Option<usize> {
        let choices = &self.geometry.choices;
        let mut v: Vec<f64> =
            choices.row(rival).iter().zip(choices.row(leader)).map(|(a, b)| a - b).collect();
        for step in &self.steps {
            add_scaled_row(&mut v, step.at_choice(leader) - step.at_choice(rival), &step.g);
        }
        let scores: Vec<f64> = apply(self.geometry.points(), &v)
            .iter()
            .enumerate()
            .map(|(i, covariance)| match may(i) {
                true => covariance * covariance / (1.0 / self.precision.weight(i) + self.norms[i]),
                false => f64::NEG_INFINITY,
            })
            .collect();
        first_largest(&scores)
    }

    /// Supposes a point measured, and shortens every difference of the contest.
    fn measure(&mut self, point: usize, contest: &mut Contest) {
        let points = self.geometry.points();
        let mut g = points.row(point).to_vec();
        for step in &self.steps {
            add_scaled_row(&mut g, -step.at_points[point], &step.g);
        }
        let scale = 1.0 / (1.0 / self.precision.weight(point) + dot(&g, points.row(point))).sqrt();
        g.iter_mut().for_each(|entry| *entry *= scale);
        let at_points = apply(points, &g);
        let other_choices = !self.precision.pool().chooses_among_itself();
        let at_choices = other_choices.then(|| apply(&self.geometry.choices, &g));
        for (norm, at) in self.norms.iter_mut().zip(&at_points) {
            *norm = (*norm - at * at).max(0.0);
        }
        let step = Step { g, at_points, at_choices };
        for pair in contest.all_pairs() {
            let along = step.at_choice(pair.rival) - step.at_choice(pair.leader);
            let norm = &mut pair.difference.norm;
            *norm = (*norm * *norm - along * along).max(0.0).sqrt();
        }
        self.steps.push(step);
    }
}
