//! The certificate from kernel values alone: whatever the features left out is counted.

use rayon::prelude::*;

use super::certificate::{CheckedBy, Claim, Normalised};
use super::information::{AtomCombination, KernelInformation};
use super::{Criterion, DesignError, Problem, TargetRef};
use crate::numerics::{Matrix, dot, multiply_transposed, norm_squared};
use crate::pool::{PointId, Subset, TargetRows, Targets};

/// Below this multiple of the largest kernel value Lemma 1 loses too many digits.
const SMALLEST_GAMMA: f64 = 1e-8;
/// The averaged criterion needs all pairs of points and targets; beyond this many the features serve.
const MOST_PAIRS: usize = 50_000_000;

/// Whether the problem has a kernel form that keeps its digits.
pub(super) fn applies(problem: &Problem) -> bool {
    let Some(kernel) = problem.pool().exact() else { return false };
    let largest = (0..kernel.atoms()).map(|a| kernel.value(a, a)).fold(0.0, f64::max);
    let gamma = problem.gamma().get();
    let averaged = problem.criterion() == Criterion::V;
    // The trace of the inverse (a) is infinite in the space of a kernel.
    gamma > 0.0
        && gamma >= SMALLEST_GAMMA * largest
        && problem.criterion() != Criterion::A
        && (!averaged || problem.pool().len() * problem.target_count() <= MOST_PAIRS)
}

/// Value and bound of the design with these `weights`, and these weights on the targets.
pub(super) fn claim(
    problem: &Problem,
    weights: &Normalised<usize>,
    dual: Option<&Normalised<TargetRef>>,
) -> Result<Claim, DesignError> {
    let criterion = problem.criterion();
    let kernel = problem.pool().exact().expect("only kernel pools come here");
    let pairs: Vec<(PointId, f64)> =
        weights.members.iter().zip(&weights.shares).map(|(&i, &share)| (PointId::new(i), share)).collect();
    let information = KernelInformation::new(kernel, &pairs, problem.gamma())?;
    let rows = base_rows(problem);
    let points = Embedded::new(&information, (0..problem.pool().len()).map(|i| vec![(i, 1.0)]).collect());
    let (value, bound) = match criterion {
        Criterion::D => {
            let q = points.norms();
            let own: Vec<f64> = weights.members.iter().map(|&i| q[i]).collect();
            let excess = (largest(&q) - dot(&weights.shares, &own)).max(0.0);
            let r = problem.pool().dimension() as f64;
            let missing = r - information.support.len() as f64;
            let log_det = information.factor.log_det() + missing * information.gamma.ln();
            // In the space of the kernel the rank may be the number of atoms: the bound uses that.
            let atoms = kernel.atoms() as f64;
            (log_det, log_det + atoms * (excess / atoms).ln_1p())
        }
        Criterion::A | Criterion::V | Criterion::C => {
            let targets = Embedded::new(&information, all_targets(problem, &rows));
            let shares = vec![1.0 / targets.terms.len() as f64; targets.terms.len()];
            (dot(&shares, &targets.norms()), bound(&points, &targets, weights, &shares))
        }
        Criterion::G | Criterion::Xy => {
            let dual = dual.expect("a worst-case criterion comes with target weights");
            problem.known_rows(&dual.members)?; // refuses an unknown target
            let proving = dual.members.iter().map(|&target| combination(&rows, target)).collect();
            let proving = Embedded::new(&information, proving);
            let value = match problem.rows() {
                TargetRows::Rows(_) if problem.targets_are_the_points() => largest(&points.norms()),
                TargetRows::Rows(_) => largest(&Embedded::new(&information, rows).norms()),
                TargetRows::Pairs(_) => Embedded::new(&information, rows).worst_pair(),
            };
            (value, bound(&points, &proving, weights, &dual.shares))
        }
    };
    let largest_kernel = (0..kernel.atoms()).map(|a| kernel.value(a, a)).fold(0.0, f64::max);
    let scale = if criterion == Criterion::D { 1.0 } else { value };
    let rounding = 4.0 * f64::EPSILON * (information.support.len() as f64).sqrt() * largest_kernel
        / (information.gamma * scale);
    let coefficients = problem.pool().dimension();
    Ok(Claim::allowing(criterion, value, bound, rounding, coefficients, CheckedBy::ExactKernel))
}

fn largest(values: &[f64]) -> f64 {
    values.iter().copied().fold(0.0, f64::max)
}

