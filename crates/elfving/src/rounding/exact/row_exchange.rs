//! One search: for each run in turn the best point in its place, by rank-two updates.

use super::super::Request;
use super::super::loss::Loss;
use crate::numerics::{Matrix, add_scaled_row, apply, dot, gram, norm_squared};

/// An exchange must gain this much: of a log determinant, or as a part of a trace.
const WORTH: f64 = 1e-7;
/// Passes over the runs, at most.
const MOST_PASSES: usize = 100;

/// A plan that is being improved.
pub(super) struct RowExchange<'r> {
    request: &'r Request<'r>,
    /// The moment matrix S of a trace; none for a log determinant.
    moment: Option<Matrix>,
    counts: Vec<u64>,
    /// One run as a share of all.
    share: f64,
    /// `W = M⁻¹`.
    inverse: Matrix,
    /// `x̃ᵀ W x̃` of every point.
    leverage: Vec<f64>,
    /// `x̃ᵀ W S W x̃` of every point; empty for a log determinant.
    gain: Vec<f64>,
    value: f64,
}

/// What one run gives up: inner products of every point with it.
struct Given {
    /// `x̃ᵀ W x̃_i`.
    cross: Vec<f64>,
    /// `x̃ᵀ W S W x̃_i`; empty for a log determinant.
    gain: Vec<f64>,
}

impl<'r> RowExchange<'r> {
    pub(super) fn new(request: &'r Request<'r>, loss: &Loss, counts: Vec<u64>) -> Self {
        let moment = match loss {
            Loss::Trace(root) => Some(gram(root)),
            _ => None,
        };
        let share = 1.0 / (counts.iter().sum::<u64>() + request.bounds.done_total) as f64;
        let (inverse, leverage, gain) = (Matrix::zeros(0, 0), Vec::new(), Vec::new());
        let mut exchange = Self { request, moment, counts, share, inverse, leverage, gain, value: 0.0 };
        exchange.refresh();
        exchange
    }

    pub(super) fn value(&self) -> f64 {
        self.value
    }

    pub(super) fn into_counts(self) -> Vec<u64> {
        self.counts
    }

    /// Exchanges until a whole pass over the runs changes nothing.
    pub(super) fn settle(&mut self) {
        for _ in 0..MOST_PASSES {
            let mut changed = false;
            for given in 0..self.counts.len() {
                if self.counts[given] > self.request.bounds.lower[given] {
                    changed |= self.exchange(given);
                }
            }
            if !changed {
                return;
            }
            // What rounding errors the updates left goes.
            self.refresh();
        }
    }

    /// Everything from the counts.
    fn refresh(&mut self) {
        let frame = &self.request.frame;
        let factor = frame.search_factor(&frame.information(&self.request.shares(&self.counts)));
        let p = factor.order();
        let mut inverse = Matrix::identity(p);
        factor.solve_rows(&mut inverse);
        self.value = match &self.moment {
            None => -factor.log_det(),
            Some(moment) => dot(moment.as_slice(), inverse.as_slice()),
        };
        let weighted = self.moment.as_ref().map(|moment| {
            let half = crate::numerics::multiply(&inverse, moment);
            crate::numerics::multiply(&half, &inverse)
        });
        let points = &*frame.points;
        let form = |of: &Matrix, row: usize| dot(points.row(row), &apply(of, points.row(row)));
        self.leverage = (0..points.rows()).map(|row| form(&inverse, row)).collect();
        self.gain = match &weighted {
            None => Vec::new(),
            Some(weighted) => (0..points.rows()).map(|row| form(weighted, row)).collect(),
        };
        self.inverse = inverse;
    }

    /// `W x̃`, and `W S W x̃` for a trace.
    fn images(&self, point: usize) -> (Vec<f64>, Option<Vec<f64>>) {
        let image = apply(&self.inverse, self.request.frame.points.row(point));
        let weighted = self.moment.as_ref().map(|moment| apply(&self.inverse, &apply(moment, &image)));
        (image, weighted)
    }

    fn given(&self, point: usize) -> Given {
        let (image, weighted) = self.images(point);
        let points = &*self.request.frame.points;
        let along = |vector: &[f64]| (0..points.rows()).map(|row| dot(points.row(row), vector)).collect();
        Given { cross: along(&image), gain: weighted.map_or_else(Vec::new, |weighted| along(&weighted)) }
    }

    /// The value after `given` makes way for `taken`; infinite when that leaves the information singular.
    fn after(&self, given: usize, taken: usize, products: &Given) -> f64 {
        let h = self.share;
        let (di, dj, c) = (self.leverage[given], self.leverage[taken], products.cross[taken]);
        let ratio = (1.0 + h * dj) * (1.0 - h * di) + (h * c).powi(2);
        if !(ratio > f64::EPSILON) {
            return f64::INFINITY;
        }
        if self.moment.is_none() {
            return self.value - ratio.ln();
        }
        // tr(A⁻¹ B) of two by two matrices; det A = -ratio / h².
        let (a11, a12, a22) = (1.0 / h + dj, c, di - 1.0 / h);
        let (b11, b12, b22) = (self.gain[taken], products.gain[taken], self.gain[given]);
        self.value - (a22 * b11 - 2.0 * a12 * b12 + a11 * b22) / (a11 * a22 - a12 * a12)
    }

