//! The points that regret minimisation chooses among, whitened.

use crate::numerics::{Matrix, add_scaled, multiply, norm_squared, row_norms, weighted_gram};

use super::super::Request;
use super::super::frame::Spectrum;

/// A row with more than this fraction of its length outside the span of the design is left out of account.
const OUTSIDE: f64 = 1e-7;

/// Points `x̃ = (N (A + P))^(-1/2) x` with `Σ N λ_i x̃_i x̃_iᵀ + Z₀ = I` and the whitened prior Z₀.
pub(in crate::rounding) struct Space {
    /// Rows of the pool, ascending: the support, and what is done, forced or needed to spend the budget.
    pub ids: Vec<usize>,
    /// s × p.
    pub rows: Matrix,
    /// The same, p × s, for the products.
    pub columns: Matrix,
    /// Z₀, p × p.
    pub prior: Matrix,
}

impl Space {
    /// The full space: all coordinates of the frame, with the ridge as prior.
    pub(in crate::rounding) fn full(request: &Request) -> Self {
        let ids = members(request);
        let rows = request.frame.points.select_rows(&ids);
        Self::whitened(request, ids, &rows, &request.frame.prior)
    }

    /// Whitens the rows of the named points, whatever coordinates they and the prior are in.
    pub(in crate::rounding) fn whitened(
        request: &Request,
        ids: Vec<usize>,
        rows: &Matrix,
        prior: &Matrix,
    ) -> Self {
        let mut weights = vec![0.0; ids.len()];
        for &(i, weight) in &request.weights {
            weights[ids.binary_search(&i).expect("the support is among the members")] = weight;
        }
        let mut information = weighted_gram(rows, &weights);
        add_scaled(&mut information, 1.0, prior);
        let Spectrum { whitening, unseen, .. } = Spectrum::new(&information);
        let mut whitened = multiply(rows, &whitening);
        let all = (request.budget + request.bounds.done_total) as f64;
        whitened.as_mut_slice().iter_mut().for_each(|x| *x /= all.sqrt());
        if unseen.columns() > 0 {
            // Without a ridge, a point with a part that the design does not measure says nothing for certain.
            let outside = row_norms(rows, &unseen);
            for k in 0..ids.len() {
                if outside[k] > OUTSIDE * OUTSIDE * norm_squared(rows.row(k)) {
                    whitened.row_mut(k).fill(0.0);
                }
            }
        }
        let prior = multiply(&whitening.transposed(), &multiply(prior, &whitening));
        Self { ids, columns: whitened.transposed(), rows: whitened, prior }
    }

    pub(in crate::rounding) fn dimension(&self) -> usize {
        self.prior.rows()
    }
}

/// The support, what is done or forced, and the whole pool when the support cannot take the budget.
pub(in crate::rounding) fn members(request: &Request) -> Vec<usize> {
    let bounds = &request.bounds;
    let capacity = request
        .weights
        .iter()
        .fold(0u64, |sum, &(i, _)| sum.saturating_add(bounds.upper[i] - bounds.lower[i]));
    let free = request.budget - bounds.lower.iter().sum::<u64>();
    let mut member: Vec<bool> = (0..bounds.upper.len())
        .map(|i| bounds.done[i] > 0 || bounds.lower[i] > 0 || (capacity < free && bounds.upper[i] > 0))
        .collect();
    for &(i, _) in &request.weights {
        member[i] = true;
    }
    (0..member.len()).filter(|&i| member[i]).collect()
}
