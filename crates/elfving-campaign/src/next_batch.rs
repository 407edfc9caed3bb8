//! Is another batch worth it? What it may gain, in the user's units, and the advice with its reason.

use elfving::bandit::{Advice, Goal, Ground, Outlook, Stopping, Wanted};
use elfving::units::grouped;
use serde::Serialize;

use crate::campaign::Campaign;
use crate::error::CampaignError;
use crate::spec::{Mode, Spec};

/// What another batch may change.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NextBatch {
    /// Measurements of the batch.
    pub size: usize,
    /// By how much the true value of the pick gets better if the batch is measured: at most by this, in nine cases of ten.
    pub upper: f64,
    /// Whether to go on. It is no proof, and `ask` gives a batch all the same.
    pub advice: Advice,
    /// The same in words, with the reason.
    pub words: String,
}

impl Campaign {
    /// What another batch may change; none in the certified mode, before there are data, for a goal that is not about the
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
        let left =
            self.state().spec.budget.map_or(u64::MAX, |budget| {
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
            upper: outlook.gain.upper.max(0.0),
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

/// `Another batch of 24 improves the pick by at most 2, in nine cases of ten. Continue: it may be worth 1.`
fn in_words(outlook: &Outlook, advice: Advice, ground: Ground) -> String {
    let (batch, most) = (grouped(outlook.size as u64), outlook.gain.upper);
    let gain = match most > 0.0 {
        true => format!(
            "Another batch of {batch} improves the pick by at most {}, in nine cases of ten.",
            rounded(most)
        ),
        false => format!("Another batch of {batch} does not improve the pick, in nine cases of ten."),
    };
    let reason = match (advice, ground) {
        (Advice::Stop, Ground::Epsilon { epsilon }) => {
            format!("the model sees nothing better than the pick by more than epsilon {epsilon}")
        }
        (Advice::Continue, Ground::Epsilon { epsilon }) => {
            format!(
                "the model sees that something may be better than the pick by more than epsilon {epsilon}"
            )
        }
        (Advice::Stop, Ground::Worth { worth }) => format!("a batch must be worth {worth}"),
        (Advice::Continue, Ground::Worth { worth }) if most < worth => {
            format!("alone it is not worth {worth}, but with the two batches after it it may be")
        }
        (Advice::Continue, Ground::Worth { worth }) => format!("it may be worth {worth}"),
        (Advice::Stop, Ground::Share { worth }) => {
            format!("that is less than 1 % of the range of the outcomes ({})", rounded(worth))
        }
        (Advice::Continue, Ground::Share { worth }) => {
            format!("1 % of the range of the outcomes is {}", rounded(worth))
        }
    };
    let advice = match advice {
        Advice::Continue => "Continue",
        Advice::Stop => "Stop",
    };
    format!("{gain} {advice}: {reason}.")
}

/// Two digits, without a tail of zeros.
fn rounded(x: f64) -> String {
    let exponent = if x.is_finite() && x != 0.0 { x.abs().log10().floor() } else { 0.0 };
    if !(-6.0..=9.0).contains(&exponent) {
        return format!("{x:.1e}");
    }
    let unit = 10f64.powf(exponent - 1.0);
    let text = format!("{:.*}", (1.0 - exponent).max(0.0) as usize, (x / unit).round() * unit);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_two_digits_and_no_tail() {
        let cases = [
            (0.0, "0"),
            (0.4321, "0.43"),
            (2.0, "2"),
            (17.4, "17"),
            (1234.0, "1200"),
            (0.0099, "0.0099"),
            (-0.51, "-0.51"),
        ];
        for (x, text) in cases {
            assert_eq!(rounded(x), text);
        }
    }
}
