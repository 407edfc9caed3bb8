//! Who is ahead, who is out, which comparison is open: the goal's logic on differences.

use super::snapshot::Snapshot;
use super::width::{Direction, Vouched};
use crate::bandit::Goal;
use crate::bandit::picks::picks_by_estimate;
use crate::bandit::ties::first_largest;
use crate::pool::PointId;

/// A leader against a rival.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pair {
    pub(super) leader: usize,
    pub(super) rival: usize,
    /// Rival minus leader.
    pub(super) difference: Direction,
}

/// The survivors at one time: the leaders (one, or m for the best m) against all others.
pub(super) struct Contest {
    goal: Goal,
    pub(super) leaders: Vec<PointId>,
    /// All rivals of the first leader, then of the second.
    pub(super) pairs: Vec<Pair>,
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
    pub(super) fn new(goal: Goal, snapshot: &Snapshot, survivors: &[PointId]) -> Self {
        // For all good choices everything is compared with the best one.
        let leading = if let Goal::AllGood { .. } = goal { Goal::Best { epsilon: 0.0 } } else { goal };
        let leaders = picks_by_estimate(leading, &snapshot.means, survivors);
        let rivals: Vec<usize> =
            survivors.iter().filter(|id| !leaders.contains(id)).map(|id| id.index()).collect();
        let pair = |leader: usize, rival: usize| Pair {
            leader,
            rival,
            difference: snapshot.difference(rival, leader),
        };
        let pairs = leaders
            .iter()
            .flat_map(|leader| rivals.iter().map(move |&rival| pair(leader.index(), rival)))
            .collect();
        Self { goal, leaders, pairs }
    }

    /// By how much a choice must be beaten to be out.
    pub(super) fn required(goal: Goal) -> f64 {
        if let Goal::AllGood { epsilon } = goal { epsilon } else { 0.0 }
    }

    /// How far below the best (the m-th best) a pick may be. For all good choices every survivor is a pick, and a
    /// survivor is below the best by at most what the best is above the leader and the leader above the survivor.
    pub(super) fn certified(&self, vouched: &Vouched) -> f64 {
        let largest = |value: &dyn Fn(&Direction) -> f64| {
            self.pairs.iter().map(|pair| value(&pair.difference)).fold(0.0, f64::max)
        };
        let above = largest(&|difference| difference.upper(vouched));
        match self.goal {
            Goal::AllGood { .. } => above + largest(&|difference| -difference.lower(vouched)),
            _ => above,
        }
    }

    /// Whether the goal is reached; never for regret.
    pub(super) fn is_reached(&self, vouched: &Vouched) -> bool {
        match self.goal {
            Goal::Best { epsilon } | Goal::Top { epsilon, .. } => self.certified(vouched) <= epsilon,
            Goal::AllGood { epsilon } => self.certified(vouched) <= 2.0 * epsilon,
            Goal::Regret { .. } => false,
        }
    }

    /// The survivors that are out.
    pub(super) fn beaten(&self, vouched: &Vouched) -> Vec<Beaten> {
        let required = Self::required(self.goal);
        let rivals = self.pairs.len() / self.leaders.len().max(1);
        let mut beaten = Vec::new();
        for rival in 0..rivals {
            let pairs: Vec<&Pair> = self.pairs.iter().skip(rival).step_by(rivals).collect();
            let spare: Vec<f64> =
                pairs.iter().map(|pair| pair.difference.upper(vouched) + required).collect();
            if spare.iter().all(|&spare| spare < 0.0)
                && let Some(least) = first_largest(&spare)
            {
                beaten.push(Beaten { rival: pairs[least].rival, by: pairs[least].leader });
            }
        }
        beaten
    }

    /// The comparison that stands in the way: the largest upper difference; for all good choices the widest comparison
    /// of a choice that is neither in nor out, or of the one that might be best. `None` without a rival.
    pub(super) fn open_pair(&self, vouched: &Vouched) -> Option<&Pair> {
        let upper: Vec<f64> = self.pairs.iter().map(|pair| pair.difference.upper(vouched)).collect();
        let challenger = first_largest(&upper)?;
        let Goal::AllGood { epsilon } = self.goal else { return Some(&self.pairs[challenger]) };
        let above = upper[challenger].max(0.0);
        let widths: Vec<f64> = (self.pairs.iter().enumerate())
            .map(|(k, Pair { difference, .. })| {
                let is_good = above - difference.lower(vouched) <= 2.0 * epsilon;
                let decided = is_good && k != challenger;
                if decided { f64::NEG_INFINITY } else { difference.width(vouched) }
            })
            .collect();
        first_largest(&widths).map(|k| &self.pairs[k])
    }
}
