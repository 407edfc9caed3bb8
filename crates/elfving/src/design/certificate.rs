//! The proof: how good a design is, from the pool, λ, w and γ alone.
//!
//! For any weights w on the targets and any matrix Y with columns y_v, every design λ' satisfies
//! `tr(S M'⁻¹) ≥ 2 Σ w_v vᵀy_v - Σ w_v y_vᵀ M' y_v`, because the right side is the concave minorant of
//! the left in Y. Scaling Y by its best factor and taking the worst λ' of the simplex,
//!
//! ```text
//! optimum ≥ (Σ w_v vᵀy_v)² / (max_x Σ w_v (xᵀy_v)² + Σ w_v y_vᵀ Γ y_v).
//! ```
//!
//! It holds whatever Y is, so a Y that is only nearly `M⁻¹v` costs tightness, never truth. With
//! `Y = M⁻¹V` it is `F² / (F + Δ)`. For log det, `log det M' - log det M ≤ r log(tr(M⁻¹M')/r)` gives
//! `optimum ≤ value + r log(1 + ε/r)` with `ε = max_x q_x - ⟨λ, q⟩`.
//!
//! This file shares no code with the solvers: it factors by QR and singular values, never squaring the
//! condition number, and charges its own rounding to the bound.

use serde::{Deserialize, Serialize};

use super::{Criterion, DesignError, Problem, TargetRef, exact_check};
use crate::numerics::{
    Matrix, RightSingular, dot, largest_rows, multiply, norm_squared, right_singular, row_norms,
    transposed_multiply, triangular_factor,
};
use crate::pool::{PointId, TargetRows, Targets};

/// Which arithmetic a certificate rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CheckedBy {
    /// The features of the pool.
    Features,
    /// The exact kernel on the support (Lemma 1), whatever the features left out.
    ExactKernel,
}

/// A value, a bound on the optimum from the other side, and what proves it.
///
/// Only [`recheck`] makes one; a file states numbers ([`StatedCertificate`]), it does not certify them.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Certificate {
    value: f64,
    bound: f64,
    relative_gap: f64,
    target_weights: Vec<(TargetRef, f64)>,
    checked_by: CheckedBy,
}

impl Certificate {
    /// The criterion at the design.
    pub fn value(&self) -> f64 {
        self.value
    }

    /// The optimum is at least this; for criterion d, at most.
    pub fn bound(&self) -> f64 {
        self.bound
    }

    /// How much better another design could be: `value / bound - 1`. For criterion d the same of `det^(1/p)` with p
    /// coefficients, `exp((bound - value) / p) - 1`: a log determinant has no zero of its own to be relative to.
    pub fn relative_gap(&self) -> f64 {
        self.relative_gap
    }

    /// The efficiency of the design is at least this: `1 / (1 + gap)`.
    pub fn efficiency(&self) -> f64 {
        1.0 / (1.0 + self.relative_gap)
    }

    /// The weights w on the targets that prove the bound of a worst-case criterion.
    pub fn target_weights(&self) -> &[(TargetRef, f64)] {
        &self.target_weights
    }

    /// The arithmetic behind it.
    pub fn checked_by(&self) -> CheckedBy {
        self.checked_by
    }

    /// The same numbers without the proof, for a file.
    pub fn stated(&self) -> StatedCertificate {
        StatedCertificate {
            value: self.value,
            bound: self.bound,
            relative_gap: self.relative_gap,
            target_weights: self.target_weights.clone(),
            checked_by: self.checked_by,
        }
    }
}

/// What a file says about a design. It proves nothing: [`recheck`] the weights to get a [`Certificate`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StatedCertificate {
    /// The criterion at the design.
    pub value: f64,
    /// The stated bound on the optimum.
    pub bound: f64,
    /// The stated [`Certificate::relative_gap`].
    pub relative_gap: f64,
    /// The weights on the targets that are said to prove the bound.
    pub target_weights: Vec<(TargetRef, f64)>,
    /// The arithmetic that is said to be behind it.
    pub checked_by: CheckedBy,
}

