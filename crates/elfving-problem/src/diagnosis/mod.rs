//! What must be chosen for a table, and how to choose it: scales, a kernel, a ridge, and what results say about noise and bounds.
//!
//! Suggestions are values; each shell writes them as its own options. What results suggest is an estimate, not a bound: a guarantee holds for
//! the numbers that the user states.

mod columns;
mod findings;
mod likelihood;
mod measured;

use elfving::estimate::Tails;
use elfving::pool::KernelSpec;
use elfving_table::LogBase;
use serde::{Deserialize, Serialize};

pub use measured::Measured;

use crate::defaults::{KERNEL_RIDGE, USUAL_TOLERANCE};
use crate::{Dataset, ProblemError, documents};

/// Everything that was found about a table, in the order in which it is chosen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Diagnosis {
    /// [`SCHEMA`](documents::SCHEMA).
    pub schema: u32,
    /// Candidates.
    pub n: usize,
    /// Coordinates of the pool.
    pub features: usize,
    /// What there is to know.
    pub findings: Vec<Finding>,
    /// The version that wrote it.
    pub version: String,
}

/// One thing to know, and what it asks for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Finding {
    /// What it is about.
    pub topic: String,
    /// What was found.
    pub finding: String,
    /// What to use; none where there is nothing to do.
    pub suggestion: Option<Suggestion>,
}

/// What a finding asks for. In JSON the name is the field `use`: `{"use": "sigma", "value": 0.1}`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "use", rename_all = "kebab-case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Suggestion {
    /// Take these text columns as categories.
    OneHot {
        /// The columns.
        columns: Vec<String>,
    },
    /// Take these columns as features, and no others.
    Features {
        /// The columns.
        columns: Vec<String>,
    },
    /// Take these columns on a log scale.
    Log {
        /// The columns, each with its base.
        columns: Vec<(String, LogBase)>,
    },
    /// Bring numeric columns to mean 0 and deviation 1.
    Standardize,
    /// A ridge.
    Gamma {
        /// γ.
        value: f64,
    },
    /// A kernel with its length scale.
    Kernel {
        /// The kernel.
        of: KernelSpec,
    },
    /// A bound on the norm of the true function.
    Norm {
        /// S.
        value: f64,
    },
    /// A bound on the mean outcomes.
    Bound {
        /// B.
        value: f64,
    },
    /// The deviation of the noise.
    Sigma {
        /// σ.
        value: f64,
    },
    /// The tails of the noise.
    Noise {
        /// Light, or of any shape.
        tails: Tails,
    },
}

impl Finding {
    fn new(topic: &str, finding: impl Into<String>) -> Self {
        Self { topic: topic.to_owned(), finding: finding.into(), suggestion: None }
    }

    fn suggesting(mut self, suggestion: Suggestion) -> Self {
        self.suggestion = Some(suggestion);
        self
    }
}

impl Diagnosis {
    /// Looks at a pool, and at what was measured on it so far. `seed` is that of samples of large tables. Cost: that of an effective
    /// dimension on at most 2000 candidates, and with results that of some hundred eigendecompositions of order 200 at most.
    ///
    /// # Errors
    /// What is wrong with the pool; [`ProblemError::Data`] for results out of range.
    pub fn of(dataset: &Dataset, measured: Option<&Measured>, seed: u64) -> Result<Self, ProblemError> {
        let pool = dataset.build(KERNEL_RIDGE, USUAL_TOLERANCE)?;
        let findings = findings::all(dataset, &pool, measured, seed)?;
        let features = dataset.coordinates().map_or(pool.dimension(), |(points, _)| points.columns());
        let version = env!("CARGO_PKG_VERSION").to_owned();
        Ok(Self { schema: documents::SCHEMA, n: pool.len(), features, findings, version })
    }

    /// All suggestions, in the order of the findings.
    pub fn suggestions(&self) -> impl Iterator<Item = &Suggestion> {
        self.findings.iter().filter_map(|finding| finding.suggestion.as_ref())
    }
}

/// What the columns of a table ask for; nothing for a pool without columns.
pub fn column_findings(dataset: &Dataset) -> Vec<Finding> {
    let (Some((points, _)), Some(names)) = (dataset.coordinates(), &dataset.about().coordinate_names) else {
        return Vec::new();
    };
    columns::findings(dataset, points, names).findings
}
