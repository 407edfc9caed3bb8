//! The paper's experiments and our own: each one a function from settings to [`Findings`], which hold the numbers, the
//! figures and, claim by claim, what the text says and what was measured.
//!
//! ```no_run
//! use elfving_lab::experiments::{Experiment, Settings};
//! let findings = Experiment::Kernel.run(&Settings::default().repeats(4), &|| {})?;
//! for claim in &findings.claims {
//!     println!("{claim}");
//! }
//! # Ok::<(), elfving_lab::experiments::ExperimentError>(())
//! ```

mod bandits;
mod curves;
mod error;
mod experiment;
mod figure;
mod findings;
mod g_optimal;
mod kernel;
mod normal;
mod rips_vs_ips;
mod sheet;

pub use error::ExperimentError;
pub use experiment::{Experiment, Settings};
pub use figure::figure;
pub use findings::{Claim, Curve, Findings, Panel};
pub use sheet::{csv, csv_of_all};