/// Recomputes value and bound of the design `weights` on the whole pool.
///
/// `target_weights` are the w of a worst-case criterion (g, xy) and are ignored by the others. Both are
/// normalised. For a kernel pool with γ above 1e-8 of the largest kernel value the exact kernel is used
/// on the support, so that what the features left out is counted. Cost: one pass over points and targets.
///
/// # Errors
/// [`DesignError::UnknownPoint`], [`DesignError::UnknownTarget`], [`DesignError::Invalid`] for weights
/// that are invalid, [`DesignError::NotIdentifiable`] when the design does not measure a target.
pub fn recheck(
    problem: &Problem,
    weights: &[(PointId, f64)],
    target_weights: &[(TargetRef, f64)],
) -> Result<Certificate, DesignError> {
    let weights = Normalised::new(weights.iter().map(|&(id, weight)| (id.index(), weight)))?;
    let points = problem.pool().len();
    if let Some(&unknown) = weights.members.iter().find(|&&i| i >= points) {
        return Err(DesignError::UnknownPoint { id: PointId::new(unknown), points });
    }
    let worst_case = matches!(problem.criterion(), Criterion::G | Criterion::Xy);
    let dual = if worst_case { Some(Normalised::new(target_weights.iter().copied())?) } else { None };
    let claim = if exact_check::applies(problem) {
        exact_check::claim(problem, &weights, dual.as_ref())?
    } else {
        Information::new(problem, &weights)?.claim(problem, &weights, dual.as_ref())?
    };
    if !(claim.value.is_finite() && claim.bound.is_finite()) {
        return Err(DesignError::Overflow { scale: problem.pool().features().max_abs() });
    }
    Ok(Certificate {
        value: claim.value,
        bound: claim.bound,
        relative_gap: claim.relative_gap(problem.criterion()),
        target_weights: dual.map_or_else(Vec::new, |dual| dual.pairs()),
        checked_by: claim.checked_by,
    })
}

/// Non-negative weights with sum one, zeros dropped.
pub(super) struct Normalised<M> {
    pub members: Vec<M>,
    pub shares: Vec<f64>,
}

impl<M: Copy> Normalised<M> {
    fn new(weights: impl Iterator<Item = (M, f64)>) -> Result<Self, DesignError> {
        let (members, raw): (Vec<M>, Vec<f64>) = weights.filter(|&(_, weight)| weight != 0.0).unzip();
        let shares = Vec::from(crate::units::Simplex::new(raw)?);
        Ok(Self { members, shares })
    }

    fn pairs(&self) -> Vec<(M, f64)> {
        self.members.iter().copied().zip(self.shares.iter().copied()).collect()
    }
}

/// A value and a bound.
pub(super) struct Claim {
    pub value: f64,
    pub bound: f64,
    /// Coefficients that the design measures: the p of the efficiency under the determinant.
    pub coefficients: usize,
    pub checked_by: CheckedBy,
}

impl Claim {
    /// [`Certificate::relative_gap`].
    fn relative_gap(&self, criterion: Criterion) -> f64 {
        let apart = (self.value - self.bound).abs();
        match criterion {
            Criterion::D => (apart / self.coefficients as f64).exp_m1(),
            _ => apart / self.bound.abs(),
        }
    }

    /// Moves the bound away from the value by the relative rounding error, so that the claim stays true.
    pub(super) fn allowing(
        criterion: Criterion,
        value: f64,
        bound: f64,
        rounding: f64,
        coefficients: usize,
        by: CheckedBy,
    ) -> Self {
        let sign = if criterion.is_maximised() { -1.0 } else { 1.0 };
        let moved = if criterion.is_maximised() {
            bound + rounding * coefficients as f64
        } else {
            bound - rounding * bound
        };
        // A bound that passes the value in the last digits is the value; anything else stays as it is, so
        // that NaN and infinity are seen.
        let crossed = sign * (moved - value);
        let bound = if crossed > 0.0 && crossed <= 1e-12 * value.abs() { value } else { moved };
        Claim { value, bound, coefficients, checked_by: by }
    }
}

/// Singular values below this fraction of the largest, times the columns, are the rounding of the table: its columns are
/// dependent. Anything above is a direction, whose digits are charged to the bound.
const NOISE: f64 = 10.0 * f64::EPSILON;
/// Where directions are dropped as dependent, the others must be larger than this fraction of the largest: a spectrum that
/// falls off gradually into the rounding has no clear rank.
const CLEAR: f64 = 1e-6;
/// The relative rounding error of a value whose rank is not clear: no tolerance accepts it.
const IN_DOUBT: f64 = 0.9;
/// The most that is charged for a coefficient under the log determinant, where e^100 is more than any tolerance.
const MOST_OF_LOG: f64 = 100.0;
/// What rows wrong in the last digit put outside the range of M, in units of the last digit: nothing is charged up to the
/// first, and beyond the second the vector is not measured by the design.
const OUTSIDE: std::ops::Range<f64> = 16.0 * f64::EPSILON..1e3 * f64::EPSILON;

