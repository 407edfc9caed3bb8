//! What can happen to a campaign. Its state is a replay of these; nothing else decides.

use std::collections::BTreeMap;

use elfving::bandit::{Decision, Extension, Handing, Limits, Reading};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::at::At;
use crate::chain::Digest;
use crate::layout::Layout;
use crate::spec::Spec;

/// One event. In a file its name is the kind and its content the body, as compact JSON.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// The campaign began.
    Created(Box<Creation>),
    /// Slots were handed out.
    Asked(Handing),
    /// Outcomes came in: one event a file.
    Told(Telling),
    /// Measurements failed; their slots stay open.
    Failed(Failing),
    /// Outcomes were replaced.
    Corrected(Correction),
    /// A whole round was decided.
    Closed(Closing),
    /// Something was decided from all data so far.
    Decided(Decision),
    /// Measurements from outside the campaign came in.
    Earlier(BroughtIn),
    /// Slots were given back.
    Released(Releasing),
    /// Candidates are neither measured nor chosen from here on.
    Barred(Barring),
    /// Candidates may be measured and chosen again.
    Allowed(Allowing),
    /// The question was changed.
    Changed(Changing),
    /// The pool has more candidates.
    Extended(Extending),
}

/// What was asked for, and by which version of the program.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Creation {
    /// The question, resolved: no default is left open.
    pub spec: Spec,
    /// The version that created the file.
    pub version: String,
    /// The names of the attached files by their digests: the extension says how a file is read.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<Digest, String>,
    /// Who did it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

/// Outcomes by slot, in the user's units.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Telling {
    /// Slot and reading.
    pub results: Vec<(usize, Reading)>,
    /// Other outcomes of slots, by name: on record, and not yet looked at by any algorithm.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub also: BTreeMap<String, Vec<(usize, Reading)>>,
    /// Where they came from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<Source>,
    /// Who did it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

/// A file of results.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// Its name, without the folder.
    pub file: String,
    /// The digest of its bytes, where they were at hand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<Digest>,
}

/// Slots whose measurement failed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Failing {
    /// The slots.
    pub slots: Vec<usize>,
    /// Where that was said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<Source>,
    /// Who did it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

/// Outcomes replaced by others, for one reason.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Correction {
    /// What is replaced.
    pub changes: Vec<Change>,
    /// Why, in the user's words.
    pub reason: String,
    /// Where slots of closed rounds are among them: what every closed round decides now. Without it the guarantee is gone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decisions: Option<Vec<Decision>>,
    /// Who did it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

/// One outcome replaced by another.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Change {
    /// The slot.
    pub slot: usize,
    /// What was told.
    pub from: Reading,
    /// What it should have been; none when the measurement had failed, and the slot is open again.
    pub to: Option<Reading>,
}

/// A round that was decided.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Closing {
    /// Who is still in, who is out, and by which bound.
    pub decision: Decision,
    /// Whether slots were open, so that no guarantee is left.
    pub waived: bool,
}

/// Measurements that were made before or beside the campaign.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BroughtIn {
    /// The candidate's id and what was measured.
    pub measurements: Vec<(String, Reading)>,
    /// Where they came from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<Source>,
    /// Who did it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

/// Slots that were given back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Releasing {
    /// The slots.
    pub slots: Vec<usize>,
    /// Whether nobody is to measure them any more; an outcome may still be told.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub for_good: bool,
    /// Who did it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

/// Candidates that are neither measured nor chosen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Barring {
    /// Their ids.
    pub candidates: Vec<String>,
    /// Whether they turned out to be impossible, rather than unwanted.
    pub infeasible: bool,
    /// Why, in the user's words or ours.
    pub reason: String,
    /// The rule that named them, where it was one.
    #[serde(default, rename = "where", skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// Who did it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

/// Candidates that may be measured and chosen again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Allowing {
    /// Their ids.
    pub candidates: Vec<String>,
    /// Why.
    pub reason: String,
    /// Who did it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

