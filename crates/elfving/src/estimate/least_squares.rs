//! Least squares and ridge regression on fixed counts.

use super::assumptions::Premise;
use super::{Assumptions, Counted, EstimateError, Interval, Intervals, LinearFit, Statement, Tails, Widths};
use crate::numerics::{add_scaled_row, dot};
use crate::pool::Targets;
use crate::units::Confidence;

/// `θ = (Σ n_x φφᵀ + penalty I)⁻¹ Σ φ(x_t) y_t`: least squares when the penalty of [`Counted`] is 0, ridge regression otherwise.
///
/// **Width.** With `a_x = vᵀM⁻¹φ(x)` the estimate is `Σ_t a_{x_t} y_t`, so its error is a bias (below) and the sum
/// `Σ_t a_{x_t} ξ_t` of variance at most `s² = Σ_x n_x a_x² σ_x² ≤ σ² ‖v‖²`. With probability 1 - δ/|V| it is at most
/// `s √(|V|/δ)` by Chebyshev's inequality, and `s √(2 log(2|V|/δ))` when the noise is sub-Gaussian. The bias is at most
/// `penalty · ‖M⁻¹v‖ S + h Σ_x n_x |a_x|`; unlike that of the importance-weighted estimators the second part is not
/// bounded by `h ‖v‖`, it grows up to `h √T ‖v‖`.
///
/// ```
/// use elfving::estimate::{Assumptions, Counted, LeastSquares, Tails};
/// use elfving::numerics::Matrix;
/// use elfving::pool::{PointId, Pool, Subset, Targets};
/// use elfving::{rounding::Allocation, units::{Confidence, Ridge}};
///
/// let pool = Pool::from_features(Matrix::from_rows(&[[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]]))?;
/// let allocation = Allocation::new(vec![(PointId::new(0), 2), (PointId::new(2), 2)])?;
/// let counted = Counted::new(&pool, &allocation, &[0.9, 1.1, 4.8, 5.2], Ridge::ZERO)?;
/// let assumptions = Assumptions::new(0.2)?.tails(Tails::SubGaussian);
/// let fit = LeastSquares::new(assumptions, Confidence::new(0.05)?);
/// let intervals = fit.intervals(&counted, &Targets::Points(Subset::All))?;
/// assert!((intervals.intervals[1].estimate - 3.0).abs() < 1e-12);
/// println!("{intervals}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct LeastSquares {
    assumptions: Assumptions,
    delta: Confidence,
}

impl LeastSquares {
    /// Intervals that all hold together with probability 1 - δ under the assumptions.
    pub fn new(assumptions: Assumptions, delta: Confidence) -> Self {
        Self { assumptions, delta }
    }

    pub(super) fn assumptions(&self) -> &Assumptions {
        &self.assumptions
    }

    /// θ itself. Cost: O(s k).
    pub fn fit(counted: &Counted<'_>) -> LinearFit {
        let mut whitened = vec![0.0; counted.frame.points.columns()];
        for (i, &sum) in counted.sums.iter().enumerate() {
            add_scaled_row(&mut whitened, sum, counted.frame.points.row(i));
        }
        LinearFit::new(&counted.frame, whitened)
    }

    /// One interval for each target. Cost: O(|V| s k).
    ///
    /// # Errors
    /// What [`Targets::compile`] finds, [`EstimateError::NotIdentifiable`], [`EstimateError::PerPoint`],
    /// [`EstimateError::Overflow`].
    pub fn intervals(&self, counted: &Counted<'_>, targets: &Targets) -> Result<Intervals, EstimateError> {
        let frame = &counted.frame;
        let directions = frame.directions(targets)?;
        let variances = self.assumptions.variances(&frame.ids, frame.pool.len())?;
        let fit = Self::fit(counted);
        let quantile = self.quantile(directions.count());
        let mut intervals = Vec::with_capacity(directions.count());
        for block in directions.blocks() {
            let coefficients = directions.coefficients(&block);
            let whitened = directions.whitened(&block);
            let norms = directions.norms(&block);
            let at = (intervals.len(), block.as_slice());
            let biases = frame.biases(&directions, at, &coefficients, &self.assumptions, Widths::Sharp);
            for (i, (&target, bias)) in block.iter().zip(biases).enumerate() {
                let spread: f64 = (frame.weights.iter().zip(coefficients.row(i)))
                    .zip(&variances)
                    .map(|((n, a), variance)| n * a * a * variance)
                    .sum();
                let estimate = dot(whitened.row(i), &fit.whitened);
                intervals.push(Interval {
                    target,
                    estimate,
                    noise: spread.sqrt() * quantile,
                    bias,
                    norm: norms[i],
                });
            }
        }
        let mut premises = vec![
            Premise::FixedCounts { measurements: counted.total },
            self.assumptions.noise_premise(self.assumptions.tail()),
        ];
        premises.extend(self.assumptions.model_premises(frame.gamma.get(), frame.pool.residual()));
        let estimator = if frame.gamma.get() > 0.0 { "ridge regression" } else { "least squares" };
        let statement =
            Statement { estimator, delta: self.delta.delta(), statements: intervals.len(), premises };
        Intervals::finite(statement, intervals)
    }

    /// How many standard deviations the widths are.
    fn quantile(&self, statements: usize) -> f64 {
        match self.assumptions.tail() {
            Tails::BoundedVariance => (statements as f64 / self.delta.delta()).sqrt(),
            Tails::SubGaussian => (2.0 * self.delta.log_two_sided(statements)).sqrt(),
        }
    }
}