/// `M = A(λ) + γI` through its singular values: `M⁺ = T Tᵀ`.
struct Information {
    /// T, r × rank.
    whitening: Matrix,
    /// Orthonormal columns that span what M does not see (in scaled coordinates), r × (r - rank).
    unseen: Matrix,
    column_scale: Vec<f64>,
    log_det: f64,
    rank: usize,
    /// Relative rounding error of a squared norm.
    rounding: f64,
    /// The largest singular value.
    largest: f64,
}

impl Information {
    fn new(problem: &Problem, weights: &Normalised<usize>) -> Result<Self, DesignError> {
        let pool = problem.pool();
        let (gamma, r) = (problem.gamma().get(), pool.dimension());
        let mut rows = pool.features().select_rows(&weights.members);
        let mut column_scale = vec![gamma.sqrt(); r];
        for i in 0..rows.rows() {
            column_scale.iter_mut().zip(rows.row(i)).for_each(|(m, x)| *m = m.max(x.abs()));
        }
        // A column that the design never measures counts at the size it has in the targets.
        let targets = problem.rows().matrix();
        for (j, m) in column_scale.iter_mut().enumerate().filter(|(_, m)| **m == 0.0) {
            *m = (0..targets.rows()).fold(0.0, |largest: f64, i| largest.max(targets[(i, j)].abs()));
        }
        column_scale.iter_mut().for_each(|m| *m = if *m > 0.0 { 1.0 / *m } else { 1.0 });
        for (k, share) in weights.shares.iter().enumerate() {
            let root = share.sqrt();
            rows.row_mut(k).iter_mut().zip(&column_scale).for_each(|(x, by)| *x *= by * root);
        }
        let mut stacked = rows.into_vec();
        let mut count = weights.members.len();
        if gamma > 0.0 {
            for j in 0..r {
                stacked.extend((0..r).map(|k| if k == j { gamma.sqrt() * column_scale[j] } else { 0.0 }));
            }
            count += r;
        }
        let stacked = Matrix::from_row_major(count, r, stacked);
        let singular = DesignError::Singular { scale: pool.features().max_abs(), gamma };
        let RightSingular { mut values, vectors } =
            right_singular(&padded(triangular_factor(&stacked))).ok_or(singular.clone())?;
        let noise = NOISE * r as f64 * values[0];
        let mut rank = values.iter().filter(|&&value| value > noise).count();
        if rank == 0 {
            return Err(singular);
        }
        if gamma > 0.0 && problem.criterion() == Criterion::D {
            // With a ridge every direction counts under the determinant.
            let least = column_scale.iter().fold(f64::INFINITY, |least, by| least.min(gamma.sqrt() * by));
            values.iter_mut().for_each(|value| *value = value.max(least));
            rank = r;
        }
        let whitening = Matrix::from_fn(r, rank, |j, k| column_scale[j] * vectors[(k, j)] / values[k]);
        let unseen = Matrix::from_fn(r, r - rank, |j, k| vectors[(rank + k, j)]);
        let log_det = 2.0 * values[..rank].iter().map(|value| value.ln()).sum::<f64>()
            - 2.0 * column_scale.iter().map(|by| by.ln()).sum::<f64>();
        let clear = rank == r || values[rank - 1] > CLEAR * values[0];
        let condition = values[0] / values[rank - 1];
        // Backward error of the factorisation, a few units of the last place, times the condition number.
        let error = 4.0 * f64::EPSILON * condition * (r as f64).sqrt();
        let most = if problem.criterion() == Criterion::D { MOST_OF_LOG } else { IN_DOUBT };
        let rounding = if clear { error.min(most) } else { error.clamp(IN_DOUBT, most) };
        Ok(Self { whitening, unseen, column_scale, log_det, rank, rounding, largest: values[0] })
    }

