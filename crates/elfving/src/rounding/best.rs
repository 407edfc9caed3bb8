//! Several roundings, and the best of them.

use super::report::Rounded;
use super::{Apportionment, Exchange, RegretMinimisation, Request, Rounding, RoundingError};

/// Quotas below which points are left out before apportioning, in turn.
const SMALLEST_QUOTAS: [f64; 4] = [0.0, 0.1, 0.3, 0.5];

/// Apportions with and without the small weights, minimises regret, polishes the best of them by exchange: exactly T.
///
/// What to take when the criterion is all that counts. Its report keeps no guarantee, but its value is at least as
/// good as that of [`RegretMinimisation`]. Cost: that of regret minimisation and of the exchanges.
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
        let mut contenders = vec![self.regret.round(request)?];
        for quota in SMALLEST_QUOTAS {
            contenders.push(Apportionment::default().smallest_quota(quota).round(request)?);
        }
        let value = |rounded: &Rounded| -> Result<f64, RoundingError> {
            Ok(request.search_value(&request.dense("counts", rounded.allocation.counts())?))
        };
        let mut best: Option<(f64, Rounded)> = None;
        for contender in contenders {
            let value = value(&contender)?;
            if best.as_ref().is_none_or(|(least, _)| value < *least) {
                best = Some((value, contender));
            }
        }
        let (_, best) = best.expect("there are contenders");
        let mut polished = self.exchange.after(request, &best)?;
        polished.report.method = self.name().to_string();
        Ok(polished)
    }
}
