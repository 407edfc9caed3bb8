//! COUNTS + Y → NUMBERS: estimates that survive heavy tails, with the assumption behind each.
//!
//! | estimator | it takes | its width holds for |
//! |---|---|---|
//! | [`LeastSquares`] (and ridge) | [`Counted`]: an [`Allocation`](crate::rounding::Allocation) | sub-Gaussian noise; any variance by Chebyshev |
//! | [`Ips`] | [`Sampled`]: [`Draws`](crate::rounding::Draws) | sub-Gaussian noise; any variance by Chebyshev |
//! | [`Rips`] | [`Sampled`] | any noise of bounded variance, at the rate of sub-Gaussian noise |
//! | [`Rips::centred`] | [`Sampled`] and earlier estimates | the same, without the price of B² |
//!
//! Every one gives [`Intervals`]: estimate, noise width and bias width kept apart, with the [`Statement`] that names its
//! assumptions. [`minimax`] turns the W(v) of RIPS into one vector θ̂.

mod assumptions;
mod centring;
mod counted;
mod directions;
mod error;
mod evidence;
mod frame;
mod interval;
mod ips;
mod least_squares;
mod linear_fit;
pub mod minimax;
mod prospect;
#[cfg(test)]
mod reference_tests;
mod rips;
mod rips_box;
pub mod robust_mean;
mod sampled;
mod whitening;

pub(crate) use assumptions::LARGEST;
pub use assumptions::{Assumptions, Premise, Tails};
pub use centring::Centring;
pub use counted::Counted;
pub use error::EstimateError;
pub use evidence::Evidence;
pub use interval::{Bias, Interval, Intervals, Statement};
pub use ips::Ips;
pub use least_squares::LeastSquares;
pub use linear_fit::LinearFit;
pub use prospect::{Prospect, prospect};
pub use rips::{Mean, Rips, Widths};
pub use rips_box::{RipsError, RipsRun, run_rips};
pub use sampled::Sampled;
