//! What a bandit knows, under which assumptions, and how wrong these may be.

use super::{Elimination, Goal};
use crate::estimate::Premise;
use crate::pool::PointId;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Why a policy stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// The goal is reached.
    Reached,
    /// The floor is reached: with this ridge and this misspecification more data would not tell the survivors apart.
    Floor,
    /// The survivors cannot be told apart by any measurement of this pool.
    Tied,
    /// The horizon is over.
    Horizon,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Reason::Reached => "the goal is reached",
            Reason::Floor => "the floor is reached: more data would not tell the survivors apart",
            Reason::Tied => "the survivors cannot be told apart by any measurement of this pool",
            Reason::Horizon => "the horizon is over",
        })
    }
}

/// Whether measuring goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// More measurements are wanted.
    Measuring,
    /// They are not, and why.
    Finished(Reason),
}

/// What stands behind the survivors and intervals of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Guarantee {
    /// A theorem, if the premises hold.
    Certified,
    /// The constants printed in the paper: for comparison, some steps of its proofs do not hold as printed.
    AsPrinted,
    /// No theorem: a fitted model, whose intervals were right about as often as stated where that could be measured.
    Calibrated,
    /// Nothing: a baseline without a stopping rule, or a round that was closed before all its outcomes were in.
    None,
}

/// The interval of one choice's mean.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ChoiceInterval {
    /// The choice.
    pub choice: PointId,
    /// Its estimated mean.
    pub estimate: f64,
    /// The lower end.
    pub lower: f64,
    /// The upper end.
    pub upper: f64,
}

/// How wrong each assumption may be with the verdict still standing, the others held. `None` where the verdict does not
/// rest on it, or where there is no verdict yet.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Margins {
    /// The largest S with ‖θ‖ ≤ S.
    pub norm: Option<f64>,
    /// The largest σ.
    pub sigma: Option<f64>,
    /// The largest B.
    pub bound: Option<f64>,
    /// The largest h.
    pub misspecification: Option<f64>,
}

/// What is measured about a pick that nothing is proved of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Standing {
    /// How often the pick itself was measured.
    pub measurements: u64,
    /// How many other choices have an interval that reaches into that of the pick.
    pub rivals: u64,
    /// For how many rounds it has been the pick.
    pub rounds: u64,
}

/// What a policy knows so far.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// The policy.
    pub policy: &'static str,
    /// What was wanted.
    pub goal: Goal,
    /// Whether measuring goes on.
    pub status: Status,
    /// What stands behind the rest.
    pub guarantee: Guarantee,
    /// The probability with which the statement may be wrong, all premises holding.
    pub delta: f64,
    /// The answer if it had to be given now: one choice, m of them, or all good ones; never empty.
    pub picks: Vec<PointId>,
    /// How far below the best (the m-th best) a pick may be, at worst; `None` when nothing is proved of it.
    pub epsilon: Option<f64>,
    /// Below this ε the model or the ridge, not the data, is the limit; `None` when unknown.
    pub floor: Option<f64>,
    /// The choices still in, in pool order.
    pub survivors: Vec<PointId>,
    /// One for each survivor, in the same order; empty when there is no estimate yet.
    pub intervals: Vec<ChoiceInterval>,
    /// Every choice that is out, in the order in which they went.
    pub eliminated: Vec<Elimination>,
    /// Rounds closed.
    pub rounds: u64,
    /// Measurements taken in.
    pub samples: u64,
    /// The assumptions.
    pub premises: Vec<Premise>,
    /// How wrong the assumptions may be.
    pub margins: Margins,
    /// What is measured about the pick, where nothing is proved.
    pub standing: Option<Standing>,
}

impl fmt::Display for Report {
    /// Status and answer, the statement with its assumptions, the margins.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.status {
            Status::Measuring => writeln!(f, "{}: measuring, for {}", self.policy, self.goal)?,
            Status::Finished(reason) => writeln!(f, "{}: {reason}", self.policy)?,
        }
        let picks: Vec<String> = self.picks.iter().map(PointId::to_string).collect();
        let (samples, rounds, survivors) = (self.samples, self.rounds, self.survivors.len());
        writeln!(
            f,
            "pick {}; {survivors} choices are still in after {samples} measurements in {rounds} rounds",
            picks.join(", ")
        )?;
        self.fmt_statement(f)?;
        self.fmt_margins(f)
    }
}

