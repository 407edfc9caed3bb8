//! The worst case on paper against the algorithms themselves, on a truth that allows no elimination.

use crate::support;

use elfving::bandit::{Algorithm, Goal, Question, elimination::Constants};
use elfving::estimate::{Assumptions, Tails};
use elfving::numerics::Matrix;
use elfving::pool::Pool;
use elfving_lab::plan::Planner;
use elfving_lab::simulate::{Environment, Law, Simulation};

fn question(pool: &Pool, epsilon: f64, norm: Option<f64>) -> Question {
    let mut assumptions = Assumptions::new(0.3).unwrap().bound(1.0).unwrap().tails(Tails::SubGaussian);
    if let Some(norm) = norm {
        assumptions = assumptions.norm(norm).unwrap();
    }
    Question::new(pool.clone(), assumptions, Goal::Best { epsilon }).unwrap()
}

fn simulated(question: &Question, algorithm: Algorithm) -> f64 {
    let flat = Environment::new(vec![0.0; question.pool.len()]).unwrap().noise(Law::Normal, 0.3).unwrap();
    let runs = Simulation::new(2_000_000)
        .repeats(3)
        .batch(1000)
        .run(&flat, |seed| algorithm.start(question.clone().seed(seed)))
        .unwrap();
    assert!((runs.stopped().mean - 1.0).abs() < 1e-9);
    runs.samples_to_stop().mean
}

#[test]
fn the_worst_case_on_paper_is_what_the_algorithms_take_when_all_choices_are_equal() {
    for (pool, norm) in [
        (Pool::from_features(Matrix::identity(4)).unwrap(), None),
        (Pool::from_features(support::unit_rows(support::normals(5, 12, 3), 0)).unwrap(), None),
        (Pool::from_features(support::unit_rows(support::normals(6, 12, 3), 0)).unwrap(), Some(1.0)),
    ] {
        let question = question(&pool, 0.15, norm);
        let mut planner = Planner::new(&question).unwrap();
        let rips = planner.rips(0.15).unwrap();
        let taken = simulated(&question, Algorithm::RipsBest(Constants::Certified));
        assert!(rips.reached && rips.samples as f64 >= 0.999 * taken, "{rips}, but it took {taken}");
        assert!(rips.samples as f64 <= 1.25 * taken, "{rips}, but it took only {taken}");
        let ptr = planner.ptr(0.15).unwrap();
        let taken = simulated(&question, Algorithm::PtrBest(Constants::Certified));
        assert!(ptr.reached && ptr.samples as f64 >= 0.999 * taken, "{ptr}, but it took {taken}");
        assert!(ptr.samples as f64 <= 1.5 * taken, "{ptr}, but it took only {taken}");
    }
}

#[test]
fn a_smaller_epsilon_more_noise_or_a_larger_bound_never_cost_less() {
    let pool = Pool::from_features(support::unit_rows(support::normals(5, 12, 3), 0)).unwrap();
    let cost = |sigma: f64, bound: f64, epsilon: f64| {
        let assumptions = Assumptions::new(sigma).unwrap().bound(bound).unwrap().tails(Tails::SubGaussian);
        let question = Question::new(pool.clone(), assumptions, Goal::Best { epsilon }).unwrap();
        let mut planner = Planner::new(&question).unwrap();
        (planner.rips(epsilon).unwrap().samples, planner.ptr(epsilon).unwrap().samples)
    };
    let (rips, ptr) = cost(0.3, 1.0, 0.1);
    for (more_rips, more_ptr) in [cost(0.3, 1.0, 0.05), cost(0.6, 1.0, 0.1)] {
        assert!(more_rips > rips && more_ptr > ptr);
    }
    assert!(cost(0.3, 4.0, 0.1).0 > rips);
}

#[test]
fn a_lasting_bias_is_said_to_stand_in_the_way() {
    let pool = Pool::from_features(Matrix::identity(3)).unwrap();
    let assumptions = Assumptions::new(0.1).unwrap().bound(1.0).unwrap().misspecification(0.05).unwrap();
    let question = Question::new(pool, assumptions, Goal::Best { epsilon: 0.1 }).unwrap();
    let plan = Planner::new(&question).unwrap().rips(0.1).unwrap();
    assert!(!plan.reached && plan.to_string().contains("bias"), "{plan}");
}
