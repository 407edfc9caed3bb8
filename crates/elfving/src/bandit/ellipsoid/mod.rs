//! The confidence ellipsoid: certified answers at a laboratory's budget, for sub-Gaussian noise and a norm bound.
//!
//! `V_t = ridge·I + Σ_s w_s φ_s φ_sᵀ` and `θ_t = V_t⁻¹ Σ_s w_s φ_s y_s`. With probability 1 - δ, for *all* times t and *all* directions v
//! at once, whatever rule chose the points,
//!
//! ```text
//! |⟨v, θ_t - θ*⟩| ≤ ‖v‖ √(ridge S² + σ² (2 ln(1/δ) + ln det(V_t / ridge))) + h Σ_s w_s |vᵀV_t⁻¹φ_s|,   ‖v‖ in the inverse of V_t.
//! ```
//!
//! It is used on differences of choices. All data is reused, any batch size is valid, and it can stop at any time. The page
//! `docs/ellipsoid.md` has the proof.

mod batch;
mod best;
mod bets;
mod confidence;
mod contest;
mod doubt;
mod good;
mod map;
mod margins;
mod regret;
mod ridge;
#[cfg(test)]
mod saboteurs;
mod snapshot;
mod state;
mod testimony;
mod theorem;
mod width;

pub use best::EllipsoidBest;
pub use map::EllipsoidMap;
pub use regret::EllipsoidRegret;
