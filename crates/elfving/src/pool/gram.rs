//! Checks of a precomputed kernel matrix: symmetric, and positive semidefinite up to the residual.

use rayon::prelude::*;

use crate::numerics::{Matrix, NotFactorable, PivotedCholesky, pivoted_cholesky};

use super::kernels::inner_product;
use super::{Factorisation, PoolError};

/// Most steps of the Lanczos iteration that names the smallest eigenvalue in an error.
const LANCZOS_STEPS: usize = 80;

/// Factorises a finite Gram matrix (N × N) after checking it. Cost O(N² r): a factorisation alone reads
/// only r columns, and an indefinite matrix may hide in the rest.
pub(crate) fn factorise(gram: &Matrix, settings: &Factorisation) -> Result<PivotedCholesky, PoolError> {
    let n = gram.rows();
    if gram.columns() != n {
        return Err(PoolError::NotSquare { rows: n, columns: gram.columns() });
    }
    let stop = settings.stop()?;
    let relative = stop.tolerance.max(n as f64 * f64::EPSILON);
    check_symmetric(gram, relative * gram.max_abs())?;

    let diagonal: Vec<f64> = (0..n).map(|i| gram[(i, i)]).collect();
    let tolerance = relative * diagonal.iter().fold(0.0, |m: f64, d| m.max(*d));
    let result = pivoted_cholesky(diagonal, |pivot, out| out.copy_from_slice(gram.row(pivot)), stop);
    match result {
        Ok(factorised) => match indefinite_direction(gram, &factorised, tolerance) {
            None => Ok(factorised),
            Some(direction) => {
                let smallest = smallest_eigenvalue(gram, &direction);
                Err(PoolError::NotPositiveSemidefinite { smallest })
            }
        },
        Err(NotFactorable::NotPositiveSemidefinite { direction, .. }) => {
            let smallest = smallest_eigenvalue(gram, &direction);
            Err(PoolError::NotPositiveSemidefinite { smallest })
        }
        Err(other) => Err(other.into()),
    }
}

/// The worst asymmetry must be within the tolerance.
fn check_symmetric(gram: &Matrix, tolerance: f64) -> Result<(), PoolError> {
    let (mut worst, mut at) = (tolerance, None);
    for i in 0..gram.rows() {
        for j in 0..i {
            let gap = (gram[(i, j)] - gram[(j, i)]).abs();
            if gap > worst {
                (worst, at) = (gap, Some((i, j)));
            }
        }
    }
    match at {
        None => Ok(()),
        Some((row, column)) => Err(PoolError::NotSymmetric {
            row,
            column,
            value: gram[(row, column)],
            mirrored: gram[(column, row)],
        }),
    }
}

/// A direction in which K is negative, found where what the factor leaves over, R = K - F Fᵀ,
/// breaks `R_ij² ≤ R_ii R_jj`. When none does, K has no eigenvalue below `-N (max R_ii + tolerance)`.
fn indefinite_direction(
    gram: &Matrix,
    factorised: &PivotedCholesky,
    tolerance: f64,
) -> Option<Vec<(usize, f64)>> {
    let factor = &factorised.factor;
    let rest = |i: usize, j: usize| gram[(i, j)] - inner_product(factor.row(i), factor.row(j));
    let spread: Vec<f64> = (0..gram.rows()).map(|i| (rest(i, i).max(0.0) + tolerance).sqrt()).collect();
    let consistent = |i: usize, j: usize| rest(i, j).abs() <= spread[i] * spread[j];
    // The first row with a violation, and in it the first column: the same for any number of threads.
    let rows = (0..gram.rows()).into_par_iter();
    let (i, j) = rows.find_map_first(|i| (0..i).find(|&j| !consistent(i, j)).map(|j| (i, j)))?;
    // On these two rows R is [[a, c], [c, b]] with c² > ab: e_i - (c/b) e_j makes it a - c²/b < 0.
    let (b, c) = (spread[j] * spread[j], rest(i, j));
    let along_j = if b > 0.0 { -c / b } else { -c.signum() };
    Some(factorised.residual_direction(&[(i, 1.0), (j, along_j)]))
}

/// The smallest Ritz value of K from a start vector: never above its Rayleigh quotient.
fn smallest_eigenvalue(gram: &Matrix, start: &[(usize, f64)]) -> f64 {
    let n = gram.rows();
    let mut next = vec![0.0; n];
    for &(i, u) in start {
        next[i] += u;
    }
    let mut basis: Vec<Vec<f64>> = Vec::new();
    let (mut diagonal, mut beside) = (Vec::new(), Vec::new());
    let negligible = n as f64 * f64::EPSILON * gram.max_abs();
    while basis.len() < LANCZOS_STEPS.min(n) {
        let norm = inner_product(&next, &next).sqrt();
        match (basis.is_empty(), norm > negligible) {
            (true, _) => {}
            (false, true) => beside.push(norm),
            (false, false) => break,
        }
        basis.push(next.iter().map(|v| v / norm).collect());
        let current = &basis[basis.len() - 1];
        next = (0..n).into_par_iter().map(|i| inner_product(gram.row(i), current)).collect();
        diagonal.push(inner_product(&next, current));
        // Orthogonal to all of the basis, twice: once is not enough in floating point.
        for _ in 0..2 {
            for v in &basis {
                let along = inner_product(&next, v);
                next.iter_mut().zip(v).for_each(|(x, v)| *x -= along * v);
            }
        }
    }
    smallest_of_tridiagonal(&diagonal, &beside)
}

/// Bisection on the number of eigenvalues below a value (Sturm's count).
fn smallest_of_tridiagonal(diagonal: &[f64], beside: &[f64]) -> f64 {
    let some_below = |x: f64| {
        let mut pivot = diagonal[0] - x;
        for k in 1..diagonal.len() {
            if pivot < 0.0 {
                return true;
            }
            pivot = diagonal[k] - x - beside[k - 1] * beside[k - 1] / pivot;
        }
        pivot < 0.0
    };
    // Gershgorin: no eigenvalue is further out than this; the smallest diagonal entry is above one.
    let reach = diagonal.iter().chain(beside).fold(0.0, |m: f64, x| m.max(x.abs()));
    let (mut low, mut high) = (-3.0 * reach, diagonal.iter().copied().fold(f64::INFINITY, f64::min));
    for _ in 0..100 {
        let middle = low + (high - low) / 2.0;
        if some_below(middle) { high = middle } else { low = middle }
    }
    high
}
