//! The confidence set at one time: every ellipsoid that the witnesses together give.
//!
//! The true f is in `{f : ‖f‖ ≤ S, R_j(f) ≤ β_j for every witness j}`. For any `c ≥ 0` and `α > 0` that set lies in the ellipsoid
//! `Σ_j c_j R_j(f) + α‖f‖² ≤ Σ_j c_j β_j + αS²`, so the smallest bound over a grid of (c, α) holds, and nothing is paid for looking at
//! all of them. An ellipsoid without a point, squared radius below 0, means that the data refute what is assumed.

use super::testimony::{Evidence, Testimony, WITNESSES};
use super::width::norm_of;
use crate::bandit::DataCheck;
use crate::estimate::Assumptions;
use crate::numerics::{
    Cholesky, Matrix, SymmetricEigen, apply, apply_transposed, dot, first_largest, multiply_transposed,
    norm_squared, right_singular, weighted_gram,
};
use crate::pool::Pool;
use crate::units::Confidence;
use rayon::prelude::*;
use std::sync::{Arc, Mutex};

/// α, as multiples of the ridge.
const ALPHAS: [f64; 9] = [0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0];
/// The weight of the witness that heard everything beside a chosen one.
const BESIDE: f64 = 0.3;
/// Singular values of the measured points below this part of the largest are rounding.
const NOTHING: f64 = 1e-13;
/// A squared radius counts as below 0 from this part of what it is made of.
const ROUNDING: f64 = 1e-9;

/// One ellipsoid: centre `θ`, `Σ_j c_j G_j + α I`, and its radius for any assumptions.
#[derive(Debug)]
struct View {
    weights: [f64; WITNESSES],
    alpha: f64,
    /// `min_f Σ_j c_j R_j(f) + α‖f‖²`.
    least: f64,
}

impl View {
    /// The squared radius; below 0 when no f of the class is left. `limits` are the β of the witnesses.
    fn squared_radius(&self, limits: &[f64; WITNESSES], norm: f64) -> f64 {
        self.allowed(limits, norm) - self.least
    }

    fn allowed(&self, limits: &[f64; WITNESSES], norm: f64) -> f64 {
        dot(&self.weights, limits) + self.alpha * norm * norm
    }
}

/// S, σ and h, and the radius of every ellipsoid for them.
type Radii = ([f64; 3], Arc<[f64]>);

/// All ellipsoids, without the pool: what a bound of any time needs to be computed again for other assumptions.
#[derive(Debug)]
pub(super) struct Views {
    views: Vec<View>,
    evidence: Evidence,
    /// The radii for the assumptions that were asked for last.
    last: Mutex<Option<Radii>>,
}

impl Views {
    fn limits(&self, assumed: &Assumptions) -> [f64; WITNESSES] {
        std::array::from_fn(|j| self.evidence.limit(j, assumed))
    }

    /// The radius of every ellipsoid.
    pub(super) fn radii(&self, assumed: &Assumptions) -> Arc<[f64]> {
        let key = [norm_of(assumed), assumed.sigma_bound(), assumed.h()];
        let mut last = self.last.lock().expect("no thread panics with it");
        if let Some((known, radii)) = last.as_ref()
            && *known == key
        {
            return radii.clone();
        }
        let limits = self.limits(assumed);
        let radius = |view: &View| view.squared_radius(&limits, key[0]).max(0.0).sqrt();
        let radii: Arc<[f64]> = self.views.iter().map(radius).collect();
        *last = Some((key, radii.clone()));
        radii
    }

    /// `1/√α` of every ellipsoid: its half axis in a direction that no measurement sees.
    pub(super) fn unseen_axes(&self) -> impl Iterator<Item = f64> {
        self.views.iter().map(|view| view.alpha.sqrt().recip())
    }

    /// What the data say of the assumptions: the ellipsoid with the least room.
    pub(super) fn check(&self, assumed: &Assumptions) -> Option<DataCheck> {
        let limits = self.limits(assumed);
        let sigma = assumed.sigma_bound();
        let each = self.views.iter().map(|view| {
            let allowed = view.allowed(&limits, norm_of(assumed));
            let total: f64 = view.weights.iter().sum();
            // In nats, where the noise has a scale to measure them by.
            let unit = 2.0 * sigma * sigma * total;
            let beyond = view.least - allowed;
            let certain = beyond > ROUNDING * (view.least.abs() + allowed.abs());
            let nats = if unit > 0.0 {
                (beyond / unit).clamp(-MOST_NATS, MOST_NATS)
            } else {
                MOST_NATS.copysign(beyond)
            };
            let witness = (0..WITNESSES).rev().find(|&j| view.weights[j] == 1.0).unwrap_or(0);
            (nats, certain, witness)
        });
        let finite = each.filter(|(nats, ..)| nats.is_finite());
        let (nats, certain, witness) = finite.max_by(|a, b| a.0.total_cmp(&b.0))?;
        let threshold = self.evidence.log_confidence;
        Some(DataCheck {
            refuted: nats > 0.0 && certain,
            log_evidence_ratio: nats + threshold,
            threshold,
            rival: self.evidence.best_bettor(witness, sigma).to_owned(),
        })
    }
}

