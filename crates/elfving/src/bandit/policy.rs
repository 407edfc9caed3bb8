//! What every algorithm is: it plans, it decides, it reports.

use super::{
    AtMost, BanditError, ConditionalStatement, DataCheck, Limits, Outlook, Plan, Reading, Reason, Report,
    Status,
};
use crate::pool::{ChoiceId, PointId};
use crate::surrogate::Parameters;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// What a policy wants next.
#[derive(Debug, Clone, PartialEq)]
pub enum Next {
    /// Measure all of this, then decide.
    Measure(Plan),
    /// Nothing: the answer is there, or more measurements would not improve it.
    Stop(Reason),
}

/// A choice that is out, and the bound that removed it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Elimination {
    /// The choice that is out.
    pub choice: ChoiceId,
    /// The choice that beat it.
    pub by: ChoiceId,
    /// The estimated difference of their means.
    pub difference: f64,
    /// What it had to exceed.
    pub threshold: f64,
    /// In which round.
    pub round: u64,
}

/// What the outcomes of one round decide. A recorded decision can be applied without computing it again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Decision {
    /// The round that is closed.
    pub round: u64,
    /// The choices still in, in pool order. Written, a long run of neighbours is its first and last.
    #[serde(with = "super::runs")]
    pub survivors: Vec<ChoiceId>,
    /// The choices that went out in this round.
    pub eliminated: Vec<Elimination>,
    /// The parameters of a fitted model, where the policy has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fitted: Option<Parameters>,
    /// What the data said of the assumptions, where they refuted them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refuted: Option<DataCheck>,
}

impl Decision {
    /// Nobody goes out.
    pub fn keep(round: u64, survivors: Vec<ChoiceId>) -> Self {
        Self { round, survivors, eliminated: Vec::new(), fitted: None, refuted: None }
    }
}

/// What is asked of a policy: how many measurements, and what stands around them.
#[derive(Debug, Clone, Copy)]
pub struct Wanted<'a> {
    /// The number of the plan: one that decides from all data takes it, one with rounds of its own counts for itself.
    pub round: u64,
    /// How many measurements.
    pub batch: usize,
    /// How many the budget leaves.
    pub left: u64,
    /// Measurements that were asked for and are under way.
    pub pending: &'a [PointId],
    /// Those of them that are in this batch already: what failed and goes out again.
    pub in_batch: &'a [PointId],
    /// Controls, which are in this batch whatever is planned.
    pub controls: &'a [PointId],
    /// How often one candidate may be measured.
    pub limits: Limits,
    /// How many different values of a column the batch may hold.
    pub at_most: &'a [AtMost],
}

impl Wanted<'_> {
    /// So many measurements, and nothing else to think of.
    pub fn batch(batch: usize) -> Self {
        Self {
            round: 1,
            batch,
            left: u64::MAX,
            pending: &[],
            in_batch: &[],
            controls: &[],
            limits: Limits::default(),
            at_most: &[],
        }
    }
}

/// What cannot be measured, or may not be.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SetAside {
    /// Points that are neither measured nor chosen.
    pub points: BTreeSet<PointId>,
    /// Those of them that turned out to be impossible: where they lie tells of others.
    pub infeasible: BTreeSet<PointId>,
}

/// An algorithm behind [`Bandit`](super::Bandit).
///
/// There are two kinds. One plans whole rounds: `plan`, all outcomes of the round, `learn`, `apply`, and again. The other
/// ([`is_anytime`](Self::is_anytime)) decides from all data at any time: `plan`, `note` whatever came in, `decide`, `apply`, and
/// again, with other measurements under way or not.
///
/// Learning says what follows, applying makes it so. They are two steps so that a recorded decision can take the place of a
/// computed one, and a campaign replays on another machine without deciding anything twice.
pub trait Policy: Send {
    /// Its name on the command line.
    fn name(&self) -> &'static str;

    /// The next measurements. A policy that works in rounds of its own plans the whole of one, whatever the batch; one that chooses
    /// one by one plans at most `batch`. Asked again before any outcome is in, it plans the same.
    ///
    /// # Errors
    /// What the design, its rounding or its settings find, and [`BanditError::OverBudget`] where a round needs more than is left.
    fn plan(&mut self, wanted: &Wanted) -> Result<Next, BanditError>;

    /// Takes in what came back for a whole plan, in its order, and says which choices are out. A policy that has no use for repeats
    /// and errors learns the average of each.
    ///
    /// # Errors
    /// What the estimate finds.
    fn learn(&mut self, plan: &Plan, readings: &[Reading]) -> Result<Decision, BanditError>;

    /// Takes in the outcomes of a round whose decision is on record: as [`learn`](Self::learn), but nothing needs to be decided.
    ///
    /// # Errors
    /// Those of [`learn`](Self::learn).
    fn recall(&mut self, plan: &Plan, readings: &[Reading]) -> Result<(), BanditError> {
        self.learn(plan, readings).map(drop)
    }

    /// Takes in measurements that it did not plan, and says whether it can use them: a theorem about draws from a design
    /// says nothing of them.
    ///
    /// # Errors
    /// What the estimate finds.
    fn earlier(&mut self, measured: &[(PointId, Reading)]) -> Result<bool, BanditError> {
        let _ = measured;
        Ok(false)
    }

    /// Whether it decides from all data alike, at any time: results count as soon as they are told, measurements may be under way
    /// while it plans, and the decisions after a corrected outcome can be made anew.
    fn is_anytime(&self) -> bool {
        false
    }

    /// Takes in some of the measurements that it planned, at any time.
    ///
    /// # Errors
    /// What the estimate finds.
    fn note(&mut self, measured: &[(PointId, Reading)]) -> Result<(), BanditError> {
        self.earlier(measured).map(drop)
    }

    /// The same where the decision after it is on record.
    ///
    /// # Errors
    /// Those of [`note`](Self::note).
    fn remember(&mut self, measured: &[(PointId, Reading)]) -> Result<(), BanditError> {
        self.note(measured)
    }

    /// What follows from all that was taken in, at any time; `round` is the number of the last plan.
    ///
    /// # Errors
    /// What the estimate finds.
    fn decide(&mut self, round: u64) -> Result<Decision, BanditError> {
        Ok(Decision::keep(round, self.report().survivors))
    }

    /// Points that are neither measured nor chosen from here on, all of them at each call; says whether it can do without them.
    fn set_aside(&mut self, set_aside: &SetAside) -> bool {
        set_aside.points.is_empty()
    }

    /// What would be certified of the first pick if the truth were simple enough under a fitted model, for noise σ or the one that
    /// the model finds; none without a model.
    fn conditional(&self, sigma: Option<f64>) -> Option<ConditionalStatement> {
        let _ = sigma;
        None
    }

    /// What another batch is expected to change, for a policy with a fitted model; none without one, and before there are data.
    ///
    /// # Errors
    /// What the fit finds.
    fn outlook(&self, wanted: &Wanted) -> Result<Option<Outlook>, BanditError> {
        let _ = wanted;
        Ok(None)
    }

    /// Makes a decision final.
    fn apply(&mut self, decision: &Decision);

    /// What is known.
    fn report(&self) -> Report;

    /// Whether measuring goes on: that of the report, for those who ask often.
    fn status(&self) -> Status {
        self.report().status
    }
}

/// The average of each slot, for policies that have no use for repeats and errors.
pub fn averages(readings: &[Reading]) -> Vec<f64> {
    readings.iter().map(Reading::mean).collect()
}