    /// Puts the best point in the place of one run; whether that changed anything.
    fn exchange(&mut self, given: usize) -> bool {
        let products = self.given(given);
        let upper = &self.request.bounds.upper;
        let mut best = match &self.moment {
            None => (self.value - WORTH, given),
            Some(_) => (self.value * (1.0 - WORTH), given),
        };
        for taken in (0..self.counts.len()).filter(|&k| k != given && self.counts[k] < upper[k]) {
            let value = self.after(given, taken, &products);
            if value < best.0 {
                best = (value, taken);
            }
        }
        let (value, taken) = best;
        if taken == given {
            return false;
        }
        self.update(given, taken, value);
        true
    }

    /// `W' = W - P A⁻¹ Pᵀ` with `P = W [x̃_j, x̃_i]` and `A = diag(1/h, -1/h) + [x̃_j, x̃_i]ᵀ P`.
    fn update(&mut self, given: usize, taken: usize, value: f64) {
        let h = self.share;
        let (pj, qj) = self.images(taken);
        let (pi, qi) = self.images(given);
        let points = std::sync::Arc::clone(&self.request.frame.points);
        let c = dot(points.row(given), &pj);
        let (a11, a12, a22) = (1.0 / h + self.leverage[taken], c, self.leverage[given] - 1.0 / h);
        let determinant = a11 * a22 - a12 * a12;
        // The inverse of A.
        let (s11, s12, s22) = (a22 / determinant, -a12 / determinant, a11 / determinant);
        let moments = self.moment.as_ref().map(|moment| {
            let (mj, mi) = (apply(moment, &pj), apply(moment, &pi));
            (dot(&pj, &mj), dot(&pj, &mi), dot(&pi, &mi))
        });
        for row in 0..points.rows() {
            let x = points.row(row);
            let (gj, gi) = (dot(x, &pj), dot(x, &pi));
            let (tj, ti) = (s11 * gj + s12 * gi, s12 * gj + s22 * gi);
            self.leverage[row] -= gj * tj + gi * ti;
            if let (Some((bjj, bji, bii)), Some(qj), Some(qi)) = (moments, &qj, &qi) {
                let crossed = dot(x, qj) * tj + dot(x, qi) * ti;
                self.gain[row] += tj * (bjj * tj + bji * ti) + ti * (bji * tj + bii * ti) - 2.0 * crossed;
            }
        }
        for k in 0..self.inverse.rows() {
            let (tj, ti) = (s11 * pj[k] + s12 * pi[k], s12 * pj[k] + s22 * pi[k]);
            let row = self.inverse.row_mut(k);
            add_scaled_row(row, -tj, &pj);
            add_scaled_row(row, -ti, &pi);
        }
        self.counts[given] -= 1;
        self.counts[taken] += 1;
        self.value = value;
        debug_assert!(norm_squared(&pj).is_finite());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::design::{Criterion, Problem};
    use crate::pool::{PointId, Pool};
    use crate::rounding::Constraints;
    use crate::units::Ridge;

    #[test]
    fn updates_are_what_a_new_factorisation_says() {
        let pool = Pool::from_features(Matrix::from_fn(20, 4, |i, k| {
            let x = i as f64 / 9.5 - 1.0;
            [1.0, x, x * x, ((i * 7 + 3) % 5) as f64 - 2.0][k]
        }))
        .unwrap();
        for criterion in [Criterion::D, Criterion::V, Criterion::A] {
            let problem = Problem::over_choices(&pool, criterion, Ridge::new(0.01).unwrap()).unwrap();
            let weights: Vec<_> = (0..20).map(|i| (PointId::new(i), 1.0)).collect();
            let request = Request::from_weights(&problem, &weights, 8, &Constraints::default()).unwrap();
            let mut counts = vec![0; 20];
            [0, 3, 5, 8, 11, 13, 17, 19].iter().for_each(|&i: &usize| counts[i] += 1);
            let mut exchange = RowExchange::new(&request, &request.frame.loss, counts);
            for given in [3, 11, 17, 8] {
                exchange.exchange(given);
                let fresh = RowExchange::new(&request, &request.frame.loss, exchange.counts.clone());
                // The trace of ridge that searches add goes with the largest entry of the information.
                let close = |a: f64, b: f64| (a - b).abs() < 1e-6 * a.abs().max(1.0);
                assert!(
                    close(fresh.value, exchange.value),
                    "{criterion}: {} {}",
                    fresh.value,
                    exchange.value
                );
                for row in 0..20 {
                    assert!(close(fresh.leverage[row], exchange.leverage[row]), "{criterion} {row}");
                    assert!(
                        fresh.gain.is_empty() || close(fresh.gain[row], exchange.gain[row]),
                        "{criterion} {row}"
                    );
                }
                assert!(close(request.search_value(&exchange.counts), fresh.value), "{criterion}");
            }
        }
    }
}