/// `F² / (F + Δ)` with `F = Σ w_v q_v` and `Δ = max_x g_x - ⟨λ, g⟩`, `g_x = Σ w_v P_xv²`.
fn bound(points: &Embedded, targets: &Embedded, weights: &Normalised<usize>, shares: &[f64]) -> f64 {
    let level = dot(shares, &targets.norms());
    let gradient: Vec<f64> = (0..points.terms.len())
        .into_par_iter()
        .map(|i| {
            let squared = |k: usize| points.cross(i, targets, k).powi(2);
            (0..targets.terms.len()).map(|k| shares[k] * squared(k)).sum()
        })
        .collect();
    let own: f64 = weights.members.iter().zip(&weights.shares).map(|(&i, share)| share * gradient[i]).sum();
    level * level / (level + (largest(&gradient) - own).max(0.0))
}

/// Combinations of atoms with their `L⁻¹ k_λ`.
struct Embedded<'a> {
    information: &'a KernelInformation<'a>,
    terms: Vec<AtomCombination>,
    whitened: Matrix,
}

impl<'a> Embedded<'a> {
    fn new(information: &'a KernelInformation<'a>, terms: Vec<AtomCombination>) -> Self {
        let whitened = information.whiten(&terms);
        Self { information, terms, whitened }
    }

    /// `aᵀ M⁻¹ b` for the i-th combination here and the k-th there.
    fn cross(&self, i: usize, other: &Embedded, k: usize) -> f64 {
        let whole = self.information.inner(&self.terms[i], &other.terms[k]);
        (whole - dot(self.whitened.row(i), other.whitened.row(k))) / self.information.gamma
    }

    /// `q` of each.
    fn norms(&self) -> Vec<f64> {
        (0..self.terms.len())
            .into_par_iter()
            .map(|i| {
                let whole = self.information.inner(&self.terms[i], &self.terms[i]);
                (whole - norm_squared(self.whitened.row(i))) / self.information.gamma
            })
            .collect()
    }

    /// `max q` over all differences, block by block.
    fn worst_pair(&self) -> f64 {
        const BLOCK: usize = 64;
        let own = self.norms();
        let m = self.terms.len();
        let worst: Vec<f64> = (0..m.div_ceil(BLOCK))
            .into_par_iter()
            .map(|a| {
                let left: Vec<usize> = (a * BLOCK..((a + 1) * BLOCK).min(m)).collect();
                let left_rows = self.whitened.select_rows(&left);
                let mut worst = 0.0f64;
                for b in 0..=a {
                    let right: Vec<usize> = (b * BLOCK..((b + 1) * BLOCK).min(m)).collect();
                    let inner = multiply_transposed(&left_rows, &self.whitened.select_rows(&right));
                    for (i, &x) in left.iter().enumerate() {
                        for (j, &y) in right.iter().enumerate() {
                            let whole = self.information.inner(&self.terms[x], &self.terms[y]);
                            let cross = (whole - inner[(i, j)]) / self.information.gamma;
                            worst = worst.max(own[x] + own[y] - 2.0 * cross);
                        }
                    }
                }
                worst
            })
            .collect();
        largest(&worst)
    }
}

/// The rows of the target set as combinations of atoms.
fn base_rows(problem: &Problem) -> Vec<AtomCombination> {
    let exact = problem.pool().exact().expect("only kernel pools come here");
    let choice = |c: usize| exact.choice_atom(c);
    match problem.targets() {
        Targets::Points(Subset::All) | Targets::Differences(Subset::All) => {
            (0..problem.pool().choice_count()).map(|c| vec![(choice(c), 1.0)]).collect()
        }
        Targets::Points(Subset::Of(ids)) | Targets::Differences(Subset::Of(ids)) => {
            ids.iter().map(|id| vec![(choice(id.index()), 1.0)]).collect()
        }
        Targets::Combinations(list) => list
            .iter()
            .map(|target| target.terms.iter().map(|&(id, value)| (choice(id.index()), value)).collect())
            .collect(),
        Targets::Directions(_) => unreachable!("kernel pools refuse directions"),
    }
}

/// One target, its difference written out.
fn combination(rows: &[AtomCombination], target: TargetRef) -> AtomCombination {
    match target {
        TargetRef::Row(i) => rows[i].clone(),
        TargetRef::Pair(i, j) => {
            let minus = rows[j].iter().map(|&(atom, coefficient)| (atom, -coefficient));
            rows[i].iter().copied().chain(minus).collect()
        }
    }
}

/// Every target, differences written out.
fn all_targets(problem: &Problem, rows: &[AtomCombination]) -> Vec<AtomCombination> {
    match problem.rows() {
        TargetRows::Rows(_) => rows.to_vec(),
        TargetRows::Pairs(_) => (0..rows.len())
            .flat_map(|i| (i + 1..rows.len()).map(move |j| TargetRef::Pair(i, j)))
            .map(|pair| combination(rows, pair))
            .collect(),
    }
}
