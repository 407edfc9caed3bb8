//! RIPS: a robust mean of importance-weighted outcomes for every direction.

use super::assumptions::Premise;
use super::robust_mean::{
    Catoni, DirectionSamples, MedianOfMeans, MomentBound, RobustMean, SoftTruncatedMean, TrimmedMean,
    TruncatedMean,
};
use super::{Assumptions, Centring, EstimateError, Interval, Intervals, Sampled, Statement, Tails};
use crate::named::named_enum;
use crate::pool::Targets;
use crate::units::Confidence;
use serde::{Deserialize, Serialize};

named_enum! {
    /// Which robust mean RIPS takes. A variance estimated from the same sample is not among them: it bounds nothing.
    #[derive(Default)]
    pub enum Mean: "robust mean" {
        /// [`Catoni`], as in the paper; needs more than 2 log(2|V|/δ) draws.
        #[default]
        Catoni = "catoni": "Catoni's mean, as in the paper",
        /// [`SoftTruncatedMean`]: any number of draws, and never wider; pulls towards 0.
        SoftTruncated = "soft-truncated": "One pass centred at 0: any number of draws, never wider",
        /// [`TruncatedMean`].
        Truncated = "truncated": "Large outcomes are cut off",
        /// [`MedianOfMeans`].
        MedianOfMeans = "median-of-means": "The median of the means of blocks",
        /// [`TrimmedMean`].
        Trimmed = "trimmed": "The largest and smallest outcomes are left out",
    }
}

impl Mean {
    /// The robust mean for statements that fail with probability at most δ each.
    pub fn build(self, delta: Confidence) -> Box<dyn RobustMean> {
        match self {
            Mean::Catoni => Box::new(Catoni::new(delta)),
            Mean::SoftTruncated => Box::new(SoftTruncatedMean::new(delta)),
            Mean::Truncated => Box::new(TruncatedMean::new(delta)),
            Mean::MedianOfMeans => Box::new(MedianOfMeans::new(delta)),
            Mean::Trimmed => Box::new(TrimmedMean::new(delta)),
        }
    }
}

/// Which of two valid bounds on moment and bias the widths use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Widths {
    /// The sums themselves: `Σ p_x c_x² (R_x² + σ_x²)`, `γ ‖M⁻¹v‖ S` and `h Σ p_x |c_x|`, with `c_x = vᵀM⁻¹φ(x)`.
    #[default]
    Sharp,
    /// The paper's bounds on them: `(B² + σ²) ‖v‖²`, `√γ ‖v‖ S` and `h ‖v‖`.
    Paper,
}

/// The robust inverse propensity score estimator (Algorithm 1 of the paper), for any γ ≥ 0, plain or centred.
///
/// For every v the samples `X_t = vᵀ M⁻¹ φ(x_t) y_t` are independent, with
/// `E X = ⟨v, θ⟩ - γ vᵀM⁻¹θ + Σ p_x c_x η_x` and `E X² ≤ Σ p_x c_x² (B² + σ_x²) ≤ (B² + σ²) ‖v‖²`. W(v) is their robust mean at
/// confidence δ/|V|, so that all intervals hold together with probability 1 - δ (Theorem 1, with both tails counted).
///
/// ```
/// use elfving::estimate::{Assumptions, Rips, Sampled};
/// use elfving::numerics::Matrix;
/// use elfving::pool::{PointId, Pool, Subset, Targets};
/// use elfving::{rounding::Draws, units::{Confidence, Ridge}};
///
/// let pool = Pool::from_features(Matrix::identity(2))?;
/// let draws = Draws::new(&[(PointId::new(0), 0.5), (PointId::new(1), 0.5)], 400, 1)?;
/// let mut outcomes: Vec<f64> = draws.points().iter().map(|id| [0.2, 0.7][id.index()]).collect();
/// outcomes[13] = 50.0; // one wild outcome, which alone moves IPS by 0.25
/// let sampled = Sampled::new(&pool, &draws, &outcomes, Ridge::ZERO)?;
/// let rips = Rips::new(Assumptions::new(0.1)?.bound(1.0)?, Confidence::new(0.05)?);
/// let intervals = rips.intervals(&sampled, &Targets::Points(Subset::All))?;
/// assert!((intervals.intervals[0].estimate - 0.2).abs() < intervals.intervals[0].width());
/// assert!((intervals.intervals[1].estimate - 0.7).abs() < intervals.intervals[1].width());
/// println!("{intervals}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Rips {
    assumptions: Assumptions,
    delta: Confidence,
    mean: Mean,
    widths: Widths,
    centring: Option<Centring>,
    statements: Option<usize>,
}

impl Rips {
    /// RIPS with Catoni's mean, for intervals that all hold together with probability 1 - δ under the assumptions.
    pub fn new(assumptions: Assumptions, delta: Confidence) -> Self {
        Self {
            assumptions,
            delta,
            mean: Mean::default(),
            widths: Widths::default(),
            centring: None,
            statements: None,
        }
    }

    /// Another robust mean.
    #[must_use]
    pub fn mean(mut self, mean: Mean) -> Self {
        self.mean = mean;
        self
    }

    /// Sharp widths (the default), or those printed in the paper.
    #[must_use]
    pub fn widths(mut self, widths: Widths) -> Self {
        self.widths = widths;
        self
    }

    /// Centres the outcomes on earlier estimates.
    #[must_use]
    pub fn centred(mut self, centring: Centring) -> Self {
        self.centring = Some(centring);
        self
    }

