//! A design with everything that is needed to check it again.

use elfving::design::{
    Certificate, CheckedBy, Criterion, DesignError, DesignStatus, StatedCertificate, StatedDesign, TargetRef,
    recheck,
};
use elfving::pool::{KernelSpec, PointId, Pool};
use elfving::units::{Ridge, Tolerance};
use serde::{Deserialize, Serialize};

use super::{Count, SCHEMA};
use crate::{Dataset, ExactPlan, PoolSpec, ProblemError, TargetSpec};

/// A design with its certificate, as `elfving design --json` prints it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DesignDocument {
    /// [`SCHEMA`](super::SCHEMA).
    pub schema: u32,
    /// What was optimised.
    pub criterion: Criterion,
    /// The ridge.
    pub gamma: Ridge,
    /// Candidates.
    pub n: usize,
    /// Features.
    pub dimension: usize,
    /// The value of the criterion.
    pub value: f64,
    /// No design is below this; of every criterion but d.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lower_bound: Option<f64>,
    /// No design is above this; of criterion d, which is made large.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub upper_bound: Option<f64>,
    /// value / bound - 1; for criterion d, exp((bound - value) / p) - 1 with p coefficients. The efficiency is at least 1 / (1 + gap).
    pub relative_gap: f64,
    /// How far the design got.
    pub status: DesignStatus,
    /// Iterations of the solver.
    pub iterations: usize,
    /// Time of the answer, files not counted.
    pub seconds: f64,
    /// Candidates of positive weight, in the order of the pool.
    pub support: Vec<Weight>,
    /// Whole runs, where they were asked for: how often each candidate is measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counts: Option<Vec<Count>>,
    /// No plan of as many runs is better by more than one over this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub efficiency_bound: Option<f64>,
    /// Passes over the pool.
    pub passes: usize,
    /// The solver.
    pub method: String,
    /// The gap that was asked for.
    pub tolerance: f64,
    /// Which check found the certificate.
    pub checked_by: CheckedBy,
    /// The weights on targets that prove the bound of g and xy; rows of the targets, from 0.
    pub target_weights: Vec<TargetWeight>,
    /// The kernel with all its parameters.
    pub kernel: Option<KernelSpec>,
    /// What the features leave out of the kernel.
    pub residual: f64,
    /// The names of the features.
    pub feature_names: Vec<String>,
    /// The table of candidates, without its folder.
    pub pool: String,
    /// The table of targets, without its folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub targets: Option<String>,
    /// The kernel matrix, without its folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gram: Option<String>,
    /// How the pool was built, and what the design is for.
    pub options: Options,
    /// The version that wrote it.
    pub version: String,
}

/// What rebuilds the problem from its tables.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Options {
    /// How the pool was built.
    pub pool: PoolSpec,
    /// What the design is for.
    #[serde(default)]
    pub targets: TargetSpec,
}

/// The weight of a candidate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Weight {
    /// The candidate.
    pub id: String,
    /// Its share of the measurements.
    pub weight: f64,
}

/// The weight of a target: of one row (`"target": 3`), or of the difference of two (`"pair": [3, 7]`).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TargetWeight {
    /// The row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<usize>,
    /// The two rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pair: Option<(usize, usize)>,
    /// Its weight.
    pub weight: f64,
}

impl From<(TargetRef, f64)> for TargetWeight {
    fn from((target, weight): (TargetRef, f64)) -> Self {
        match target {
            TargetRef::Row(row) => Self { target: Some(row), pair: None, weight },
            TargetRef::Pair(i, j) => Self { target: None, pair: Some((i, j)), weight },
        }
    }
}

/// Two computations of the same number on two machines agree to this, relative.
const AGREEMENT: f64 = 1e-7;

/// The same computation on the same machine agrees to this, relative, whatever the weights summed to before they were normalised.
const ROUNDING: f64 = 1e-12;

/// Weights in a file sum to one to this.
const SUM: f64 = 1e-9;

