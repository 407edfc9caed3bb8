//! Repetitions in parallel, gathered into curves.

use super::{Curve, ExperimentError};
use crate::simulate::Summary;
use rayon::prelude::*;

/// One number of one repetition: method, x, value.
pub(crate) type Point = (&'static str, f64, f64);

/// Runs the repetitions in parallel; the points come back in the order of the repetitions.
pub(crate) fn repeat(
    repeats: usize,
    progress: &(dyn Fn() + Sync),
    one: impl Fn(u64) -> Result<Vec<Point>, ExperimentError> + Sync,
) -> Result<Vec<Vec<Point>>, ExperimentError> {
    let counted = |repetition: usize| {
        let points = one(repetition as u64);
        progress();
        points
    };
    (0..repeats).into_par_iter().map(counted).collect()
}

/// Means and standard errors. A method has a point where every repetition has an answer.
pub(crate) fn curves(repetitions: &[Vec<Point>], methods: &[&'static str], at: &[f64]) -> Vec<Curve> {
    let curve = |&method: &&'static str| {
        let values = |x: f64| -> Vec<f64> {
            let here = |points: &Vec<Point>| {
                points.iter().find(|(name, place, _)| *name == method && *place == x).map(|point| point.2)
            };
            repetitions.iter().filter_map(here).collect()
        };
        let complete: Vec<(f64, Summary)> = at
            .iter()
            .map(|&x| (x, values(x)))
            .filter(|(_, sample)| sample.len() == repetitions.len())
            .map(|(x, sample)| (x, Summary::of(sample)))
            .collect();
        let (x, y) = complete.into_iter().unzip();
        Curve { method: method.to_owned(), x, y, reference: false }
    };
    methods.iter().map(curve).collect()
}

/// The largest absolute difference.
pub(crate) fn largest_error(estimates: &[f64], truth: &[f64]) -> f64 {
    estimates.iter().zip(truth).fold(0.0, |worst, (a, b)| worst.max((a - b).abs()))
}
