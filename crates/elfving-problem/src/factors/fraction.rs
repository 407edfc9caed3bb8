//! Regular fractions: the last p of k factors with m levels each are sums of the others, modulo m.
//!
//! The fraction confounds the effects that the words of its defining group name; the shortest word is its resolution. Generators are
//! searched so that short words are few, as minimum aberration has it (Fries and Hunter 1980).

use super::{FactorError, Factors, grid};

/// Generators are all tried where there are at most so many choices; else each is changed in turn until none helps.
const TRY_ALL: u64 = 200_000;

/// The combinations of a fraction, one in `one_in`.
pub(super) fn rows(factors: &Factors, one_in: u64) -> Result<Vec<u64>, FactorError> {
    let axes = factors.axes();
    let levels = axes[0];
    let help = "a fraction needs factors with the same prime number of levels (2, 3, 5) and no mixture; or take a sample";
    if !factors.mixtures.is_empty() || axes.iter().any(|&axis| axis != levels) || !is_prime(levels) {
        return Err(FactorError::new("these factors have no regular fraction", help));
    }
    let Some(dependent) = power_of(one_in, levels).filter(|&p| p < axes.len()) else {
        let example = format!("one in {levels}, or one in {}", levels * levels);
        let message =
            format!("there is no fraction of one in {one_in} of {} factors with {levels} levels", axes.len());
        return Err(FactorError::new(
            message,
            format!("ask for {example}, with fewer factors left out than there are"),
        ));
    };
    let free = axes.len() - dependent;
    let total = levels.pow(free as u32);
    if total > super::MOST_ROWS {
        return Err(FactorError::new(format!("the fraction has {total} rows"), "take a smaller fraction"));
    }
    let generators = generators(levels, free, dependent);
    let base = vec![levels; free];
    let combination = |number: u64| {
        let mut places = grid::places(&base, number);
        let sums: Vec<u64> = generators.iter().map(|weights| sum(weights, &places[..free], levels)).collect();
        places.extend(sums);
        grid::number(&axes, &places)
    };
    let mut rows: Vec<u64> = (0..total).map(combination).collect();
    rows.sort_unstable();
    Ok(rows)
}

fn sum(weights: &[u64], places: &[u64], levels: u64) -> u64 {
    weights.iter().zip(places).map(|(weight, place)| weight * place).sum::<u64>() % levels
}

fn is_prime(n: u64) -> bool {
    n >= 2 && (2..).take_while(|k| k * k <= n).all(|k| !n.is_multiple_of(k))
}

fn power_of(n: u64, base: u64) -> Option<usize> {
    let (mut power, mut exponent) = (1_u64, 0);
    while power < n {
        power = power.checked_mul(base)?;
        exponent += 1;
    }
    (power == n && exponent > 0).then_some(exponent)
}

/// How many words of each length the defining group has, shortest first: smaller is better.
fn words(generators: &[Vec<u64>], levels: u64, free: usize) -> Vec<u64> {
    let dependent = generators.len();
    let mut lengths = vec![0; free + dependent + 1];
    for number in 1..levels.pow(dependent as u32) {
        let powers = grid::places(&vec![levels; dependent], number);
        let in_word = |i: usize| {
            powers.iter().zip(generators).map(|(power, weights)| power * weights[i]).sum::<u64>() % levels
        };
        let length = (0..free).filter(|&i| in_word(i) != 0).count()
            + powers.iter().filter(|&&power| power != 0).count();
        lengths[length] += 1;
    }
    lengths
}

fn generators(levels: u64, free: usize, dependent: usize) -> Vec<Vec<u64>> {
    let choices = levels.saturating_pow(free as u32);
    let weights = |number: u64| grid::places(&vec![levels; free], number);
    let all = choices.saturating_pow(dependent as u32);
    // The sum of all free factors, the longest word there is.
    let mut best = vec![vec![1; free]; dependent];
    let mut best_words = words(&best, levels, free);
    let mut consider = |generators: &[Vec<u64>], best: &mut Vec<Vec<u64>>| {
        let found = words(generators, levels, free);
        let better = found < best_words;
        if better {
            (best_words, *best) = (found, generators.to_vec());
        }
        better
    };
    if all <= TRY_ALL {
        for number in 0..all {
            let each = grid::places(&vec![choices; dependent], number);
            let generators: Vec<Vec<u64>> = each.into_iter().map(weights).collect();
            consider(&generators, &mut best);
        }
        return best;
    }
    loop {
        let mut improved = false;
        for k in 0..dependent {
            for number in 0..choices.min(TRY_ALL) {
                let mut generators = best.clone();
                generators[k] = weights(number);
                improved |= consider(&generators, &mut best);
            }
        }
        if !improved {
            return best;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolution(levels: u64, factors: usize, dependent: usize) -> usize {
        let free = factors - dependent;
        let words = words(&generators(levels, free, dependent), levels, free);
        words.iter().position(|&count| count > 0).unwrap()
    }

    #[test]
    fn fractions_have_the_resolution_of_the_published_tables() {
        // Box, Hunter and Hunter, table 6.22: 2^(k-p); 3^(4-1) by the sum of all factors has resolution IV.
        for (factors, dependent, expected) in [
            (3, 1, 3),
            (4, 1, 4),
            (5, 1, 5),
            (5, 2, 3),
            (6, 2, 4),
            (7, 3, 4),
            (7, 4, 3),
            (8, 4, 4),
            (9, 4, 4),
        ] {
            assert_eq!(resolution(2, factors, dependent), expected, "2^({factors}-{dependent})");
        }
        assert_eq!(resolution(3, 4, 1), 4);
        assert_eq!(resolution(3, 4, 2), 3);
    }

    #[test]
    fn the_fraction_of_seven_factors_has_minimum_aberration() {
        // 2^(7-2) of minimum aberration: one word of length 4 and two of length 5 (Fries and Hunter 1980).
        let words = words(&generators(2, 5, 2), 2, 5);
        assert_eq!(&words[1..], [0, 0, 0, 1, 2, 0, 0]);
    }
}
