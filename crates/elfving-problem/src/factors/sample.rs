//! Samples that fill the combinations evenly.

use super::{FactorError, Factors, SampleMethod, grid};
use elfving::numerics::rng::{Purpose, Stream, stream};
use std::collections::BTreeSet;

const SAMPLE: Purpose = Purpose::new("factor-sample");
/// Where there are at most so many combinations, all are looked at.
const LOOK_AT_ALL: u64 = 1_000_000;
/// Maximin chooses among so many at most: it costs their number times that of the rows.
const AMONG: usize = 20_000;
/// Points of one scrambled sequence: what its implementation gives.
const SEQUENCE: u32 = 1 << 16;
/// Sequences that are tried before the rest is drawn at random, and again before it is given up.
const SEQUENCES: u32 = 32;
/// Dimensions of the implementation.
const MOST_DIMENSIONS: usize = 256;

/// Different combinations that meet every condition, in the order of their numbers.
pub(super) fn rows(
    factors: &Factors,
    wanted: usize,
    method: SampleMethod,
    seed: u64,
) -> Result<Vec<u64>, FactorError> {
    if wanted == 0 || wanted as u64 > super::MOST_ROWS {
        let message = format!("a sample of {wanted} rows");
        return Err(FactorError::new(message, format!("ask for 1 to {} rows", super::MOST_ROWS)));
    }
    let all = match factors.combinations() {
        all if all <= LOOK_AT_ALL => Some(grid::allowed(factors, 0..all)?),
        _ => None,
    };
    if let Some(all) = all.as_ref().filter(|all| all.len() <= wanted) {
        return Ok(all.clone());
    }
    let mut rows = match method {
        SampleMethod::Sobol => spread(factors, wanted, all.as_deref(), seed)?,
        SampleMethod::Maximin => {
            let among = match all {
                Some(all) if all.len() <= AMONG => all,
                all => spread(factors, AMONG.max(2 * wanted), all.as_deref(), seed)?,
            };
            farthest(factors, among, wanted, &mut stream(seed, 1, SAMPLE))
        }
    };
    rows.sort_unstable();
    Ok(rows)
}

/// The first different and allowed combinations of scrambled Sobol sequences, filled up at random.
fn spread(factors: &Factors, wanted: usize, all: Option<&[u64]>, seed: u64) -> Result<Vec<u64>, FactorError> {
    let axes = factors.axes();
    let mut random = stream(seed, 0, SAMPLE);
    let mut chosen = BTreeSet::new();
    let mut rows = Vec::new();
    let mut take = |numbers: Vec<u64>| -> Result<bool, FactorError> {
        for number in grid::allowed(factors, numbers)? {
            if rows.len() < wanted && chosen.insert(number) {
                rows.push(number);
            }
        }
        Ok(rows.len() == wanted)
    };
    if axes.len() <= MOST_DIMENSIONS {
        for sequence in 0..SEQUENCES {
            let scramble = (random.next_u64() as u32).wrapping_add(sequence);
            let mut first = 0;
            // Short runs first: most samples are small.
            let mut length = (2 * wanted as u32).clamp(64, SEQUENCE);
            while first < SEQUENCE {
                let run = first..(first + length).min(SEQUENCE);
                let point = |index: u32| {
                    let place = |(k, axis): (usize, &u64)| {
                        let at = f64::from(sobol_burley::sample(index, k as u32, scramble));
                        ((at * *axis as f64) as u64).min(axis - 1)
                    };
                    grid::number(&axes, &axes.iter().enumerate().map(place).collect::<Vec<u64>>())
                };
                if take(run.clone().map(point).collect())? {
                    return Ok(rows);
                }
                (first, length) = (run.end, length.saturating_mul(2));
            }
        }
    }
    if let Some(all) = all {
        let mut rest = all.to_vec();
        random.shuffle(&mut rest);
        take(rest)?;
        return Ok(rows);
    }
    for _ in 0..SEQUENCES {
        let combinations = factors.combinations();
        let numbers = (0..SEQUENCE).map(|_| random.below(combinations)).collect();
        if take(numbers)? {
            return Ok(rows);
        }
    }
    let found = rows.len();
    let message =
        format!("only {found} combinations that meet every condition were found, {wanted} are wanted");
    Err(FactorError::new(message, "ask for fewer rows, or loosen the conditions"))
}

/// Each as far as possible from those before it, the first at random (Gonzalez 1985: at least half of the best smallest distance).
fn farthest(factors: &Factors, among: Vec<u64>, wanted: usize, random: &mut Stream) -> Vec<u64> {
    let at: Vec<Vec<f64>> = among.iter().map(|&number| grid::coordinates(factors, number)).collect();
    let mut nearest = vec![f64::INFINITY; among.len()];
    let mut next = random.below(among.len() as u64) as usize;
    let mut rows = Vec::with_capacity(wanted);
    while rows.len() < wanted.min(among.len()) {
        rows.push(among[next]);
        let here = at[next].clone();
        let (mut farthest, mut distance) = (0, f64::NEG_INFINITY);
        for (i, point) in at.iter().enumerate() {
            let squared: f64 = point.iter().zip(&here).map(|(a, b)| (a - b) * (a - b)).sum();
            nearest[i] = nearest[i].min(squared);
            if nearest[i] > distance {
                (farthest, distance) = (i, nearest[i]);
            }
        }
        next = farthest;
    }
    rows
}
