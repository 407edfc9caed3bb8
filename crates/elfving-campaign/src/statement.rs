//! The statement of a campaign in words: what is guaranteed, under which assumptions, and how wrong these may be.

use elfving::bandit::{Guarantee, Report};

use crate::next_batch::NextBatch;
use crate::spec::Aim;
use crate::words::counted;

/// What a statement speaks of.
pub(crate) struct About<'a> {
    pub(crate) report: &'a Report,
    /// The model in words.
    pub(crate) model: &'a str,
    pub(crate) aim: Aim,
    /// Why nothing is guaranteed any more.
    pub(crate) waived: Option<&'a str>,
    /// What another batch is expected to change.
    pub(crate) next_batch: Option<&'a NextBatch>,
    /// Measurements from outside that count.
    pub(crate) earlier: usize,
    /// Candidates that could not be measured.
    pub(crate) infeasible: usize,
    /// Outcomes that came with a standard error above the assumed σ.
    pub(crate) noisier: usize,
    /// Between which numbers every outcome lies.
    pub(crate) range: Option<(f64, f64)>,
}

/// The statement, line by line; assumptions begin with a dash.
pub(crate) fn statement(about: &About) -> Vec<String> {
    let About { report, model, aim, waived, next_batch, earlier, infeasible, noisier, range } = *about;
    let promise = report.promise(aim.worse());
    let first = match (report.guarantee, waived) {
        (Guarantee::Calibrated, _) => {
            let advice = next_batch.map(|next_batch| next_batch.words.clone());
            let standing = report.standing_in_words().map(|words| sentence(&words));
            let said = [Some("Calibrated, no proof.".to_owned()), advice, standing];
            return said.into_iter().flatten().collect();
        }
        (Guarantee::AsPrinted, _) => {
            format!("With the constants printed in the paper, not certified, {promise}:")
        }
        (Guarantee::Certified, _) => {
            format!(
                "With probability {} %, under these assumptions, {promise}:",
                100.0 * (1.0 - report.delta)
            )
        }
        (Guarantee::Withdrawn, None) => {
            let refuted =
                report.refutation_in_words().unwrap_or_else(|| "the data refute what is assumed".to_owned());
            let said = [
                "Verdict withdrawn.".to_owned(),
                sentence(&refuted),
                format!("Assumed were: the model {model}; {}.", premises(report)),
                "Start a campaign with another model, a larger sigma or norm, or a stated misspecification; \
                 `elfving export` writes these measurements for its --measured."
                    .to_owned(),
            ];
            return said.to_vec();
        }
        (_, Some(why)) => return vec![format!("No guarantee: {why}.")],
        (_, None) => {
            return vec![format!("No guarantee: {} has no proven stopping rule.", report.policy)];
        }
    };
    let mut lines = vec![first];
    lines.push(format!("- the model: {model}"));
    lines.extend(report.premises.iter().map(|premise| format!("- {premise}")));
    if let Some((low, high)) = range {
        lines.push(format!("- every outcome lies between {low} and {high}"));
    }
    if earlier > 0 {
        let made = counted(earlier, "measurement");
        lines.push(format!(
            "- the {made} that nobody asked for are complete: none was selected or left out because of its outcome"
        ));
    }
    if infeasible > 0 {
        let left_out = counted(infeasible, "candidate");
        lines.push(format!(
            "- the {left_out} that could not be measured are left out; that did not depend on what they would have given"
        ));
    }
    let doubt = (noisier > 0).then(|| {
        format!(
            "{} came with a standard error above the assumed sigma: check the assumption on the noise",
            counted(noisier, "outcome")
        )
    });
    let words = [doubt, report.doubt_in_words(), report.floor_in_words(), report.margins_in_words()];
    lines.extend(words.into_iter().flatten().map(|words| sentence(&words)));
    lines.extend(report.beliefs_in_words().iter().map(|words| sentence(words)));
    lines
}

fn premises(report: &Report) -> String {
    let premises: Vec<String> = report.premises.iter().map(ToString::to_string).collect();
    premises.join("; ")
}

/// With a capital and a full stop.
fn sentence(words: &str) -> String {
    let mut letters = words.chars();
    let first = letters.next().map_or_else(String::new, |letter| letter.to_uppercase().to_string());
    format!("{first}{}.", letters.as_str())
}
