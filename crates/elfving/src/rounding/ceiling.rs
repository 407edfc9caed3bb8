//! The plainest rounding: up.

use super::greedy::fill;
use super::quota::{counted_up, quotas};
use super::report::{Path, Rounded};
use super::{Request, Rounding, RoundingError};

/// `n_i = ⌈λ_i T⌉`: never less information than the continuous design, at up to s measurements more.
///
/// The total lies in [T, T + s] for s points of positive weight. A quota within 10⁻⁹ of an integer counts as
/// that integer. Cost: s log s.
#[derive(Debug, Clone, Copy, Default)]
pub struct Ceiling;

impl Rounding for Ceiling {
    fn name(&self) -> &'static str {
        "ceiling"
    }

    fn round(&self, request: &Request) -> Result<Rounded, RoundingError> {
        let mut counts = request.bounds.lower.clone();
        for (i, quota) in quotas(request, &request.weights) {
            counts[i] = counted_up(quota).clamp(request.bounds.lower[i], request.bounds.upper[i]);
        }
        fill(request, &mut counts);
        Ok(request.answer(self.name(), &counts, Path::Direct))
    }
}
