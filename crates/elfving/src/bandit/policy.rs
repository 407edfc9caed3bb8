//! What every algorithm is: it plans, it decides, it reports.

use super::{BanditError, ConditionalStatement, Plan, Reading, Reason, Report, Status};
use crate::pool::PointId;
use crate::surrogate::Parameters;
use serde::{Deserialize, Serialize};

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
    pub choice: PointId,
    /// The choice that beat it.
    pub by: PointId,
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
    /// The choices still in, in pool order.
    pub survivors: Vec<PointId>,
    /// The choices that went out in this round.
    pub eliminated: Vec<Elimination>,
    /// The parameters of a fitted model, where the policy has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fitted: Option<Parameters>,
}

impl Decision {
    /// Nobody goes out.
    pub fn keep(round: u64, survivors: Vec<PointId>) -> Self {
        Self { round, survivors, eliminated: Vec::new(), fitted: None }
    }
}

/// An algorithm behind [`Bandit`](super::Bandit).
///
/// The conversation is `plan`, all outcomes, `learn`, `apply`, and again. `learn` takes the outcomes in and says what
/// follows; `apply` makes it so. They are two steps so that a recorded decision can take the place of a computed one, and
/// a campaign replays on another machine without deciding anything twice.
pub trait Policy: Send {
    /// Its name on the command line.
    fn name(&self) -> &'static str;

    /// The next round. A policy that works in rounds of its own plans the whole of it, whatever the batch; one that chooses
    /// one by one plans `batch` measurements. Asked again before any outcome is in, it plans the same.
    ///
    /// # Errors
    /// What the design, its rounding or its settings find.
    fn plan(&mut self, batch: usize) -> Result<Next, BanditError>;

    /// The same, when at most `left` measurements are left: a policy whose rounds are large says what the next one needs before it
    /// plans every measurement of it.
    ///
    /// # Errors
    /// Those of [`plan`](Self::plan), and [`BanditError::OverBudget`].
    fn plan_within(&mut self, batch: usize, left: u64) -> Result<Next, BanditError> {
        let _ = left;
        self.plan(batch)
    }

    /// Takes in the outcomes of a plan, in its order, and says which choices are out.
    ///
    /// # Errors
    /// What the estimate finds.
    fn learn(&mut self, plan: &Plan, outcomes: &[f64]) -> Result<Decision, BanditError>;

    /// The same with all that was told of a slot, repeats and errors included. A policy that has no use for them learns the
    /// average of each slot.
    ///
    /// # Errors
    /// Those of [`learn`](Self::learn).
    fn learn_readings(&mut self, plan: &Plan, readings: &[Reading]) -> Result<Decision, BanditError> {
        let means: Vec<f64> = readings.iter().map(Reading::mean).collect();
        self.learn(plan, &means)
    }

    /// Takes in the outcomes of a round whose decision is on record: as [`learn_readings`](Self::learn_readings), but nothing
    /// needs to be decided.
    ///
    /// # Errors
    /// Those of [`learn`](Self::learn).
    fn recall(&mut self, plan: &Plan, readings: &[Reading]) -> Result<(), BanditError> {
        self.learn_readings(plan, readings).map(drop)
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

    /// Whether every decision rests on all data alike, so that the decisions after a corrected outcome can be made anew.
    fn reuses_all(&self) -> bool {
        false
    }

    /// What would be certified of the first pick if the truth were simple enough under a fitted model, for noise σ or the one that
    /// the model finds; none without a model.
    fn conditional(&self, sigma: Option<f64>) -> Option<ConditionalStatement> {
        let _ = sigma;
        None
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
