//! L-BFGS in a box: limited-memory quasi-Newton steps, projected onto the bounds.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::numerics::{add_scaled_row, dot};

/// How far a search got.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum SearchStatus {
    /// The gradient is within the tolerance, or no step improves the value in double precision.
    Converged,
    /// The iteration limit came first; the best point so far is given.
    Limit,
}

/// The minimiser: deterministic, for smooth functions of a few dozen variables.
///
/// | setting | default | effect |
/// |---|---|---|
/// | `memory` | 8 | pairs of steps that shape the next one |
/// | `iterations` | 60 | limit |
/// | `tolerance` | 1e-2 | on the largest component of the projected gradient |
///
/// At the default tolerance a log posterior is within about 1e-4 of its maximum, which no decision can tell.
///
/// Directions by the two-loop recursion (Nocedal 1980) over the variables that are not held at a bound; steps are halved
/// or interpolated until the Armijo condition holds; pairs without positive curvature are skipped.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lbfgs {
    memory: usize,
    iterations: usize,
    tolerance: f64,
}

impl Default for Lbfgs {
    fn default() -> Self {
        Self { memory: 8, iterations: 60, tolerance: 1e-2 }
    }
}

/// Where a search ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Minimum {
    /// The best point.
    pub point: Vec<f64>,
    /// Its value.
    pub value: f64,
    /// Steps taken.
    pub iterations: usize,
    /// Evaluations made.
    pub evaluations: usize,
    /// How far it got.
    pub status: SearchStatus,
}

impl Lbfgs {
    /// Sets the number of pairs remembered.
    #[must_use]
    pub fn memory(self, memory: usize) -> Self {
        Self { memory, ..self }
    }

    /// Sets the limit of iterations.
    #[must_use]
    pub fn iterations(self, iterations: usize) -> Self {
        Self { iterations, ..self }
    }

    /// Lowers the limit of iterations to this.
    pub(super) fn at_most(self, iterations: usize) -> Self {
        Self { iterations: self.iterations.min(iterations), ..self }
    }

    /// Sets the tolerance on the gradient.
    #[must_use]
    pub fn tolerance(self, tolerance: f64) -> Self {
        Self { tolerance, ..self }
    }

    /// Minimises `f`, which gives value and gradient or `None` where it has none, from `start` moved into the bounds.
    ///
    /// `None` only when `f` has no finite value at the start.
    ///
    /// ```
    /// use elfving::surrogate::Lbfgs;
    /// let bowl = |x: &[f64]| Some(((x[0] - 1.0).powi(2), vec![2.0 * (x[0] - 1.0)]));
    /// let minimum = Lbfgs::default().tolerance(1e-6).minimise(&[9.0], &[(-10.0, 10.0)], bowl).expect("finite at the start");
    /// assert!((minimum.point[0] - 1.0).abs() < 1e-4);
    /// ```
    pub fn minimise(
        &self,
        start: &[f64],
        bounds: &[(f64, f64)],
        f: impl FnMut(&[f64]) -> Option<(f64, Vec<f64>)>,
    ) -> Option<Minimum> {
        let mut search = Search { f, bounds, evaluations: 0 };
        let mut here = search.at(start)?;
        let mut pairs = VecDeque::new();
        let mut iterations = 0;
        let status = loop {
            let free = here.free(bounds);
            if here.steepest(&free) <= self.tolerance {
                break SearchStatus::Converged;
            }
            if iterations == self.iterations {
                break SearchStatus::Limit;
            }
            let mut direction = quasi_newton(&pairs, &here.gradient, &free);
            if !(dot(&direction, &here.gradient) < 0.0) {
                pairs.clear();
                direction = quasi_newton(&pairs, &here.gradient, &free);
            }
            let next = search.along(&here, &direction, pairs.is_empty());
            let Some(next) = next else {
                if pairs.is_empty() {
                    break SearchStatus::Converged; // not even the gradient leads down
                }
                pairs.clear();
                continue;
            };
            remember(&mut pairs, &here, &next, self.memory);
            here = next;
            iterations += 1;
        };
        let Place { point, value, .. } = here;
        Some(Minimum { point, value, iterations, evaluations: search.evaluations, status })
    }
}

