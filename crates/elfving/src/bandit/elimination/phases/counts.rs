//! PTR: the design of a round as counts.

use super::design::RoundDesign;
use super::round::Round;
use super::*;
use crate::design::Problem;
use crate::rounding::{
    Allocation, Apportionment, Constraints, ProjectThenRound, RegretMinimisation, Request, Rounded, Rounding,
};

/// Project-then-round costs about T s r² for each of the step sizes it tries; beyond this it tries one.
const AFFORDABLE: f64 = 1e7;
/// Which one, as a multiple of √p.
const USUALLY_BEST: f64 = 4.0;
/// From so many measurements a supported point on, apportionment loses at most a third.
const PLENTY: u64 = 4;
/// Times a round is made longer because its rounding fell short.
const ATTEMPTS: usize = 8;

impl Phases {
    /// Counts close to the design, so many that the fit is within the accuracy: the paper's `2σ² f L ε⁻²` with the f that the rounding
    /// achieved. Nothing when they do not fit into the horizon.
    ///
    /// As printed: with the f of the design, and at least the effective dimension.
    pub(crate) fn count(
        &self,
        round: &Round,
        design: &RoundDesign<'_>,
        log_term: f64,
    ) -> Result<Option<Plan>, BanditError> {
        let variance = self.question.assumptions.sigma_bound().powi(2);
        let needed = |value: f64| schedule::exact_counts(log_term, variance, value, design.accuracy);
        let problem = Problem::new(&design.pool, design.criterion, design.targets.clone(), round.gamma)?;
        let mut wanted = needed(design.value);
        let mut attempt = 1;
        loop {
            let Some(count) = self.within_horizon(round, wanted)? else { return Ok(None) };
            let request =
                Request::from_weights(&problem, &design.own_weights, count, &Constraints::default())?;
            let rounded = self.rounded(&request, design, count)?;
            let dimension = rounded.report.dimension as u64;
            let enough = match (rounded.report.value, rounded.report.ratio) {
                _ if self.rule.constants == Constants::Paper => wanted.max(dimension),
                // A ratio above 2: some direction is hardly measured, and the bias would suffer too.
                (Some(value), Some(ratio)) if ratio <= 2.0 => needed(value),
                _ => 2 * count,
            };
            // Cut by the horizon, long enough, or as long as it gets: the widths are those of what was rounded in any case.
            if count < wanted || count >= enough || attempt == ATTEMPTS {
                let allocation = design.in_the_whole_pool(rounded.allocation)?;
                return Ok(Some(design.plan(round, Measurements::Counted(allocation))));
            }
            (wanted, attempt) = (enough, attempt + 1);
        }
    }

    /// Project-then-round; with plenty of measurements, or where that takes too long, apportionment.
    fn rounded(
        &self,
        request: &Request<'_>,
        design: &RoundDesign<'_>,
        count: u64,
    ) -> Result<Rounded, BanditError> {
        let support = design.own_weights.len();
        let dimension = design.pool.dimension() as f64;
        let cost = count as f64 * support as f64 * dimension * dimension;
        let long = cost > AFFORDABLE;
        let plenty = count >= support as u64 * if long { 1 } else { PLENTY };
        Ok(if self.rule.constants == Constants::Certified && plenty {
            Apportionment::default().round(request)?
        } else if long {
            let quick = RegretMinimisation::default().multipliers(&[USUALLY_BEST]);
            ProjectThenRound::default().rounding(quick).round(request)?
        } else {
            ProjectThenRound::default().round(request)?
        })
    }
}

impl RoundDesign<'_> {
    /// The counts under the names that the points have in the whole pool.
    fn in_the_whole_pool(&self, allocation: Allocation) -> Result<Allocation, BanditError> {
        let Some(ids) = &self.ids else { return Ok(allocation) };
        let renamed = allocation.counts().iter().map(|&(id, count)| (ids[id.index()], count));
        Ok(Allocation::new(renamed.collect())?)
    }
}
