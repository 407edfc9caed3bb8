//! What the two ellipsoid policies share: the regression, the survivors, the evidence, and the report.

use super::contest::{Beaten, Contest};
use super::doubt::waits_for;
use super::margins::Verdict;
use super::ridge::balanced_ridge;
use super::snapshot::{Snapshot, unseen_coordinates};
use super::theorem::{Theorem, charged_residuals};
use super::width::{Direction, Ellipsoid, norm_of};
use crate::bandit::{
    BanditError, ChoiceInterval, DataCheck, Decision, Elimination, Goal, Guarantee, Question, Reading,
    Reason, Regression, Report, Status, TheoremName,
};
use crate::estimate::{Assumptions, Premise, Tails};
use crate::numerics::Matrix;
use crate::pool::{ChoiceId, PointId};
use std::collections::BTreeSet;
use std::sync::Arc;

/// When the part of a width that data can still reduce is this small against the rest, data is no longer the limit.
const NOT_THE_LIMIT: f64 = 0.1;

pub(super) struct State {
    policy: &'static str,
    pub(super) question: Question,
    pub(super) regression: Regression,
    theorem: Theorem,
    /// What the data said of the assumptions when they refuted them.
    refuted: Option<DataCheck>,
    unseen: Option<Arc<Matrix>>,
    /// √r of every choice, with r what its features leave out of k(z, z).
    left_out: Arc<[f64]>,
    /// Whoever was not proved worse, set aside or not.
    survivors: Vec<ChoiceId>,
    removed: Vec<Removed>,
    /// Points that are neither measured nor chosen.
    aside: BTreeSet<PointId>,
    rounds: u64,
}

/// A choice that is out, with the evidence of its time: the choice minus each of the leaders.
struct Removed {
    elimination: Elimination,
    proof: Vec<Direction>,
}

impl State {
    /// Refuses the question without sub-Gaussian noise and a norm bound.
    pub(super) fn new(policy: &'static str, question: Question) -> Result<Self, BanditError> {
        let needs = |what| BanditError::NeedsAssumption { policy, what, instead: "RIPS" };
        let assumptions = &question.assumptions;
        if assumptions.tail() != Tails::SubGaussian {
            return Err(needs("sub-Gaussian noise"));
        }
        if assumptions.norm_bound().is_none() {
            return Err(needs("a bound S on the norm of theta"));
        }
        let regression = Regression::of(&question, balanced_ridge(&question))?;
        let ridge = regression.precision().ridge();
        let theorem = match question.theorem {
            TheoremName::Witnesses => Theorem::of(&question, ridge),
            TheoremName::OneRidge => Theorem::one_ridge(),
        };
        Ok(Self {
            policy,
            regression,
            theorem,
            refuted: None,
            unseen: unseen_coordinates(&question.pool),
            left_out: charged_residuals(&question.pool)[1].iter().map(|residual| residual.sqrt()).collect(),
            survivors: (0..question.pool.choice_count()).map(ChoiceId::new).collect(),
            removed: Vec::new(),
            aside: BTreeSet::new(),
            rounds: 0,
            question,
        })
    }

    /// Starts again with another ridge, before the first measurement.
    pub(super) fn with_ridge(mut self, ridge: f64) -> Result<Self, BanditError> {
        self.regression = Regression::of(&self.question, ridge)?;
        if self.theorem.testimony().is_some() {
            self.theorem = Theorem::of(&self.question, self.regression.precision().ridge());
        }
        Ok(self)
    }

