//! The plainest rounding: up.

use super::greedy::fill;
use super::quota::{counted_up, quotas};
use super::report::{Rounded, RoundingPath};
use super::{Request, Rounding, RoundingError};

/// `n_i = ⌈λ_i T⌉`: never less information than the continuous design, at up to s measurements more.
///
/// The total lies in [T, T + s] for s points of positive weight. A quota within 10⁻⁹ of an integer counts as
/// that integer. Cost: s log s.
///
/// ```
/// use elfving::design::{Criterion, Problem};
/// use elfving::rounding::{Ceiling, Constraints, Request, Rounding};
/// use elfving::{numerics::Matrix, pool::{PointId, Pool}, units::Ridge};
/// let pool = Pool::from_features(Matrix::identity(4))?;
/// let problem = Problem::over_choices(&pool, Criterion::G, Ridge::ZERO)?;
/// let weights: Vec<_> = [0.4, 0.3, 0.2, 0.1].into_iter().enumerate()
///     .map(|(i, weight)| (PointId::new(i), weight)).collect();
/// let request = Request::from_weights(&problem, &weights, 7, &Constraints::default())?;
/// let rounded = Ceiling.round(&request)?;
/// assert_eq!(rounded.allocation.total(), 9); // 3 + 3 + 2 + 1
/// assert!(rounded.report.to_string().starts_with("ceiling: 9 measurements of 4 candidates"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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
        Ok(request.answer(self.name(), &counts, RoundingPath::Direct))
    }
}
