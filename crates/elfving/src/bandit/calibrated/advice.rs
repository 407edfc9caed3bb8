//! Whether to go on: what is expected of the next batches against what they must be worth.

use super::outlook::Outlook;
use serde::{Deserialize, Serialize};

/// What the user states of the end: what a batch must be worth, and how far from the best is good enough.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Stopping {
    /// The gain below which a batch is not worth its cost, in the units of the outcome.
    pub worth: Option<f64>,
    /// How far below the best is good enough.
    pub epsilon: Option<f64>,
}

/// What is advised. It is no proof, and it stops nobody.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Advice {
    /// Another batch is worth it.
    Continue,
    /// It is not.
    Stop,
}

/// What the advice rests on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Ground {
    /// What the next batches may gain, against so much for each of them.
    Worth {
        /// What each must be worth.
        worth: f64,
    },
    /// What the next batches may gain, and how far the pick may be from the best, against what is good enough.
    Epsilon {
        /// What is good enough.
        epsilon: f64,
    },
    /// Nothing was stated: so much of the range of the outcomes for each batch.
    Share {
        /// What each must be worth then.
        worth: f64,
    },
}

/// What a batch must be worth where nobody says so, in parts of the range of the outcomes so far: half the measurements, and not much more
/// loss, on the tables of `docs/stop.md`.
pub const USUAL_SHARE: f64 = 0.01;

impl Outlook {
    /// Whether to go on, and on what ground.
    ///
    /// Where `worth` is stated, stop when in nine cases of ten the next batch gains less, and all batches looked ahead less than that for
    /// each. Where ε is stated, stop when in nine cases of ten all of them together gain less than ε and the pick is within ε of the
    /// best. Where neither is, a batch must be worth 1 % of the range of the outcomes so far.
    pub fn advice(&self, stated: Stopping) -> (Advice, Ground) {
        let stop_if = |stop: bool| if stop { Advice::Stop } else { Advice::Continue };
        let is_within = |epsilon: f64| {
            self.gain.upper.max(self.gain_ahead.upper) < epsilon && self.loss_quantile(0.9) <= epsilon
        };
        if let Some(epsilon) = stated.epsilon.filter(|epsilon| is_within(*epsilon)) {
            return (Advice::Stop, Ground::Epsilon { epsilon });
        }
        match (stated.worth, stated.epsilon) {
            (Some(worth), _) => (stop_if(self.gains_less_than(worth)), Ground::Worth { worth }),
            (None, Some(epsilon)) => (Advice::Continue, Ground::Epsilon { epsilon }),
            (None, None) => {
                let worth = USUAL_SHARE * self.range;
                (stop_if(self.gains_less_than(worth)), Ground::Share { worth })
            }
        }
    }

    /// Whether no number of batches that was looked at gains this much for each of them, in nine cases of ten.
    fn gains_less_than(&self, worth: f64) -> bool {
        let batches = self.ahead as f64 / self.size as f64;
        self.gain.upper < worth && self.gain_ahead.upper < worth * batches
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outlook(gain: f64, gain_ahead: f64, loss: f64) -> Outlook {
        Outlook::expecting([8, 24], 50.0, gain, gain_ahead, loss)
    }

    #[test]
    fn a_batch_must_be_worth_what_is_stated_alone_or_with_those_after_it() {
        let worth = |worth| Stopping { worth: Some(worth), epsilon: None };
        let advice = |gain, ahead, stated| outlook(gain, ahead, 5.0).advice(stated).0;
        assert_eq!(advice(1.0, 1.5, worth(0.9)), Advice::Continue);
        assert_eq!(advice(1.0, 1.5, worth(1.1)), Advice::Stop);
        assert_eq!(advice(0.1, 3.4, worth(1.1)), Advice::Continue, "three batches gain what three must");
        assert_eq!(
            advice(0.0, 0.0, worth(0.0)),
            Advice::Continue,
            "where nothing is too little, measuring goes on"
        );
    }

    #[test]
    fn who_is_close_enough_stops_whatever_there_is_to_gain() {
        let epsilon = 2.5;
        let stated = Stopping { worth: Some(0.1), epsilon: Some(epsilon) };
        assert_eq!(outlook(1.0, 2.0, 2.4).advice(stated), (Advice::Stop, Ground::Epsilon { epsilon }));
        assert_eq!(outlook(1.0, 2.0, 2.6).advice(stated), (Advice::Continue, Ground::Worth { worth: 0.1 }));
        let stated = Stopping { worth: None, epsilon: Some(epsilon) };
        assert_eq!(outlook(0.0, 0.0, 2.6).advice(stated), (Advice::Continue, Ground::Epsilon { epsilon }));
        assert_eq!(outlook(1.0, 2.6, 2.4).advice(stated), (Advice::Continue, Ground::Epsilon { epsilon }));
    }

    #[test]
    fn who_states_nothing_stops_at_a_hundredth_of_the_range() {
        let advice = |gain| outlook(gain, 2.0 * gain, 5.0).advice(Stopping::default());
        assert_eq!(advice(0.51), (Advice::Continue, Ground::Share { worth: 0.5 }));
        assert_eq!(advice(0.49), (Advice::Stop, Ground::Share { worth: 0.5 }));
    }
}