impl DesignDocument {
    /// The document of a design.
    pub fn of(
        dataset: &Dataset,
        pool: &Pool,
        targets: &TargetSpec,
        design: &StatedDesign,
        tolerance: f64,
        seconds: f64,
    ) -> Self {
        let certificate = &design.certificate;
        let bound = Some(certificate.bound);
        let (lower_bound, upper_bound) =
            if design.criterion.is_maximised() { (None, bound) } else { (bound, None) };
        let weight = |&(id, weight): &(PointId, f64)| Weight {
            id: dataset.names().name(id.index()).into_owned(),
            weight,
        };
        let files = &dataset.about().files;
        let mut spec = dataset.spec().clone();
        spec.model = dataset.recorded_model(design.gamma.get(), tolerance);
        Self {
            schema: SCHEMA,
            criterion: design.criterion,
            gamma: design.gamma,
            n: pool.len(),
            dimension: pool.dimension(),
            value: certificate.value,
            lower_bound,
            upper_bound,
            relative_gap: certificate.relative_gap,
            status: design.status,
            iterations: design.iterations,
            seconds,
            support: design.support.iter().map(weight).collect(),
            counts: None,
            efficiency_bound: None,
            passes: design.passes,
            method: design.method.clone(),
            tolerance,
            checked_by: certificate.checked_by,
            target_weights: certificate.target_weights.iter().map(|&share| share.into()).collect(),
            kernel: dataset.model().kernel().cloned(),
            residual: pool.residual(),
            feature_names: dataset.feature_names().unwrap_or_default(),
            pool: files.pool.clone().or_else(|| files.gram.clone()).unwrap_or_else(|| "the pool".to_owned()),
            targets: files.targets.clone(),
            gram: files.gram.clone(),
            options: Options { pool: spec, targets: targets.clone() },
            version: env!("CARGO_PKG_VERSION").to_owned(),
        }
    }

    /// The same with whole runs.
    #[must_use]
    pub fn with_runs(self, dataset: &Dataset, plan: &ExactPlan) -> Self {
        let name = |id: PointId| dataset.names().name(id.index()).into_owned();
        let counts = plan.allocation.counts().iter().map(|&(id, count)| Count { id: name(id), count });
        Self { counts: Some(counts.collect()), efficiency_bound: Some(plan.efficiency_bound), ..self }
    }

    /// Reads a design file.
    ///
    /// # Errors
    /// [`ProblemError::NotADocument`] for anything else, a field that is not known included; [`ProblemError::NewerDocument`].
    pub fn parse(bytes: &[u8]) -> Result<Self, ProblemError> {
        super::parse("design", bytes)
    }

    /// The bound, from whichever side.
    pub fn bound(&self) -> Option<f64> {
        self.lower_bound.or(self.upper_bound)
    }

    /// That the pool is of the size of the design's.
    ///
    /// # Errors
    /// [`ProblemError::OtherPool`].
    pub fn check_size(&self, dataset: &Dataset) -> Result<(), ProblemError> {
        if dataset.names().len() == self.n {
            return Ok(());
        }
        let pool = dataset.about().files.pool.as_deref().unwrap_or("the pool");
        let found = dataset.names().len();
        let problem = format!("{pool} has {found} candidates, the design was computed on {}", self.n);
        Err(ProblemError::OtherPool { problem })
    }

    /// The weights of the document on the candidates of a pool.
    ///
    /// # Errors
    /// [`ProblemError::OtherPool`] for a candidate that the pool does not have, or that has two weights.
    pub fn weights(&self, dataset: &Dataset) -> Result<Vec<(PointId, f64)>, ProblemError> {
        let index = dataset.names().index();
        let mut seen = std::collections::HashSet::new();
        let mut weights = Vec::with_capacity(self.support.len());
        for Weight { id, weight } in &self.support {
            let other = |what: &str| ProblemError::OtherPool { problem: format!("candidate {id:?} {what}") };
            let row = index.get(id).ok_or_else(|| other("is not in the pool"))?;
            if !seen.insert(row) {
                return Err(other("has two weights"));
            }
            weights.push((PointId::new(row), *weight));
        }
        Ok(weights)
    }

    /// The weights on targets that prove the bound.
    ///
    /// # Errors
    /// [`ProblemError::NotADocument`] for a weight of neither a row nor a pair.
    pub fn proof(&self) -> Result<Vec<(TargetRef, f64)>, ProblemError> {
        let target = |share: &TargetWeight| match (share.target, share.pair) {
            (Some(row), None) => Ok((TargetRef::Row(row), share.weight)),
            (None, Some((i, j))) => Ok((TargetRef::Pair(i, j), share.weight)),
            _ => Err(ProblemError::NotADocument {
                what: "design",
                problem: "a weight is of one target, or of one pair of them".to_owned(),
            }),
        };
        self.target_weights.iter().map(target).collect()
    }

    /// Whether a number that was computed again is the one in the document, up to rounding. A log determinant is a sum over the dimensions
    /// and may be near zero.
    pub fn agrees(&self, found: f64, stated: f64) -> bool {
        let least = if self.criterion.is_maximised() { self.dimension as f64 } else { 0.0 };
        (found - stated).abs() <= AGREEMENT * found.abs().max(stated.abs()).max(least)
    }

