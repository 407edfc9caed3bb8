//! What a bandit knows, under which assumptions, and how wrong these may be.

use super::{Elimination, Goal};
use crate::estimate::Premise;
use crate::pool::ChoiceId;
use crate::units::{Confidence, rounded_down, rounded_up};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Why a policy stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Reason {
    /// The goal is reached.
    Reached,
    /// The floor is reached: with this ridge and this misspecification more data would not tell the survivors apart.
    Floor,
    /// The survivors cannot be told apart by any measurement of this pool.
    Tied,
    /// The horizon is over.
    Horizon,
    /// The budget is spent, or the next round needs more than is left of it.
    Budget,
    /// Every candidate is set aside or was measured as often as allowed.
    NothingLeft,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Reason::Reached => "the goal is reached",
            Reason::Floor => "stopped at the bias floor: more data cannot separate the remaining candidates",
            Reason::Tied => "no measurement of this pool can separate the remaining candidates",
            Reason::Horizon => "the horizon is reached",
            Reason::Budget => "the budget is spent",
            Reason::NothingLeft => "no candidate is left that may be measured",
        })
    }
}

/// Whether measuring goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Status {
    /// More measurements are wanted.
    Measuring,
    /// They are not, and why.
    Finished(Reason),
}

/// What stands behind the survivors and intervals of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Guarantee {
    /// A theorem, if the premises hold.
    Certified,
    /// The constants printed in the paper: for comparison, some steps of its proofs do not hold as printed.
    AsPrinted,
    /// No theorem: a fitted model, whose intervals were right about as often as stated where that could be measured.
    Calibrated,
    /// A theorem whose premises the data refute: nothing of it stands.
    Withdrawn,
    /// Nothing: a baseline without a stopping rule, or a round that was closed before all its outcomes were in.
    None,
}

/// The interval of one choice's mean.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ChoiceInterval {
    /// The choice.
    pub choice: ChoiceId,
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

/// Whether the data agree with what is assumed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DataCheck {
    /// Whether they refute it: that happens with probability at most δ where it is true.
    pub refuted: bool,
    /// How much better the rival predicted the outcomes than anything that is assumed could, as the logarithm of a likelihood ratio.
    pub log_evidence_ratio: f64,
    /// From here on it is a refutation.
    pub threshold: f64,
    /// The model that predicted best.
    pub rival: String,
}

impl DataCheck {
    /// Whether the data speak against what is assumed without refuting it: another model predicted the outcomes, before it saw them,
    /// better than any function of the assumed model fits them afterwards. Nothing is stated then.
    pub fn doubts(&self) -> bool {
        !self.refuted && self.log_evidence_ratio > 0.0
    }
}

/// What one of the models that bet has earned.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BetRecord {
    /// The model in words.
    pub name: String,
    /// Its share of the mixture, fixed before the first outcome.
    pub share: f64,
    /// How much better than the assumed model itself it predicted the outcomes, as the logarithm of a likelihood ratio.
    pub nats: f64,
    /// Whether it was given from outside: an earlier campaign.
    pub believed: bool,
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
    pub picks: Vec<ChoiceId>,
    /// How far below the best (the m-th best) a pick may be, at worst; `None` when nothing is proved of it.
    pub epsilon: Option<f64>,
    /// Below this ε the model or the ridge, not the data, is the limit; `None` when unknown.
    pub floor: Option<f64>,
    /// The choices still in, in pool order.
    pub survivors: Vec<ChoiceId>,
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
    /// Whether the data agree with what is assumed, where that is looked at.
    pub data_check: Option<DataCheck>,
    /// How many measurements come before the first statement, where those that check the model are still to be made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waits_for: Option<u64>,
    /// What every model that bets has earned so far, the assumed one first; empty where none does.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub bets: Vec<BetRecord>,
}

impl Report {
    /// Where every report starts: still measuring, nothing known, nothing promised.
    pub fn open(policy: &'static str, goal: Goal, delta: Confidence) -> Self {
        Self {
            policy,
            goal,
            status: Status::Measuring,
            guarantee: Guarantee::None,
            delta: delta.delta(),
            picks: Vec::new(),
            epsilon: None,
            floor: None,
            survivors: Vec::new(),
            intervals: Vec::new(),
            eliminated: Vec::new(),
            rounds: 0,
            samples: 0,
            premises: Vec::new(),
            margins: Margins::default(),
            standing: None,
            data_check: None,
            waits_for: None,
            bets: Vec::new(),
        }
    }

    /// What was refuted and by what, where it was.
    pub fn refutation_in_words(&self) -> Option<String> {
        let check = self.data_check.as_ref().filter(|check| check.refuted)?;
        let nats = check.log_evidence_ratio - check.threshold;
        Some(format!(
            "the data refute what is assumed: {} predicted the outcomes better than anything assumed could, by {} nats more than chance allows",
            check.rival,
            rounded_down(nats)
        ))
    }

    /// Why nothing more than "nobody is out" is stated: too little was looked at, or the data speak against what is assumed without refuting it.
    pub fn doubt_in_words(&self) -> Option<String> {
        if let (Some(first), false) =
            (self.waits_for, self.data_check.as_ref().is_some_and(DataCheck::doubts))
        {
            return Some(format!(
                "no more is stated before {first} measurements: those that check the model come first"
            ));
        }
        let check = self.data_check.as_ref().filter(|check| check.doubts())?;
        Some(format!(
            "no more is stated for now: {} predicted the outcomes better than anything assumed fits them, by {} nats; from {} nats on the data \
             refute what is assumed",
            check.rival,
            rounded_down(check.log_evidence_ratio),
            rounded_down(check.threshold)
        ))
    }

