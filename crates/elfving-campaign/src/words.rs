//! What happened, in one line per event.

use std::fmt;

use elfving::units::grouped;
use elfving_table::slot_name;

use crate::event::{Change, Changing, Event, Extending, Source};

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
                None if !asking.again.is_empty() => {
                    write!(f, "{} handed out again", counted(asking.again.len(), "slot"))
                }
                None => write!(f, "{} of the round handed out", counted(asking.handed_out, "slot")),
            }
            .and_then(|()| asking.worker.as_ref().map_or(Ok(()), |worker| write!(f, ", to {worker}"))),
            Event::Decided(decision) => {
                let (left, out) = (decision.survivors.len(), decision.eliminated.len());
                match decision.fitted {
                    Some(_) => write!(f, "model fitted: {left} may still be the best"),
                    None => write!(f, "decided: {left} remain, {out} eliminated"),
                }
            }
            Event::Released(releasing) => {
                let what = if releasing.for_good { "given up" } else { "given back" };
                write!(f, "{} {what}", counted(releasing.slots.len(), "slot"))
            }
            Event::Barred(barring) => {
                let what = if barring.infeasible { "cannot be measured" } else { "forbidden" };
                let rule = barring.rule.as_ref().map_or_else(String::new, |rule| format!(" where {rule}"));
                write!(f, "{} {what}{rule} ({})", named(&barring.candidates), barring.reason)
            }
            Event::Allowed(allowing) => {
                write!(f, "{} allowed again ({})", named(&allowing.candidates), allowing.reason)
            }
            Event::Changed(changing) => {
                let Changing { budget, batch, epsilon, worth, limits, tries, layout, reason, .. } = changing;
                let limit = |most: Option<u64>| most.map_or("no limit".to_owned(), grouped);
                let said = [
                    budget.map(|budget| format!("budget {}", limit(budget))),
                    batch.map(|batch| format!("batch {batch}")),
                    epsilon.map(|epsilon| format!("epsilon {epsilon}")),
                    worth.map(|worth| format!("worth {worth}")),
                    limits.map(|limits| {
                        let (batch, all) = (limit(limits.in_a_batch), limit(limits.in_all));
                        format!("repeats of a candidate: {batch} in a batch, {all} in all")
                    }),
                    tries.map(|tries| format!("tries {tries}")),
                    layout.as_ref().map(|layout| match layout.is_plain() {
                        true => "no plate, no controls".to_owned(),
                        false => layout.to_string(),
                    }),
                ];
                let said: Vec<String> = said.into_iter().flatten().collect();
                write!(f, "{} ({reason})", said.join(", "))
            }
            Event::Extended(Extending { file, extension, reason, .. }) => {
                let count = counted(extension.to - extension.from, "candidate");
                write!(f, "{count} added from {file} ({reason})")
            }
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
                write!(f, "{count} that nobody asked for{}", from(brought_in.source.as_ref()))
            }
        }
    }
}

/// A few ids, or how many there are.
fn named(ids: &[String]) -> String {
    if ids.len() <= NAMED { ids.join(", ") } else { counted(ids.len(), "candidate") }
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
