//! Who is ahead, who is out, which comparison is open: the goal's logic on differences.

use super::good::Contenders;
use super::snapshot::Snapshot;
use super::width::Direction;
use crate::bandit::Goal;
use crate::estimate::Assumptions;
use crate::numerics::first_largest;
use crate::pool::ChoiceId;

/// A leader against a rival.
#[derive(Debug, Clone)]
pub(super) struct Pair {
    pub(super) leader: usize,
    pub(super) rival: usize,
    /// Rival minus leader.
    pub(super) difference: Direction,
}

impl Pair {
    pub(super) fn new(leader: usize, rival: usize, snapshot: &Snapshot) -> Self {
        Self { leader, rival, difference: snapshot.difference(rival, leader) }
    }
}

/// The survivors at one time: the leaders (one, or m for the best m) against all others.
pub(super) struct Contest {
    goal: Goal,
    pub(super) leaders: Vec<ChoiceId>,
    /// All rivals of the first leader, then of the second.
    pub(super) pairs: Vec<Pair>,
    /// For all good choices: comparisons with others than the leader.
    contenders: Option<Contenders>,
}

/// A choice that is out: each of the leaders is better than it by more than is required.
#[derive(Debug, Clone, Copy)]
pub(super) struct Beaten {
    pub(super) rival: usize,
    /// The leader with the least to spare.
    pub(super) by: usize,
}

impl Contest {
    /// Leaders by estimate among the survivors. Cost: m r a leader, with reaches m s r.
    pub(super) fn new(
        goal: Goal,
        snapshot: &Snapshot,
        survivors: &[ChoiceId],
        assumed: &Assumptions,
    ) -> Self {
        // Whether a choice is good is seen by comparing it with the best one.
        let leading = if let Goal::AllGood { .. } = goal { Goal::Best { epsilon: 0.0 } } else { goal };
        let leaders = leading.picks(&snapshot.means, survivors);
        let rivals: Vec<usize> =
            survivors.iter().filter(|id| !leaders.contains(id)).map(|id| id.index()).collect();
        let against_all = |leader: &ChoiceId| {
            let leader = leader.index();
            rivals.iter().map(move |&rival| Pair::new(leader, rival, snapshot))
        };
        let pairs: Vec<Pair> = leaders.iter().flat_map(against_all).collect();
        let all_good = matches!(goal, Goal::AllGood { .. });
        let contenders = all_good.then(|| Contenders::new(&pairs, snapshot, assumed));
        Self { goal, leaders, pairs, contenders }
    }

    /// By how much a choice must be beaten to be out.
    pub(super) fn required(goal: Goal) -> f64 {
        if let Goal::AllGood { epsilon } = goal { epsilon } else { 0.0 }
    }

    /// Every comparison.
    pub(super) fn all_pairs(&mut self) -> impl Iterator<Item = &mut Pair> {
        self.pairs.iter_mut().chain(self.contenders.iter_mut().flat_map(|contenders| &mut contenders.direct))
    }

    /// How far below the best (the m-th best) a pick may be.
    pub(super) fn certified(&self, assumed: &Assumptions) -> f64 {
        let above_leader = self.pairs.iter().map(|pair| pair.difference.upper(assumed)).fold(0.0, f64::max);
        self.contenders
            .as_ref()
            .map_or(above_leader, |contenders| contenders.certified(&self.pairs, assumed).max(above_leader))
    }

    /// The same with nothing left that data could reduce; for all good choices, what no data can separate.
    pub(super) fn floor(&self, assumed: &Assumptions) -> f64 {
        let all_good = self.contenders.is_some();
        let irreducible = |pair: &Pair| {
            let estimate = if all_good { 0.0 } else { pair.difference.estimate };
            estimate + pair.difference.irreducible(assumed)
        };
        self.pairs.iter().map(irreducible).fold(0.0, f64::max)
    }

    /// Whether the goal is reached; never for regret.
    pub(super) fn is_reached(&self, assumed: &Assumptions) -> bool {
        match self.goal {
            Goal::Best { epsilon } | Goal::Top { epsilon, .. } => self.certified(assumed) <= epsilon,
            Goal::AllGood { epsilon } => self.certified(assumed) <= 2.0 * epsilon,
            Goal::Regret { .. } | Goal::Map { .. } => false,
        }
    }

    /// The survivors that are out.
    pub(super) fn beaten(&self, assumed: &Assumptions) -> Vec<Beaten> {
        let required = Self::required(self.goal);
        let rivals = self.pairs.len() / self.leaders.len().max(1);
        let mut beaten = Vec::new();
        for rival in 0..rivals {
            let pairs: Vec<&Pair> = self.pairs.iter().skip(rival).step_by(rivals).collect();
            let spare: Vec<f64> =
                pairs.iter().map(|pair| pair.difference.upper(assumed) + required).collect();
            if spare.iter().all(|&spare| spare < 0.0)
                && let Some(least) = first_largest(&spare)
            {
                beaten.push(Beaten { rival: pairs[least].rival, by: pairs[least].leader });
            }
        }
        beaten
    }

    /// The comparison that stands in the way: the largest upper difference, or for all good choices the widest comparison of
    /// a choice that is neither in nor out. `None` without a rival.
    pub(super) fn open_pair(&self, assumed: &Assumptions) -> Option<&Pair> {
        let upper: Vec<f64> = self.pairs.iter().map(|pair| pair.difference.upper(assumed)).collect();
        let challenger = &self.pairs[first_largest(&upper)?];
        match (&self.contenders, self.goal) {
            (Some(contenders), Goal::AllGood { epsilon }) => {
                contenders.widest_undecided(&self.pairs, 2.0 * epsilon, assumed).or(Some(challenger))
            }
            _ => Some(challenger),
        }
    }
}
