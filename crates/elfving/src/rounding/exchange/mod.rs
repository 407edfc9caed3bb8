//! Exchange: give one measurement, take another, as long as it helps.

mod objective;
mod position;

use super::report::{Rounded, RoundingPath};
use super::{Allocation, Apportionment, Request, Rounding, RoundingError};
use crate::pool::PointId;
use position::Position;

/// Exchange after Fedorov (1972), on the shortlists of Cook and Nachtsheim's and Atkinson and Donev's KL variant:
/// improves any allocation for any criterion, keeping its total and the constraints.
///
/// Each round ranks the measurements to give by how little they matter, and the points to take by how much they would,
/// computes the criterion exactly for every pair of the two lists by a rank-two update, and makes the best swap.
/// The criterion improves with each swap, so it never ends worse than it began. As a [`Rounding`] it begins at the
/// [`Apportionment`].
///
/// Cost of a swap: 2 n p² for the ranking, and K L m for lists of K and L points and m targets (at most 1024 at a time).
///
/// | setting | default | effect |
/// |---|---|---|
/// | `most_swaps` | 1000 | stops there |
///
/// ```
/// use elfving::design::{Criterion, Problem};
/// use elfving::rounding::{Allocation, Constraints, Exchange, Request};
/// use elfving::{numerics::Matrix, pool::{PointId, Pool}, units::Ridge};
/// // A line on 0, 0.1, ..., 1: from the middle, measurements wander to the ends.
/// let line = Matrix::from_fn(11, 2, |i, k| if k == 0 { 1.0 } else { i as f64 / 10.0 });
/// let pool = Pool::from_features(line)?;
/// let problem = Problem::over_choices(&pool, Criterion::D, Ridge::ZERO)?;
/// let ends = [(PointId::new(0), 0.5), (PointId::new(10), 0.5)];
/// let request = Request::from_weights(&problem, &ends, 4, &Constraints::default())?;
/// let start = Allocation::new(vec![(PointId::new(4), 2), (PointId::new(5), 2)])?;
/// let polished = Exchange::default().polish(&request, &start)?;
/// assert_eq!(polished.allocation.counts(), &[(PointId::new(0), 2), (PointId::new(10), 2)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Exchange {
    most_swaps: usize,
}

impl Default for Exchange {
    fn default() -> Self {
        Self { most_swaps: 1000 }
    }
}

impl Exchange {
    /// Stops after this many swaps.
    #[must_use]
    pub fn most_swaps(mut self, swaps: usize) -> Self {
        self.most_swaps = swaps;
        self
    }

    /// Improves an allocation.
    ///
    /// # Errors
    /// [`RoundingError::UnknownPoint`], and [`RoundingError::OutsideBounds`] when the allocation breaks the
    /// constraints of the request.
    pub fn polish(&self, request: &Request, start: &Allocation) -> Result<Rounded, RoundingError> {
        let mut counts = request.dense("counts", start.counts())?;
        for (i, &count) in counts.iter().enumerate() {
            let (minimum, maximum) = (request.bounds.lower[i], request.bounds.upper[i]);
            if !(minimum..=maximum).contains(&count) {
                return Err(RoundingError::OutsideBounds { id: PointId::new(i), count, minimum, maximum });
            }
        }
        let (swaps, settled) = self.improve(request, &mut counts);
        let path = RoundingPath::Exchanged { from: "given".to_string(), swaps, settled };
        Ok(request.answer("exchange", &counts, path))
    }

    /// [`Exchange::polish`] for the answer of a method, which keeps its name.
    ///
    /// # Errors
    /// Those of [`Exchange::polish`].
    pub fn after(&self, request: &Request, rounded: &Rounded) -> Result<Rounded, RoundingError> {
        let mut polished = self.polish(request, &rounded.allocation)?;
        if let RoundingPath::Exchanged { from, .. } = &mut polished.report.path {
            from.clone_from(&rounded.report.method);
        }
        polished.report.method.clone_from(&rounded.report.method);
        Ok(polished)
    }

    /// Swaps until nothing helps; how many, and whether that was the end of it.
    pub(super) fn improve(&self, request: &Request, counts: &mut [u64]) -> (usize, bool) {
        for swaps in 0..self.most_swaps {
            let Some((given, taken)) = Position::new(request, counts).improvement() else {
                return (swaps, true);
            };
            counts[given] -= 1;
            counts[taken] += 1;
        }
        (self.most_swaps, false)
    }
}

impl Rounding for Exchange {
    fn name(&self) -> &'static str {
        "exchange"
    }

    fn round(&self, request: &Request) -> Result<Rounded, RoundingError> {
        let start = Apportionment::default().round(request)?;
        let mut polished = self.after(request, &start)?;
        polished.report.method = self.name().to_string();
        Ok(polished)
    }
}
