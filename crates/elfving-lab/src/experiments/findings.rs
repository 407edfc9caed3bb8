//! What an experiment found: curves, and claims with what was measured.

use crate::simulate::Summary;
use serde::Serialize;
use std::fmt;

/// Numbers, figures and claims of one experiment.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Findings {
    /// Its name.
    pub experiment: &'static str,
    /// The version of the program.
    pub version: &'static str,
    /// The seed.
    pub seed: u64,
    /// Repetitions behind every mean.
    pub repeats: usize,
    /// Everything else that went in.
    pub parameters: serde_json::Value,
    /// One figure each.
    pub panels: Vec<Panel>,
    /// What the text says, and what was measured.
    pub claims: Vec<Claim>,
}

/// What a module hands back; name, seed and version are added by [`Experiment::run`](super::Experiment::run).
pub(crate) struct Found {
    pub(crate) parameters: serde_json::Value,
    pub(crate) panels: Vec<Panel>,
    pub(crate) claims: Vec<Claim>,
}

/// One figure.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Panel {
    /// Part of its file name.
    pub name: String,
    /// The first line of the figure.
    pub title: String,
    /// The second.
    pub subtitle: String,
    /// What is along x.
    pub x: String,
    /// What is measured.
    pub y: String,
    /// Whether x is logarithmic.
    pub log_x: bool,
    /// Whether y is.
    pub log_y: bool,
    /// The curves.
    pub curves: Vec<Curve>,
}

/// One method.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Curve {
    /// Its name.
    pub method: String,
    /// Where it has an answer.
    pub x: Vec<f64>,
    /// Mean and standard error there.
    pub y: Vec<Summary>,
    /// Something to compare with: drawn dashed.
    pub reference: bool,
}

impl Panel {
    /// A curve by its method.
    pub fn curve(&self, method: &str) -> Option<&Curve> {
        self.curves.iter().find(|curve| curve.method == method)
    }
}

impl Curve {
    /// Mean and standard error at x.
    pub fn at(&self, x: f64) -> Option<Summary> {
        self.x.iter().position(|&here| here == x).map(|k| self.y[k])
    }
}

/// One claim of the text.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Claim {
    /// What the text says.
    pub says: String,
    /// What was measured.
    pub measured: String,
    /// Whether they agree.
    pub holds: bool,
}

impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verdict = if self.holds { "holds" } else { "does not hold" };
        write!(f, "{verdict}: {}\n  measured: {}", self.says, self.measured)
    }
}
