//! Several roundings, polished, and the best of them.

use super::report::Rounded;
use super::{Apportionment, Exchange, GreedyVariance, RegretMinimisation, Request, Rounding, RoundingError};

/// Quotas below which points are left out before apportioning, in turn.
const SMALLEST_QUOTAS: [f64; 4] = [0.0, 0.1, 0.3, 0.5];

/// A ratio up to this leaves nothing worth the search.
const GOOD_ENOUGH: f64 = 1.001;

/// Regret minimisation, apportionment with and without the small weights, and greedy variance, each polished by
/// [`Exchange`]: exactly T, and the best criterion value of them all.
///
/// What to take when the criterion is all that counts: at least as good as [`RegretMinimisation`], though without its
/// guarantee in the report. When the budget is so large that apportionment alone is within a thousandth of the continuous
/// design, it is taken as it is. Cost: that of all of them and of their exchanges.
///
/// ```
/// use elfving::design::{Criterion, Problem};
/// use elfving::rounding::{BestRounding, Constraints, RegretMinimisation, Request, Rounding};
/// use elfving::{numerics::Matrix, pool::{PointId, Pool}, units::Ridge};
/// let pool = Pool::from_features(Matrix::from_fn(11, 2, |i, k| if k == 0 { 1.0 } else { i as f64 / 10.0 }))?;
/// let problem = Problem::over_choices(&pool, Criterion::G, Ridge::ZERO)?;
/// let weights: Vec<_> = (0..11).map(|i| (PointId::new(i), 1.0)).collect();
/// let request = Request::from_weights(&problem, &weights, 9, &Constraints::default().each_at_most(2))?;
/// let best = BestRounding::default().round(&request)?.report;
/// let regret = RegretMinimisation::default().round(&request)?.report;
/// assert!(best.ratio <= regret.ratio);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BestRounding {
    regret: RegretMinimisation,
    exchange: Exchange,
}

impl BestRounding {
    /// Settings of the regret minimisation.
    #[must_use]
    pub fn regret(mut self, regret: RegretMinimisation) -> Self {
        self.regret = regret;
        self
    }

    /// Settings of the exchanges.
    #[must_use]
    pub fn exchange(mut self, exchange: Exchange) -> Self {
        self.exchange = exchange;
        self
    }
}

impl Rounding for BestRounding {
    fn name(&self) -> &'static str {
        "best"
    }

    fn round(&self, request: &Request) -> Result<Rounded, RoundingError> {
        let apportioned =
            SMALLEST_QUOTAS.map(|quota| Apportionment::default().smallest_quota(quota).round(request));
        let apportioned = apportioned.into_iter().collect::<Result<Vec<_>, _>>()?;
        let apportioned = best_of(request, apportioned)?;
        if apportioned.report.ratio.is_some_and(|ratio| ratio <= GOOD_ENOUGH) {
            return Ok(named(self.name(), apportioned));
        }
        let contenders = [self.regret.round(request)?, apportioned, GreedyVariance.round(request)?];
        let polished = contenders.map(|contender| self.exchange.after(request, &contender));
        let best = best_of(request, polished.into_iter().collect::<Result<Vec<_>, _>>()?)?;
        Ok(named(self.name(), best))
    }
}

fn named(name: &str, mut rounded: Rounded) -> Rounded {
    rounded.report.method = name.to_string();
    rounded
}

/// The first one with the least value.
fn best_of(request: &Request, contenders: Vec<Rounded>) -> Result<Rounded, RoundingError> {
    let mut best: Option<(f64, Rounded)> = None;
    for contender in contenders {
        let value = request.search_value(&request.dense("counts", contender.allocation.counts())?);
        if best.as_ref().is_none_or(|(least, _)| value < *least) {
            best = Some((value, contender));
        }
    }
    Ok(best.expect("there are contenders").1)
}