struct Place {
    point: Vec<f64>,
    value: f64,
    gradient: Vec<f64>,
}

impl Place {
    /// Which variables may move: those not at a bound that the descent would cross.
    fn free(&self, bounds: &[(f64, f64)]) -> Vec<bool> {
        let triples = self.point.iter().zip(&self.gradient).zip(bounds);
        triples
            .map(|((x, slope), (low, high))| !((*x <= *low && *slope > 0.0) || (*x >= *high && *slope < 0.0)))
            .collect()
    }

    /// The largest component of the gradient among the free variables.
    fn steepest(&self, free: &[bool]) -> f64 {
        let slopes = self.gradient.iter().zip(free).filter(|(_, free)| **free);
        slopes.fold(0.0, |steepest, (slope, _)| slope.abs().max(steepest))
    }
}

struct Search<'b, F> {
    f: F,
    bounds: &'b [(f64, f64)],
    evaluations: usize,
}

impl<F: FnMut(&[f64]) -> Option<(f64, Vec<f64>)>> Search<'_, F> {
    /// The function at a point moved into the bounds.
    fn at(&mut self, point: &[f64]) -> Option<Place> {
        let point: Vec<f64> =
            point.iter().zip(self.bounds).map(|(x, (low, high))| x.max(*low).min(*high)).collect();
        self.evaluations += 1;
        let (value, gradient) = (self.f)(&point)?;
        let finite = value.is_finite() && gradient.iter().all(|slope| slope.is_finite());
        finite.then_some(Place { point, value, gradient })
    }

    /// The first point along the projected direction with a sufficient decrease.
    fn along(&mut self, here: &Place, direction: &[f64], first: bool) -> Option<Place> {
        const SUFFICIENT: f64 = 1e-4; // of the decrease that the gradient promises
        const TRIALS: usize = 25;
        // Without curvature the length of the gradient means nothing: a step of at most one.
        let mut step = if first { dot(direction, direction).sqrt().recip().min(1.0) } else { 1.0 };
        for _ in 0..TRIALS {
            let mut point = here.point.clone();
            add_scaled_row(&mut point, step, direction);
            let there = self.at(&point);
            let mut shrink = 0.5;
            if let Some(there) = there {
                let promised: f64 =
                    (0..point.len()).map(|i| here.gradient[i] * (there.point[i] - here.point[i])).sum();
                if promised < 0.0 && there.value <= here.value + SUFFICIENT * promised {
                    return Some(there);
                }
                // The minimum of the parabola through value, slope and trial.
                let bend = there.value - here.value - promised;
                if bend > 0.0 {
                    shrink = (-0.5 * promised / bend).clamp(0.1, 0.5);
                }
            }
            step *= shrink;
        }
        None
    }
}

/// A step, the change of the gradient along it, and `1 / ⟨step, change⟩`.
struct Pair {
    step: Vec<f64>,
    change: Vec<f64>,
    inverse: f64,
}

fn remember(pairs: &mut VecDeque<Pair>, from: &Place, to: &Place, memory: usize) {
    let minus = |a: &[f64], b: &[f64]| -> Vec<f64> { a.iter().zip(b).map(|(a, b)| a - b).collect() };
    let (step, change) = (minus(&to.point, &from.point), minus(&to.gradient, &from.gradient));
    let curvature = dot(&step, &change);
    if curvature > 1e-12 * (dot(&step, &step) * dot(&change, &change)).sqrt() {
        pairs.push_back(Pair { step, change, inverse: curvature.recip() });
        if pairs.len() > memory {
            pairs.pop_front();
        }
    }
}