/// More evidence than this is as good as any, and no number that is not finite leaves here.
const MOST_NATS: f64 = 1e9;

/// One eigenbasis: that of `Σ_j c_j G_j` on the span of what was measured.
struct Basis {
    /// `Σ_j c_j n_j w` of each measured point.
    masses: Vec<(usize, f64)>,
    /// The choices in it, m × k.
    choices: Matrix,
    /// `1/(λ_k + α)` for each α.
    inverses: Vec<Vec<f64>>,
    /// `⟨z, θ⟩` of every choice, for each α.
    means: Vec<Vec<f64>>,
}

/// The confidence set at one time.
pub(super) struct ConfidenceSet {
    bases: Vec<Basis>,
    views: Arc<Views>,
    /// The features of the choices, where the measured points do not span them.
    outside: bool,
}

/// A direction as every ellipsoid sees it.
#[derive(Debug, Clone)]
pub(super) struct Seen {
    pub(super) views: Arc<Views>,
    /// For each ellipsoid `⟨v, θ⟩` and `‖v‖` in the inverse of its matrix.
    pub(super) each: Vec<(f64, f64)>,
    /// `‖v‖` in the features.
    pub(super) norm: f64,
}

impl ConfidenceSet {
    /// Cost: m r k + 9 (m k² + k³) for k directions measured.
    pub(super) fn new(testimony: &Testimony, pool: &Pool, ridge: f64, delta: Confidence, share: f64) -> Self {
        let evidence = testimony.evidence(delta, share);
        let witnesses = testimony.witnesses();
        let measured = witnesses[0].points();
        let rows: Vec<usize> = measured.iter().map(|heard| heard.point.index()).collect();
        let mut place = vec![0; pool.len()];
        rows.iter().enumerate().for_each(|(k, &row)| place[row] = k);
        let features = pool.features().select_rows(&rows);
        let axes = axes(&features, pool.dimension());
        let choices = axes
            .as_ref()
            .map_or_else(|| pool.choices().clone(), |axes| multiply_transposed(pool.choices(), axes));
        let points =
            axes.as_ref().map_or_else(|| features.clone(), |axes| multiply_transposed(&features, axes));
        // What each witness heard, by the rows of `points`.
        let heard: Vec<(Vec<f64>, Vec<f64>)> = witnesses
            .iter()
            .map(|witness| {
                let (mut masses, mut means) = (vec![0.0; rows.len()], vec![0.0; rows.len()]);
                for heard in witness.points() {
                    let k = place[heard.point.index()];
                    (masses[k], means[k]) = (heard.mass, heard.mean);
                }
                (masses, means)
            })
            .collect();
        let made: Vec<(Basis, Vec<View>)> = combinations(std::array::from_fn(|j| witnesses[j].samples))
            .into_par_iter()
            .map(|weights| {
                let mut masses = vec![0.0; rows.len()];
                for (weight, (heard, _)) in weights.iter().zip(&heard) {
                    masses.iter_mut().zip(heard).for_each(|(sum, mass)| *sum += weight * mass);
                }
                let mut moment = vec![0.0; rows.len()];
                for (weight, (heard, means)) in weights.iter().zip(&heard) {
                    for k in 0..rows.len() {
                        moment[k] += weight * heard[k] * means[k];
                    }
                }
                let information = weighted_gram(&points, &masses);
                let eigen = SymmetricEigen::new(&information).unwrap_or_else(|_| SymmetricEigen {
                    values: vec![f64::NAN; points.columns()],
                    vectors: Matrix::identity(points.columns()),
                });
                let SymmetricEigen { values, vectors } = eigen;
                let image = apply(&vectors, &apply_transposed(&points, &moment));
                let rotated = multiply_transposed(&choices, &vectors);
                let seen = multiply_transposed(&points, &vectors);
                let (mut inverses, mut means, mut views) = (Vec::new(), Vec::new(), Vec::new());
                for alpha in ALPHAS.map(|multiple| multiple * ridge) {
                    let inverse: Vec<f64> =
                        values.iter().map(|value| 1.0 / (value.max(0.0) + alpha)).collect();
                    let theta: Vec<f64> = image.iter().zip(&inverse).map(|(a, b)| a * b).collect();
                    let fitted = apply(&seen, &theta);
                    let mut least = alpha * norm_squared(&theta);
                    for ((weight, witness), (heard, means)) in weights.iter().zip(witnesses).zip(&heard) {
                        if *weight > 0.0 {
                            let squares = (0..rows.len()).map(|k| heard[k] * (means[k] - fitted[k]).powi(2));
                            least += weight * (witness.within + squares.sum::<f64>());
                        }
                    }
                    means.push(apply(&rotated, &theta));
                    inverses.push(inverse);
                    views.push(View { weights, alpha, least });
                }
                let masses = rows.iter().copied().zip(masses).collect();
                (Basis { masses, choices: rotated, inverses, means }, views)
            })
            .collect();
        let (bases, views): (Vec<Basis>, Vec<Vec<View>>) = made.into_iter().unzip();
        let views = Views { views: views.into_iter().flatten().collect(), evidence, last: Mutex::new(None) };
        Self { bases, views: Arc::new(views), outside: axes.is_some() }
    }