/// Candidates that were added.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Extending {
    /// The table, which is attached.
    pub table: Digest,
    /// Its name.
    pub file: String,
    /// From how many candidates to how many.
    #[serde(flatten)]
    pub extension: Extension,
    /// Why.
    pub reason: String,
    /// Who did it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

/// What is asked from here on, where it is another thing than before.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Changing {
    /// Measurements in all; `null` for no limit.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "twice")]
    pub budget: Option<Option<u64>>,
    /// Slots handed out at a time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub batch: Option<usize>,
    /// How close to the best.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub epsilon: Option<f64>,
    /// The gain below which a batch is not worth its cost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worth: Option<f64>,
    /// How often one candidate may be measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<Limits>,
    /// Attempts before a candidate counts as infeasible.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tries: Option<u64>,
    /// What every batch looks like.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layout: Option<Layout>,
    /// Why.
    pub reason: String,
    /// Who did it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

/// A limit that may be lifted: absent, `null`, or a number.
mod twice {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[expect(clippy::option_option, clippy::ref_option, reason = "absent, null or a number")]
    pub(super) fn serialize<S: Serializer>(value: &Option<Option<u64>>, out: S) -> Result<S::Ok, S::Error> {
        value.flatten().serialize(out)
    }

    #[expect(clippy::option_option, reason = "absent, null or a number")]
    pub(super) fn deserialize<'d, D: Deserializer<'d>>(from: D) -> Result<Option<Option<u64>>, D::Error> {
        Option::deserialize(from).map(Some)
    }
}

/// An event in its place in the log.
#[derive(Debug, Clone, PartialEq)]
pub struct Recorded {
    /// Its number, from 1.
    pub seq: u64,
    /// When.
    pub at: At,
    /// What.
    pub event: Event,
    /// The seal over this event and all before it.
    pub hash: Digest,
}