/// `-H g` over the free variables, by the two-loop recursion.
fn quasi_newton(pairs: &VecDeque<Pair>, gradient: &[f64], free: &[bool]) -> Vec<f64> {
    let hold = |x: &mut [f64]| x.iter_mut().zip(free).for_each(|(x, free)| *x *= f64::from(u8::from(*free)));
    let mut direction: Vec<f64> = gradient.iter().map(|slope| -slope).collect();
    hold(&mut direction);
    let mut shares = Vec::with_capacity(pairs.len());
    for pair in pairs.iter().rev() {
        let share = pair.inverse * dot(&pair.step, &direction);
        add_scaled_row(&mut direction, -share, &pair.change);
        shares.push(share);
    }
    if let Some(last) = pairs.back() {
        let scale = (last.inverse * dot(&last.change, &last.change)).recip();
        direction.iter_mut().for_each(|x| *x *= scale);
    }
    for (pair, share) in pairs.iter().zip(shares.into_iter().rev()) {
        let other = pair.inverse * dot(&pair.change, &direction);
        add_scaled_row(&mut direction, share - other, &pair.step);
    }
    hold(&mut direction);
    direction
}

#[cfg(test)]
mod tests {
    use super::*;

    const WIDE: (f64, f64) = (-100.0, 100.0);

    fn rosenbrock(x: &[f64]) -> Option<(f64, Vec<f64>)> {
        let (a, b) = (1.0 - x[0], x[1] - x[0] * x[0]);
        Some((a * a + 100.0 * b * b, vec![-2.0 * a - 400.0 * x[0] * b, 200.0 * b]))
    }

    #[test]
    fn the_banana_valley_is_followed_to_its_end() {
        let search = Lbfgs::default().iterations(200).tolerance(1e-8);
        let minimum = search.minimise(&[-1.2, 1.0], &[WIDE; 2], rosenbrock).unwrap();
        assert_eq!(minimum.status, SearchStatus::Converged);
        assert!(minimum.point.iter().all(|x| (x - 1.0).abs() < 1e-7), "{minimum:?}");
    }

    #[test]
    fn a_quadratic_ends_at_the_solution_of_its_equations() {
        // ½ xᵀA x - bᵀx with A = diag(1 … 20) + 1, solved by Sherman-Morrison.
        let n = 20;
        let f = |x: &[f64]| {
            let sum: f64 = x.iter().sum();
            let gradient: Vec<f64> = (0..n).map(|i| (i + 1) as f64 * x[i] + sum - 1.0).collect();
            let value = 0.5 * (0..n).map(|i| x[i] * (gradient[i] - 1.0)).sum::<f64>();
            Some((value, gradient))
        };
        let minimum =
            Lbfgs::default().iterations(300).tolerance(1e-9).minimise(&vec![3.0; n], &vec![WIDE; n], f);
        let harmonic: f64 = (1..=n).map(|k| 1.0 / k as f64).sum();
        for (i, x) in minimum.unwrap().point.iter().enumerate() {
            let exact = 1.0 / ((i + 1) as f64 * (1.0 + harmonic));
            assert!((x - exact).abs() < 1e-8, "{i}: {x} {exact}");
        }
    }

    #[test]
    fn a_minimum_outside_the_box_is_found_on_its_edge() {
        let bounds = [(-2.0, 0.5), (-2.0, 2.0)];
        let minimum = Lbfgs::default().iterations(200).minimise(&[-1.0, 1.0], &bounds, rosenbrock).unwrap();
        assert_eq!(minimum.status, SearchStatus::Converged);
        assert!(minimum.point[0] == 0.5 && (minimum.point[1] - 0.25).abs() < 1e-3, "{minimum:?}");
    }

    #[test]
    fn holes_are_stepped_around_and_a_limit_is_a_status() {
        let f = |x: &[f64]| (x[0] > 0.0).then(|| (x[0] - x[0].ln(), vec![1.0 - 1.0 / x[0]]));
        let minimum = Lbfgs::default().minimise(&[40.0], &[WIDE], f).unwrap();
        assert!((minimum.point[0] - 1.0).abs() < 2e-2);
        let short = Lbfgs::default().iterations(2).minimise(&[-1.2, 1.0], &[WIDE; 2], rosenbrock).unwrap();
        assert_eq!((short.status, short.iterations), (SearchStatus::Limit, 2));
        assert_eq!(Lbfgs::default().minimise(&[-1.0], &[WIDE], f), None);
    }
}
