//! Numbers and events as people read them.

use crate::event::{Event, Recorded};
use elfving_table::slot_name;

/// About four digits, without a tail of zeros.
pub(super) fn number(x: f64) -> String {
    if x == 0.0 {
        return "0".to_owned();
    }
    let exponent = x.abs().log10().floor();
    if !(-4.0..7.0).contains(&exponent) {
        return format!("{x:.3e}");
    }
    let decimals = (3.0 - exponent).clamp(0.0, 8.0) as usize;
    let text = format!("{x:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// `1 slot`, `2 slots`.
pub(super) fn count(n: usize, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}

/// What happened, in one line.
pub(super) fn event(recorded: &Recorded) -> String {
    match &recorded.event {
        Event::Created(creation) => {
            format!(
                "{} with {}, by version {}",
                creation.spec.goal, creation.spec.algorithm, creation.version
            )
        }
        Event::Asked(asking) => match &asking.plan {
            Some(plan) if plan.is_forced() => {
                format!("{} that were forced", count(asking.handed_out, "slot"))
            }
            Some(plan) => format!(
                "round {} begins, {} of {}",
                plan.round,
                count(asking.handed_out, "slot"),
                plan.measurements.len()
            ),
            None => format!("{} of the round are out", count(asking.handed_out, "slot")),
        },
        Event::Told(telling) => {
            let from =
                telling.source.as_ref().map_or_else(String::new, |source| format!(" from {}", source.file));
            format!("{}{from}", count(telling.results.len(), "outcome"))
        }
        Event::Failed(failing) => format!("{} failed and is asked again", count(failing.slots.len(), "slot")),
        Event::Corrected(correction) => {
            let changes = correction.changes.iter().map(|change| {
                let to = change.to.as_ref().map_or_else(|| "failed".to_owned(), ToString::to_string);
                format!("{}: {} becomes {to}", slot_name(change.slot), change.from)
            });
            format!("{}; {}", changes.collect::<Vec<_>>().join(", "), correction.reason)
        }
        Event::Closed(closing) => {
            let decision = &closing.decision;
            let waived = if closing.waived { ", without a guarantee" } else { "" };
            let (round, out) = (decision.round, decision.eliminated.len());
            format!("round {round} is decided{waived}: {out} out, {} still in", decision.survivors.len())
        }
        Event::Earlier(brought_in) => {
            format!("{} from before", count(brought_in.measurements.len(), "measurement"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_four_digits_and_no_tail() {
        for (x, text) in [
            (0.0, "0"),
            (0.5, "0.5"),
            (61.25, "61.25"),
            (1234.56, "1235"),
            (-0.012_345, "-0.01235"),
            (1e-9, "1.000e-9"),
            (2.5e12, "2.500e12"),
        ] {
            assert_eq!(number(x), text);
        }
    }
}
