//! What happened, in one line an event.

use std::fmt;

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
                    write!(f, "{} you asked for", counted(plan.measurements.len(), "measurement"))
                }
                Some(plan) => {
                    let (round, planned) = (plan.round, counted(plan.measurements.len(), "measurement"));
                    write!(f, "round {round} begins: {planned} planned, {} handed out", asking.handed_out)
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
                let waived = if closing.waived { ", without a guarantee" } else { "" };
                let (left, out) = (decision.survivors.len(), decision.eliminated.len());
                write!(f, "round {} decided: {left} still in, {out} out{waived}", decision.round)
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
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}