    /// What the squared norm of each row may be too small by, because of its part that the design does not see: nothing
    /// where that part is rounding.
    ///
    /// Refuses a row with more than that outside: its norm is infinite.
    fn unseen_parts(&self, problem: &Problem, rows: &Matrix) -> Result<Vec<f64>, DesignError> {
        if self.unseen.columns() == 0 {
            return Ok(vec![0.0; rows.rows()]);
        }
        let r = self.column_scale.len() as f64;
        let mut scaled = rows.clone();
        for i in 0..scaled.rows() {
            scaled.row_mut(i).iter_mut().zip(&self.column_scale).for_each(|(x, by)| *x *= by);
        }
        let parts = row_norms(&scaled, &self.unseen);
        let norms = row_norms(rows, &self.whitening);
        let dropped = NOISE * r * self.largest;
        let charge = |i: usize| {
            // Rows of the design wrong by a unit of the last digit turn the range so far at this vector.
            let unit = norm_squared(scaled.row(i)).sqrt().max(self.largest * norms[i].sqrt());
            let part = parts[i].sqrt();
            if !(part <= OUTSIDE.end * unit) {
                let gamma = problem.gamma().get();
                return Err(DesignError::NotIdentifiable { target: TargetRef::Row(i), gamma });
            }
            Ok(if part <= OUTSIDE.start * r.sqrt() * unit { 0.0 } else { parts[i] / (dropped * dropped) })
        };
        (0..rows.rows()).map(charge).collect()
    }

    /// The largest of [`Self::unseen_parts`].
    fn worst_unseen(&self, problem: &Problem, rows: &Matrix) -> Result<f64, DesignError> {
        Ok(self.unseen_parts(problem, rows)?.into_iter().fold(0.0, f64::max))
    }

    /// The same of the targets. Relative to the first row every row must be seen: then so is every difference, whose
    /// unseen part is at most twice the worst.
    fn worst_unseen_target(&self, problem: &Problem) -> Result<f64, DesignError> {
        match problem.rows() {
            TargetRows::Rows(rows) => self.worst_unseen(problem, rows),
            TargetRows::Pairs(rows) => Ok(4.0 * self.worst_unseen(problem, &rows.relative_to_first_row())?),
        }
    }

    fn claim(
        &self,
        problem: &Problem,
        weights: &Normalised<usize>,
        dual: Option<&Normalised<TargetRef>>,
    ) -> Result<Claim, DesignError> {
        let criterion = problem.criterion();
        let features = problem.pool().features();
        let (value, bound) = match criterion {
            Criterion::D => {
                let unseen = self.worst_unseen(problem, features)?;
                let largest = largest_rows(features, &[&self.whitening], 1)[0][0].0 + unseen;
                let own = row_norms(&features.select_rows(&weights.members), &self.whitening);
                let excess = (largest - dot(&weights.shares, &own)).max(0.0);
                let r = self.rank as f64;
                (self.log_det, self.log_det + r * (excess / r).ln_1p())
            }
            Criterion::A | Criterion::V | Criterion::C => {
                let root = problem.moment_root();
                let unseen = match criterion {
                    Criterion::A => self.unseen_parts(problem, &root)?.iter().sum(),
                    _ => self.worst_unseen_target(problem)?,
                };
                let gradient = self.gradient(&root);
                let largest = largest_rows(features, &[&gradient], 1)[0][0].0;
                let whitened = multiply(&root, &self.whitening);
                let value = norm_squared(whitened.as_slice()) + unseen;
                (value, self.bound(problem, &root, &gradient, largest))
            }
            Criterion::G | Criterion::Xy => {
                let dual = dual.expect("a worst-case criterion comes with target weights");
                let mut root = problem.known_rows(&dual.members)?;
                for (k, share) in dual.shares.iter().enumerate() {
                    root.row_mut(k).iter_mut().for_each(|value| *value *= share.sqrt());
                }
                let root = triangular_factor(&root);
                let gradient = self.gradient(&root);
                let (value, largest) = if problem.targets_are_the_points() {
                    let unseen = self.worst_unseen(problem, features)?;
                    let tops = largest_rows(features, &[&self.whitening, &gradient], 1);
                    (tops[0][0].0 + unseen, tops[1][0].0)
                } else {
                    let largest = largest_rows(features, &[&gradient], 1)[0][0].0;
                    (self.worst_target(problem)?, largest)
                };
                (value, self.bound(problem, &root, &gradient, largest))
            }
        };
        let (value, bound) = charged_for_residual(problem, value, bound);
        Ok(Claim::allowing(criterion, value, bound, self.rounding, self.rank, CheckedBy::Features))
    }