    pub(super) fn policy(&self) -> &'static str {
        self.policy
    }

    /// The radius of the ellipsoid with this `ln det(V / ridge)`.
    pub(super) fn radius(&self, log_det: f64) -> f64 {
        let ellipsoid = Ellipsoid {
            ridge: self.regression.precision().ridge(),
            log_det,
            mass: 0.0,
            log_confidence: -self.question.delta.delta().ln(),
            left_out: 0.0,
        };
        ellipsoid.radius(self.assumed())
    }

    pub(super) fn theorem(&self) -> &Theorem {
        &self.theorem
    }

    pub(super) fn assumed(&self) -> &Assumptions {
        &self.question.assumptions
    }

    /// Takes outcomes in, and moves the inverse of V with each.
    pub(super) fn take(&mut self, measured: &[(PointId, Reading)]) {
        for (point, reading) in measured {
            self.testify(*point, reading);
            match reading.weight() {
                1 => self.regression.add(*point, reading.mean()),
                times => self.regression.note_times(*point, reading.mean(), times),
            }
        }
    }

    /// Takes outcomes in; whoever needs the inverse of V factorises it. Measurements that were not planned are as good as others:
    /// the rule that chose them looked at the past only.
    pub(super) fn note(&mut self, measured: &[(PointId, Reading)]) {
        for (point, reading) in measured {
            self.testify(*point, reading);
            self.regression.note_times(*point, reading.mean(), reading.weight());
        }
    }

    fn testify(&mut self, point: PointId, reading: &Reading) {
        let w = self.regression.precision().weight(point.index());
        self.theorem.take(point, reading.mean(), reading.weight(), w);
    }

    /// Points that are neither measured nor chosen from here on.
    pub(super) fn set_aside(&mut self, aside: &BTreeSet<PointId>) {
        self.aside.clone_from(aside);
    }

    /// Whether a point may be measured.
    pub(super) fn may_measure(&self, point: PointId) -> bool {
        !self.aside.contains(&point)
    }

    /// Whether a choice is set aside: where the choices are the points.
    fn is_aside(&self, choice: ChoiceId) -> bool {
        !self.aside.is_empty()
            && self.question.pool.point_of(choice).is_some_and(|point| self.aside.contains(&point))
    }

    /// An elimination by a choice that is set aside proves nothing about the others.
    fn is_suspended(&self, removed: &Removed) -> bool {
        self.is_aside(removed.elimination.by)
    }

    /// Whoever was not proved worse than a choice that may be chosen, in pool order.
    pub(super) fn remaining(&self) -> Vec<ChoiceId> {
        let restored = self.removed.iter().filter(|removed| self.is_suspended(removed));
        let mut remaining = self.survivors.clone();
        remaining.extend(restored.map(|removed| removed.elimination.choice));
        remaining.sort_unstable();
        remaining.dedup();
        remaining
    }

    /// The choices still in: those that remain and may be chosen.
    pub(super) fn standing(&self) -> Vec<ChoiceId> {
        self.remaining().into_iter().filter(|choice| !self.is_aside(*choice)).collect()
    }

    /// What is known now; with a stated h every width needs its reach.
    pub(super) fn snapshot(&self) -> Snapshot {
        self.snapshot_with(self.assumed().h() > 0.0)
    }

    pub(super) fn snapshot_with(&self, reaches: bool) -> Snapshot {
        Snapshot::new(
            &self.regression,
            &self.theorem,
            self.question.delta,
            self.unseen.clone(),
            self.left_out.clone(),
            reaches,
        )
    }

    pub(super) fn contest(&self, snapshot: &Snapshot) -> Contest {
        Contest::new(self.question.goal, snapshot, &self.standing(), self.assumed())
    }

    /// Which survivors are out.
    pub(super) fn decide(&self, round: u64, snapshot: &Snapshot) -> Decision {
        let check = self.check(snapshot);
        if let Some(check) = self.refuted.clone().or(check.filter(|check| check.refuted)) {
            // Whatever was proved rests on assumptions that do not hold: everybody is in again.
            let everybody = (0..self.question.pool.choice_count()).map(ChoiceId::new).collect();
            return Decision { refuted: Some(check), ..Decision::keep(round, everybody) };
        }
        if self.is_doubted(snapshot) {
            return Decision::keep(
                round,
                (0..self.question.pool.choice_count()).map(ChoiceId::new).collect(),
            );
        }
        let required = Contest::required(self.question.goal);
        let eliminate = |beaten: Beaten| {
            let difference = snapshot.difference(beaten.by, beaten.rival);
            Elimination {
                choice: ChoiceId::new(beaten.rival),
                by: ChoiceId::new(beaten.by),
                difference: difference.estimate,
                threshold: difference.estimate - difference.lower(self.assumed()) + required,
                round,
            }
        };
        let eliminated: Vec<Elimination> =
            self.contest(snapshot).beaten(self.assumed()).into_iter().map(eliminate).collect();
        let is_out = |id: &ChoiceId| eliminated.iter().any(|elimination| elimination.choice == *id);
        let survivors = self.remaining().into_iter().filter(|id| !is_out(id)).collect();
        Decision { eliminated, ..Decision::keep(round, survivors) }
    }

    /// What the data say of the assumptions.
    pub(super) fn check(&self, snapshot: &Snapshot) -> Option<DataCheck> {
        snapshot.views().and_then(|views| views.check(self.assumed()))
    }

    /// Whether the data refute the assumptions, or did.
    pub(super) fn is_refuted(&self, snapshot: &Snapshot) -> bool {
        self.refuted.is_some() || self.check(snapshot).is_some_and(|check| check.refuted)
    }

    /// Whether the data speak against the assumptions without refuting them, or too little was checked: nothing is decided or stated then,
    /// which is always valid.
    pub(super) fn is_doubted(&self, snapshot: &Snapshot) -> bool {
        let doubts = || self.check(snapshot).is_some_and(|check| check.doubts());
        self.refuted.is_none() && (doubts() || waits_for(self).is_some())
    }

    /// Makes a decision final and keeps the evidence for it.
    pub(super) fn apply(&mut self, decision: &Decision, snapshot: &Snapshot) {
        let leaders = self.contest(snapshot).leaders;
        self.adopt(decision);
        for &elimination in &decision.eliminated {
            let proof = self.against(elimination.choice, &leaders, snapshot);
            self.removed.push(Removed { elimination, proof });
        }
    }

    /// Makes the survivors of a decision ours: who is in it and was out came back.
    pub(super) fn adopt(&mut self, decision: &Decision) {
        if self.survivors != decision.survivors {
            self.survivors.clone_from(&decision.survivors);
            let survivors: BTreeSet<ChoiceId> = self.survivors.iter().copied().collect();
            let is_new = |choice: &ChoiceId| decision.eliminated.iter().any(|out| out.choice == *choice);
            self.removed.retain(|removed| {
                let choice = removed.elimination.choice;
                !survivors.contains(&choice) && !is_new(&choice)
            });
        }
        self.rounds = self.rounds.max(decision.round);
        if decision.refuted.is_some() {
            self.refuted.clone_from(&decision.refuted);
        }
    }

    /// A choice minus each of the leaders, with reaches.
    fn against(&self, choice: ChoiceId, leaders: &[ChoiceId], snapshot: &Snapshot) -> Vec<Direction> {
        let against = |leader: &ChoiceId| snapshot.difference_with_reach(choice.index(), leader.index());
        leaders.iter().map(against).collect()
    }

    /// Whether the goal is reached, or cannot be.
    pub(super) fn status(&self, snapshot: &Snapshot) -> Status {
        if self.standing().is_empty() {
            return Status::Finished(Reason::NothingLeft);
        }
        // Nothing is proved by assumptions that the data refute.
        if self.is_refuted(snapshot) || self.is_doubted(snapshot) {
            return Status::Measuring;
        }
        let contest = self.contest(snapshot);
        if contest.is_reached(self.assumed()) {
            return Status::Finished(Reason::Reached);
        }
        let Some(pair) = contest.open_pair(self.assumed()) else { return Status::Measuring };
        let difference = &pair.difference;
        let irreducible = difference.irreducible(self.assumed());
        let above = difference.upper(self.assumed()) - difference.estimate;
        let reducible = above - irreducible;
        let in_the_way = match self.question.goal {
            Goal::Best { epsilon } | Goal::Top { epsilon, .. } => difference.estimate + irreducible > epsilon,
            Goal::AllGood { .. } => true,
            Goal::Regret { .. } | Goal::Map { .. } => false,
        };
        if !(in_the_way && self.is_bias_limited(irreducible + reducible, irreducible)) {
            return Status::Measuring;
        }
        let of_the_model = difference.bias(self.assumed());
        Status::Finished(if irreducible > 2.0 * of_the_model { Reason::Tied } else { Reason::Floor })
    }

    /// Whether a width is no longer the data's to reduce.
    pub(super) fn is_bias_limited(&self, width: f64, irreducible: f64) -> bool {
        irreducible > 0.0 && width - irreducible <= NOT_THE_LIMIT * irreducible
    }

    /// All that is known, with the margins of the verdict. Cost: m s r for s different points measured.
    pub(super) fn report(&self, status: Status) -> Report {
        let snapshot = self.snapshot_with(true);
        if self.is_refuted(&snapshot) {
            return self.withdrawn(status, &snapshot);
        }
        if self.is_doubted(&snapshot) {
            return self.silent(status, &snapshot);
        }
        let contest = self.contest(&snapshot);
        let reached = status == Status::Finished(Reason::Reached);
        let out = self.removed.iter().filter(|removed| !self.is_suspended(removed));
        let out = out.map(|Removed { elimination, proof }| {
            [proof.clone(), self.against(elimination.choice, &contest.leaders, &snapshot)]
        });
        let verdict = Verdict {
            required: Contest::required(self.question.goal),
            out: out.collect(),
            reached: reached.then_some(&contest),
        };
        Report {
            picks: match self.question.goal {
                Goal::AllGood { .. } => self.standing(),
                _ => contest.leaders.clone(),
            },
            epsilon: (!contest.leaders.is_empty()).then(|| contest.certified(self.assumed())),
            floor: Some(contest.floor(self.assumed())),
            margins: verdict.margins(self.assumed()),
            ..self.bare_report(status, &snapshot)
        }
    }

    /// The answer if it had to be given now, with nothing proved of it.
    pub(super) fn withdrawn(&self, status: Status, snapshot: &Snapshot) -> Report {
        let check = self.refuted.clone().or_else(|| self.check(snapshot));
        Report {
            guarantee: Guarantee::Withdrawn,
            picks: self.question.goal.picks(&snapshot.means, &self.standing()),
            data_check: check,
            ..self.bare_report(status, snapshot)
        }
    }

    /// The answer if it had to be given now, with nobody out and nothing said of it.
    pub(super) fn silent(&self, status: Status, snapshot: &Snapshot) -> Report {
        let report = self.bare_report(status, snapshot);
        let everybody: Vec<ChoiceId> = (0..self.question.pool.choice_count())
            .map(ChoiceId::new)
            .filter(|choice| !self.is_aside(*choice))
            .collect();
        Report {
            picks: self.question.goal.picks(&snapshot.means, &everybody),
            survivors: everybody,
            eliminated: Vec::new(),
            intervals: Vec::new(),
            waits_for: waits_for(self),
            ..report
        }
    }

    /// Survivors and intervals, whatever the goal; no answer yet.
    pub(super) fn bare_report(&self, status: Status, snapshot: &Snapshot) -> Report {
        let interval = |&choice: &ChoiceId| {
            let direction = snapshot.choice(choice.index());
            let (lower, upper) = (direction.lower(self.assumed()), direction.upper(self.assumed()));
            // The estimate of all data may lie outside of what the best ellipsoid leaves.
            let estimate =
                if lower <= upper { direction.estimate.clamp(lower, upper) } else { direction.estimate };
            ChoiceInterval { choice, estimate, lower, upper }
        };
        let survivors = self.standing();
        let eliminated = self.removed.iter().filter(|removed| !self.is_suspended(removed));
        Report {
            status,
            guarantee: Guarantee::Certified,
            intervals: survivors.iter().map(interval).collect(),
            survivors,
            eliminated: eliminated.map(|removed| removed.elimination).collect(),
            rounds: self.rounds,
            samples: self.regression.samples(),
            premises: self.premises(),
            data_check: self.check(snapshot),
            bets: self
                .theorem
                .testimony()
                .map_or_else(Vec::new, |testimony| testimony.bets(self.assumed().sigma_bound())),
            ..Report::open(self.policy, self.question.goal, self.question.delta)
        }
    }

    fn premises(&self) -> Vec<Premise> {
        let (norm, h) = (norm_of(self.assumed()), self.assumed().h());
        let model = if h > 0.0 { Premise::MeansWithin { h } } else { Premise::Misspecification { h } };
        vec![self.question.assumptions.noise_premise(Tails::SubGaussian), Premise::Norm { norm }, model]
    }
}
