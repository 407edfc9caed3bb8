//! What happened, in one line per event.

use std::fmt;

use elfving::units::grouped;
use elfving_table::slot_name;

use crate::event::{Change, Event, Source};

/// Corrected slots that are named.
const NAMED: usize = 3;

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Event::Created(creation) => {
                let spec = &creation.spec;
                write!(f, "{}, {}, by version {}", spec.goal, spec.algorithm, creation.version)
            }
            Event::Asked(asking) => match &asking.plan {
                Some(plan) if plan.is_forced() => {
                    write!(f, "{} requested by you", counted(plan.measurements.len(), "measurement"))
                }
                Some(plan) => {
                    let (round, planned) = (plan.round, counted(plan.measurements.len(), "measurement"));
                    write!(f, "round {round} starts: {planned} planned, {} handed out", asking.handed_out)
                }
                None => write!(f, "{} of the round handed out", counted(asking.handed_out, "slot")),
            },
            Event::Told(telling) => {
                let count = counted(telling.results.len(), "outcome");
                write!(f, "{count}{}", from(telling.source.as_ref()))
            }
            Event::Failed(failing) => {
                let count = counted(failing.slots.len(), "measurement");
                write!(f, "{count} failed{}", from(failing.source.as_ref()))
            }
            Event::Corrected(correction) => {
                let changes: Vec<String> = correction.changes.iter().take(NAMED).map(in_words).collect();
                let more = match correction.changes.len().saturating_sub(NAMED) {
                    0 => String::new(),
                    more => format!(" and {more} more"),
                };
                write!(f, "{}{more} ({})", changes.join(", "), correction.reason)
            }
            Event::Closed(closing) => {
                let decision = &closing.decision;
                let waived = if closing.waived { ", guarantee forfeited" } else { "" };
                let (left, out) = (decision.survivors.len(), decision.eliminated.len());
                write!(f, "round {} decided: {left} remain, {out} eliminated{waived}", decision.round)
            }
            Event::Earlier(brought_in) => {
                let count = counted(brought_in.measurements.len(), "measurement");
                write!(f, "{count} made before{}", from(brought_in.source.as_ref()))
            }
        }
    }
}

fn in_words(change: &Change) -> String {
    let to = change.to.as_ref().map_or("failed".to_owned(), ToString::to_string);
    format!("{}: {} to {to}", slot_name(change.slot), change.from)
}

fn from(source: Option<&Source>) -> String {
    source.map_or_else(String::new, |source| format!(" from {}", source.file))
}

/// `1 slot`, `2 slots`.
pub(crate) fn counted(n: usize, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{} {what}s", grouped(n as u64)) }
}

/// A word as a shell takes it: quoted where it has to be.
///
/// ```
/// use elfving_campaign::shell_word;
/// assert_eq!((shell_word("a.elfving"), shell_word("a b")), ("a.elfving".to_owned(), "'a b'".to_owned()));
/// assert_eq!(shell_word("it's"), r"'it'\''s'");
/// ```
pub fn shell_word(word: &str) -> String {
    let plain = !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || "_-./=,:+@%".contains(c));
    if plain { word.to_owned() } else { format!("'{}'", word.replace('\'', r"'\''")) }
}
