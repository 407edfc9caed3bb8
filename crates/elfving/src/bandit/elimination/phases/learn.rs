//! From the outcomes of a round to statements, and from these to who is out.

use super::*;
use std::collections::BTreeSet;

impl Phases {
    /// `B² + σ²`, as printed.
    pub(crate) fn second_moment(&self) -> f64 {
        self.scale().powi(2) + self.assumptions().sigma_bound().powi(2)
    }

    /// Unordered pairs of survivors.
    pub(crate) fn pairs(&self) -> usize {
        let count = self.ledger.survivors().len();
        count * (count - 1) / 2
    }

    /// Whether a round is too short for any statement at its confidence.
    pub(crate) fn too_few_for_catoni(&self, plan: &Plan, statements: usize) -> bool {
        let log_term = schedule::log_term(self.question.delta, plan.round, statements);
        plan.measurements.len() as f64 <= 2.0 * log_term
    }

    /// A bound on the centred second moment of one outcome at each point: `R_x² + σ_x²`, or the paper's `B² + σ²`.
    pub(crate) fn second_moments(&self) -> Result<Vec<f64>, BanditError> {
        let ids: Vec<PointId> = (0..self.question.pool.len()).map(PointId::new).collect();
        let variances = self.assumptions().variances(&ids, ids.len())?;
        let Some(bound) = self.premises().bound else { return Ok(variances) };
        let radius = |id: &PointId| match self.rule.constants {
            Constants::Certified => self.ledger.known().of(About::Point(*id)).radius(),
            Constants::Paper => bound,
        };
        Ok(ids.iter().zip(variances).map(|(id, variance)| radius(id).powi(2) + variance).collect())
    }

