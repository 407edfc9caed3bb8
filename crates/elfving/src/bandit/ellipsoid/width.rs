//! The theorem: how far a difference of two means may be from its estimate, at all times at once.

use crate::estimate::Assumptions;

/// The confidence ellipsoid at one time: `‖θ - θ*‖_V ≤ radius`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Ellipsoid {
    pub(super) ridge: f64,
    /// `ln det(V / ridge)`.
    pub(super) log_det: f64,
    /// `Σ_s w_s`: the number of measurements when all weights are 1.
    pub(super) mass: f64,
    /// `ln(1/δ)`.
    pub(super) log_confidence: f64,
    /// √ρ, where features leave out at most ρ of k(x, x).
    pub(super) left_out: f64,
}

impl Ellipsoid {
    /// `√(ridge S² + σ² (2 ln(1/δ) + ln det(V/ridge)))`, and what the features leave out: `√ρ S √Σw`.
    pub(super) fn radius(&self, assumed: &Assumptions) -> f64 {
        let (norm, sigma) = (norm_of(assumed), assumed.sigma_bound());
        let noise = sigma * sigma * (2.0 * self.log_confidence + self.log_det);
        (self.ridge * norm * norm + noise).sqrt() + self.left_out * norm * self.mass.sqrt()
    }
}

/// `⟨v, θ⟩` for a direction v, and what its width is made of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Direction {
    /// `⟨v, θ⟩`.
    pub(super) estimate: f64,
    /// `‖v‖` in the inverse of V.
    pub(super) norm: f64,
    /// The part of `norm` that no measurement of the pool reduces.
    pub(super) unreachable: f64,
    /// `Σ_s w_s |vᵀV⁻¹φ_s|`; 0 when it was not asked for.
    pub(super) reach: f64,
    /// How many means it is made of: 2 for a difference, 1 for a choice.
    pub(super) means: f64,
    /// The same with the features of a kernel: 0 when what they leave out cancels.
    pub(super) truncated_means: f64,
    pub(super) ellipsoid: Ellipsoid,
}

impl Direction {
    /// What no amount of data takes away: `h (Σ_s w_s |vᵀV⁻¹φ_s| + means)`, and what the features leave out of the means.
    pub(super) fn bias(&self, assumed: &Assumptions) -> f64 {
        assumed.h() * (self.reach + self.means)
            + self.ellipsoid.left_out * norm_of(assumed) * self.truncated_means
    }

    /// The true value is within this of the estimate.
    pub(super) fn width(&self, assumed: &Assumptions) -> f64 {
        self.ellipsoid.radius(assumed) * self.norm + self.bias(assumed)
    }

    /// The part of the width that no measurement of the pool reduces.
    pub(super) fn irreducible(&self, assumed: &Assumptions) -> f64 {
        self.ellipsoid.radius(assumed) * self.unreachable + self.bias(assumed)
    }

    /// At most this.
    pub(super) fn upper(&self, assumed: &Assumptions) -> f64 {
        self.estimate + self.width(assumed)
    }

    /// At least this.
    pub(super) fn lower(&self, assumed: &Assumptions) -> f64 {
        self.estimate - self.width(assumed)
    }
}

/// S, without which no ellipsoid starts.
pub(super) fn norm_of(assumed: &Assumptions) -> f64 {
    assumed.norm_bound().unwrap_or(f64::INFINITY)
}
