//! The hundred points: what exact sample sizes, decisions by W and centring are worth.

use crate::rbf100;

use elfving::bandit::elimination::{Constants, PtrBest, RipsBest, RipsRegret};
use elfving::bandit::{Bandit, Goal, Outcome, Policy, Question, Report};
use elfving::estimate::Tails;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

fn question(goal: Goal, seed: u64) -> Question {
    let assumptions = rbf100::assumptions().tails(Tails::SubGaussian);
    Question::new(rbf100::pool(), assumptions, goal).unwrap().seed(seed)
}

/// The report and the regret, after at most `most` measurements.
fn run(policy: Box<dyn Policy>, most: u64, seed: u64) -> (Report, f64) {
    let mut bandit = Bandit::new(policy);
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut regret = 0.0;
    while !bandit.finished() && bandit.report().samples < most {
        for slot in bandit.ask(usize::MAX).unwrap() {
            let mean = rbf100::MEANS[slot.point.index()];
            let noise: f64 = StandardNormal.sample(&mut random);
            regret += 1.0 - mean;
            bandit.tell(slot.id, Outcome::from(mean + 0.1 * noise)).unwrap();
        }
    }
    (bandit.report(), regret)
}

const BEST: Goal = Goal::Best { epsilon: 1.0 / 64.0 };

#[test]
fn certified_rounds_reach_a_sixty_fourth_with_a_twentieth_of_the_samples() {
    for seed in 0..3 {
        let (certified, _) = run(Box::new(RipsBest::new(question(BEST, seed)).unwrap()), u64::MAX, seed);
        assert!(certified.epsilon.unwrap() <= 1.0 / 64.0);
        assert!(certified.survivors.iter().any(|id| id.index() == 89));
        // The constants of the paper are not there yet after twenty times as many.
        let most = 20 * certified.samples;
        let paper = RipsBest::new(question(BEST, seed)).unwrap().constants(Constants::Paper);
        let (printed, _) = run(Box::new(paper), most, seed);
        println!("{} certified; printed: {:?} after {}", certified.samples, printed.epsilon, printed.samples);
        assert!(printed.samples >= most && printed.epsilon.unwrap() > 1.0 / 64.0);
    }
}

#[test]
fn certified_regret_is_less_than_half() {
    for seed in 0..3 {
        let goal = Goal::Regret { horizon: Some(100_000) };
        let (report, certified) =
            run(Box::new(RipsRegret::new(question(goal, seed)).unwrap()), u64::MAX, seed);
        assert_eq!(report.samples, 100_000);
        assert!(report.survivors.iter().any(|id| id.index() == 89));
        let paper = RipsRegret::new(question(goal, seed)).unwrap().constants(Constants::Paper);
        let (_, printed) = run(Box::new(paper), u64::MAX, seed);
        println!("regret {certified:.0} certified, {printed:.0} printed");
        assert!(certified <= 0.5 * printed);
    }
}

#[test]
fn light_tails_need_a_few_hundred_measurements() {
    for seed in 0..3 {
        let (report, _) = run(Box::new(PtrBest::new(question(BEST, seed)).unwrap()), u64::MAX, seed);
        println!("ptr-best: {} measurements", report.samples);
        assert!(report.epsilon.unwrap() <= 1.0 / 64.0 && report.samples < 2_000);
    }
}
