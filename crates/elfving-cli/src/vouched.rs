//! What the user vouches for, from numbers of the command line.

use elfving::estimate::{Assumptions, EstimateError, Tails};

use crate::error::CliError;

/// The numbers of `--sigma`, `--bound`, `--norm` and `--misspecification`, and the tails.
pub(crate) struct Vouched {
    pub(crate) sigma: f64,
    pub(crate) bound: Option<f64>,
    pub(crate) norm: Option<f64>,
    pub(crate) misspecification: f64,
    pub(crate) tails: Tails,
}

impl Vouched {
    /// Refuses numbers outside their domains.
    pub(crate) fn assumptions(&self) -> Result<Assumptions, CliError> {
        let assumptions = Assumptions::new(self.sigma)
            .and_then(|noise| noise.tails(self.tails).misspecification(self.misspecification))
            .and_then(|noise| noise.bound(self.bound)?.norm(self.norm));
        assumptions.map_err(|error| match error {
            EstimateError::Invalid(error) => error.into(),
            other => CliError::usage("E201", other.to_string(), "give a number >= 0"),
        })
    }
}

/// Light tails, or only a variance.
pub(crate) fn tails(sub_gaussian: bool) -> Tails {
    if sub_gaussian { Tails::SubGaussian } else { Tails::BoundedVariance }
}