    pub(super) fn views(&self) -> &Arc<Views> {
        &self.views
    }

    /// The Cholesky factor of the ellipsoid that bounds a direction from above. Cost: s r² + r³.
    pub(super) fn factor(&self, pool: &Pool, seen: &Seen, assumed: &Assumptions) -> Option<Cholesky> {
        let radii = self.views.radii(assumed);
        let bounds: Vec<f64> = seen
            .each
            .iter()
            .zip(radii.iter())
            .map(|((estimate, norm), radius)| -(estimate + radius * norm))
            .collect();
        let view = first_largest(&bounds)?;
        let mut masses = vec![0.0; pool.len()];
        self.bases[view / ALPHAS.len()].masses.iter().for_each(|&(row, mass)| masses[row] = mass);
        let mut v = weighted_gram(pool.features(), &masses);
        (0..v.rows()).for_each(|i| v[(i, i)] += self.views.views[view].alpha);
        Cholesky::new(v).ok()
    }

    /// Choice i minus choice j, or choice i itself. Cost: r + 81 k.
    pub(super) fn direction(&self, pool: &Pool, i: usize, j: Option<usize>) -> Seen {
        let minus = |rows: &Matrix| -> Vec<f64> {
            match j {
                Some(j) => rows.row(i).iter().zip(rows.row(j)).map(|(a, b)| a - b).collect(),
                None => rows.row(i).to_vec(),
            }
        };
        let squared = norm_squared(&minus(pool.choices()));
        let mut each = Vec::with_capacity(self.bases.len() * ALPHAS.len());
        let mut view = 0;
        for basis in &self.bases {
            let mut squares = minus(&basis.choices);
            squares.iter_mut().for_each(|entry| *entry *= *entry);
            let outside = if self.outside { (squared - squares.iter().sum::<f64>()).max(0.0) } else { 0.0 };
            for (inverse, means) in basis.inverses.iter().zip(&basis.means) {
                let alpha = self.views.views[view].alpha;
                let estimate = means[i] - j.map_or(0.0, |j| means[j]);
                each.push((estimate, (dot(&squares, inverse) + outside / alpha).sqrt()));
                view += 1;
            }
        }
        Seen { views: self.views.clone(), each, norm: squared.sqrt() }
    }
}

/// An orthonormal basis of what the measured points span (rows), where that is less than everything.
fn axes(features: &Matrix, dimension: usize) -> Option<Matrix> {
    if features.rows() >= dimension {
        return None;
    }
    if features.rows() == 0 {
        return Some(Matrix::zeros(0, dimension));
    }
    let singular = right_singular(features)?;
    let largest = singular.values.first().copied().unwrap_or(0.0);
    let kept: Vec<usize> =
        (0..singular.values.len()).filter(|&k| singular.values[k] > NOTHING * largest).collect();
    Some(singular.vectors.select_rows(&kept))
}

