//! What shells answer with, as one document for each act: the same at the command line, over HTTP and in Python.

use elfving::bandit::{Guarantee, Limits, Outcome, Reading};
use elfving_problem::ColumnSeen;
use serde::{Deserialize, Serialize};

use crate::at::At;
use crate::campaign::Campaign;
use crate::changes::Changed;
use crate::error::CampaignError;
use crate::event::Changing;
use crate::export::ExportedEvent;
use crate::layout::{Layout, LayoutChange};
use crate::next_batch::NextBatch;
use crate::spec::{Spec, spec_for_programs};
use crate::status::CampaignStatus;
use crate::tell::Told;

/// A campaign that has begun.
#[derive(Debug, Clone, Serialize)]
pub struct NewDocument {
    /// Its file.
    pub file: String,
    /// Candidates that can be measured.
    pub candidates: usize,
    /// What is chosen among.
    pub choices: usize,
    /// Measurements brought in from outside.
    pub earlier: usize,
    /// What became of every column.
    pub columns: Vec<ColumnSeen>,
    /// The model with its columns, in words.
    pub model: String,
    /// The question.
    pub spec: serde_json::Value,
}

impl NewDocument {
    /// Of a campaign as it stands, with its columns as the table had them.
    pub fn of(file: String, spec: &Spec, status: &CampaignStatus, columns: Vec<ColumnSeen>) -> Self {
        let (candidates, choices, earlier) = (status.candidates, status.choices, status.earlier);
        let (model, spec) = (status.model.clone(), spec_for_programs(spec));
        Self { file, candidates, choices, earlier, columns, model, spec }
    }
}

/// What became of results.
#[derive(Debug, Clone, Serialize)]
pub struct TellDocument<'a> {
    /// The account.
    #[serde(flatten)]
    pub told: &'a Told,
    /// Lines that were refused: none, or nothing was written.
    pub refused: usize,
    /// Whether nothing was written.
    pub dry_run: bool,
    /// The round that was closed without its open slots.
    pub closed_without_guarantee: Option<u64>,
    /// What another batch is expected to change, once all slots are told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_batch: Option<NextBatch>,
}

impl<'a> TellDocument<'a> {
    /// Of results that were told, with the advice that follows from them.
    pub fn of(told: &'a Told, campaign: &mut Campaign, dry_run: bool) -> Self {
        let next_batch = match dry_run {
            true => None,
            // The results are on record, whatever comes of this.
            false => campaign.next_batch_when_all_told().unwrap_or_default(),
        };
        Self { told, refused: 0, dry_run, closed_without_guarantee: None, next_batch }
    }
}

/// Slots that were given back.
#[derive(Debug, Clone, Serialize)]
pub struct ReleaseDocument {
    /// How many.
    pub released: usize,
    /// The last event now.
    pub event: u64,
}

/// A correction.
#[derive(Debug, Clone, Serialize)]
pub struct CorrectDocument<'a> {
    /// The slot.
    pub slot: &'a str,
    /// Whether anything changed.
    pub corrected: bool,
    /// The last event now.
    pub event: u64,
    /// What stands behind the campaign now.
    pub guarantee: Guarantee,
}

/// Events.
#[derive(Debug, Clone, Serialize)]
pub struct LogDocument {
    /// In order.
    pub events: Vec<ExportedEvent>,
}

/// A change of the question, as it is given: what is left out stays.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChangeRequest {
    /// Measurements in all; `null` for no limit.
    #[serde(default, deserialize_with = "said")]
    pub budget: Option<Option<u64>>,
    /// Slots handed out at a time.
    #[serde(default)]
    pub batch: Option<usize>,
    /// How close to the best.
    #[serde(default)]
    pub epsilon: Option<f64>,
    /// The gain below which a batch is not worth its cost.
    #[serde(default)]
    pub worth: Option<f64>,
    /// How often one candidate may be measured.
    #[serde(default)]
    pub limits: Limits,
    /// Attempts before a candidate counts as infeasible.
    #[serde(default)]
    pub tries: Option<u64>,
    /// What every batch looks like.
    #[serde(default)]
    pub layout: Option<LayoutChange>,
    /// Whether nothing of the layout so far stays.
    #[serde(default)]
    pub no_layout: bool,
    /// Why.
    pub reason: String,
}

/// A limit that may be lifted: absent, `null`, or a number.
#[expect(clippy::option_option, reason = "absent, null or a number")]
fn said<'d, D: serde::Deserializer<'d>>(from: D) -> Result<Option<Option<u64>>, D::Error> {
    Option::deserialize(from).map(Some)
}

impl ChangeRequest {
    /// The change that it makes of a question.
    pub fn of(&self, spec: &Spec) -> Changing {
        let limits = Limits {
            in_a_batch: self.limits.in_a_batch.or(spec.limits.in_a_batch),
            in_all: self.limits.in_all.or(spec.limits.in_all),
        };
        let plain = Layout::default();
        let before = if self.no_layout { &plain } else { &spec.layout };
        let layout = self.layout.clone().unwrap_or_default().over(before);
        Changing {
            budget: self.budget,
            batch: self.batch,
            epsilon: self.epsilon,
            worth: self.worth,
            limits: Some(limits).filter(|_| !self.limits.are_none()),
            tries: self.tries,
            layout: Some(layout).filter(|layout| *layout != spec.layout),
            reason: self.reason.clone(),
            by: None,
        }
    }
}

impl Campaign {
    /// Changes what is asked from here on, over the question as it stands.
    ///
    /// # Errors
    /// Those of [`change_question`](Self::change_question).
    pub fn change_as_requested(&mut self, request: &ChangeRequest, at: At) -> Result<Changed, CampaignError> {
        self.change_question_by(|spec| request.of(spec), at)
    }
}

/// An outcome as a person writes it: a number, repeats as `0.5;0.6`, `failed`; with the standard error of a number, where it has one.
///
/// # Errors
/// What is wrong with it, in words.
pub fn outcome_from_text(value: &str, standard_error: Option<f64>) -> Result<Outcome, String> {
    if value.trim() == "failed" {
        return Ok(Outcome::Failed);
    }
    let number = |part: &str| {
        let number = part.trim().parse::<f64>().ok().filter(|number| number.is_finite());
        number.ok_or_else(|| format!("{part:?} is not a finite number"))
    };
    let mut numbers = value.split(';').map(number).collect::<Result<Vec<f64>, String>>()?;
    Ok(Outcome::Measured(match (numbers.len(), standard_error) {
        (1, None) => Reading::Value(numbers.remove(0)),
        (1, Some(standard_error)) => Reading::WithError { value: numbers.remove(0), standard_error },
        (_, None) => Reading::Repeats(numbers),
        (_, Some(_)) => return Err("a standard error belongs to one number, not to repeats".to_owned()),
    }))
}
