//! What the user assumes, and how it is printed next to every width.

use super::EstimateError;
use crate::named::named_enum;
use crate::pool::PointId;
use crate::units::InvalidValue;
use serde::Serialize;
use std::fmt;

named_enum! {
    /// How heavy the tails of the noise may be.
    #[derive(Default)]
    pub enum Tails: "noise" {
        /// `E exp(a ξ) ≤ exp(a² σ²/2)` for every a, as for normal or bounded noise.
        SubGaussian = "sub-gaussian": "Light tails: normal, bounded, or as light",
        /// Only the variance is bounded, by σ².
        #[default]
        BoundedVariance = "bounded-variance": "Any tails: only the variance is bounded",
    }
}

/// What is assumed: `y = ⟨φ(x), θ⟩ + η_x + ξ` with independent noise ξ, `|η_x| ≤ h` and `‖θ‖ ≤ S`.
///
/// | setter | default | meaning |
/// |---|---|---|
/// | [`new`](Self::new) | required | σ: bound on the standard deviation of the noise |
/// | [`sigma_at`](Self::sigma_at) | σ everywhere | one σ for each point: other instruments, averages of repeats |
/// | [`bound`](Self::bound) | unknown | B: bound on the mean outcomes `\|⟨φ(x), θ⟩ + η_x\|` |
/// | [`norm`](Self::norm) | unknown | S: bound on ‖θ‖, in an RKHS the norm of the function |
/// | [`misspecification`](Self::misspecification) | 0 | h: how far the means may be from the model |
/// | [`tails`](Self::tails) | bounded variance | whether the noise is sub-Gaussian |
///
/// ```
/// use elfving::estimate::Assumptions;
/// let assumptions = Assumptions::new(0.1)?.bound(1.0)?.norm(1.3)?;
/// assert!(Assumptions::new(-0.1).is_err());
/// # Ok::<(), elfving::estimate::EstimateError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Assumptions {
    pub(crate) sigma: f64,
    pub(crate) sigma_at: Option<Vec<f64>>,
    pub(crate) bound: Option<f64>,
    pub(crate) norm: Option<f64>,
    pub(crate) misspecification: f64,
    pub(crate) tails: Tails,
}

impl Assumptions {
    /// Noise of standard deviation at most σ.
    ///
    /// # Errors
    /// [`InvalidValue::Sigma`] unless σ is finite and at least 0.
    pub fn new(sigma: f64) -> Result<Self, EstimateError> {
        if !(sigma >= 0.0 && sigma.is_finite()) {
            return Err(InvalidValue::Sigma { got: sigma }.into());
        }
        let (sigma_at, bound, norm) = (None, None, None);
        Ok(Self { sigma, sigma_at, bound, norm, misspecification: 0.0, tails: Tails::default() })
    }

    /// Mean outcomes of absolute value at most B, or no bound.
    ///
    /// # Errors
    /// [`InvalidValue::Bound`] unless B is finite and positive.
    pub fn bound(mut self, bound: impl Into<Option<f64>>) -> Result<Self, EstimateError> {
        self.bound = bound.into();
        match self.bound {
            Some(bound) if !(bound > 0.0 && bound.is_finite()) => {
                Err(InvalidValue::Bound { got: bound }.into())
            }
            _ => Ok(self),
        }
    }

    /// `‖θ‖ ≤ S`, or no bound.
    ///
    /// # Errors
    /// [`EstimateError::Bound`] unless S is finite and at least 0.
    pub fn norm(mut self, norm: impl Into<Option<f64>>) -> Result<Self, EstimateError> {
        self.norm = norm.into().map(|norm| not_negative("the norm of theta", norm)).transpose()?;
        Ok(self)
    }

    /// `|η_x| ≤ h`.
    ///
    /// # Errors
    /// [`EstimateError::Bound`] unless h is finite and at least 0.
    pub fn misspecification(mut self, h: f64) -> Result<Self, EstimateError> {
        self.misspecification = not_negative("the misspecification", h)?;
        Ok(self)
    }

