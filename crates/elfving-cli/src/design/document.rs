//! A design as JSON: stable names, and everything `certify` needs to build the problem again.

use std::path::Path;

use elfving::design::{CheckedBy, Criterion, Status, TargetRef};
use elfving::pool::KernelSpec;
use elfving::units::Ridge;
use serde::{Deserialize, Serialize};

use super::Answer;
use crate::error::CliError;
use crate::pool_args::PoolArgs;
use crate::targets::TargetArgs;

/// A design with its certificate.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct DesignDocument {
    pub(crate) criterion: Criterion,
    pub(crate) gamma: Ridge,
    /// Candidates.
    pub(crate) n: usize,
    /// Features.
    pub(crate) dimension: usize,
    pub(crate) value: f64,
    /// Of every criterion but d.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) lower_bound: Option<f64>,
    /// Of criterion d, which is made large.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) upper_bound: Option<f64>,
    pub(crate) relative_gap: f64,
    pub(crate) status: Status,
    pub(crate) iterations: usize,
    /// Time of the answer, files not counted.
    pub(crate) seconds: f64,
    /// Candidates of positive weight, in the order of the pool.
    pub(crate) support: Vec<Share>,
    pub(crate) passes: usize,
    pub(crate) method: String,
    pub(crate) tolerance: f64,
    pub(crate) checked_by: CheckedBy,
    /// The weights on targets that prove the bound of g and xy; rows of the targets, from 0.
    pub(crate) target_weights: Vec<TargetShare>,
    pub(crate) kernel: Option<KernelSpec>,
    /// What the features leave out of the kernel.
    pub(crate) residual: f64,
    pub(crate) feature_names: Vec<String>,
    pub(crate) pool: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) targets: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) gram: Option<String>,
    /// How the pool was built, in the words of the command line.
    pub(crate) options: Options,
    pub(crate) version: String,
}

/// The options that rebuild the problem.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Options {
    #[serde(flatten)]
    pub(crate) pool: PoolArgs,
    #[serde(flatten)]
    pub(crate) target: TargetArgs,
}

/// The weight of a candidate.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Share {
    pub(crate) id: String,
    pub(crate) weight: f64,
}

/// The weight of a target: of one row, or of the difference of two.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct TargetShare {
    #[serde(flatten)]
    pub(crate) target: TargetName,
    pub(crate) weight: f64,
}

/// `"target": 3`, or `"pair": [3, 7]`.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum TargetName {
    Target(usize),
    Pair(usize, usize),
}

impl From<TargetRef> for TargetName {
    fn from(target: TargetRef) -> Self {
        match target {
            TargetRef::Row(i) => Self::Target(i),
            TargetRef::Pair(i, j) => Self::Pair(i, j),
        }
    }
}

impl From<TargetName> for TargetRef {
    fn from(name: TargetName) -> Self {
        match name {
            TargetName::Target(i) => Self::Row(i),
            TargetName::Pair(i, j) => Self::Pair(i, j),
        }
    }
}

impl DesignDocument {
    pub(super) fn of(answer: &Answer) -> Self {
        let (design, loaded) = (&answer.design, answer.loaded);
        let certificate = design.certificate();
        let bound = Some(certificate.bound());
        let (lower_bound, upper_bound) =
            if design.criterion().is_maximised() { (None, bound) } else { (bound, None) };
        let share = |&(id, weight): &(elfving::pool::PointId, f64)| Share {
            id: loaded.ids[id.index()].to_owned(),
            weight,
        };
        let file = |path: &Option<std::path::PathBuf>| {
            path.as_deref().map(|path| crate::pool_source::file_name(Some(path)))
        };
        Self {
            criterion: design.criterion(),
            gamma: design.gamma(),
            n: loaded.pool.len(),
            dimension: loaded.pool.dimension(),
            value: certificate.value(),
            lower_bound,
            upper_bound,
            relative_gap: certificate.relative_gap(),
            status: design.status(),
            iterations: design.iterations(),
            seconds: answer.seconds,
            support: design.support().iter().map(share).collect(),
            passes: design.passes(),
            method: design.method().to_owned(),
            tolerance: answer.tolerance,
            checked_by: certificate.checked_by(),
            target_weights: certificate
                .target_weights()
                .iter()
                .map(|&(target, weight)| TargetShare { target: target.into(), weight })
                .collect(),
            kernel: loaded.kernel.clone(),
            residual: loaded.pool.residual(),
            feature_names: loaded.feature_names.clone(),
            pool: loaded.file_name(),
            targets: file(&loaded.args.targets),
            gram: file(&loaded.args.kernel.gram),
            options: Options { pool: loaded.args.clone(), target: answer.targets.clone() },
            version: env!("CARGO_PKG_VERSION").to_owned(),
        }
    }

    /// Reads a design file.
    pub(crate) fn read(path: &Path) -> Result<Self, CliError> {
        let shown = path.display();
        let bytes = std::fs::read(path).map_err(|error| {
            CliError::data(
                "E351",
                format!("{shown}: cannot be read: {error}"),
                "give a file written with --out",
            )
        })?;
        serde_json::from_slice(&bytes).map_err(|error| {
            let help = "give a file written by elfving design --out design.json";
            CliError::data("E352", format!("{shown}: is not a design: {error}"), help)
        })
    }

    /// The bound, from whichever side.
    pub(crate) fn bound(&self) -> Option<f64> {
        self.lower_bound.or(self.upper_bound)
    }
}
