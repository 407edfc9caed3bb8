//! Combinations by number: the last factor changes fastest.

use super::{Factor, FactorError, Factors, Levels, Mixture};
use elfving_table::{ColumnData, Table};
use std::ops::Range;

/// Rows that are held as a table at once while conditions are looked at.
const BLOCK: usize = 65_536;

/// How many blends a mixture has: the ways to share its steps among its parts.
pub(super) fn blends(mixture: &Mixture) -> u64 {
    ways(mixture.steps, mixture.names.len())
}

/// The ways to share `steps` among `parts`, `C(steps + parts - 1, parts - 1)`; as many as can be counted.
fn ways(steps: usize, parts: usize) -> u64 {
    let mut count: u128 = 1;
    for k in 1..parts as u128 {
        count = count.saturating_mul(steps as u128 + k) / k;
        if count > u128::from(u64::MAX) {
            return u64::MAX;
        }
    }
    count as u64
}

/// Blend number `index`, in steps: the first part grows slowest.
fn blend(mixture: &Mixture, mut index: u64) -> Vec<usize> {
    let mut left = mixture.steps;
    let mut parts = Vec::with_capacity(mixture.names.len());
    for behind in (1..mixture.names.len()).rev() {
        let mut part = 0;
        loop {
            let with_this = ways(left - part, behind);
            if index < with_this {
                break;
            }
            index -= with_this;
            part += 1;
        }
        parts.push(part);
        left -= part;
    }
    parts.push(left);
    parts
}

/// The level of each factor and each mixture in one combination.
pub(super) fn places(axes: &[u64], mut number: u64) -> Vec<u64> {
    let mut places = vec![0; axes.len()];
    for (place, axis) in places.iter_mut().zip(axes).rev() {
        (*place, number) = (number % axis, number / axis);
    }
    places
}

/// The number of a combination.
pub(super) fn number(axes: &[u64], places: &[u64]) -> u64 {
    places.iter().zip(axes).fold(0, |number, (place, axis)| number * axis + place)
}

/// Those of these combinations that meet every condition, in their order.
pub(super) fn allowed(
    factors: &Factors,
    numbers: impl IntoIterator<Item = u64>,
) -> Result<Vec<u64>, FactorError> {
    let mut numbers = numbers.into_iter();
    if factors.conditions.is_empty() {
        return Ok(numbers.collect());
    }
    let mut kept = Vec::new();
    loop {
        let block: Vec<u64> = numbers.by_ref().take(BLOCK).collect();
        if block.is_empty() {
            return Ok(kept);
        }
        kept.extend(meeting(factors, &block)?);
    }
}

/// Every level stands in front of the block: a condition may name one that the block does not have.
fn meeting(factors: &Factors, block: &[u64]) -> Result<Vec<u64>, FactorError> {
    let axes = factors.axes();
    let levels = axes.iter().take(factors.factors.len()).copied().max().unwrap_or(1);
    let every = (0..levels).map(|k| axes.iter().map(|axis| k.min(axis - 1)).collect::<Vec<u64>>());
    let every: Vec<u64> = every.map(|places| number(&axes, &places)).collect();
    let ahead = every.len();
    let all: Vec<u64> = every.into_iter().chain(block.iter().copied()).collect();
    let table = columns_of(factors, &all, None);
    let mut holds = vec![true; all.len()];
    for condition in &factors.conditions {
        let rows = condition.rows(&table).map_err(|error| {
            FactorError::new(error.to_string(), "name factors and levels as they are given")
        })?;
        let mut met = vec![false; all.len()];
        rows.into_iter().for_each(|row| met[row] = true);
        holds.iter_mut().zip(met).for_each(|(holds, met)| *holds &= met);
    }
    Ok(block.iter().zip(&holds[ahead..]).filter(|(_, holds)| **holds).map(|(number, _)| *number).collect())
}