    /// Counts this many statements in the union bound, of which those asked for are some: which ones may then depend on the
    /// outcomes. The default is the number asked for.
    #[must_use]
    pub fn statements(mut self, statements: usize) -> Self {
        self.statements = Some(statements);
        self
    }

    /// The robust mean of one of the statements.
    pub(super) fn mean_of_one(&self, asked: usize) -> Result<Box<dyn RobustMean>, EstimateError> {
        let statements = self.statements.unwrap_or(0).max(asked);
        Ok(self.mean.build(Confidence::new(self.delta.delta() / statements as f64)?))
    }

    /// W(v) and its interval for each target. Cost: O(|V| (s k + T)), in parallel over the targets.
    ///
    /// # Errors
    /// What [`Targets::compile`] finds, [`EstimateError::NotIdentifiable`], [`EstimateError::NeedsBound`] unless centred,
    /// [`EstimateError::Mean`] for too few draws, [`EstimateError::PerPoint`], [`EstimateError::Overflow`].
    pub fn intervals(&self, sampled: &Sampled<'_>, targets: &Targets) -> Result<Intervals, EstimateError> {
        let frame = &sampled.frame;
        let directions = frame.directions(targets)?;
        let mean = self.mean_of_one(directions.count())?;
        let centred = self.centred_outcomes(sampled)?;
        let mut intervals = Vec::with_capacity(directions.count());
        for block in directions.blocks() {
            let coefficients = directions.coefficients(&block);
            let norms = directions.norms(&block);
            let moments = self.second_moments(sampled, &centred.second_moments, &coefficients, &norms)?;
            let samples = DirectionSamples::new(&sampled.columns, &centred.outcomes, &coefficients)?;
            let robust_means = mean.estimate_each(&samples, &moments)?;
            let at = (intervals.len(), block.as_slice());
            let biases = frame.biases(&directions, at, &coefficients, &self.assumptions, self.widths);
            for (i, (&target, bias)) in block.iter().zip(biases).enumerate() {
                let restored: f64 = (frame.weights.iter().zip(coefficients.row(i)))
                    .zip(&centred.centres)
                    .map(|((p, c), m)| p * c * m)
                    .sum();
                let estimate = robust_means[i] + restored;
                let noise = mean.deviation(sampled.draws(), moments[i])?;
                intervals.push(Interval { target, estimate, noise, bias, norm: norms[i] });
            }
        }
        Intervals::finite(self.statement(sampled, &centred, intervals.len()), intervals)
    }

    /// The outcomes less m(x), with m and `R_x² + σ_x²` at every measured point; m = 0 and R = B without centring.
    pub(super) fn centred_outcomes(&self, sampled: &Sampled<'_>) -> Result<Centred, EstimateError> {
        let frame = &sampled.frame;
        let variances = self.assumptions.variances(&frame.ids, frame.pool.len())?;
        let (centres, radii) = match &self.centring {
            Some(centring) => centring.at(&frame.ids, frame.pool.len())?,
            None => {
                let bound = self.assumptions.bound_of_means("RIPS")?;
                (vec![0.0; variances.len()], vec![bound; variances.len()])
            }
        };
        let outcomes = sampled.columns.iter().zip(sampled.outcomes).map(|(&x, y)| y - centres[x]).collect();
        let second_moments = radii.iter().zip(&variances).map(|(r, variance)| r * r + variance).collect();
        let largest_radius = radii.iter().copied().fold(0.0, f64::max);
        Ok(Centred { outcomes, centres, second_moments, largest_radius })
    }

    /// A bound on `E X²` for each direction of a block.
    pub(super) fn second_moments(
        &self,
        sampled: &Sampled<'_>,
        of_points: &[f64],
        coefficients: &crate::numerics::Matrix,
        norms: &[f64],
    ) -> Result<Vec<MomentBound>, EstimateError> {
        let largest = of_points.iter().copied().fold(0.0, f64::max);
        let bound = |(i, norm): (usize, &f64)| match self.widths {
            Widths::Paper => largest * norm * norm,
            Widths::Sharp => (sampled.frame.weights.iter().zip(coefficients.row(i)))
                .zip(of_points)
                .map(|((p, c), moment)| p * c * c * moment)
                .sum(),
        };
        let bounds = norms.iter().enumerate().map(bound);
        bounds.map(|bound| MomentBound::new(bound).map_err(|_| EstimateError::Overflow)).collect()
    }

    fn statement(&self, sampled: &Sampled<'_>, centred: &Centred, statements: usize) -> Statement {
        let frame = &sampled.frame;
        let earlier = self.centring.as_ref().map_or(0.0, Centring::delta);
        let radius = centred.largest_radius;
        let mut premises = vec![
            Premise::IndependentDraws { draws: sampled.draws() },
            self.assumptions.noise_premise(Tails::BoundedVariance),
            match &self.centring {
                Some(_) => Premise::MeansNear { radius, delta: earlier },
                None => Premise::MeansBounded { bound: radius },
            },
        ];
        premises.extend(self.assumptions.model_premises(frame.gamma.get(), frame.pool.residual()));
        let estimator = if self.centring.is_some() { "centred RIPS" } else { "RIPS" };
        Statement { estimator, delta: self.delta.delta() + earlier, statements, premises }
    }
}

/// What RIPS averages once the centres are taken out.
pub(super) struct Centred {
    pub outcomes: Vec<f64>,
    pub centres: Vec<f64>,
    pub second_moments: Vec<f64>,
    largest_radius: f64,
}