    /// What the predictions that were brought in have earned, one sentence for each.
    pub fn beliefs_in_words(&self) -> Vec<String> {
        let words = |bet: &BetRecord| {
            let (name, nats) = (&bet.name, bet.nats);
            match nats {
                _ if nats > 1.0 => format!(
                    "{name} helps: its bets on the outcomes are {} nats ahead of those of the assumed model",
                    rounded_down(nats)
                ),
                _ if nats < -1.0 => format!(
                    "{name} does not help: its bets on the outcomes are {} nats behind those of the assumed model; that costs a little width and nothing else",
                    rounded_down(-nats)
                ),
                _ => format!("{name} bets about as well as the assumed model so far"),
            }
        };
        self.bets.iter().filter(|bet| bet.believed).map(words).collect()
    }

    /// What is promised of the picks; `worse` is where a choice lies that is not the best: "below" it, or "above" where small is good.
    pub fn promise(&self, worse: &str) -> String {
        match (self.goal, self.epsilon) {
            (_, None) => "the best candidate is among those that remain".to_owned(),
            (Goal::Map { .. }, Some(epsilon)) => {
                format!("every mean is within {} of its estimate", rounded_up(epsilon))
            }
            (Goal::Top { count, .. }, Some(epsilon)) => {
                format!(
                    "each pick is at most {} {worse} number {count} of the true ranking",
                    rounded_up(epsilon)
                )
            }
            (Goal::AllGood { epsilon: good }, Some(epsilon)) => format!(
                "every candidate within {good} of the best remains, and no pick is more than {} {worse} the best",
                rounded_up(epsilon)
            ),
            (_, Some(0.0)) => "the pick is the best".to_owned(),
            (_, Some(epsilon)) => format!("the pick is at most {} {worse} the best", rounded_up(epsilon)),
        }
    }

    /// The floor, where it is somebody's limit: one far below what was asked for is not.
    pub fn floor_in_words(&self) -> Option<String> {
        let limits = |&floor: &f64| floor > 1e-3 * self.epsilon.unwrap_or(0.0) && floor > 0.0;
        let words = |floor| {
            format!(
                "candidates closer than {} (the bias floor) cannot be separated by any amount of data",
                rounded_up(floor)
            )
        };
        self.floor.filter(limits).map(words)
    }

    /// How wrong the assumptions may be; none where the verdict rests on none of them.
    pub fn margins_in_words(&self) -> Option<String> {
        let Margins { norm, sigma, bound, misspecification } = self.margins;
        let each =
            [("norm", norm), ("sigma", sigma), ("bound", bound), ("misspecification", misspecification)];
        let known: Vec<String> = each
            .iter()
            .filter_map(|(name, most)| most.map(|most| format!("{name} up to {}", rounded_down(most))))
            .collect();
        (!known.is_empty())
            .then(|| format!("the verdict holds for {}, one changed at a time", known.join(", ")))
    }

    /// What is measured about a pick that nothing is proved of.
    pub fn standing_in_words(&self) -> Option<String> {
        let Standing { measurements, rivals, rounds } = self.standing?;
        let times = |n: u64, what: &str| if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") };
        let others = match rivals {
            0 => "no other interval overlaps".to_owned(),
            1 => "one other interval overlaps".to_owned(),
            more => format!("{more} other intervals overlap"),
        };
        let (measured, stood) = (times(measurements, "time"), times(rounds, "round"));
        Some(format!("the pick was measured {measured} and has been the pick for {stood}; {others} its own"))
    }
}

impl fmt::Display for Report {
    /// Status and answer, the statement with its assumptions, the margins.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.status {
            Status::Measuring => writeln!(f, "{}: measuring, for {}", self.policy, self.goal)?,
            Status::Finished(reason) => writeln!(f, "{}: {reason}", self.policy)?,
        }
        let picks: Vec<String> = self.picks.iter().map(ChoiceId::to_string).collect();
        let (samples, rounds, survivors) = (self.samples, self.rounds, self.survivors.len());
        writeln!(
            f,
            "pick {}; {survivors} candidates remain after {samples} measurements in {rounds} rounds",
            picks.join(", ")
        )?;
        let (percent, promise) = (100.0 * (1.0 - self.delta), self.promise("below"));
        match self.guarantee {
            Guarantee::None => writeln!(f, "no guarantee")?,
            Guarantee::Withdrawn => {
                let words = self
                    .refutation_in_words()
                    .unwrap_or_else(|| "the data refute what is assumed".to_owned());
                writeln!(f, "the verdict is withdrawn: {words}")?;
            }
            Guarantee::Calibrated => writeln!(f, "calibrated, no proof")?,
            Guarantee::AsPrinted => {
                writeln!(f, "with the constants printed in the paper, not certified, {promise}:")?;
            }
            Guarantee::Certified => {
                writeln!(f, "with probability {percent} %, under these assumptions, {promise}:")?;
            }
        }
        if let Guarantee::AsPrinted | Guarantee::Certified = self.guarantee {
            self.premises.iter().try_for_each(|premise| writeln!(f, "- {premise}"))?;
            let words = [self.doubt_in_words(), self.floor_in_words()];
            words.into_iter().flatten().try_for_each(|words| writeln!(f, "{words}"))?;
        }
        let last = [self.standing_in_words(), self.margins_in_words()];
        last.into_iter().flatten().chain(self.beliefs_in_words()).try_for_each(|words| writeln!(f, "{words}"))
    }
}