/// A table of combinations, with ids where they are given.
fn columns_of(factors: &Factors, numbers: &[u64], ids: Option<Vec<String>>) -> Table {
    let axes = factors.axes();
    let places: Vec<Vec<u64>> = numbers.iter().map(|&number| places(&axes, number)).collect();
    let of_factor = |(k, factor): (usize, &Factor)| {
        let level = |row: &Vec<u64>| row[k] as usize;
        let data = match &factor.levels {
            Levels::Numbers(values) => {
                ColumnData::Numbers(places.iter().map(|row| values[level(row)]).collect::<Vec<f64>>().into())
            }
            Levels::Names(names) => {
                ColumnData::Texts(places.iter().map(|row| names[level(row)].as_str()).collect())
            }
        };
        (factor.name.clone(), data)
    };
    let first_mixture = factors.factors.len();
    let of_mixture = |(k, mixture): (usize, &Mixture)| {
        let shares: Vec<Vec<usize>> =
            places.iter().map(|row| blend(mixture, row[first_mixture + k])).collect();
        let part = |name: &String, at: usize| {
            let share = |shares: &Vec<usize>| super::parse::clean(shares[at] as f64 / mixture.steps as f64);
            (name.clone(), ColumnData::Numbers(shares.iter().map(share).collect::<Vec<f64>>().into()))
        };
        mixture.names.iter().enumerate().map(|(at, name)| part(name, at)).collect::<Vec<_>>()
    };
    let ids =
        ids.map(|ids| (factors.id.clone(), ColumnData::Texts(ids.iter().map(String::as_str).collect())));
    let columns = ids
        .into_iter()
        .chain(factors.factors.iter().enumerate().map(of_factor))
        .chain(factors.mixtures.iter().enumerate().flat_map(of_mixture));
    Table::from_columns("the factors", columns).expect("names differ and columns have the same length")
}

/// The coordinates of a combination in which distances are measured: numbers on [0, 1], categories one apart, parts of mixtures as they are.
pub(super) fn coordinates(factors: &Factors, number: u64) -> Vec<f64> {
    let places = places(&factors.axes(), number);
    let mut at = Vec::new();
    for (factor, &place) in factors.factors.iter().zip(&places) {
        match &factor.levels {
            Levels::Numbers(values) => {
                let low = values.iter().copied().fold(f64::INFINITY, f64::min);
                let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                let range = if high > low { high - low } else { 1.0 };
                at.push((values[place as usize] - low) / range);
            }
            Levels::Names(names) => {
                // Two levels differ in two coordinates.
                let apart = std::f64::consts::FRAC_1_SQRT_2;
                at.extend((0..names.len()).map(|k| if k as u64 == place { apart } else { 0.0 }));
            }
        }
    }
    for (mixture, &place) in factors.mixtures.iter().zip(&places[factors.factors.len()..]) {
        at.extend(blend(mixture, place).into_iter().map(|part| part as f64 / mixture.steps as f64));
    }
    at
}

/// The rows of a table that is made block by block.
#[derive(Debug, Clone)]
pub struct Rows<'a> {
    factors: &'a Factors,
    numbers: Vec<u64>,
}

impl<'a> Rows<'a> {
    pub(super) fn new(factors: &'a Factors, numbers: Vec<u64>) -> Self {
        Self { factors, numbers }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.numbers.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// Some of them as a table: ids, then the columns. Ids are numbered from 1 with as many digits as the last one has.
    ///
    /// # Panics
    /// When there are no such rows.
    pub fn block(&self, rows: Range<usize>) -> Table {
        let digits = self.numbers.len().to_string().len();
        let ids = rows.clone().map(|row| format!("c{:0digits$}", row + 1)).collect();
        columns_of(self.factors, &self.numbers[rows], Some(ids))
    }

    /// All of them, in blocks that fit in memory.
    pub fn blocks(&self) -> impl Iterator<Item = Table> + '_ {
        (0..self.len()).step_by(BLOCK).map(|first| self.block(first..(first + BLOCK).min(self.len())))
    }
}
