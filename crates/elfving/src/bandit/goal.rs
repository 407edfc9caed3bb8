//! What the measurements are for.

use super::BanditError;
use crate::named::named_enum;
use crate::numerics::{first_largest, largest_first};
use crate::pool::ChoiceId;
use serde::{Deserialize, Serialize};
use std::fmt;

/// What is wanted. Large outcomes are good.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "goal")]
pub enum Goal {
    /// One choice whose mean is within ε of the best; ε = 0 asks for the best itself.
    Best {
        /// ε.
        epsilon: f64,
    },
    /// m choices, each within ε of the m-th best.
    Top {
        /// m.
        count: usize,
        /// ε.
        epsilon: f64,
    },
    /// Every choice within ε of the best, and none that is worse by more than 2 ε.
    AllGood {
        /// ε.
        epsilon: f64,
    },
    /// Every mean known to within ε.
    Map {
        /// ε.
        epsilon: f64,
    },
    /// Little loss while measuring: the sum of the gaps of the points measured.
    Regret {
        /// T, the number of measurements, when it is known.
        horizon: Option<u64>,
    },
}

named_enum! {
    /// The goals by name.
    pub enum GoalName: "goal" {
        /// [`Goal::Best`].
        Best = "best": "One candidate within epsilon of the best",
        /// [`Goal::Top`].
        Top = "top": "M candidates within epsilon of the M-th best",
        /// [`Goal::AllGood`].
        AllGood = "all-good": "Every candidate within epsilon of the best",
        /// [`Goal::Regret`].
        Regret = "regret": "Little loss while measuring",
        /// [`Goal::Map`].
        Map = "map": "Every mean within epsilon",
    }
}

impl GoalName {
    /// The goal of this name, with those of the numbers that it has.
    pub fn goal(self, epsilon: f64, count: usize, horizon: Option<u64>) -> Goal {
        match self {
            GoalName::Best => Goal::Best { epsilon },
            GoalName::Top => Goal::Top { count, epsilon },
            GoalName::AllGood => Goal::AllGood { epsilon },
            GoalName::Regret => Goal::Regret { horizon },
            GoalName::Map => Goal::Map { epsilon },
        }
    }
}

impl Goal {
    /// Refuses an ε that is not a finite number at least 0, m = 0 and T = 0.
    ///
    /// # Errors
    /// [`BanditError::Epsilon`], [`BanditError::TopCount`], [`BanditError::Horizon`].
    pub fn check(self, choices: usize) -> Result<Self, BanditError> {
        match self {
            Goal::Best { epsilon }
            | Goal::AllGood { epsilon }
            | Goal::Top { epsilon, .. }
            | Goal::Map { epsilon }
                if !(epsilon >= 0.0 && epsilon.is_finite()) =>
            {
                Err(BanditError::Epsilon { got: epsilon })
            }
            Goal::Top { count, .. } if !(1..=choices).contains(&count) => {
                Err(BanditError::TopCount { got: count, choices })
            }
            Goal::Regret { horizon: Some(0) } => Err(BanditError::Horizon),
            _ => Ok(self),
        }
    }

    /// ε, when the goal has one.
    pub fn epsilon(self) -> Option<f64> {
        match self {
            Goal::Best { epsilon }
            | Goal::Top { epsilon, .. }
            | Goal::AllGood { epsilon }
            | Goal::Map { epsilon } => Some(epsilon),
            Goal::Regret { .. } => None,
        }
    }

    /// What estimates alone say: the best choice, the m best, or all within ε of the best; among `eligible`, in order.
    pub fn picks(self, estimates: &[f64], eligible: &[ChoiceId]) -> Vec<ChoiceId> {
        let values: Vec<f64> = eligible.iter().map(|id| estimates[id.index()]).collect();
        let Some(best) = first_largest(&values) else { return Vec::new() };
        let mut picks: Vec<ChoiceId> = match self {
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
}

impl fmt::Display for Goal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Goal::Best { epsilon: 0.0 } => f.write_str("the best candidate"),
            Goal::Best { epsilon } => write!(f, "one candidate within {epsilon} of the best"),
            Goal::Top { count, epsilon } => {
                write!(f, "{count} candidates within {epsilon} of the best {count}")
            }
            Goal::AllGood { epsilon } => write!(f, "every candidate within {epsilon} of the best"),
            Goal::Map { epsilon } => write!(f, "every mean within {epsilon}"),
            Goal::Regret { horizon: Some(horizon) } => {
                write!(f, "little loss over {} measurements", crate::units::grouped(*horizon))
            }
            Goal::Regret { horizon: None } => write!(f, "little loss while measuring"),
        }
    }
}