    /// `G` with `‖Gᵀx‖² = Σ w_v (xᵀy_v)²`: the columns `y = M⁺ Rᵀ`.
    fn gradient(&self, root: &Matrix) -> Matrix {
        let whitened = multiply(root, &self.whitening);
        multiply(&self.whitening, &whitened.transposed())
    }

    /// The bound of the module documentation, evaluated as it stands for the computed Y.
    fn bound(&self, problem: &Problem, root: &Matrix, gradient: &Matrix, largest: f64) -> f64 {
        let gain: f64 = (0..root.rows())
            .map(|k| (0..root.columns()).map(|j| root[(k, j)] * gradient[(j, k)]).sum::<f64>())
            .sum();
        let prior = problem.gamma().get() * norm_squared(gradient.as_slice());
        gain * gain / (largest + prior)
    }

    /// `max_v q_v` over targets that are not the points themselves.
    fn worst_target(&self, problem: &Problem) -> Result<f64, DesignError> {
        let unseen = self.worst_unseen_target(problem)?;
        Ok(unseen
            + match problem.rows() {
                TargetRows::Rows(rows) => largest_rows(rows, &[&self.whitening], 1)[0][0].0,
                TargetRows::Pairs(rows) => {
                    squared_diameter(&multiply(&rows.relative_to_first_row(), &self.whitening))
                }
            })
    }
}

/// Value and bound of the kernel itself, from those of features that leave out ρ of it: a squared norm q is at most
/// `ρ (s + √q)² / γ` too small, for a target of s atoms, and log det at most `ρ / γ`.
fn charged_for_residual(problem: &Problem, value: f64, bound: f64) -> (f64, f64) {
    let gamma = problem.gamma().get();
    if problem.pool().exact().is_none() || gamma == 0.0 {
        return (value, bound);
    }
    let left_out = problem.pool().residual().max(0.0) / gamma;
    let of_terms = |terms: &[(crate::pool::ChoiceId, f64)]| terms.iter().map(|(_, c)| c.abs()).sum::<f64>();
    let atoms = match problem.targets() {
        Targets::Combinations(list) => list.iter().map(|one| of_terms(&one.terms)).fold(0.0, f64::max),
        _ => 1.0,
    };
    let atoms = if matches!(problem.rows(), TargetRows::Pairs(_)) { 2.0 * atoms } else { atoms };
    match problem.criterion() {
        Criterion::D => (value, bound + left_out),
        // The trace of the inverse is that of the features: it is infinite in the space of a kernel.
        Criterion::A => (value, bound),
        _ => (value + left_out * (atoms + value.sqrt()).powi(2), bound),
    }
}

/// At least as many rows as columns: a wide factor gets rows of zeros, so that every direction is listed.
fn padded(factor: Matrix) -> Matrix {
    let (rows, columns) = (factor.rows(), factor.columns());
    if rows >= columns {
        return factor;
    }
    let mut data = factor.into_vec();
    data.resize(columns * columns, 0.0);
    Matrix::from_row_major(columns, columns, data)
}

/// The largest squared distance between two rows, by comparing all of them block by block. The rows must be relative to
/// one of them: then no norm exceeds the result, and nothing cancels. Infinite when a row is not finite.
pub(super) fn squared_diameter(rows: &Matrix) -> f64 {
    use rayon::prelude::*;
    const BLOCK: usize = 64;
    let m = rows.rows();
    let norms: Vec<f64> = (0..m).map(|i| norm_squared(rows.row(i))).collect();
    if !norms.iter().all(|norm| norm.is_finite()) {
        return f64::INFINITY; // a maximum would pass over NaN
    }
    let blocks: Vec<f64> = (0..m.div_ceil(BLOCK))
        .into_par_iter()
        .map(|a| {
            let (start, end) = (a * BLOCK, ((a + 1) * BLOCK).min(m));
            let left = rows.select_rows(&(start..end).collect::<Vec<_>>());
            let mut largest = 0.0f64;
            for b in 0..=a {
                let (from, to) = (b * BLOCK, ((b + 1) * BLOCK).min(m));
                let right = rows.select_rows(&(from..to).collect::<Vec<_>>());
                let inner = transposed_multiply(&left.transposed(), &right.transposed());
                for i in start..end {
                    for j in from..to {
                        let distance = norms[i] + norms[j] - 2.0 * inner[(i - start, j - from)];
                        largest = largest.max(distance);
                    }
                }
            }
            largest
        })
        .collect();
    blocks.into_iter().fold(0.0, f64::max)
}