/// The weights c: every witness alone, and beside the first, which heard everything. A witness that heard nothing, or all, adds nothing.
fn combinations(samples: [u64; WITNESSES]) -> Vec<[f64; WITNESSES]> {
    let alone = |j: usize| std::array::from_fn(|k| if k == j { 1.0 } else { 0.0 });
    let mut combinations: Vec<[f64; WITNESSES]> = vec![alone(0)];
    let mut last = samples[0];
    for j in 1..WITNESSES {
        if samples[j] > 0 && samples[j] < last {
            combinations.push(alone(j));
            let mut beside: [f64; WITNESSES] = alone(j);
            beside[0] = BESIDE;
            combinations.push(beside);
            last = samples[j];
        }
    }
    combinations
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bandit::{Goal, Question, Regression};
    use crate::estimate::Tails;
    use crate::numerics::rng::{Purpose, stream};
    use crate::pool::PointId;

    /// 12 points in 3 dimensions.
    fn question() -> Question {
        let features = Matrix::from_fn(12, 3, |i, j| ((i * (j + 2) + 3 * j) % 7) as f64 / 3.0 - 1.0);
        let assumptions = Assumptions::new(0.3).and_then(|a| a.tails(Tails::SubGaussian).norm(2.0));
        let pool = Pool::from_features(features).expect("a pool");
        Question::new(pool, assumptions.expect("sound"), Goal::Best { epsilon: 0.0 }).expect("a question")
    }

    /// 40 outcomes, two points more noisy than the others.
    fn told() -> (Testimony, Regression) {
        let (question, ridge) = (question(), 0.7);
        let weights: Vec<f64> = (0..12).map(|i| if i < 2 { 0.25 } else { 1.0 }).collect();
        let mut testimony = Testimony::new(&question, ridge);
        let mut regression =
            Regression::weighted(question.pool.clone(), ridge, Some(weights.clone())).expect("a regression");
        let mut random = stream(3, 0, Purpose::new("test"));
        for _ in 0..40 {
            let point = random.below(12) as usize;
            let outcome = random.below(2000) as f64 / 1000.0 - 1.0;
            testimony.take(PointId::new(point), outcome, 1, weights[point]);
            regression.add(PointId::new(point), outcome);
        }
        (testimony, regression)
    }

    fn set(testimony: &Testimony) -> ConfidenceSet {
        let delta = Confidence::new(0.05).expect("a probability");
        ConfidenceSet::new(testimony, &question().pool, 0.7, delta, 1.0)
    }

    #[test]
    fn the_bets_of_the_class_add_up_to_its_marginal_likelihood() {
        // The chain rule: Σ e²/(1 + q) is the least penalised square at the ridge, Σ ln(1 + q) is ln det(V / ridge).
        let (testimony, regression) = told();
        let loss = testimony.witnesses()[0].losses()[0];
        let at_the_ridge = ALPHAS.iter().position(|&multiple| multiple == 1.0).expect("the ridge itself");
        let least = set(&testimony).views.views[at_the_ridge].least;
        assert!((loss.surprise - least).abs() < 1e-10 * least, "{} {least}", loss.surprise);
        let log_det = regression.precision().log_det();
        assert!((loss.spread - log_det).abs() < 1e-10 * log_det, "{} {log_det}", loss.spread);
    }

    #[test]
    fn every_ellipsoid_is_that_of_a_dense_computation() {
        let (testimony, _) = told();
        let (set, pool) = (set(&testimony), question().pool);
        assert!(set.bases.len() >= 3, "some witness heard a part");
        let seen = set.direction(&pool, 5, Some(2));
        let v: Vec<f64> =
            pool.choices().row(5).iter().zip(pool.choices().row(2)).map(|(a, b)| a - b).collect();
        for (k, view) in set.views.views.iter().enumerate() {
            let (mut matrix, mut moment) = (Matrix::identity(3), vec![0.0; 3]);
            (0..3).for_each(|i| matrix[(i, i)] = view.alpha);
            let mut squares = 0.0;
            for (weight, witness) in view.weights.iter().zip(testimony.witnesses()) {
                for heard in witness.points() {
                    let row = pool.features().row(heard.point.index());
                    let mass = weight * heard.mass;
                    for i in 0..3 {
                        moment[i] += mass * heard.mean * row[i];
                        (0..3).for_each(|j| matrix[(i, j)] += mass * row[i] * row[j]);
                    }
                    squares += mass * heard.mean * heard.mean;
                }
                squares += weight * witness.within;
            }
            let factor = Cholesky::new(matrix).expect("positive definite");
            let (mut theta, mut image) = (moment.clone(), v.clone());
            factor.solve(&mut theta);
            factor.solve(&mut image);
            let (estimate, norm) = seen.each[k];
            assert!((estimate - dot(&v, &theta)).abs() < 1e-10, "centre {k}");
            assert!((norm * norm - dot(&v, &image)).abs() < 1e-10, "norm {k}");
            assert!((view.least - (squares - dot(&moment, &theta))).abs() < 1e-9 * squares, "least {k}");
        }
    }

    #[test]
    fn what_was_not_measured_is_as_wide_as_the_ball() {
        // One point measured in three dimensions: the rest of a direction is known by its norm alone.
        let question = question();
        let mut testimony = Testimony::new(&question, 0.7);
        testimony.take(PointId::new(4), 0.2, 1, 1.0);
        let set = set(&testimony);
        let seen = set.direction(&question.pool, 6, None);
        let row = question.pool.choices().row(6);
        let measured = question.pool.features().row(4);
        for (view, (_, norm)) in set.views.views.iter().zip(&seen.each) {
            let along = dot(row, measured);
            let shrunk = along * along / (view.alpha + norm_squared(measured));
            let dense = (norm_squared(row) - shrunk) / view.alpha;
            assert!((norm * norm - dense).abs() < 1e-10 * dense, "{} {dense}", norm * norm);
        }
    }
}
