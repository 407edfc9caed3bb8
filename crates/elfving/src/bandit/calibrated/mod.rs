//! Calibrated campaigns: all data reused, a fitted Gaussian process, batches of any size; practical, and without a proof.
//!
//! | file | what it is |
//! |---|---|
//! | [`Calibrated`] | the policy: measurements in, a fit a round, a batch out |
//! | [`CalibratedSettings`], [`Strategy`] | what can be set |
//! | `slate` | a batch being filled: hypothetical measurements, pending slots, the repeat cap |
//! | `ucb`, `thompson`, `log_ei`, `posterior_xy`, `mixed`, `widest` | the strategies: a score for every point, slot by slot |
//! | `report` | what is known, in the user's units |
//! | [`Outlook`], [`Advice`] | what another batch is expected to gain, and whether to go on |
//! | [`conditional_statement`] | what is certified *if* the norm of the truth under the fitted kernel is small enough |
//!
//! The model is the [`surrogate`](crate::surrogate); the page `docs/calibrated.md` has the formulas and what was measured.

mod advice;
mod mixed;
mod model;
mod outlook;
mod policy;
mod posterior_xy;
mod report;
mod scores;
mod settings;
mod slate;
mod start;
mod statement;
mod thompson;

pub use advice::{Advice, Ground, Stopping, USUAL_SHARE};
pub use outlook::{Expected, Outlook};
pub use policy::Calibrated;
pub use settings::{CalibratedSettings, Optimism, RepeatCap, Strategy};
pub use statement::{ConditionalStatement, conditional_statement};