impl Report {
    fn fmt_statement(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = 100.0 * (1.0 - self.delta);
        match self.guarantee {
            Guarantee::None => return writeln!(f, "no guarantee"),
            Guarantee::Calibrated => return self.fmt_standing(f),
            Guarantee::AsPrinted => write!(f, "with the constants printed in the paper, not certified, ")?,
            Guarantee::Certified => write!(f, "with probability {percent} %, under these assumptions, ")?,
        }
        match (self.goal, self.epsilon) {
            (_, None) => writeln!(f, "the best is still in:")?,
            (Goal::Map { .. }, Some(epsilon)) => {
                writeln!(f, "every mean is within {} of its estimate:", up(epsilon))?;
            }
            (Goal::Top { count, .. }, Some(epsilon)) => {
                writeln!(f, "each pick is at most {} below the best choice number {count}:", up(epsilon))?;
            }
            (Goal::AllGood { epsilon: good }, Some(epsilon)) => writeln!(
                f,
                "every choice within {good} of the best is still in, and no pick is more than {} below the best:",
                up(epsilon)
            )?,
            (_, Some(0.0)) => writeln!(f, "the pick is the best:")?,
            (_, Some(epsilon)) => writeln!(f, "the pick is at most {} below the best:", up(epsilon))?,
        }
        self.premises.iter().try_for_each(|premise| writeln!(f, "- {premise}"))?;
        match self.floor {
            // A floor far below what was asked for is nobody's limit.
            Some(floor) if floor > 1e-3 * self.epsilon.unwrap_or(0.0) && floor > 0.0 => {
                writeln!(f, "the floor is {}: closer than that no amount of data separates", up(floor))
            }
            _ => Ok(()),
        }
    }

    fn fmt_standing(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "calibrated, no proof")?;
        let Some(Standing { measurements, rivals, rounds }) = self.standing else { return Ok(()) };
        writeln!(
            f,
            "the pick was measured {measurements} times and has stood for {rounds} rounds; the intervals of {rivals} others \
             reach into its own"
        )
    }

    fn fmt_margins(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Margins { norm, sigma, bound, misspecification } = self.margins;
        let each = [("S", norm), ("sigma", sigma), ("B", bound), ("h", misspecification)];
        let known: Vec<String> = each
            .iter()
            .filter_map(|(name, most)| most.map(|most| format!("{name} up to {}", down(most))))
            .collect();
        if known.is_empty() {
            return Ok(());
        }
        writeln!(f, "the verdict would still stand with {}, each with the others held", known.join(", "))
    }
}

/// Four digits, rounded up: what may be lost is never printed smaller than it is.
fn up(x: f64) -> f64 {
    four_digits(x, f64::ceil)
}

/// Four digits, rounded down: what may be assumed is never printed larger than it is.
fn down(x: f64) -> f64 {
    four_digits(x, f64::floor)
}

fn four_digits(x: f64, round: impl Fn(f64) -> f64) -> f64 {
    let scale = 10f64.powf(3.0 - x.abs().log10().floor());
    let rounded = round(x * scale) / scale;
    if rounded.is_finite() { rounded } else { x }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_printed_is_rounded_to_the_safe_side() {
        assert_eq!((down(0.000_469_99), up(0.000_469_91)), (0.000_469_9, 0.000_47));
        assert_eq!((down(1.299_99), up(1.234_51)), (1.299, 1.235));
        assert_eq!((down(12_345.6), up(12_345.6)), (12_340.0, 12_350.0));
        for x in [0.0, 1e-320, 1e300, f64::MAX] {
            assert!(down(x) <= x && up(x) >= x && up(x).is_finite(), "{x}");
        }
    }
}
