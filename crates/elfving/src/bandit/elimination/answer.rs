//! From pairwise statements to the answer: who is out, whom to pick, and how far below the best the picks may be.

use super::groups::Groups;
use super::ledger::About;
use super::ledger::{Ground, RoundRecord};
use crate::bandit::{Elimination, Goal};
use crate::pool::ChoiceId;
use std::collections::BTreeMap;

/// The differences of a round, with their widths.
pub(super) struct Differences<'a> {
    record: &'a RoundRecord,
    widths: &'a [f64],
    places: BTreeMap<(ChoiceId, ChoiceId), usize>,
}

impl<'a> Differences<'a> {
    pub(super) fn new(record: &'a RoundRecord, widths: &'a [f64]) -> Self {
        let place = |(at, stated): (usize, &super::ledger::Stated)| match stated.about {
            About::Pair(a, b) => Some(((a, b), at)),
            About::Point(_) | About::Choice(_) => None,
        };
        let places = record.statements.iter().enumerate().filter_map(place).collect();
        Self { record, widths, places }
    }

    /// The estimate of the first mean less the second, its width, and the statement it comes from.
    fn of(&self, first: ChoiceId, second: ChoiceId) -> Option<(f64, f64, Ground)> {
        let straight = self.places.get(&(first, second)).map(|&at| (at, 1.0));
        let turned = || self.places.get(&(second, first)).map(|&at| (at, -1.0));
        straight.or_else(turned).map(|(at, sign)| {
            let estimate = sign * self.record.statements[at].evidence.estimate;
            (estimate, self.widths[at], Ground::Difference { at, sign, over: 0.0 })
        })
    }

    /// The first mean is at most this much above the second.
    fn upper(&self, first: ChoiceId, second: ChoiceId) -> f64 {
        self.of(first, second).map_or(f64::INFINITY, |(estimate, width, _)| estimate + width)
    }

    /// Whether the first mean is surely more than `over` above the second, and by which statement.
    fn beats(
        &self,
        first: ChoiceId,
        second: ChoiceId,
        over: f64,
        round: u64,
    ) -> Option<(Elimination, Ground)> {
        let (difference, width, ground) = self.of(first, second)?;
        let threshold = over + width;
        let elimination = Elimination { choice: second, by: first, difference, threshold, round };
        let ground = match ground {
            Ground::Difference { at, sign, .. } => Ground::Difference { at, sign, over },
            ranges => ranges,
        };
        (difference > threshold).then_some((elimination, ground))
    }
}

/// Who is compared with whom: the leaders by estimate (their groups hold at least m choices), the first of them the anchor.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Standing {
    pub leaders: Vec<ChoiceId>,
    pub survivors: Vec<ChoiceId>,
}

impl Standing {
    /// The same without those that are out; somebody always leads.
    pub(super) fn among(mut self, survivors: &[ChoiceId]) -> Self {
        self.survivors = survivors.to_vec();
        self.leaders.retain(|leader| survivors.contains(leader));
        if self.leaders.is_empty() {
            self.leaders.extend(survivors.first());
        }
        self
    }

    /// The survivors that are out, by which statements.
    ///
    /// Best: beaten by the leader or another anchor. Top m: beaten by groups that together hold m choices, so in no top m. All good: more than ε
    /// below the anchor, so not ε-good.
    pub(super) fn beaten(
        &self,
        goal: Goal,
        anchors: &[ChoiceId],
        differences: &Differences<'_>,
        round: u64,
    ) -> Vec<(Elimination, Vec<Ground>)> {
        let by_one = |loser: ChoiceId, over: f64| {
            let found = anchors.iter().find_map(|&anchor| differences.beats(anchor, loser, over, round));
            found.map(|(elimination, ground)| (elimination, vec![ground]))
        };
        let by_all = |loser: ChoiceId| {
            let each = self.leaders.iter().map(|&leader| differences.beats(leader, loser, 0.0, round));
            let (eliminations, grounds): (Vec<_>, Vec<_>) =
                each.collect::<Option<Vec<_>>>()?.into_iter().unzip();
            // The leader that came closest to losing is the bound that counts.
            let slack = |one: &Elimination| one.difference - one.threshold;
            let closest = eliminations.into_iter().min_by(|a, b| slack(a).total_cmp(&slack(b)))?;
            Some((closest, grounds))
        };
        let beaten = |&choice: &ChoiceId| match goal {
            Goal::Top { count, .. } if count > 1 => by_all(choice),
            Goal::AllGood { epsilon } => by_one(choice, epsilon),
            _ => by_one(choice, 0.0),
        };
        self.survivors.iter().filter_map(beaten).collect()
    }

    /// The choices to answer with: one, m of them, or all survivors.
    pub(super) fn picks(&self, goal: Goal, groups: &Groups) -> Vec<ChoiceId> {
        match goal {
            Goal::AllGood { .. } => groups.expand(&self.survivors),
            Goal::Top { count, .. } => {
                let mut picks: Vec<ChoiceId> =
                    self.leaders.iter().flat_map(|&leader| groups.members(leader)).copied().collect();
                picks.truncate(count);
                picks.sort_unstable();
                picks
            }
            Goal::Best { .. } | Goal::Regret { .. } | Goal::Map { .. } => self.leaders[..1].to_vec(),
        }
    }

    /// How far below the best (the m-th best) a pick may be, all survivors being all that can be best; `twins`: how far apart
    /// equal features may be, 2h.
    pub(super) fn epsilon(
        &self,
        goal: Goal,
        groups: &Groups,
        differences: &Differences<'_>,
        twins: f64,
    ) -> f64 {
        let anchor = self.leaders[0];
        let twins_of = |name: ChoiceId| if groups.members(name).len() > 1 { twins } else { 0.0 };
        let below_best = |name: ChoiceId| {
            let others = self.survivors.iter().filter(|&&other| other != name);
            others.map(|&other| differences.upper(other, name)).fold(twins_of(name), f64::max)
        };
        match goal {
            Goal::Best { .. } | Goal::Regret { .. } | Goal::Map { .. } => below_best(anchor),
            Goal::AllGood { .. } => {
                let best = below_best(anchor);
                let from_anchor = |&name: &ChoiceId| match name == anchor {
                    true => best,
                    false => best + differences.upper(anchor, name).max(0.0),
                };
                self.survivors.iter().map(from_anchor).fold(0.0, f64::max)
            }
            Goal::Top { count, .. } => self.below_the_mth(count, groups, differences, twins),
        }
    }

    /// A pick that is not among the m best leaves out some choice that is, and that one is a survivor: so it is enough to
    /// compare every pick with every survivor that is not picked.
    fn below_the_mth(&self, count: usize, groups: &Groups, differences: &Differences<'_>, twins: f64) -> f64 {
        let mut rest: Vec<ChoiceId> =
            self.survivors.iter().filter(|name| !self.leaders.contains(name)).copied().collect();
        let held: usize = self.leaders.iter().map(|&leader| groups.members(leader).len()).sum();
        if held > count {
            // Some members of the last group are not picked.
            rest.extend(self.leaders.last());
        }
        let gap = |pick: ChoiceId, other: ChoiceId| {
            if pick == other { twins } else { differences.upper(other, pick) }
        };
        let gaps = self.leaders.iter().flat_map(|&pick| rest.iter().map(move |&other| gap(pick, other)));
        gaps.fold(0.0, f64::max)
    }
}
