//! What widths are made of, and what a design promises: against the intervals themselves.

use crate::support;

use elfving::estimate::robust_mean::{Catoni, MomentBound, RobustMean};
use elfving::estimate::{
    Assumptions, Counted, Evidence, Interval, LeastSquares, Rips, Sampled, Tails, prospect,
};
use elfving::numerics::Matrix;
use elfving::pool::{ChoiceId, Factorisation, PointId, Points, Pool, Subset, Targets, kernels::Rbf};
use elfving::rounding::{Allocation, Draws};
use elfving::units::{Confidence, Ridge};
use std::sync::Arc;

fn kernel_pool() -> Pool {
    let points = Points::new(Matrix::from_fn(15, 1, |i, _| i as f64 / 14.0)).unwrap();
    let settings = Factorisation::default();
    Pool::from_kernel(Arc::new(Rbf::new(0.3).unwrap()), points, None, &settings).unwrap()
}

fn assumptions() -> Assumptions {
    let all = Assumptions::new(0.2).unwrap().bound(1.5).unwrap().norm(2.0).unwrap();
    all.misspecification(0.03).unwrap().tails(Tails::SubGaussian)
}

fn weights(pool: &Pool) -> Vec<(PointId, f64)> {
    (0..pool.len()).map(|i| (PointId::new(i), 1.0 + (i % 4) as f64)).collect()
}

fn close(a: f64, b: f64) {
    assert!((a - b).abs() <= 1e-12 * (1.0 + b.abs()), "{a} is not {b}");
}

/// Estimate and bias are those of the interval; `noise` follows from the moment.
fn agrees(evidence: &Evidence, interval: &Interval, second_moment: f64, noise: impl Fn(f64) -> f64) {
    assert_eq!(evidence.target, interval.target);
    close(evidence.estimate, interval.estimate);
    close(2.0 * evidence.pull, interval.bias.ridge.unwrap());
    close(0.03 * evidence.reach, interval.bias.misspecification);
    close(evidence.shares.iter().sum::<f64>() * second_moment, evidence.moment);
    close(noise(evidence.moment), interval.noise);
}

#[test]
fn evidence_is_what_the_intervals_are_made_of() {
    let pool = kernel_pool();
    let delta = Confidence::new(0.05).unwrap();
    let gamma = Ridge::new(0.01).unwrap();
    let draws = Draws::new(&weights(&pool), 900, 3).unwrap();
    let outcomes: Vec<f64> = (0..900).map(|t| (t as f64 * 0.7).sin()).collect();
    let sampled = Sampled::new(&pool, &draws, &outcomes, gamma).unwrap();
    let allocation = Allocation::new((0..15).map(|i| (PointId::new(i), 60)).collect()).unwrap();
    let counted = Counted::new(&pool, &allocation, &outcomes, Ridge::new(9.0).unwrap()).unwrap();
    for (targets, count) in
        [(Targets::Points(Subset::All), 15), (Targets::Differences(Subset::All), 15 * 14 / 2)]
    {
        let rips = Rips::new(assumptions(), delta);
        let catoni = Catoni::new(Confidence::new(0.05 / count as f64).unwrap());
        let found = rips.evidence(&sampled, &targets).unwrap();
        let intervals = rips.intervals(&sampled, &targets).unwrap().intervals;
        assert_eq!((found.len(), intervals.len()), (count, count));
        for (evidence, interval) in found.iter().zip(&intervals) {
            let noise = |moment| catoni.deviation(900, MomentBound::new(moment).unwrap()).unwrap();
            agrees(evidence, interval, 1.5 * 1.5 + 0.04, noise);
        }
        let squares = LeastSquares::new(assumptions(), delta);
        let found = squares.evidence(&counted, &targets).unwrap();
        let intervals = squares.intervals(&counted, &targets).unwrap().intervals;
        for (evidence, interval) in found.iter().zip(&intervals) {
            let noise = |moment: f64| (2.0 * delta.log_two_sided(count) * moment).sqrt();
            agrees(evidence, interval, 0.04, noise);
        }
    }
}

