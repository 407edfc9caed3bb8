//! The theorem: how far a difference of two means may be from its estimate, at all times at once.

use super::confidence::Seen;
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

/// `⟨v, θ⟩` for a direction v, and what bounds it.
#[derive(Debug, Clone)]
pub(super) struct Direction {
    /// `⟨v, θ⟩` of the regression on all data.
    pub(super) estimate: f64,
    /// `‖v‖` in the inverse of V; shorter than `norm_now` where measurements are supposed that were not made yet.
    pub(super) norm: f64,
    /// The same for what is measured.
    pub(super) norm_now: f64,
    /// The length of its part that no measurement of the pool sees.
    pub(super) unseen: f64,
    /// How many means it is made of: 2 for a difference, 1 for a choice.
    pub(super) means: f64,
    /// The same with the features of a kernel: 0 when what they leave out cancels.
    pub(super) truncated_means: f64,
    /// The sum of √r over its means, with r what the features of a choice leave out of k(z, z): 0 when that cancels.
    pub(super) left_out: f64,
    /// As the witnesses see it.
    pub(super) seen: Option<Seen>,
    /// As the ellipsoid of all data sees it: `Σ_s w_s |vᵀV⁻¹φ_s|` and that ellipsoid, where it is used.
    pub(super) one_ridge: Option<(Ellipsoid, f64)>,
}

impl Direction {
    /// At most this: the smallest bound of all.
    pub(super) fn upper(&self, assumed: &Assumptions) -> f64 {
        self.bound(assumed, 1.0)
    }

    /// At least this.
    pub(super) fn lower(&self, assumed: &Assumptions) -> f64 {
        -self.bound(assumed, -1.0)
    }

    /// At most this, for the direction times `sign`.
    fn bound(&self, assumed: &Assumptions, sign: f64) -> f64 {
        let mut least = f64::INFINITY;
        if let Some((ellipsoid, reach)) = &self.one_ridge {
            let bias = assumed.h() * (reach + self.means) + self.truncated(ellipsoid.left_out, assumed);
            least = sign * self.estimate + ellipsoid.radius(assumed) * self.norm + bias;
        }
        if let Some(seen) = &self.seen {
            let shorter = if self.norm_now > 0.0 { self.norm / self.norm_now } else { 1.0 };
            let radii = seen.views.radii(assumed);
            let of_all = radii.iter().zip(&seen.each);
            let of_all = of_all.map(|(radius, (estimate, norm))| sign * estimate + radius * norm * shorter);
            // f64::min passes over a NaN.
            let bound = of_all.fold(norm_of(assumed) * seen.norm, f64::min);
            least = least.min(bound + self.bias_of_means(assumed));
        }
        least
    }

    fn truncated(&self, left_out: f64, assumed: &Assumptions) -> f64 {
        // 0 · ∞ where no norm is given and nothing is left out.
        if left_out > 0.0 { left_out * norm_of(assumed) * self.truncated_means } else { 0.0 }
    }

    /// What the class leaves out of the means themselves.
    fn bias_of_means(&self, assumed: &Assumptions) -> f64 {
        let truncated = if self.left_out > 0.0 { self.left_out * norm_of(assumed) } else { 0.0 };
        assumed.h() * self.means + truncated
    }

    /// What no amount of data takes away because of the model: a misspecification, and what features leave out.
    pub(super) fn bias(&self, assumed: &Assumptions) -> f64 {
        if let Some((ellipsoid, reach)) = &self.one_ridge {
            return assumed.h() * (reach + self.means) + self.truncated(ellipsoid.left_out, assumed);
        }
        self.seen.as_ref().map_or(0.0, |_| self.bias_of_means(assumed))
    }

    /// Half the distance of the bounds.
    pub(super) fn width(&self, assumed: &Assumptions) -> f64 {
        0.5 * (self.upper(assumed) - self.lower(assumed))
    }

    /// The part of the width that no measurement of the pool reduces.
    pub(super) fn irreducible(&self, assumed: &Assumptions) -> f64 {
        let mut axis = f64::INFINITY;
        if let Some((ellipsoid, _)) = &self.one_ridge {
            axis = ellipsoid.radius(assumed) / ellipsoid.ridge.sqrt();
        }
        if let Some(seen) = &self.seen {
            let radii = seen.views.radii(assumed);
            let axes = radii.iter().zip(seen.views.unseen_axes()).map(|(radius, axis)| radius * axis);
            axis = axes.fold(axis.min(norm_of(assumed)), f64::min);
        }
        let unseen = if self.unseen > 0.0 { axis * self.unseen } else { 0.0 };
        unseen + self.bias(assumed)
    }
}

/// S, without which no ellipsoid starts.
pub(super) fn norm_of(assumed: &Assumptions) -> f64 {
    assumed.norm_bound().unwrap_or(f64::INFINITY)
}