    /// Where the document states something else than a check of its weights found; nothing when they agree.
    pub fn disagreements(&self, found: &Certificate) -> Vec<String> {
        let mut reasons = Vec::new();
        let sum: f64 = self.support.iter().map(|share| share.weight).sum();
        if !((sum - 1.0).abs() <= SUM) {
            reasons.push(format!("the weights sum to {sum}, not to 1"));
        }
        if !self.agrees(found.value(), self.value) {
            reasons.push(format!(
                "the file states the value {}, the check finds {}",
                self.value,
                found.value()
            ));
        }
        match self.bound() {
            Some(stated) if self.agrees(found.bound(), stated) => {}
            Some(stated) => {
                reasons
                    .push(format!("the file states the bound {stated}, the check finds {}", found.bound()));
            }
            None => reasons.push("the file states no bound".to_owned()),
        }
        let (gap, stated) = (found.relative_gap(), self.relative_gap);
        if !((gap - stated).abs() <= 2.0 * AGREEMENT) {
            reasons.push(format!("the file states the gap {stated:.1e}, the check finds {gap:.1e}"));
        }
        reasons
    }

    /// The design of the document on its pool, with the certificate that a check of the weights finds: nothing in the file is taken on trust.
    /// Cost: one check.
    ///
    /// # Errors
    /// [`ProblemError::OtherPool`] when the check finds other numbers than the document states or a candidate is not in the pool,
    /// [`ProblemError::NotADocument`] for parts that disagree.
    pub fn restore(&self, dataset: &Dataset, pool: &Pool) -> Result<StatedDesign, ProblemError> {
        self.check_size(dataset)?;
        let tolerance = Tolerance::new(self.tolerance)?;
        let weights = self.weights(dataset)?;
        let targets = &self.options.targets;
        let other = |problem: String| ProblemError::OtherPool { problem };
        let problem =
            targets.problem(dataset, pool, self.criterion, self.gamma).map_err(|error| match error {
                ProblemError::UnknownName { .. } => other(error.to_string()),
                error => error,
            })?;
        let proof = self.proof()?;
        let certificate = recheck(&problem, &weights, &proof).map_err(|error| match error {
            DesignError::NotIdentifiable { target, .. } => {
                other(format!("the weights of the design do not determine {}", targets.name(dataset, target)))
            }
            error => targets.explain(dataset, error),
        })?;
        let mut reasons = self.disagreements(&certificate);
        let gap = certificate.relative_gap();
        if self.status == DesignStatus::Certified && gap > tolerance.get() + 2.0 * AGREEMENT {
            reasons.push(format!(
                "the file says certified, but the gap is {gap:.1e}, above {:.0e}",
                tolerance.get()
            ));
        }
        if !reasons.is_empty() {
            return Err(other(format!("the design is not what it states: {}", reasons.join("; "))));
        }
        Ok(StatedDesign {
            criterion: self.criterion,
            gamma: self.gamma,
            support: weights,
            certificate: self.confirmed(&certificate, proof),
            status: self.status,
            iterations: self.iterations,
            passes: self.passes,
            method: self.method.clone(),
        })
    }

    /// What the check found; the very digits of the document where they differ by the rounding of normalised weights alone, so that a design
    /// that is kept comes back to the last bit.
    fn confirmed(&self, found: &Certificate, proof: Vec<(TargetRef, f64)>) -> StatedCertificate {
        let found = found.stated();
        let least = if self.criterion.is_maximised() { self.dimension as f64 } else { 0.0 };
        let same = |found: f64, stated: f64| {
            (found - stated).abs() <= ROUNDING * found.abs().max(stated.abs()).max(least)
        };
        let (bound, relative_gap) = (self.bound().unwrap_or(f64::NAN), self.relative_gap);
        let gaps_agree = (found.relative_gap - relative_gap).abs() <= 4.0 * ROUNDING * relative_gap.max(1.0);
        if same(found.value, self.value) && same(found.bound, bound) && gaps_agree {
            let target_weights = if found.target_weights.is_empty() { Vec::new() } else { proof };
            return StatedCertificate { value: self.value, bound, relative_gap, target_weights, ..found };
        }
        found
    }

    /// That a pool gives the design the value that the document states. A plan for another pool than that of the design would be worthless, and
    /// would look like any other.
    ///
    /// # Errors
    /// [`ProblemError::OtherPool`].
    pub fn check_value(&self, found: f64, dataset: &Dataset) -> Result<(), ProblemError> {
        if self.agrees(found, self.value) {
            return Ok(());
        }
        let pool = dataset.about().files.pool.as_deref().unwrap_or("this pool");
        let problem = format!("the design states the value {}, on {pool} it is {found}", self.value);
        Err(ProblemError::OtherPool { problem })
    }
}