impl Event {
    /// The name of the event in a file.
    pub fn kind(&self) -> &'static str {
        match self {
            Event::Created(_) => "created",
            Event::Asked(_) => "asked",
            Event::Told(_) => "told",
            Event::Failed(_) => "failed",
            Event::Corrected(_) => "corrected",
            Event::Closed(_) => "closed",
            Event::Earlier(_) => "earlier",
            Event::Decided(_) => "decided",
            Event::Released(_) => "released",
            Event::Barred(_) => "barred",
            Event::Allowed(_) => "allowed",
            Event::Changed(_) => "changed",
            Event::Extended(_) => "extended",
        }
    }

    /// Who did it, where that is on record. Decisions follow from what others did, and nobody signs them.
    pub fn by(&self) -> Option<&str> {
        match self {
            Event::Created(creation) => creation.by.as_deref(),
            Event::Asked(Handing { by, .. })
            | Event::Told(Telling { by, .. })
            | Event::Failed(Failing { by, .. })
            | Event::Corrected(Correction { by, .. })
            | Event::Earlier(BroughtIn { by, .. })
            | Event::Released(Releasing { by, .. })
            | Event::Barred(Barring { by, .. })
            | Event::Allowed(Allowing { by, .. })
            | Event::Changed(Changing { by, .. })
            | Event::Extended(Extending { by, .. }) => by.as_deref(),
            Event::Closed(_) | Event::Decided(_) => None,
        }
    }

    /// The event with who did it, unless it names somebody already.
    #[must_use]
    pub(crate) fn signed(mut self, name: Option<&str>) -> Self {
        let by = match &mut self {
            Event::Created(creation) => &mut creation.by,
            Event::Asked(Handing { by, .. })
            | Event::Told(Telling { by, .. })
            | Event::Failed(Failing { by, .. })
            | Event::Corrected(Correction { by, .. })
            | Event::Earlier(BroughtIn { by, .. })
            | Event::Released(Releasing { by, .. })
            | Event::Barred(Barring { by, .. })
            | Event::Allowed(Allowing { by, .. })
            | Event::Changed(Changing { by, .. })
            | Event::Extended(Extending { by, .. }) => by,
            Event::Closed(_) | Event::Decided(_) => return self,
        };
        if by.is_none() {
            *by = name.map(str::to_owned);
        }
        self
    }

    /// The content of the event as compact JSON.
    pub fn body(&self) -> String {
        let body = match self {
            Event::Created(creation) => serde_json::to_string(creation),
            Event::Asked(asking) => serde_json::to_string(asking),
            Event::Told(telling) => serde_json::to_string(telling),
            Event::Failed(failing) => serde_json::to_string(failing),
            Event::Corrected(correction) => serde_json::to_string(correction),
            Event::Closed(closing) => serde_json::to_string(closing),
            Event::Earlier(brought_in) => serde_json::to_string(brought_in),
            Event::Decided(decision) => serde_json::to_string(decision),
            Event::Released(releasing) => serde_json::to_string(releasing),
            Event::Barred(barring) => serde_json::to_string(barring),
            Event::Allowed(allowing) => serde_json::to_string(allowing),
            Event::Changed(changing) => serde_json::to_string(changing),
            Event::Extended(extending) => serde_json::to_string(extending),
        };
        body.expect("finite numbers and text have a JSON form")
    }

    /// Whether the event can be read back as it is. JSON has no infinite numbers: a plan or a decision that holds one must not
    /// go on record.
    pub(crate) fn is_readable(&self) -> bool {
        match self {
            Event::Asked(_)
            | Event::Corrected(_)
            | Event::Closed(_)
            | Event::Decided(_)
            | Event::Changed(_) => Event::parse(self.kind(), &self.body()).as_ref() == Ok(self),
            // Readings were checked when they came in.
            Event::Created(_)
            | Event::Told(_)
            | Event::Failed(_)
            | Event::Earlier(_)
            | Event::Released(_)
            | Event::Barred(_)
            | Event::Allowed(_)
            | Event::Extended(_) => true,
        }
    }

    /// The event of that name and content.
    pub(crate) fn parse(kind: &str, body: &str) -> Result<Self, String> {
        Ok(match kind {
            "created" => Event::Created(parsed(body)?),
            "asked" => Event::Asked(parsed(body)?),
            "told" => Event::Told(parsed(body)?),
            "failed" => Event::Failed(parsed(body)?),
            "corrected" => Event::Corrected(parsed(body)?),
            "closed" => Event::Closed(parsed(body)?),
            "earlier" => Event::Earlier(parsed(body)?),
            "decided" => Event::Decided(parsed(body)?),
            "released" => Event::Released(parsed(body)?),
            "barred" => Event::Barred(parsed(body)?),
            "allowed" => Event::Allowed(parsed(body)?),
            "changed" => Event::Changed(parsed(body)?),
            "extended" => Event::Extended(parsed(body)?),
            other => return Err(format!("{other:?} is not a kind of event")),
        })
    }
}

fn parsed<T: DeserializeOwned>(body: &str) -> Result<T, String> {
    serde_json::from_str(body).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use elfving::bandit::Elimination;
    use elfving::pool::ChoiceId;

    #[test]
    fn an_event_that_holds_an_infinite_number_is_not_readable() {
        let closing = |difference| {
            let (choice, by) = (ChoiceId::new(0), ChoiceId::new(1));
            let out = Elimination { choice, by, difference, threshold: 0.5, round: 1 };
            let decision = Decision { eliminated: vec![out], ..Decision::keep(1, vec![by]) };
            Event::Closed(Closing { decision, waived: false })
        };
        assert!(closing(1.0 / 3.0).is_readable());
        assert!(!closing(f64::INFINITY).is_readable());
        assert!(!closing(f64::NAN).is_readable());
    }
}
