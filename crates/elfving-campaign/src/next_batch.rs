//! Is another batch worth it? What is expected of it, in the user's units, and the advice with its reason.

use elfving::bandit::{Advice, Goal, Ground, Outlook, Stopping, USUAL_SHARE, Wanted};
use elfving::units::grouped;
use serde::Serialize;

use crate::campaign::Campaign;
use crate::error::CampaignError;
use crate::spec::{Mode, Spec};

/// What another batch is expected to change.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NextBatch {
    /// Measurements of the batch.
    pub size: usize,
    /// By how much the true value of the pick is expected to get better if the batch is measured; at least 0 in the mean.
    pub expected_gain: f64,
    /// In one case of ten it gets better by less than this; below 0 it gets worse.
    pub lower: f64,
    /// In one case of ten it gets better by more than this.
    pub upper: f64,
    /// Measurements that were looked ahead: this batch and two more, as far as the budget allows.
    pub ahead: usize,
    /// By how much the pick is expected to get better with all of them.
    pub expected_gain_ahead: f64,
    /// How far the true value of the pick is expected to be from that of the best candidate.
    pub expected_loss: f64,
    /// Whether to go on. It is no proof, and `ask` gives a batch all the same.
    pub advice: Advice,
    /// The same in words, with the reason.
    pub words: String,
}

impl Campaign {
    /// What another batch is expected to change; none in the certified mode, before there are data, for a goal that is not about the
    /// best candidate, and when no candidate is left that may be measured.
    ///
    /// # Errors
    /// What the attached files or the algorithm find.
    pub fn next_batch(&mut self) -> Result<Option<NextBatch>, CampaignError> {
        let spec = &self.state().spec;
        if spec.mode != Mode::Calibrated || !matches!(spec.goal, Goal::Best { .. }) {
            return Ok(None);
        }
        let (batch, limits, at_most) = (spec.batch, spec.limits, self.few_values()?);
        // The budget limits what is asked for; who thinks about raising it wants to know what for.
        let left = self.state().spec.budget.map_or(u64::MAX, |budget| {
            budget.saturating_sub(self.state().talk.planned()).max(batch as u64)
        });
        self.engine_with_all()?;
        let engine = self.engine.as_ref().expect("it was built just now");
        let wanted = Wanted { left, limits, at_most: &at_most, ..Wanted::batch(batch) };
        let outlook = engine.outlook(&self.state().talk, &wanted).map_err(CampaignError::Bandit)?;
        Ok(outlook.map(|outlook| NextBatch::of(&outlook, self.spec())))
    }
}

impl Campaign {
    /// The same once every slot that was handed out has its outcome; none before.
    ///
    /// # Errors
    /// Those of [`next_batch`](Self::next_batch).
    pub fn next_batch_when_all_told(&mut self) -> Result<Option<NextBatch>, CampaignError> {
        if self.state().open().next().is_some() { Ok(None) } else { self.next_batch() }
    }

    /// Whether the user stated when another batch is not worth it, with `worth` or `epsilon`, and that is so now. Programs that would go on
    /// by themselves end here.
    ///
    /// # Errors
    /// Those of [`next_batch`](Self::next_batch).
    pub fn is_advised_to_stop(&mut self) -> Result<bool, CampaignError> {
        if stopping(self.spec()) == Stopping::default() {
            return Ok(false);
        }
        Ok(self.next_batch()?.is_some_and(|next_batch| next_batch.advice == Advice::Stop))
    }
}

impl NextBatch {
    fn of(outlook: &Outlook, spec: &Spec) -> Self {
        let (advice, ground) = outlook.advice(stopping(spec));
        Self {
            size: outlook.size,
            expected_gain: outlook.gain.mean,
            lower: outlook.gain.lower,
            upper: outlook.gain.upper,
            ahead: outlook.ahead,
            expected_gain_ahead: outlook.gain_ahead.mean,
            expected_loss: outlook.loss.mean,
            advice,
            words: in_words(outlook, advice, ground),
        }
    }
}

/// What the user stated of the end.
pub(crate) fn stopping(spec: &Spec) -> Stopping {
    let epsilon = match spec.goal {
        Goal::Best { epsilon } if epsilon > 0.0 => Some(epsilon),
        _ => None,
    };
    Stopping { worth: spec.worth, epsilon }
}

/// `Another batch of 24 is expected to gain 0.4 (0 to 2). Stop: ...`
fn in_words(outlook: &Outlook, advice: Advice, ground: Ground) -> String {
    let Outlook { gain, gain_ahead, loss, .. } = outlook;
    let scale = gain.upper.abs().max(gain.lower.abs()).max(gain.mean.abs());
    let [mean, lower, upper] = [gain.mean, gain.lower, gain.upper].map(|x| rounded(x, scale));
    let batch = grouped(outlook.size as u64);
    let expected = format!("Another batch of {batch} is expected to gain {mean} ({lower} to {upper}).");
    let batches = outlook.ahead as f64 / outlook.size as f64;
    let ahead = match outlook.ahead > outlook.size {
        true => {
            let gain = rounded(gain_ahead.mean, gain_ahead.mean);
            format!(", and {} measurements {gain}", grouped(outlook.ahead as u64))
        }
        false => String::new(),
    };
    let reason = match (advice, ground) {
        (_, Ground::Loss { epsilon }) => {
            let (loss, side) = (rounded(loss.mean, loss.mean), if advice == Advice::Stop { "within" } else { "above" });
            format!("the pick is expected to be {loss} from the best, {side} the stated {epsilon}")
        }
        (Advice::Stop, Ground::Worth { worth }) => {
            format!("that is less than a batch must be worth ({worth}){ahead}")
        }
        (Advice::Continue, Ground::Worth { worth }) if gain.mean >= worth => {
            format!("that is at least what a batch must be worth ({worth})")
        }
        (Advice::Continue, Ground::Worth { worth }) => format!(
            "{} measurements are expected to gain {}, at least the {} that {} must be worth",
            grouped(outlook.ahead as u64),
            rounded(gain_ahead.mean, gain_ahead.mean),
            rounded(worth * batches, worth),
            "these batches",
        ),
        (Advice::Stop, Ground::Share { .. }) => {
            format!("that is less than {} % of the range of the outcomes{ahead}; --worth says what a batch must gain", 100.0 * USUAL_SHARE)
        }
        (Advice::Continue, Ground::Share { .. }) => {
            let percent = 100.0 * USUAL_SHARE;
            format!("it may gain {percent} % of the range of the outcomes or more; --worth says what a batch must gain")
        }
    };
    let advice = match advice {
        Advice::Continue => "Continue",
        Advice::Stop => "Stop",
    };
    format!("{expected} {advice}: {reason}.")
}

/// As many decimals as two digits of a scale have, without a tail of zeros.
fn rounded(x: f64, scale: f64) -> String {
    let exponent = if scale.is_finite() && scale != 0.0 { scale.abs().log10().floor() } else { 0.0 };
    if !(-6.0..=9.0).contains(&exponent) {
        return format!("{x:.1e}");
    }
    let text = format!("{x:.*}", (1.0 - exponent).max(0.0) as usize);
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}
