//! What can happen to a campaign. Its state is a replay of these; nothing else decides.

use elfving::bandit::{Decision, Plan, Reading};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::at::At;
use crate::chain::Digest;
use crate::spec::Spec;

/// One event. In a file its name is the kind and its content the body, as compact JSON.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// The campaign began.
    Created(Box<Creation>),
    /// Slots were handed out.
    Asked(Asking),
    /// Outcomes came in: one event a file.
    Told(Telling),
    /// Measurements failed; their slots stay open.
    Failed(Failing),
    /// Outcomes were replaced.
    Corrected(Correction),
    /// A round was decided.
    Closed(Closing),
    /// Measurements from outside the campaign came in.
    Earlier(BroughtIn),
}

/// What was asked for, and by which version of the program.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Creation {
    /// The question, resolved: no default is left open.
    pub spec: Spec,
    /// The version that created the file.
    pub version: String,
}

/// Slots that were handed out: the first of a round bring its plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Asking {
    /// The plan of a round that begins here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<Plan>,
    /// The run order of that round: slot k of the round is measurement `order[k]` of the plan. Without one, as planned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<Vec<usize>>,
    /// How many slots of the round are handed out, with these.
    pub handed_out: usize,
}

/// Outcomes by slot, in the user's units.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Telling {
    /// Slot and reading.
    pub results: Vec<(usize, Reading)>,
    /// Where they came from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<Source>,
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
        }
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
        };
        body.expect("finite numbers and text have a JSON form")
    }

    /// Whether the event can be read back as it is. JSON has no infinite numbers: a plan or a decision that holds one must not
    /// go on record.
    pub(crate) fn is_readable(&self) -> bool {
        match self {
            Event::Asked(_) | Event::Corrected(_) | Event::Closed(_) => {
                Event::parse(self.kind(), &self.body()).as_ref() == Ok(self)
            }
            // Readings were checked when they came in.
            Event::Created(_) | Event::Told(_) | Event::Failed(_) | Event::Earlier(_) => true,
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
    use elfving::pool::PointId;

    #[test]
    fn an_event_that_holds_an_infinite_number_is_not_readable() {
        let closing = |difference| {
            let (choice, by) = (PointId::new(0), PointId::new(1));
            let out = Elimination { choice, by, difference, threshold: 0.5, round: 1 };
            let decision = Decision { eliminated: vec![out], ..Decision::keep(1, vec![by]) };
            Event::Closed(Closing { decision, waived: false })
        };
        assert!(closing(1.0 / 3.0).is_readable());
        assert!(!closing(f64::INFINITY).is_readable());
        assert!(!closing(f64::NAN).is_readable());
    }
}
