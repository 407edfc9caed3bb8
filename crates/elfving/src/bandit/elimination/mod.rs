//! The paper's elimination algorithms: measure by a design for the survivors, estimate, drop what is beaten, halve ε.
//!
//! | policy | goal | measures | noise | box of the paper |
//! |---|---|---|---|---|
//! | [`RipsRegret`] | little loss while measuring | draws from a G design on the survivors | any of bounded variance | RIPS for Regret Minimization |
//! | [`RipsBest`] | best, top m, all good | draws from an XY design on the pool | any of bounded variance | RIPS for Pure Exploration |
//! | [`PtrRegret`] | little loss while measuring | counts from a G design on the survivors | sub-Gaussian | PTR for Regret Minimization |
//! | [`PtrBest`] | best, top m, all good | counts from an XY design on the pool | sub-Gaussian | PTR for Pure Exploration |
//!
//! All four share one loop: plan, collect, estimate, eliminate. With [`Constants::Certified`] (the default) every decision is a
//! theorem under the premises of the report; what differs from the paper, and why it holds, is in `docs/guarantees.md`.

mod answer;
mod estimator;
mod groups;
mod ledger;
mod margins;
mod phases;
mod policy;
mod ptr_best;
mod ptr_regret;
mod rips_best;
mod rips_regret;
#[cfg(test)]
mod saboteurs;
pub mod schedule;
mod settings;

pub use ptr_best::PtrBest;
pub use ptr_regret::PtrRegret;
pub use rips_best::RipsBest;
pub use rips_regret::RipsRegret;
pub use settings::{Constants, Thresholds};
