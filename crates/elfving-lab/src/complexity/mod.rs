//! What a problem costs, before anything is measured: the quantities of the paper's theorems.
//!
//! | quantity | function | in words |
//! |---|---|---|
//! | f(X, γ), over points or differences | [`worst_variance`] | the variance that the best design leaves at the worst target |
//! | γ_T | [`information_gain`], [`greedy_information_gain`] | what T measurements can tell at most |
//! | d̃(γ), tr A(A + γ)⁻¹ | [`effective_dimension`] | how many directions matter at this ridge |
//! | max f over subsets | [`worst_subset`] | f after any eliminations |
//! | ρ*(γ, ε) | [`rho_star`] | what identifying the best costs, for a given truth |
//! | g(ε) | [`near_best_variance`] | the variance among the choices that are nearly best |
//! | ε̄ | [`epsilon_bar`] | the accuracy that bias leaves in reach |
//! | floor | [`floor`] | below it elimination is no longer protected |
//! | T*(θ) | [`characteristic_time`] | what no algorithm can undercut |
//!
//! Where a design is behind a number, the number comes as an [`Enclosure`]: a value with certified bounds on both sides. The
//! definitions are the paper's with its slips corrected; each function says which.

mod effective_dimension;
mod enclosure;
mod epsilon_bar;
mod error;
mod floor;
mod information_gain;
mod lower_bound;
mod near_best;
mod rho_star;
mod truth;
mod worst_subset;
mod worst_variance;

pub use effective_dimension::{EffectiveDimension, effective_dimension};
pub use enclosure::Enclosure;
pub use epsilon_bar::{EpsilonBar, epsilon_bar};
pub use error::ComplexityError;
pub use floor::{Floor, floor};
pub use information_gain::{
    GreedyInformationGain, InformationGain, greedy_information_gain, information_gain,
};
pub use lower_bound::{CharacteristicTime, characteristic_time};
pub use near_best::near_best_variance;
pub use rho_star::rho_star;
pub use truth::Truth;
pub use worst_subset::{WorstSubset, worst_subset};
pub use worst_variance::{Over, worst_variance, worst_variance_among};
