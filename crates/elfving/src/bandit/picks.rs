//! The answer by estimates alone.

use super::Goal;
use super::ties::{first_largest, largest_first};
use crate::pool::PointId;

/// What the estimates say about a goal: the best choice, the m best, or all within ε of the best; among `eligible`.
pub(super) fn picks_by_estimate(goal: Goal, estimates: &[f64], eligible: &[PointId]) -> Vec<PointId> {
    let values: Vec<f64> = eligible.iter().map(|id| estimates[id.index()]).collect();
    let Some(best) = first_largest(&values) else { return Vec::new() };
    let mut picks: Vec<PointId> = match goal {
        Goal::Best { .. } | Goal::Regret { .. } | Goal::Map { .. } => vec![eligible[best]],
        Goal::Top { count, .. } => {
            largest_first(&values).into_iter().take(count).map(|k| eligible[k]).collect()
        }
        Goal::AllGood { epsilon } => {
            let good = |k: &usize| values[*k] >= values[best] - epsilon;
            (0..values.len()).filter(good).map(|k| eligible[k]).collect()
        }
    };
    picks.sort_unstable();
    picks
}
