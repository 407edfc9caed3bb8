//! Outcomes far from all others, named when they are told: a slip of the comma costs less today than next week.

use elfving::bandit::{Reading, SlotState};
use elfving_table::slot_name;
use serde::Serialize;

use crate::campaign::Campaign;
use crate::error::CampaignError;

/// Fewer outcomes than this have no spread to speak of.
const ENOUGH: usize = 8;
/// Robust standard deviations from the median.
const FAR: f64 = 10.0;
/// The standard deviation of a normal distribution over its median absolute deviation.
const NORMAL: f64 = 1.482_602;

/// An outcome far from all others.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Outlier {
    /// Its slot, where it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slot: Option<String>,
    /// Its candidate.
    pub id: String,
    /// The outcome.
    pub value: f64,
    /// The median of all outcomes.
    pub median: f64,
    /// Half of all outcomes are this close to the median.
    pub spread: f64,
}

impl Campaign {
    /// The outcomes among the new ones that are far from all others, old and new.
    pub(crate) fn outliers(
        &self,
        told: &[(usize, Reading)],
        volunteered: &[(String, Reading)],
    ) -> Result<Vec<Outlier>, CampaignError> {
        let known = self.state().slots().filter_map(|(.., slot)| match &slot.state {
            SlotState::Told(reading) => Some(reading.mean()),
            _ => None,
        });
        let brought = self.state().brought().iter().map(|(_, reading)| reading.mean());
        let new = told.iter().map(|(_, reading)| reading.mean());
        let new = new.chain(volunteered.iter().map(|(_, reading)| reading.mean()));
        let all: Vec<f64> = known.chain(brought).chain(new).collect();
        let Some((median, spread)) = spread(&all) else { return Ok(Vec::new()) };
        let is_far = |reading: &Reading| (reading.mean() - median).abs() > FAR * NORMAL * spread;
        let mut outliers = Vec::new();
        for (slot, reading) in told.iter().filter(|(_, reading)| is_far(reading)) {
            let point = self.state().point(*slot).expect("the slot was handed out");
            let id = self.candidates()?.names().name(point.index()).into_owned();
            outliers.push(Outlier {
                slot: Some(slot_name(*slot)),
                id,
                value: reading.mean(),
                median,
                spread,
            });
        }
        for (id, reading) in volunteered.iter().filter(|(_, reading)| is_far(reading)) {
            outliers.push(Outlier { slot: None, id: id.clone(), value: reading.mean(), median, spread });
        }
        Ok(outliers)
    }
}

/// Median and median absolute deviation; none where there are few outcomes, or most of them are the same.
fn spread(all: &[f64]) -> Option<(f64, f64)> {
    if all.len() < ENOUGH {
        return None;
    }
    let middle = median(all.to_vec());
    let spread = median(all.iter().map(|value| (value - middle).abs()).collect());
    (spread > 0.0 && spread.is_finite()).then_some((middle, spread))
}

fn median(mut values: Vec<f64>) -> f64 {
    let half = values.len() / 2;
    *values.select_nth_unstable_by(half, f64::total_cmp).1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_spread_is_that_of_most_outcomes() {
        let some: Vec<f64> = (0..9).map(f64::from).collect();
        assert_eq!(spread(&some), Some((4.0, 2.0)));
        let with_one: Vec<f64> = some.iter().copied().chain([1e12]).collect();
        assert_eq!(spread(&with_one), Some((5.0, 3.0)));
        assert_eq!(spread(&some[..7]), None, "too few");
        assert_eq!(spread(&[0.0; 20]), None, "all the same");
    }
}
