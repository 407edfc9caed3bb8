//! Before there are data: different rows at random, spread over the levels of every category column.

use crate::bandit::batch_rules::Values;
use crate::numerics::rng::{Purpose, stream};
use crate::pool::PointId;
use crate::surrogate::{ColumnKind, Space};
use std::collections::HashMap;

const START: Purpose = Purpose::new("calibrated-start");

/// `count` points of different sites among those not measured yet; then any of them again where there are fewer, as often as they may be
/// measured. `may` knows a row and how often it is in the batch.
///
/// Each is drawn among those whose category levels were tried least, over all category columns together. Spreading numbers out as well did
/// not help where it was measured. Cost: count · n · G.
pub(super) fn at_random(
    space: &Space,
    pulls: &[u64],
    count: usize,
    seed: u64,
    round: u64,
    may: impl Fn(usize, u64) -> bool,
    mut values: Values,
) -> Vec<PointId> {
    let mut random = stream(seed, round, START);
    let is_first = |row: &usize| space.site(*row) == *row && may(*row, 0);
    let mut rows: Vec<usize> = (0..space.points()).filter(is_first).filter(|&row| pulls[row] == 0).collect();
    if rows.is_empty() {
        rows = (0..space.points()).filter(|row| may(*row, 0)).collect();
    }
    rows.retain(|row| values.allow(*row));
    let mut levels = Levels::of(space);
    (0..space.points()).filter(|&row| pulls[row] > 0).for_each(|row| levels.count(row));
    let mut chosen = Vec::with_capacity(count);
    while chosen.len() < count && !rows.is_empty() {
        let (k, times) = (chosen.len() % rows.len(), chosen.len() / rows.len());
        if times == 0 {
            let least = levels.least_tried(&rows[k..]);
            rows.swap(k, k + least[random.below(least.len() as u64) as usize]);
            levels.count(rows[k]);
        } else if !may(rows[k], times as u64) {
            break;
        }
        chosen.push(PointId::new(rows[k]));
        if times == 0 && !values.are_free() {
            // Those chosen so far are at the front, and their values are in the batch: they stay.
            values.add(rows[k]);
            rows.retain(|row| values.allow(*row));
        }
    }
    chosen
}

/// How often each level of each category column was tried.
struct Levels<'s> {
    space: &'s Space,
    columns: Vec<usize>,
    tried: HashMap<(usize, u64), u64>,
}

impl<'s> Levels<'s> {
    fn of(space: &'s Space) -> Self {
        let kinds = space.kinds().iter().enumerate();
        let columns =
            kinds.filter(|(_, kind)| **kind == ColumnKind::Category).map(|(column, _)| column).collect();
        Self { space, columns, tried: HashMap::new() }
    }

    fn level(&self, row: usize, column: usize) -> (usize, u64) {
        (column, self.space.row(row)[column].to_bits())
    }

    fn count(&mut self, row: usize) {
        for k in 0..self.columns.len() {
            *self.tried.entry(self.level(row, self.columns[k])).or_default() += 1;
        }
    }

    /// The places of the rows whose levels were tried least; all of them where there are no categories.
    fn least_tried(&self, rows: &[usize]) -> Vec<usize> {
        let tried =
            |column: &usize, row: usize| self.tried.get(&self.level(row, *column)).copied().unwrap_or(0);
        let times: Vec<u64> =
            rows.iter().map(|&row| self.columns.iter().map(|column| tried(column, row)).sum()).collect();
        let least = times.iter().copied().min().unwrap_or(0);
        (0..rows.len()).filter(|&k| times[k] == least).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bandit::Wanted;
    use crate::numerics::Matrix;
    use crate::surrogate::Columns;
    use std::collections::BTreeSet;

    /// Twelve ligands, four bases, four solvents and nine temperatures, every combination.
    fn reactions() -> (Space, [Vec<u32>; 3]) {
        let rows = 12 * 4 * 4 * 9;
        let [ligand, base, solvent] = [(1, 12), (12, 4), (48, 4)]
            .map(|(step, levels)| (0..rows).map(|i| (i / step) % levels).collect::<Vec<u32>>());
        let temperatures = Matrix::from_fn(rows as usize, 1, |i, _| (i / 192) as f64);
        let columns = Columns::numeric(temperatures)
            .category(ligand.clone())
            .category(base.clone())
            .category(solvent.clone());
        (Space::new(&columns, None).unwrap(), [ligand, base, solvent])
    }

    #[test]
    fn every_level_is_tried_in_the_first_batch_and_none_much_more_than_another() {
        let (space, columns) = reactions();
        for seed in 0..20 {
            let values = Values::new(&Wanted::batch(24));
            let chosen =
                at_random(&space, &vec![0; space.points()], 24, seed, 1, |_, times| times == 0, values);
            for (column, levels) in columns.iter().zip([12, 4, 4]) {
                let mut times = vec![0; levels];
                chosen.iter().for_each(|point| times[column[point.index()] as usize] += 1);
                let even = 24 / levels;
                assert!(times.iter().all(|n| (even - 1..=even + 1).contains(n)), "{seed}: {times:?}");
            }
        }
    }

    #[test]
    fn what_was_tried_before_counts() {
        let (space, [ligand, ..]) = reactions();
        let pulls: Vec<u64> = ligand.iter().map(|ligand| u64::from(*ligand < 9)).collect();
        let values = Values::new(&Wanted::batch(3));
        let chosen = at_random(&space, &pulls, 3, 4, 1, |_, times| times == 0, values);
        let tried: BTreeSet<u32> = chosen.iter().map(|point| ligand[point.index()]).collect();
        assert_eq!(tried, BTreeSet::from([9, 10, 11]));
    }
}
