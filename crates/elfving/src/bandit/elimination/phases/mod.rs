//! The loop that the four algorithms share: plan, collect, estimate, eliminate.
//!
//! | file | step |
//! |---|---|
//! | `ridge`, `design`, `round`, `counts` | plan: γ, λ_ℓ and the accuracy, draws or counts |
//! | `learn` | from outcomes to statements; regret: who is out |
//! | `compare` | exploration: who is out |
//! | `paper` | who is out as printed |
//! | `verdict` | a decision made final |
//! | `report` | what is known, and its margins |
//!
//! The state is in three rooms: [`Rounds`] (how far they are, and what the next one is planned from), [`Ledger`] (who is in, and
//! every statement so far) and [`Verdict`] (what follows). Each changes itself; the steps read.

mod compare;
mod counts;
mod design;
mod learn;
mod paper;
mod report;
mod ridge;
mod round;
mod verdict;

pub(super) use round::Round;
use round::Rounds;
use verdict::Verdict;

use super::answer::{Differences, Standing};
use super::estimator::{Estimator, Terms};
use super::groups::Groups;
use super::ledger::About;
use super::ledger::{Ground, Known, Ledger, Noise, RoundRecord, Stated, bias, review};
use super::margins::{margins, norm_borne};
use super::schedule::{self, confidence_of_round};
use super::settings::{Constants, Thresholds};
use crate::bandit::{
    BanditError, ChoiceInterval, Decision, Elimination, Goal, Guarantee, Margins, Measurements, Next, Plan,
    Question, Reason, Report, Status,
};
use crate::estimate::{Assumptions, Centring, Premise, Tails};
use crate::pool::{ChoiceId, PointId, Pool};
use crate::units::Ridge;
use std::cell::OnceCell;

/// How often the leader is asked for at once when there is no horizon.
const MOST_AT_ONCE: u64 = 1 << 20;

/// One algorithm box: what differs between the four.
pub(crate) trait RoundRule {
    /// Its name on the command line.
    const NAME: &'static str;
    /// How heavy the tails of the noise may be.
    const TAILS: Tails;

    /// Design, sample size and measurements of a round; nothing when the round does not fit into the horizon.
    fn plan_round(phases: &Phases, round: &Round) -> Result<Option<Plan>, BanditError>;

    /// What the outcomes of a round say.
    fn learn_round(phases: &Phases, plan: &Plan, outcomes: &[f64]) -> Result<Learned, BanditError>;
}

/// What a round found and decides, before it is applied.
pub(crate) struct Learned {
    pub decision: Decision,
    pub record: Option<RoundRecord>,
    pub standing: Standing,
    /// Whether the statements of the round beat every survivor by some other.
    pub circular: bool,
}

/// What a policy is told before the first round.
struct Rule {
    name: &'static str,
    tails: Tails,
    constants: Constants,
    thresholds: Thresholds,
    /// Whether S is given, or no ridge and no truncated kernel makes it matter.
    bias_is_known: bool,
}

/// An elimination policy: what both goals and both estimators share.
pub(crate) struct Phases {
    pub question: Question,
    rule: Rule,
    rounds: Rounds,
    ledger: Ledger,
    verdict: Verdict,
    /// The plan that was handed out and is not decided yet.
    planned: Option<Plan>,
    /// What its outcomes say, until it is decided.
    pending: Option<Learned>,
}

impl Phases {
    pub(crate) fn new<A: RoundRule>(question: Question) -> Result<Self, BanditError> {
        let assumptions = &question.assumptions;
        let regret = matches!(question.goal, Goal::Regret { .. });
        if regret && !question.pool.chooses_among_itself() {
            return Err(BanditError::ChoicesNotMeasurable { policy: A::NAME });
        }
        if A::TAILS == Tails::SubGaussian && assumptions.tail() != Tails::SubGaussian {
            let instead = if regret { "rips-regret" } else { "rips-best" };
            return Err(BanditError::NeedsAssumption {
                policy: A::NAME,
                what: "sub-Gaussian noise",
                instead,
            });
        }
        if assumptions.bound_if_known().is_none() {
            let instead = "a policy for sub-Gaussian noise and a norm bound";
            if A::TAILS == Tails::BoundedVariance {
                let what = "a bound B on the mean outcomes";
                return Err(BanditError::NeedsAssumption { policy: A::NAME, what, instead });
            }
            if assumptions.norm_bound().is_none() {
                let what = "a bound B on the mean outcomes or S on the norm, to know where to start";
                return Err(BanditError::NeedsAssumption { policy: A::NAME, what, instead });
            }
        }
        let ridge_matters = question.gamma.map_or(regret, |gamma| gamma.get() > 0.0);
        let bias_is_known =
            assumptions.norm_bound().is_some() || !(ridge_matters || question.pool.exact().is_some());
        let groups = Groups::new(&question.pool);
        let standing =
            Standing { leaders: first_leaders(&question.goal, &groups), survivors: groups.names() };
        let bound = relevant_bound(A::TAILS, assumptions.bound_if_known());
        let mut phases = Self {
            rule: Rule {
                name: A::NAME,
                tails: A::TAILS,
                constants: Constants::default(),
                thresholds: Thresholds::Assumed,
                bias_is_known,
            },
            rounds: Rounds::default(),
            ledger: Ledger::new(groups, bound),
            verdict: Verdict::new(standing),
            planned: None,
            pending: None,
            question,
        };
        phases.conclude();
        Ok(phases)
    }

