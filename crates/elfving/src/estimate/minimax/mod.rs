//! The min-max fit: one vector θ that agrees with all values W(v) as well as a vector can.
//!
//! `min_θ max_v |⟨v, θ⟩ - W(v)| / s(v)` is a linear programme with as many variables as features and two constraints a
//! target. It is solved by exchange: an interior point on a working set of targets, a pass over all of them, the
//! worst ones added. Weights ζ on the targets with `Σ ζ_v v / s(v) = 0` and `Σ |ζ_v| = 1` prove that no θ is better than
//! `Σ ζ_v W(v) / s(v)`; [`recheck`] computes that proof from the problem, θ and ζ alone.

mod check;
mod exchange;
mod interior_point;
mod nearest;
mod problem;
mod theta_hat;

pub use check::{FitCertificate, recheck};
pub use problem::{FitStatus, MinimaxFit, MinimaxProblem};
pub use theta_hat::{ThetaHat, theta_hat};
