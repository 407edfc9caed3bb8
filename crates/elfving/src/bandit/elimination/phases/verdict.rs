//! A decision made final: what is known after it, and whether it is over.

use super::*;

/// What follows from the ledger: who leads, how good the answer is, and whether it is over.
pub(super) struct Verdict {
    standing: Standing,
    /// How far below the best a pick may be.
    epsilon: Option<f64>,
    /// What no amount of data reduces.
    floor: Option<f64>,
    finished: Option<Reason>,
    /// For regret: no further round would tell the survivors apart, or none fits.
    playing: bool,
    /// Computed when somebody asks.
    margins: OnceCell<Margins>,
    /// The norm that all that is said bears, computed when somebody asks.
    norm_borne: OnceCell<Option<f64>>,
}

impl Verdict {
    pub(super) fn new(standing: Standing) -> Self {
        Self {
            standing,
            epsilon: None,
            floor: None,
            finished: None,
            playing: false,
            margins: OnceCell::new(),
            norm_borne: OnceCell::new(),
        }
    }

    pub(super) fn standing(&self) -> &Standing {
        &self.standing
    }

    pub(super) fn epsilon(&self) -> Option<f64> {
        self.epsilon
    }

    pub(super) fn floor(&self) -> Option<f64> {
        self.floor
    }

    pub(super) fn finished(&self) -> Option<Reason> {
        self.finished
    }

    pub(super) fn is_playing(&self) -> bool {
        self.playing
    }

    /// Rounds are over: the leader is measured from here on.
    pub(super) fn play(&mut self) {
        self.playing = true;
    }

    pub(super) fn margins(&self, compute: impl FnOnce() -> Margins) -> Margins {
        *self.margins.get_or_init(compute)
    }

    pub(super) fn norm_borne(&self, compute: impl FnOnce() -> Option<f64>) -> Option<f64> {
        *self.norm_borne.get_or_init(compute)
    }
}

impl Phases {
    /// Makes a decision final, the one just computed or one on record.
    pub(crate) fn apply(&mut self, decision: &Decision) {
        self.planned = None;
        self.rounds.reached(decision.round);
        self.ledger.decide(decision);
        if let Some(Learned { decision: computed, record, standing, circular }) = self.pending.take() {
            self.verdict.norm_borne = OnceCell::new();
            if circular {
                self.ledger.contradicts_itself();
            }
            if computed.survivors != decision.survivors {
                self.ledger.lose_ground();
                self.verdict.margins = OnceCell::new();
            }
            self.verdict.standing = standing.among(self.ledger.survivors());
            if let Some(record) = record {
                self.verdict.margins = OnceCell::new();
                let premises = self.premises();
                let room = match self.thresholds() {
                    Thresholds::Room => self.rounds.accuracy(),
                    Thresholds::Assumed => 0.0,
                };
                let widths = record.widths(&premises, premises.sigma, self.ledger.known(), room);
                self.ledger.enter(record, &widths);
                let record = self.ledger.records().last().expect("it was just entered");
                let epsilon = self.epsilon_at(Some((record, &widths)), &premises, self.ledger.known());
                let floor = self.floor_of(record);
                (self.verdict.epsilon, self.verdict.floor) = (Some(epsilon), floor);
            } else if !self.is_regret() {
                self.verdict.epsilon = self.printed_epsilon();
            }
        }
        self.conclude();
    }

    /// What the paper's lemmas say of the survivors of round ℓ: within 4 ε_ℓ of the best, 8 ε_ℓ with PTR. Nothing when the statements of a
    /// certified round contradicted each other.
    fn printed_epsilon(&self) -> Option<f64> {
        let multiple = if self.rule.tails == Tails::SubGaussian { 8.0 } else { 4.0 };
        let of_survivors =
            if self.ledger.survivors().len() == 1 { 0.0 } else { multiple * self.rounds.accuracy() };
        (self.rule.constants == Constants::Paper).then_some(of_survivors)
    }

    /// How far below the best a pick may be.
    pub(super) fn epsilon_at(
        &self,
        last: Option<(&RoundRecord, &[f64])>,
        premises: &Assumptions,
        known: &Known,
    ) -> f64 {
        let twins = 2.0 * premises.misspecification;
        let alone = self.ledger.survivors().len() == 1;
        let pick = self.verdict.standing().leaders[0];
        if self.is_regret() {
            let own = if self.ledger.groups().members(pick).len() > 1 { twins } else { 0.0 };
            let low = known.of(self.mean_of(pick)).low;
            let others = self.ledger.survivors().iter().filter(|&&id| id != pick);
            return others.map(|&id| known.of(self.mean_of(id)).high - low).fold(own, f64::max);
        }
        match last {
            Some((record, widths)) => {
                let differences = Differences::new(record, widths);
                self.verdict.standing().epsilon(self.question.goal, self.ledger.groups(), &differences, twins)
            }
            None if alone && self.ledger.groups().members(pick).len() > 1 => twins,
            None if alone => 0.0,
            None => f64::INFINITY,
        }
    }

    /// Twice the bias that no amount of data reduces: where rounds end, the answer is within it. `None` without S when the ridge
    /// matters.
    fn floor_of(&self, record: &RoundRecord) -> Option<f64> {
        let fixed = self.question.gamma.is_some()
            || matches!(self.question.goal, Goal::Regret { horizon: Some(_) })
            || self.ridge(self.rounds.accuracy()).is_ok_and(|(_, fixed)| fixed);
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
        let accuracy = self.rounds.accuracy();
        if let Goal::Regret { .. } = self.question.goal {
            let steps = 4.0;
            self.verdict.playing |= self.verdict.floor.is_some_and(|floor| accuracy <= floor / steps);
            self.verdict.finished = (self.horizon_left() == Some(0)).then_some(Reason::Horizon);
            return;
        }
        let alone = self.ledger.survivors().len() == 1;
        if alone && self.verdict.epsilon.is_none() {
            self.verdict.epsilon = Some(self.epsilon_at(None, &self.premises(), self.ledger.known()));
        }
        let reached = self.verdict.epsilon.is_some_and(|epsilon| epsilon <= self.limit());
        let few = self.ledger.choices().len() <= self.wanted_count();
        let at_floor = self.verdict.floor.is_some_and(|floor| accuracy <= floor / 2.0);
        self.verdict.finished = if reached || few {
            Some(Reason::Reached)
        } else if alone {
            Some(Reason::Tied)
        } else if self.rule.constants == Constants::Certified && at_floor {
            Some(Reason::Floor)
        } else {
            None
        };
        if few && self.verdict.epsilon.is_none() {
            self.verdict.epsilon = Some(0.0);
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