#[test]
fn a_larger_union_bound_widens_every_interval_as_if_all_had_been_asked_for() {
    let pool = kernel_pool();
    let draws = Draws::new(&weights(&pool), 500, 1).unwrap();
    let outcomes = vec![0.5; 500];
    let sampled = Sampled::new(&pool, &draws, &outcomes, Ridge::new(0.01).unwrap()).unwrap();
    let rips = Rips::new(assumptions(), Confidence::new(0.05).unwrap());
    let one = Targets::Points(Subset::Of(vec![ChoiceId::new(3)]));
    let all = rips.intervals(&sampled, &Targets::Points(Subset::All)).unwrap().intervals[3].noise;
    let alone = rips.intervals(&sampled, &one).unwrap().intervals[0].noise;
    let of_fifteen = rips.clone().statements(15).intervals(&sampled, &one).unwrap().intervals[0].noise;
    assert!(alone < all);
    close(of_fifteen, all);
}

#[test]
fn a_prospect_is_the_worst_of_all_targets() {
    let gamma = Ridge::new(0.02).unwrap();
    for pool in [kernel_pool(), Pool::from_features(support::small()).unwrap()] {
        let second_moments: Vec<f64> = (0..pool.len()).map(|i| 0.1 + (i % 5) as f64).collect();
        let weights = weights(&pool);
        let total: f64 = weights.iter().map(|(_, weight)| weight).sum();
        let shares: Vec<(PointId, f64)> = weights.iter().map(|&(id, weight)| (id, weight / total)).collect();
        // One draw a point of probability: the shares of the evidence are p c².
        let draws = Draws::new(&weights, 100, 1).unwrap();
        let outcomes = vec![0.0; 100];
        let sampled = Sampled::new(&pool, &draws, &outcomes, gamma).unwrap();
        let rips = Rips::new(assumptions(), Confidence::new(0.9).unwrap());
        for targets in [Targets::Points(Subset::All), Targets::Differences(Subset::All)] {
            let seen = prospect(&pool, &shares, gamma, &targets, &second_moments).unwrap();
            let found = rips.evidence(&sampled, &targets).unwrap();
            let moment = |one: &Evidence| -> f64 {
                one.shares.iter().zip(&second_moments).map(|(share, u)| share * u).sum()
            };
            let largest = found.iter().map(moment).fold(0.0, f64::max);
            let pull = found.iter().map(|one| one.pull).fold(0.0, f64::max);
            // The probabilities of draws are those of integers.
            assert!((seen.moment / largest - 1.0).abs() < 1e-6, "{} and {largest}", seen.moment);
            assert!((seen.pull / pull - 1.0).abs() < 1e-4, "{} and {pull}", seen.pull);
            let reach = found.iter().map(|one| one.reach).fold(0.0, f64::max);
            assert!(seen.norm >= reach * (1.0 - 1e-9));
        }
    }
}

#[test]
fn the_deviation_at_another_moment_is_the_usual_one_where_they_agree_and_grows() {
    let catoni = Catoni::new(Confidence::new(0.05).unwrap());
    let bound = |moment: f64| MomentBound::new(moment).unwrap();
    let at = |actual: f64| catoni.deviation_if(200, bound(0.7), bound(actual)).unwrap();
    close(at(0.7).unwrap(), catoni.deviation(200, bound(0.7)).unwrap());
    let grid: Vec<f64> = (0..40).map(|k| 0.1 * k as f64).collect();
    assert!(grid.windows(2).all(|pair| at(pair[0]).unwrap() < at(pair[1]).unwrap()));
    // Never better than the estimate that was made for it; nothing at all from n/2L times the moment on.
    assert!(grid.iter().all(|&u| at(u).unwrap() >= catoni.deviation(200, bound(u)).unwrap() - 1e-15));
    let twice = 2.0 * (2.0f64 / 0.05).ln();
    assert!(at(0.7 * 200.0 / twice * 0.999).is_some());
    assert_eq!(at(0.7 * 200.0 / twice * 1.001), None);
    assert_eq!(catoni.deviation_if(200, bound(0.0), bound(0.0)).unwrap(), Some(0.0));
    assert_eq!(catoni.deviation_if(200, bound(0.0), bound(0.1)).unwrap(), None);
}
