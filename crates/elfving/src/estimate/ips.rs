//! IPS: the plain mean of importance-weighted outcomes.

use super::assumptions::Premise;
use super::{Assumptions, EstimateError, Interval, Intervals, LinearFit, Sampled, Statement, Tails, Widths};
use crate::numerics::{add_scaled_row, dot};
use crate::pool::Targets;
use crate::units::Confidence;

/// `θ = M⁻¹ (1/T) Σ_t φ(x_t) y_t`, the inverse propensity score estimator, for any γ ≥ 0.
///
/// **Width.** `⟨v, θ⟩` is the mean of `X_t = c(x_t) y_t` with `c_x = vᵀM⁻¹φ(x)`. With a bounded variance only, Chebyshev's
/// inequality gives `√(Σ p_x c_x² (B² + σ_x²) |V| / (T δ))` with probability 1 - δ/|V|. With sub-Gaussian noise, X splits into
/// `c(x_t) μ_{x_t}`, which is bounded by `B max|c|` and has variance at most `B² Σ p c²` (Bernstein's inequality), and
/// `c(x_t) ξ_t`, which is sub-Gaussian given the draws. With L = log(4|V|/δ), a quarter of δ/|V| for each of four tails,
///
/// `√(2 L B² Σ p_x c_x² / T) + 2 B L max_x |c_x| / (3T) + √(2 L Σ_t c(x_t)² σ²(x_t)) / T`.
///
/// The bound usually printed leaves out the first term, the variance of the draws themselves; it is then no bound.
///
/// ```
/// use elfving::estimate::{Assumptions, Ips, Sampled, Tails};
/// use elfving::{numerics::Matrix, pool::{PointId, Pool, Subset, Targets}};
/// use elfving::{rounding::Draws, units::{Confidence, Ridge}};
///
/// let pool = Pool::from_features(Matrix::identity(2))?;
/// let draws = Draws::new(&[(PointId::new(0), 0.5), (PointId::new(1), 0.5)], 100, 1)?;
/// let outcomes: Vec<f64> = draws.points().iter().map(|id| [0.2, 0.7][id.index()]).collect();
/// let sampled = Sampled::new(&pool, &draws, &outcomes, Ridge::ZERO)?;
/// let assumptions = Assumptions::new(0.1)?.bound(1.0)?.tails(Tails::SubGaussian);
/// println!("{}", Ips::new(assumptions, Confidence::new(0.05)?).intervals(&sampled, &Targets::Points(Subset::All))?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Ips {
    assumptions: Assumptions,
    delta: Confidence,
}

impl Ips {
    /// Intervals that all hold together with probability 1 - δ under the assumptions.
    pub fn new(assumptions: Assumptions, delta: Confidence) -> Self {
        Self { assumptions, delta }
    }

    /// θ itself. Cost: O(T + s k).
    pub fn fit(sampled: &Sampled<'_>) -> LinearFit {
        let points = &sampled.frame.points;
        let mut means = vec![0.0; points.rows()];
        let share = 1.0 / sampled.draws() as f64;
        sampled.columns.iter().zip(sampled.outcomes).for_each(|(&x, y)| means[x] += share * y);
        let mut whitened = vec![0.0; points.columns()];
        means.iter().enumerate().for_each(|(x, &mean)| add_scaled_row(&mut whitened, mean, points.row(x)));
        LinearFit::new(&sampled.frame, whitened)
    }

    /// One interval for each target. Cost: O(T + |V| s k).
    ///
    /// # Errors
    /// What [`Targets::compile`] finds, [`EstimateError::NotIdentifiable`], [`EstimateError::NeedsBound`],
    /// [`EstimateError::PerPoint`], [`EstimateError::Overflow`].
    pub fn intervals(&self, sampled: &Sampled<'_>, targets: &Targets) -> Result<Intervals, EstimateError> {
        let frame = &sampled.frame;
        let directions = frame.directions(targets)?;
        let bound = self.assumptions.bound_of_means("IPS")?;
        let variances = self.assumptions.variances(&frame.ids, frame.pool.len())?;
        let mut drawn = vec![0.0; frame.ids.len()];
        sampled.columns.iter().for_each(|&x| drawn[x] += 1.0);
        let fit = Self::fit(sampled);
        let mut intervals = Vec::with_capacity(directions.count());
        for block in directions.blocks() {
            let coefficients = directions.coefficients(&block);
            let whitened = directions.whitened(&block);
            let norms = directions.norms(&block);
            let at = (intervals.len(), block.as_slice());
            let biases = frame.biases(&directions, at, &coefficients, &self.assumptions, Widths::Sharp);
            for (i, (&target, bias)) in block.iter().zip(biases).enumerate() {
                let c = coefficients.row(i);
                let squares = |weights: &[f64], of: &dyn Fn(usize) -> f64| -> f64 {
                    weights.iter().enumerate().map(|(x, w)| w * c[x] * c[x] * of(x)).sum()
                };
                let spread = Spread {
                    of_means: squares(&frame.weights, &|_| bound * bound),
                    of_noise: squares(&frame.weights, &|x| variances[x]),
                    of_noise_drawn: squares(&drawn, &|x| variances[x]),
                    largest: bound * c.iter().fold(0.0, |m: f64, x| m.max(x.abs())),
                };
                let noise = self.noise_width(&spread, sampled.draws() as f64, directions.count());
                let estimate = dot(whitened.row(i), &fit.whitened);
                intervals.push(Interval { target, estimate, noise, bias, norm: norms[i] });
            }
        }
        let mut premises = vec![
            Premise::IndependentDraws { draws: sampled.draws() },
            self.assumptions.noise_premise(self.assumptions.tail()),
            Premise::MeansBounded { bound },
        ];
        premises.extend(self.assumptions.model_premises(frame.gamma.get(), frame.pool.residual()));
        let (delta, statements) = (self.delta.delta(), intervals.len());
        Intervals::finite(Statement { estimator: "IPS", delta, statements, premises }, intervals)
    }

    /// The width of the theorem above, for T draws and |V| statements.
    fn noise_width(&self, spread: &Spread, draws: f64, statements: usize) -> f64 {
        match self.assumptions.tail() {
            Tails::BoundedVariance => ((spread.of_means + spread.of_noise) * statements as f64
                / (draws * self.delta.delta()))
            .sqrt(),
            Tails::SubGaussian => {
                let l = self.delta.log_two_sided(2 * statements);
                (2.0 * l * spread.of_means / draws).sqrt()
                    + 2.0 * l * spread.largest / (3.0 * draws)
                    + (2.0 * l * spread.of_noise_drawn).sqrt() / draws
            }
        }
    }
}

/// The sums behind the width of one direction.
struct Spread {
    /// `B² Σ p c²`.
    of_means: f64,
    /// `Σ p c² σ²`.
    of_noise: f64,
    /// `Σ_t c(x_t)² σ²(x_t)`.
    of_noise_drawn: f64,
    /// `B max |c|`.
    largest: f64,
}
