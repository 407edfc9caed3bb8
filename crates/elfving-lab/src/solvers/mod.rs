//! Solvers to compare with: each well known, none a default. The core's interior point and linear programme are
//! [`InteriorPoint`](elfving::design::InteriorPoint) and [`ElfvingSet`](elfving::design::ElfvingSet).
//!
//! | method | solver | for |
//! |---|---|---|
//! | `mirror-descent` | [`MirrorDescent`] | every criterion, as in the paper |
//! | `multiplicative` | [`Multiplicative`] | smooth criteria |
//! | `frank-wolfe` | [`FrankWolfe`] | smooth criteria |
//! | `exchange` | [`RandomisedExchange`] | smooth criteria |
//!
//! Like every solver they end with [`Design::checked`](elfving::design::Design::checked): none certifies itself.

mod exchange;
mod first_order;
mod frank_wolfe;
mod mirror_descent;
mod multiplicative;
mod names;
mod rank_one;

pub use exchange::RandomisedExchange;
pub use frank_wolfe::{FrankWolfe, Variant};
pub use mirror_descent::{MirrorDescent, Opponent, StepSize};
pub use multiplicative::Multiplicative;
pub use names::SolverName;