    /// One standard deviation for each point of the pool, in place of the common one.
    ///
    /// # Errors
    /// [`EstimateError::PerPointValue`] for one that is not finite and at least 0.
    pub fn sigma_at(mut self, sigmas: Vec<f64>) -> Result<Self, EstimateError> {
        check_each("sigma", &sigmas, "a finite number >= 0", |sigma| sigma >= 0.0)?;
        self.sigma = sigmas.iter().copied().fold(0.0, f64::max);
        self.sigma_at = Some(sigmas);
        Ok(self)
    }

    /// Whether the noise is sub-Gaussian.
    #[must_use]
    pub fn tails(mut self, tails: Tails) -> Self {
        self.tails = tails;
        self
    }

    /// The variance σ_x² of each of the points.
    pub(crate) fn variances(&self, points: &[PointId], pool: usize) -> Result<Vec<f64>, EstimateError> {
        match &self.sigma_at {
            None => Ok(vec![self.sigma * self.sigma; points.len()]),
            Some(sigmas) if sigmas.len() == pool => {
                Ok(points.iter().map(|id| sigmas[id.index()] * sigmas[id.index()]).collect())
            }
            Some(sigmas) => Err(EstimateError::PerPoint { what: "sigma", expected: pool, got: sigmas.len() }),
        }
    }

    /// θ of norm 1 and means off the model by 1: widths under it are the coefficients of S and h.
    pub(super) fn units() -> Self {
        let (sigma_at, bound, norm) = (None, None, Some(1.0));
        Self { sigma: 0.0, sigma_at, bound, norm, misspecification: 1.0, tails: Tails::default() }
    }

    pub(crate) fn bound_of_means(&self, estimator: &'static str) -> Result<f64, EstimateError> {
        self.bound.ok_or(EstimateError::NeedsBound { estimator })
    }

    /// The largest σ.
    pub fn sigma_bound(&self) -> f64 {
        self.sigma
    }

    /// B, when it is known.
    pub fn bound_if_known(&self) -> Option<f64> {
        self.bound
    }

    /// S, when it is known.
    pub fn norm_bound(&self) -> Option<f64> {
        self.norm
    }

    /// h.
    pub fn h(&self) -> f64 {
        self.misspecification
    }

    /// How heavy the tails of the noise may be.
    pub fn tail(&self) -> Tails {
        self.tails
    }

    /// What is said about the noise.
    pub(crate) fn noise_premise(&self, tails: Tails) -> Premise {
        let (sigma, varies) = (self.sigma, self.sigma_at.is_some());
        match tails {
            Tails::BoundedVariance => Premise::NoiseVariance { sigma, varies },
            Tails::SubGaussian => Premise::SubGaussianNoise { sigma, varies },
        }
    }

    /// What is said about the model, for a ridge γ and features with a residual.
    pub(crate) fn model_premises(&self, gamma: f64, residual: f64) -> Vec<Premise> {
        let mut premises = vec![Premise::Misspecification { h: self.misspecification }];
        match self.norm {
            Some(norm) if gamma > 0.0 || residual > 0.0 => premises.push(Premise::Norm { norm }),
            None if gamma > 0.0 || residual > 0.0 => premises.push(Premise::NormUnknown { gamma }),
            _ => {}
        }
        premises
    }
}

/// Larger numbers leave the range of floating-point numbers when they are squared or multiplied.
pub(crate) const LARGEST: f64 = 1e150;

fn not_negative(what: &'static str, got: f64) -> Result<f64, EstimateError> {
    if (0.0..=LARGEST).contains(&got) { Ok(got) } else { Err(EstimateError::Bound { what, got }) }
}

/// Refuses the first value that is not finite or not in the domain.
pub(crate) fn check_each(
    what: &'static str,
    values: &[f64],
    wanted: &'static str,
    good: impl Fn(f64) -> bool,
) -> Result<(), EstimateError> {
    match values.iter().position(|&value| !(value.is_finite() && good(value))) {
        None => Ok(()),
        Some(i) => Err(EstimateError::PerPointValue { what, id: PointId::new(i), got: values[i], wanted }),
    }
}

