//! What one batch may hold: how many copies of a candidate, how many different values of a column.

use super::Wanted;
use crate::pool::PointId;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, HashMap};

/// How often one candidate may be measured; no limit unless set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Limits {
    /// In one batch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_a_batch: Option<u64>,
    /// In all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_all: Option<u64>,
}

impl Limits {
    /// Whether there is none.
    pub fn are_none(&self) -> bool {
        *self == Self::default()
    }

    /// Whether a candidate with so many measurements in this batch and in all may have one more.
    pub fn allow(&self, in_this_batch: u64, in_all: u64) -> bool {
        self.in_a_batch.is_none_or(|most| in_this_batch < most)
            && self.in_all.is_none_or(|most| in_all < most)
    }
}

/// At most so many different values of a column in one batch: an oven has one temperature, a robot eight bottles.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AtMost {
    /// The value of every point, as a code: only whether two are equal matters.
    pub values: Vec<u32>,
    /// How many different ones a batch may hold.
    pub most: usize,
}

/// The values that a batch holds so far. The first candidates of a batch decide which values it has; controls do not count.
#[derive(Debug, Clone)]
pub(super) struct Values<'a> {
    rules: &'a [AtMost],
    used: Vec<BTreeSet<u32>>,
}

impl<'a> Values<'a> {
    /// Those of the measurements that are in the batch already.
    pub(super) fn new(wanted: &Wanted<'a>) -> Self {
        let mut values = Self { rules: wanted.at_most, used: vec![BTreeSet::new(); wanted.at_most.len()] };
        wanted.in_batch.iter().for_each(|point| values.add(point.index()));
        values
    }

    /// No rules.
    #[cfg(test)]
    pub(super) fn free() -> Self {
        Self { rules: &[], used: Vec::new() }
    }

    pub(super) fn are_free(&self) -> bool {
        self.rules.is_empty()
    }

    pub(super) fn allow(&self, point: usize) -> bool {
        let fits = |(rule, used): (&AtMost, &BTreeSet<u32>)| {
            used.len() < rule.most || used.contains(&rule.values[point])
        };
        self.rules.iter().zip(&self.used).all(fits)
    }

    pub(super) fn add(&mut self, point: usize) {
        for (rule, used) in self.rules.iter().zip(&mut self.used) {
            used.insert(rule.values[point]);
        }
    }
}

/// How often each point was measured, will be, and is in this batch, and which values the batch holds.
pub(super) struct Counts<'a> {
    in_all: Vec<u64>,
    in_batch: HashMap<usize, u64>,
    limits: Limits,
    values: Values<'a>,
}

impl<'a> Counts<'a> {
    pub(super) fn new(measured: &[u64], wanted: &Wanted<'a>) -> Self {
        let mut in_all = measured.to_vec();
        wanted.pending.iter().for_each(|point| in_all[point.index()] += 1);
        let mut in_batch = HashMap::new();
        let already = wanted.in_batch.iter().chain(wanted.controls);
        already.for_each(|point| *in_batch.entry(point.index()).or_default() += 1);
        Self { in_all, in_batch, limits: wanted.limits, values: Values::new(wanted) }
    }

    pub(super) fn allow(&self, point: usize) -> bool {
        let in_batch = self.in_batch.get(&point).copied().unwrap_or(0);
        self.limits.allow(in_batch, self.in_all[point]) && self.values.allow(point)
    }

    pub(super) fn add(&mut self, point: usize) {
        self.in_all[point] += 1;
        *self.in_batch.entry(point).or_default() += 1;
        self.values.add(point);
    }
}

/// The slots that one batch may hold, of slots that wait to go out again, in their order. The rest goes out with a later batch.
pub fn that_fit(waiting: &[(usize, PointId)], at_most: &[AtMost]) -> Vec<usize> {
    let mut values = Values::new(&Wanted { at_most, ..Wanted::batch(waiting.len()) });
    let mut fit = Vec::new();
    for (slot, point) in waiting {
        if values.allow(point.index()) {
            values.add(point.index());
            fit.push(*slot);
        }
    }
    fit
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_holds_as_many_values_as_it_may_and_copies_of_them() {
        let at_most = [AtMost { values: vec![0, 0, 1, 2], most: 2 }];
        let retried = [PointId::new(2)];
        let wanted = Wanted { at_most: &at_most, in_batch: &retried, ..Wanted::batch(4) };
        let mut counts = Counts::new(&[0; 4], &wanted);
        assert!((0..4).all(|point| counts.allow(point)), "one of two values is used");
        counts.add(0);
        assert_eq!([0, 1, 2, 3].map(|point| counts.allow(point)), [true, true, true, false]);
    }

    #[test]
    fn what_waits_goes_out_with_others_of_its_value() {
        let at_most = [AtMost { values: vec![7, 8, 7], most: 1 }];
        let waiting = [(4, PointId::new(0)), (9, PointId::new(1)), (11, PointId::new(2))];
        assert_eq!(that_fit(&waiting, &at_most), [4, 11]);
        assert_eq!(that_fit(&waiting, &[]), [4, 9, 11]);
    }
}
