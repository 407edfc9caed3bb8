//! What every baseline keeps: the question, the regression, and how far it is.

use elfving::bandit::{
    BanditError, ChoiceInterval, Decision, Elimination, Goal, Plan, Question, Reason, Regression, Report,
    Status,
};
use elfving::pool::{ChoiceId, PointId};

pub(super) struct Record {
    name: &'static str,
    pub(super) question: Question,
    pub(super) regression: Regression,
    rounds: u64,
}

impl Record {
    /// Starts with `V = ridge·I`.
    pub(super) fn new(name: &'static str, question: Question, ridge: f64) -> Result<Self, BanditError> {
        if let Goal::Map { .. } = question.goal {
            let wanted = "the best choices, or regret; ellipsoid-map is for a map";
            return Err(BanditError::OtherGoal { policy: name, goal: question.goal.to_string(), wanted });
        }
        let regression = Regression::of(&question, ridge)?;
        Ok(Self { name, question, regression, rounds: 0 })
    }

    /// The same for a policy that measures what it chooses among.
    pub(super) fn of_measurable(
        name: &'static str,
        question: Question,
        ridge: f64,
    ) -> Result<Self, BanditError> {
        if !question.pool.chooses_among_itself() {
            return Err(BanditError::ChoicesNotMeasurable { policy: name });
        }
        Self::new(name, question, ridge)
    }

    pub(super) fn name(&self) -> &'static str {
        self.name
    }

    /// The number of the next round.
    pub(super) fn next_round(&self) -> u64 {
        self.rounds + 1
    }

    /// T, when the goal names it.
    pub(super) fn horizon(&self) -> Option<u64> {
        match self.question.goal {
            Goal::Regret { horizon } => horizon,
            _ => None,
        }
    }

    /// How many of `wanted` measurements the horizon leaves; `None` when it is over.
    pub(super) fn within_horizon(&self, wanted: u64) -> Option<u64> {
        let left =
            self.horizon().map_or(u64::MAX, |horizon| horizon.saturating_sub(self.regression.samples()));
        (left > 0).then_some(wanted.min(left))
    }

    /// Takes the outcomes in; `survivors` are the choices still in.
    pub(super) fn take(&mut self, plan: &Plan, outcomes: &[f64], survivors: Vec<ChoiceId>) -> Decision {
        for (point, &outcome) in plan.measurements.points().into_iter().zip(outcomes) {
            self.regression.add(point, outcome);
        }
        self.rounds = plan.round;
        Decision::keep(plan.round, survivors)
    }

    /// A round is over, with outcomes or without: its number is not used again.
    pub(super) fn close(&mut self, decision: &Decision) {
        self.rounds = self.rounds.max(decision.round);
    }

    /// The points that choices are, of a pool that chooses among itself.
    pub(super) fn measurable(&self, choices: &[ChoiceId]) -> Vec<PointId> {
        let point =
            |&choice: &ChoiceId| self.question.pool.point_of(choice).expect("a choice that is a point");
        choices.iter().map(point).collect()
    }

    /// All choices, in pool order.
    pub(super) fn all_choices(&self) -> Vec<ChoiceId> {
        (0..self.question.pool.choice_count()).map(ChoiceId::new).collect()
    }

    pub(super) fn status(&self) -> Status {
        match self.within_horizon(1) {
            Some(_) => Status::Measuring,
            None => Status::Finished(Reason::Horizon),
        }
    }

    /// The estimates of the survivors ± `multiplier` times `‖z‖` in the inverse of V.
    pub(super) fn report(
        &self,
        survivors: Vec<ChoiceId>,
        eliminated: Vec<Elimination>,
        multiplier: f64,
    ) -> Report {
        let estimates = self.regression.choice_means();
        let norms = self.regression.precision().choice_norms();
        let interval = |&choice: &ChoiceId| {
            let estimate = estimates[choice.index()];
            let width = multiplier * norms[choice.index()].sqrt();
            ChoiceInterval { choice, estimate, lower: estimate - width, upper: estimate + width }
        };
        let samples = self.regression.samples();
        Report {
            status: self.status(),
            picks: self.question.goal.picks(&estimates, &survivors),
            intervals: if samples > 0 { survivors.iter().map(interval).collect() } else { Vec::new() },
            survivors,
            eliminated,
            rounds: self.rounds,
            samples,
            ..Report::open(self.name, self.question.goal, self.question.delta)
        }
    }
}