    /// The outcomes of a plan, seen by its estimator; `statements` share the confidence of the round. `points`: statements are about the
    /// measurable points, not the choices.
    pub(crate) fn estimator<'a>(
        &'a self,
        pool: &'a Pool,
        plan: &Plan,
        outcomes: &'a [f64],
        statements: usize,
    ) -> Result<Estimator<'a>, BanditError> {
        let terms = Terms {
            assumptions: self.assumptions(),
            confidence: confidence_of_round(self.question.delta, plan.round)?,
            statements,
            gamma: Ridge::new(plan.gamma.unwrap_or(0.0))?,
            centring: self.centring()?,
        };
        Estimator::new(pool, &plan.measurements, outcomes, terms)
    }

    /// What earlier rounds know of each point, to centre on; nothing as printed.
    fn centring(&self) -> Result<Option<Centring>, BanditError> {
        if self.rule.constants == Constants::Paper || self.rule.tails == Tails::SubGaussian {
            return Ok(None);
        }
        let ranges =
            || (0..self.question.pool.len()).map(|i| self.ledger.known().of(About::Point(PointId::new(i))));
        let values = ranges().map(|range| range.middle()).collect();
        let radii = ranges().map(|range| range.radius().max(1e-12 * self.scale())).collect();
        Ok(Some(Centring::new(values, radii)?))
    }

    /// What the mean of a choice is filed under.
    pub(crate) fn mean_of(&self, choice: ChoiceId) -> About {
        self.question.pool.point_of(choice).map_or(About::Choice(choice), About::Point)
    }

    /// The assumptions without those that nothing rests on here.
    pub(super) fn relevant(&self, assumptions: &Assumptions) -> Assumptions {
        Assumptions { bound: relevant_bound(self.rule.tails, assumptions.bound), ..assumptions.clone() }
    }

    pub(super) fn premises(&self) -> Assumptions {
        self.relevant(self.assumptions())
    }

    /// The statements of a round, without the outcomes.
    pub(crate) fn record(
        &self,
        plan: &Plan,
        statements: usize,
        stated: Vec<Stated>,
    ) -> Result<RoundRecord, BanditError> {
        let (points, noise): (Vec<PointId>, Noise) = match &plan.measurements {
            Measurements::Drawn(draws) => {
                let ids = draws.integer_weights().iter().map(|&(id, _)| id).collect();
                (ids, Noise::Drawn { draws: draws.points().len() })
            }
            Measurements::Counted(allocation) => {
                (allocation.counts().iter().map(|&(id, _)| id).collect(), Noise::Counted)
            }
            Measurements::Chosen(points) => (points.clone(), Noise::Counted),
        };
        let variances = self.assumptions().variances(&points, self.question.pool.len())?;
        let centre = |id: &PointId| match noise {
            Noise::Drawn { .. } => self.ledger.known().of(About::Point(*id)).middle(),
            Noise::Counted => 0.0,
        };
        Ok(RoundRecord {
            noise,
            log_term: confidence_of_round(self.question.delta, plan.round)?.log_two_sided(statements),
            centres: points.iter().map(centre).collect(),
            sigmas: variances.iter().map(|variance| variance.sqrt()).collect(),
            points,
            statements: stated,
            grounds: Vec::new(),
        })
    }

    /// The widths of a record as they are decided by: with room, a bias is never counted as less than ε_ℓ.
    pub(crate) fn widths(&self, plan: &Plan, record: &RoundRecord) -> Vec<f64> {
        let room = match self.thresholds() {
            Thresholds::Room => plan.epsilon.unwrap_or(0.0),
            Thresholds::Assumed => 0.0,
        };
        record.widths(&self.premises(), self.assumptions().sigma_bound(), self.ledger.known(), room)
    }

    /// Regret: out goes every choice whose range of means, over all rounds, lies below another one's.
    pub(crate) fn drop_below(
        &self,
        plan: &Plan,
        statements: usize,
        stated: Vec<Stated>,
    ) -> Result<Learned, BanditError> {
        let mut record = self.record(plan, statements, stated)?;
        let widths = self.widths(plan, &record);
        let mut known = self.ledger.known().clone();
        known.learn(&record, &widths);
        let range = |id: ChoiceId| known.of(self.mean_of(id));
        let first_highest = |of: &dyn Fn(ChoiceId) -> f64| {
            let better = |best: ChoiceId, id: ChoiceId| if of(id) > of(best) { id } else { best };
            self.ledger.survivors().iter().copied().reduce(better).expect("someone is always in")
        };
        let winner = first_highest(&|id| range(id).low);
        let out = |&id: &ChoiceId| {
            let (above, below) = (range(winner), range(id));
            let difference = above.middle() - below.middle();
            let threshold = above.radius() + below.radius();
            let elimination =
                Elimination { choice: id, by: winner, difference, threshold, round: plan.round };
            (above.low > below.high).then_some(elimination)
        };
        let eliminated: Vec<Elimination> = self.ledger.survivors().iter().filter_map(out).collect();
        let ground = |one: &Elimination| Ground::Ranges {
            winner: self.mean_of(winner),
            loser: self.mean_of(one.choice),
        };
        record.grounds = eliminated.iter().map(ground).collect();
        let leader = first_highest(&|id| range(id).middle());
        Ok(self.learned(plan, eliminated, vec![leader], Some(record)))
    }

    /// The decision for a list of groups that are out.
    pub(crate) fn learned(
        &self,
        plan: &Plan,
        eliminated: Vec<Elimination>,
        leaders: Vec<ChoiceId>,
        record: Option<RoundRecord>,
    ) -> Learned {
        let out: BTreeSet<ChoiceId> = eliminated.iter().map(|one| one.choice).collect();
        let survivors: Vec<ChoiceId> =
            self.ledger.survivors().iter().filter(|id| !out.contains(id)).copied().collect();
        let of_members = |one: &Elimination| {
            let one = *one;
            self.ledger.groups().members(one.choice).iter().map(move |&choice| Elimination { choice, ..one })
        };
        let decision = Decision {
            round: plan.round,
            survivors: self.ledger.groups().expand(&survivors),
            eliminated: eliminated.iter().flat_map(of_members).collect(),
            fitted: None,
            refuted: None,
        };
        Learned { decision, record, standing: Standing { leaders, survivors }, circular: false }
    }

    /// Takes in a round; the decision is what follows from it.
    pub(crate) fn learn<A: RoundRule>(
        &mut self,
        plan: &Plan,
        outcomes: &[f64],
    ) -> Result<Decision, BanditError> {
        let learned = match plan.measurements {
            Measurements::Chosen(_) => {
                self.learned(plan, Vec::new(), self.verdict.standing().leaders.clone(), None)
            }
            _ => A::learn_round(self, plan, outcomes)?,
        };
        let decision = learned.decision.clone();
        self.rounds.measured(plan, outcomes.len());
        self.pending = Some(learned);
        Ok(decision)
    }
}
