//! Exchange: solve on a working set, look at all targets, add the worst, until none is worse than the working set's.

use super::interior_point::{Solution, Working};
use super::nearest;
use super::problem::Shifted;
use crate::numerics::{
    Matrix, RightSingular, add_scaled_row, apply, apply_transposed, multiply_transposed, right_singular,
    triangular_factor,
};

/// Up to this many targets all of them are the working set: passes cost more than what they leave out.
const WHOLE: usize = 2000;
/// Beyond, working sets begin with this many targets for each dimension.
const FIRST_TARGETS: usize = 3;
/// Targets with residuals below this fraction of the level leave the working set,
const IDLE: f64 = 0.6;
/// in the first passes; later it only grows, so that it cannot cycle.
const DROPPING_PASSES: usize = 12;
/// A new working set starts at least this fraction above the largest residual.
const LEAST_LIFT: f64 = 1e-3;
/// Singular values of the rows below this fraction of the largest are rounding noise, not directions.
const SPAN_TOLERANCE: f64 = 1e-11;
/// Working sets in a row before giving up.
const EXCHANGES: usize = 60;

/// What the exchange found: y, and weights on targets by position.
pub(super) struct Found {
    pub y: Vec<f64>,
    pub weights: Vec<(usize, f64)>,
    pub iterations: usize,
    pub passes: usize,
}

impl Found {
    /// θ is as good as it gets where it is.
    pub(super) fn nothing_to_do(dimension: usize) -> Self {
        Self { y: vec![0.0; dimension], weights: Vec::new(), iterations: 0, passes: 0 }
    }
}

/// Solves to a relative gap of about `tolerance`.
pub(super) fn solve(shifted: &Shifted<'_>, tolerance: f64) -> Found {
    let d = shifted.problem.dimension();
    let mut y = vec![0.0; d];
    let usable = shifted.usable();
    let whole = usable.len() <= WHOLE;
    let mut working = if whole { usable } else { worst(&shifted.offsets, &usable, FIRST_TARGETS * d + 64) };
    let (mut iterations, mut passes) = (0, 0);
    let mut wanted = if whole { tolerance / 4.0 } else { 0.1_f64.max(tolerance / 4.0) };
    let mut lift = 0.1;
    loop {
        working.sort_unstable();
        let rows = shifted.problem.scaled_rows(&working);
        let offsets = working.iter().map(|&i| shifted.offsets[i]).collect();
        let solution = solve_in_span(&rows, offsets, y, lift, wanted);
        (iterations, passes) = (iterations + solution.iterations, passes + 1);
        y = solution.y;
        let residuals = shifted.residuals(&y);
        let largest = residuals.iter().fold(0.0, |m: f64, r| m.max(r.abs()));
        let excess = largest / solution.level - 1.0;
        let done = excess <= tolerance / 4.0 && wanted <= tolerance / 4.0;
        if done || passes == EXCHANGES || excess.is_nan() {
            let found = nearest::Vertex { working: &working, rows: &rows, weights: &solution.weights };
            y = nearest::nearest(shifted, &found, y, solution.level.max(largest));
            let weights = working.iter().copied().zip(solution.weights).collect();
            return Found { y, weights, iterations, passes };
        }
        let violated: Vec<usize> = (0..residuals.len())
            .filter(|i| residuals[*i].abs() > solution.level && working.binary_search(i).is_err())
            .collect();
        if passes <= DROPPING_PASSES {
            let busy = working.iter().filter(|&&i| residuals[i].abs() > IDLE * solution.level).count();
            working = worst(&residuals, &working, busy.max(2 * d + 64));
        }
        working.extend(worst(&residuals, &violated, 2 * d + 64));
        // No use in solving the working set much better than it stands for the whole.
        wanted = (0.1 * excess).clamp(tolerance / 4.0, wanted);
        lift = (2.0 * excess).clamp(LEAST_LIFT, lift);
    }
}

/// The interior point in as many coordinates as the rows span; what they do not see of y stays.
fn solve_in_span(rows: &Matrix, offsets: Vec<f64>, y: Vec<f64>, lift: f64, wanted: f64) -> Solution {
    let axes = match span(rows) {
        Some(axes) if axes.rows() < rows.columns() => axes,
        _ => return Working::new(rows, offsets).solve(y, lift, wanted),
    };
    let inside = apply(&axes, &y);
    let mut outside = y;
    add_scaled_row(&mut outside, -1.0, &apply_transposed(&axes, &inside));
    let reduced = multiply_transposed(rows, &axes);
    let mut solution = Working::new(&reduced, offsets).solve(inside, lift, wanted);
    solution.y = apply_transposed(&axes, &solution.y);
    add_scaled_row(&mut solution.y, 1.0, &outside);
    solution
}

/// Orthonormal rows that span the rows of a matrix, or nothing when these span everything.
fn span(rows: &Matrix) -> Option<Matrix> {
    if nearest::spans_everything(rows) {
        return None;
    }
    let RightSingular { values, vectors } = right_singular(&triangular_factor(rows))?;
    let rank = values.iter().filter(|&&value| value > SPAN_TOLERANCE * values[0]).count().max(1);
    Some(vectors.select_rows(&(0..rank).collect::<Vec<_>>()))
}

/// The `count` positions among `of` with the largest absolute values, ties to the smallest position.
fn worst(values: &[f64], of: &[usize], count: usize) -> Vec<usize> {
    let mut order = of.to_vec();
    let by_size = |&a: &usize, &b: &usize| values[b].abs().total_cmp(&values[a].abs()).then(a.cmp(&b));
    if order.len() > count {
        order.select_nth_unstable_by(count, by_size);
        order.truncate(count);
    }
    order
}
