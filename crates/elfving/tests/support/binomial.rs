//! Exact binomial statements about failure rates.
#![allow(dead_code)]

/// P(at most `k` failures in `n` trials of probability p), summed exactly.
pub(crate) fn binomial_at_most(k: u64, n: u64, p: f64) -> f64 {
    let mut log_term = n as f64 * (-p).ln_1p();
    let mut total = log_term.exp();
    for j in 0..k {
        log_term += ((n - j) as f64 / (j + 1) as f64).ln() + (p / (1.0 - p)).ln();
        total += log_term.exp();
    }
    total
}

/// So few failures would have probability at most 1e-3 if the true rate were δ or more.
pub(crate) fn shows_at_most(failures: u64, repetitions: u64, delta: f64) -> bool {
    binomial_at_most(failures, repetitions, delta) <= 1e-3
}

/// So many failures would have probability at most 1e-6 if the true rate were δ or less.
pub(crate) fn shows_more_than(failures: u64, repetitions: u64, delta: f64) -> bool {
    failures > 0 && 1.0 - binomial_at_most(failures - 1, repetitions, delta) <= 1e-6
}
