//! Ask what to measure, tell what came out, until the best is found: `cargo run --example ask_and_tell`.

use std::error::Error;
use std::sync::Arc;

use elfving::pool::kernels::Matern52;
use elfving::prelude::*;

pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    let points = Points::new(Matrix::from_fn(30, 1, |i, _| i as f64 / 30.0))?;
    let pool = Pool::from_kernel(Arc::new(Matern52::new(0.5)?), points, None, &Factorisation::default())?;

    // What we assume, and what we want: one candidate within 0.3 of the best, wrong with probability 5 % at most.
    let assumptions = Assumptions::new(0.1)?.tails(Tails::SubGaussian).norm(2.0)?;
    let question = Question::new(pool, assumptions, Goal::Best { epsilon: 0.3 })?.seed(7);
    let (algorithm, why) = Algorithm::auto(&question);
    println!("{}: {why}", algorithm.name());

    let truth = |i: usize| 1.0 - (i as f64 / 30.0 - 0.6).abs();
    let mut bandit = Bandit::new(algorithm.start(question)?);
    while !bandit.finished() {
        // Eight at a time; in a laboratory this is a plate.
        for slot in bandit.ask(8)? {
            let noise = 0.1 * (78.233 * slot.id.number() as f64).sin();
            bandit.tell(slot.id, Outcome::from(truth(slot.point.index()) + noise))?;
        }
    }
    let report = bandit.report();
    println!("{report}");
    assert!(truth(18) - truth(report.picks[0].index()) <= 0.3);
    Ok(())
}
