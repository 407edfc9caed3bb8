//! A decision made final: what is known after it, and whether it is over.

use super::*;

impl Phases {
    /// Makes a decision final, the one just computed or one on record.
    pub(crate) fn apply(&mut self, decision: &Decision) {
        self.planned = None;
        self.round = self.round.max(decision.round);
        self.survivors = self.groups.named_in(&decision.survivors);
        self.eliminated.extend(&decision.eliminated);
        if let Some(Learned { decision: computed, record, mut standing }) = self.pending.take() {
            if computed.survivors != decision.survivors {
                self.ungrounded = true;
                self.margins = OnceCell::new();
            }
            standing.survivors.clone_from(&self.survivors);
            standing.leaders.retain(|leader| self.survivors.contains(leader));
            if standing.leaders.is_empty() {
                standing.leaders.extend(self.survivors.first());
            }
            self.standing = standing;
            if let Some(record) = record {
                self.margins = OnceCell::new();
                let premises = self.premises();
                let room = match self.thresholds() {
                    Thresholds::Room => self.last_accuracy,
                    Thresholds::Assumed => 0.0,
                };
                let widths = record.widths(&premises, premises.sigma, &self.known, room);
                self.known.learn(&record, &widths);
                self.epsilon = Some(self.epsilon_at(Some((&record, &widths)), &premises, &self.known));
                self.floor = self.floor_of(&record);
                self.records.push(record);
            } else if !self.is_regret() {
                self.epsilon = self.printed_epsilon();
            }
        }
        self.conclude();
    }

    /// What the paper's lemmas say of the survivors of round ℓ: within 4 ε_ℓ of the best, 8 ε_ℓ with PTR. Nothing when the statements of a
    /// certified round contradicted each other.
    fn printed_epsilon(&self) -> Option<f64> {
        let multiple = if self.tails == Tails::SubGaussian { 8.0 } else { 4.0 };
        let of_survivors = if self.survivors.len() == 1 { 0.0 } else { multiple * self.last_accuracy };
        (self.constants == Constants::Paper).then_some(of_survivors)
    }

    /// How far below the best a pick may be.
    pub(super) fn epsilon_at(
        &self,
        last: Option<(&RoundRecord, &[f64])>,
        premises: &Assumptions,
        known: &Known,
    ) -> f64 {
        let twins = 2.0 * premises.misspecification;
        let alone = self.survivors.len() == 1;
        let pick = self.standing.leaders[0];
        if self.is_regret() {
            let own = if self.groups.members(pick).len() > 1 { twins } else { 0.0 };
            let low = known.of(self.mean_of(pick)).low;
            let others = self.survivors.iter().filter(|&&id| id != pick);
            return others.map(|&id| known.of(self.mean_of(id)).high - low).fold(own, f64::max);
        }
        match last {
            Some((record, widths)) => {
                let differences = Differences::new(record, widths);
                self.standing.epsilon(self.question.goal, &self.groups, &differences, twins)
            }
            None if alone && self.groups.members(pick).len() > 1 => twins,
            None if alone => 0.0,
            None => f64::INFINITY,
        }
    }

    /// Twice the bias that no amount of data reduces: where rounds end, the answer is within it. `None` without S when the ridge
    /// matters.
    fn floor_of(&self, record: &RoundRecord) -> Option<f64> {
        let fixed = self.question.gamma.is_some()
            || matches!(self.question.goal, Goal::Regret { horizon: Some(_) })
            || self.ridge(self.last_accuracy).is_ok_and(|(_, fixed)| fixed);
        let premises = self.premises();
        let norm = if fixed { premises.norm } else { Some(0.0) };
        let of = Assumptions { norm, ..premises.clone() };
        let lasting = |stated: &Stated| bias(&of, stated);
        let relevant = |stated: &&Stated| self.is_regret() || matches!(stated.about, About::Pair(..));
        let worst = record.statements.iter().filter(relevant).map(lasting).fold(0.0, f64::max);
        let pulls = record.statements.iter().any(|stated| stated.evidence.pull > 0.0);
        let known = premises.norm.is_some() || !pulls;
        known.then_some(if self.is_regret() { 4.0 * worst } else { 2.0 * worst })
    }

    /// Whether it is over, and why.
    pub(super) fn conclude(&mut self) {
        if let Goal::Regret { .. } = self.question.goal {
            let steps = 4.0;
            self.playing |= self.floor.is_some_and(|floor| self.last_accuracy <= floor / steps);
            self.finished = (self.horizon_left() == Some(0)).then_some(Reason::Horizon);
            return;
        }
        if self.survivors.len() == 1 && self.epsilon.is_none() {
            self.epsilon = Some(self.epsilon_at(None, &self.premises(), &self.known));
        }
        let reached = self.epsilon.is_some_and(|epsilon| epsilon <= self.limit());
        let few = self.groups.expand(&self.survivors).len() <= self.wanted_count();
        let at_floor = self.floor.is_some_and(|floor| self.last_accuracy <= floor / 2.0);
        self.finished = if reached || few {
            Some(Reason::Reached)
        } else if self.survivors.len() == 1 {
            Some(Reason::Tied)
        } else if self.constants == Constants::Certified && at_floor {
            Some(Reason::Floor)
        } else {
            None
        };
        if few && self.epsilon.is_none() {
            self.epsilon = Some(0.0);
        }
    }

    /// The choices asked for, when there is a number; survivors as few as that are the answer.
    pub(super) fn wanted_count(&self) -> usize {
        match self.question.goal {
            Goal::Top { count, .. } => count,
            _ => 1,
        }
    }

    /// The ε at which the goal is reached.
    pub(super) fn limit(&self) -> f64 {
        match self.question.goal {
            Goal::Best { epsilon } | Goal::Top { epsilon, .. } => epsilon,
            Goal::AllGood { epsilon } => 2.0 * epsilon,
            Goal::Regret { .. } | Goal::Map { .. } => f64::NEG_INFINITY,
        }
    }
}
