//! A plan: counts that were chosen, or independent draws.

use elfving::pool::PointId;
use elfving::rounding::{
    Allocation, Draws, Exchange, Request, Rounded, RoundingError, RoundingReport, shuffled_slots,
};

use super::MethodName;

/// Two kinds, because estimators differ in what they may assume.
pub(super) enum Plan {
    Allocation { allocation: Allocation, report: RoundingReport },
    Draws { draws: Draws, report: RoundingReport },
}

impl Plan {
    pub(super) fn make(
        request: &Request,
        method: MethodName,
        polish: bool,
        seed: u64,
    ) -> Result<Self, RoundingError> {
        let Some(method) = method.rounding() else {
            let draws = Draws::new(&request.weights(), request.budget(), seed)?;
            let report = draws.report(request)?;
            return Ok(Self::Draws { draws, report });
        };
        let mut rounded = method.rounding().round(request)?;
        if polish {
            rounded = Exchange::default().after(request, &rounded)?;
        }
        let Rounded { allocation, report } = rounded;
        Ok(Self::Allocation { allocation, report })
    }

    pub(super) fn report(&self) -> &RoundingReport {
        match self {
            Self::Allocation { report, .. } | Self::Draws { report, .. } => report,
        }
    }

    /// `allocation` or `draws`.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Allocation { .. } => "allocation",
            Self::Draws { .. } => "draws",
        }
    }

    /// How often each candidate is measured, in pool order.
    pub(super) fn counts(&self) -> Vec<(PointId, u64)> {
        match self {
            Self::Allocation { allocation, .. } => allocation.counts().to_vec(),
            Self::Draws { draws, .. } => draws.counts(),
        }
    }

    /// Candidates with their counts, the most frequent first.
    pub(super) fn most_first(&self) -> Vec<(usize, u64)> {
        let mut counts: Vec<(usize, u64)> =
            self.counts().into_iter().map(|(id, count)| (id.index(), count)).collect();
        counts.sort_by_key(|&(row, count)| (std::cmp::Reverse(count), row));
        counts
    }

    /// The order of the measurements: as drawn, or shuffled with the seed. Draws are in random order already.
    pub(super) fn order(&self, shuffle: Option<u64>) -> Option<Vec<usize>> {
        let rows = |ids: &[PointId]| ids.iter().map(|id| id.index()).collect();
        match (self, shuffle) {
            (Self::Draws { draws, .. }, _) => Some(rows(draws.points())),
            (Self::Allocation { allocation, .. }, Some(seed)) => {
                Some(rows(&shuffled_slots(allocation, seed)))
            }
            (Self::Allocation { .. }, None) => None,
        }
    }
}