/// One assumption under which a width is a theorem.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "assumes")]
#[non_exhaustive]
pub enum Premise {
    /// The points were drawn independently from the design, whatever the outcomes.
    IndependentDraws {
        /// Draws.
        draws: usize,
    },
    /// The counts were fixed before the outcomes were seen.
    FixedCounts {
        /// Measurements.
        measurements: u64,
    },
    /// Independent noise of mean 0 and standard deviation at most σ.
    NoiseVariance {
        /// The largest σ.
        sigma: f64,
        /// Whether each point has its own.
        varies: bool,
    },
    /// Independent noise that is σ-sub-Gaussian.
    SubGaussianNoise {
        /// The largest σ.
        sigma: f64,
        /// Whether each point has its own.
        varies: bool,
    },
    /// Mean outcomes of absolute value at most B.
    MeansBounded {
        /// B.
        bound: f64,
    },
    /// Mean outcomes near those of an earlier estimate.
    MeansNear {
        /// The largest distance.
        radius: f64,
        /// The probability that this fails.
        delta: f64,
    },
    /// Means within h of the model.
    Misspecification {
        /// h.
        h: f64,
    },
    /// Means within h of the model, in a statement about the means.
    MeansWithin {
        /// h.
        h: f64,
    },
    /// `‖θ‖ ≤ S`.
    Norm {
        /// S.
        norm: f64,
    },
    /// No bound on the norm: what the ridge γ takes is not in the widths, which is right for θ = 0 alone.
    NormUnknown {
        /// γ.
        gamma: f64,
    },
    /// `‖θ‖ ≤ S` for an S that nobody gave: the largest with which all that is stated follows.
    NormBorne {
        /// S.
        norm: f64,
    },
    /// The points of each round were fixed before its outcomes were seen.
    FixedRounds {
        /// Measurements.
        measurements: u64,
        /// Rounds.
        rounds: u64,
    },
}

impl fmt::Display for Premise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let own = |varies: &bool| if *varies { ", each candidate with its own" } else { "" };
        match self {
            Premise::IndependentDraws { draws } => {
                write!(
                    f,
                    "the {} measurements were drawn independently from the design",
                    crate::units::grouped(*draws as u64)
                )
            }
            Premise::FixedCounts { measurements } => {
                write!(
                    f,
                    "the {} measurements were fixed before their outcomes were seen",
                    crate::units::grouped(*measurements)
                )
            }
            Premise::NoiseVariance { sigma, varies } => write!(
                f,
                "independent noise of mean 0 and standard deviation at most {sigma}{}, with any tails",
                own(varies)
            ),
            Premise::SubGaussianNoise { sigma, varies } => {
                write!(
                    f,
                    "independent noise with light (sub-Gaussian) tails and sigma at most {sigma}{}",
                    own(varies)
                )
            }
            Premise::MeansBounded { bound } => write!(f, "mean outcomes between -{bound} and {bound}"),
            Premise::MeansNear { radius, delta } if *delta > 0.0 => write!(
                f,
                "mean outcomes within {radius:.4} of the earlier estimates, as they are with probability {}",
                1.0 - delta
            ),
            Premise::MeansNear { radius, .. } => {
                write!(f, "mean outcomes within {radius:.4} of the values they are centred at")
            }
            Premise::Misspecification { h: 0.0 } => write!(f, "the model is exact (misspecification 0)"),
            Premise::Misspecification { h } => {
                write!(f, "true means within {h} of the model; the intervals are for the model's values")
            }
            Premise::MeansWithin { h } => {
                write!(f, "true means within {h} of the model; the statement is about the means themselves")
            }
            Premise::Norm { norm } => write!(f, "the norm of the true function is at most {norm}"),
            Premise::NormUnknown { gamma } => write!(
                f,
                "the norm of the true function is 0: none was given, so the shrinkage bias of the ridge (gamma = {gamma}) is \
                 not in the widths; give a norm"
            ),
            Premise::NormBorne { norm } => write!(
                f,
                "the norm of the true function is at most {} (not given: this is the most that the verdict bears)",
                crate::units::rounded_down(*norm)
            ),
            Premise::FixedRounds { measurements, rounds } => write!(
                f,
                "each round's measurements ({} in {} rounds) were fixed before their outcomes were seen",
                crate::units::grouped(*measurements),
                crate::units::grouped(*rounds)
            ),
        }
    }
}