    pub(crate) fn set_constants(&mut self, constants: Constants) {
        self.rule.constants = constants;
    }

    pub(crate) fn set_thresholds(&mut self, thresholds: Thresholds) {
        self.rule.thresholds = thresholds;
    }

    pub(crate) fn constants(&self) -> Constants {
        self.rule.constants
    }

    /// A bias without a bound always gets room.
    pub(crate) fn thresholds(&self) -> Thresholds {
        if self.rule.bias_is_known { self.rule.thresholds } else { Thresholds::Room }
    }

    /// One choice for each group that is still in, in pool order.
    pub(crate) fn survivors(&self) -> &[ChoiceId] {
        self.ledger.survivors()
    }

    pub(crate) fn samples(&self) -> u64 {
        self.rounds.samples()
    }

    pub(crate) fn last_value(&self) -> Option<f64> {
        self.rounds.value()
    }

    pub(crate) fn last_accuracy(&self) -> f64 {
        self.rounds.accuracy()
    }

    fn assumptions(&self) -> &Assumptions {
        &self.question.assumptions
    }

    fn is_regret(&self) -> bool {
        matches!(self.question.goal, Goal::Regret { .. })
    }

    /// The point that a choice is; regret refuses a pool where these differ.
    pub(crate) fn point_of(&self, choice: ChoiceId) -> PointId {
        self.question.pool.point_of(choice).expect("a pool that chooses among itself")
    }

    /// The size of the means: B, or what S allows.
    pub(crate) fn scale(&self) -> f64 {
        schedule::scale_of_means(&self.question)
    }

    /// The next round, or a batch of the leader once rounds are over.
    pub(crate) fn plan<A: RoundRule>(&mut self, batch: usize, left: u64) -> Result<Next, BanditError> {
        if let Some(reason) = self.verdict.finished() {
            return Ok(Next::Stop(reason));
        }
        if let Some(plan) = &self.planned {
            return Ok(Next::Measure(plan.clone()));
        }
        if !(self.verdict.is_playing() || self.ledger.survivors().len() == 1) {
            let number = self.next_round();
            let epsilon = self.epsilon_of(number);
            let (gamma, gamma_is_fixed) = self.ridge(epsilon)?;
            if let Some(plan) = A::plan_round(self, &Round { number, epsilon, gamma, gamma_is_fixed, left })?
            {
                self.planned = Some(plan.clone());
                return Ok(Next::Measure(plan));
            }
            // It does not fit into the horizon, and nothing will be known that could make it shorter.
            self.verdict.play();
        }
        let batch = self.horizon_left().unwrap_or(MOST_AT_ONCE).min(batch as u64).min(left.max(1));
        let leader = vec![self.point_of(self.verdict.standing().leaders[0]); batch as usize];
        Ok(Next::Measure(Plan::chosen(self.rounds.last().max(1), leader)))
    }

    /// ε_ℓ = B 2^-ℓ.
    fn epsilon_of(&self, round: u64) -> f64 {
        schedule::epsilon_of_round(self.scale(), round)
    }

    /// The next round that could put some survivor out: with room, ε_ℓ must be below the largest difference that is still possible.
    fn next_round(&self) -> u64 {
        let mut number = self.rounds.last() + 1;
        if self.rule.constants == Constants::Certified && self.thresholds() == Thresholds::Room {
            let ranges =
                || self.ledger.survivors().iter().map(|&id| self.ledger.known().of(self.mean_of(id)));
            let highest = ranges().map(|range| range.high).fold(f64::NEG_INFINITY, f64::max);
            let lowest = ranges().map(|range| range.low).fold(f64::INFINITY, f64::min);
            while self.epsilon_of(number) >= highest - lowest && number < self.rounds.last() + 64 {
                number += 1;
            }
        }
        number
    }

    /// Measurements until the horizon, when there is one.
    pub(crate) fn horizon_left(&self) -> Option<u64> {
        match self.question.goal {
            Goal::Regret { horizon } => horizon.map(|horizon| horizon.saturating_sub(self.rounds.samples())),
            _ => None,
        }
    }

    /// How many of the wanted measurements to make in what is left of the horizon. As printed: as many as fit. Certified: a round that would leave
    /// less than it takes gains nothing, so the leader is played; the first one takes half, for there is no leader yet.
    pub(crate) fn room_in_horizon(&self, wanted: u64, left: u64) -> Option<u64> {
        match self.rule.constants {
            Constants::Paper => Some(wanted.min(left)),
            Constants::Certified if wanted <= left / 2 => Some(wanted),
            Constants::Certified if self.rounds.closed() == 0 => Some((left / 2).max(1)),
            Constants::Certified => None,
        }
    }
}

/// B, where it is a premise: with sub-Gaussian noise and counts nothing rests on it.
fn relevant_bound(tails: Tails, bound: Option<f64>) -> Option<f64> {
    bound.filter(|_| tails == Tails::BoundedVariance)
}

/// Groups that hold as many choices as are wanted, before anything is known.
fn first_leaders(goal: &Goal, groups: &Groups) -> Vec<ChoiceId> {
    let wanted = if let Goal::Top { count, .. } = goal { *count } else { 1 };
    let mut held = 0;
    let enough = |name: &ChoiceId| {
        let more = held < wanted;
        held += groups.members(*name).len();
        more
    };
    groups.names().into_iter().take_while(enough).collect()
}
