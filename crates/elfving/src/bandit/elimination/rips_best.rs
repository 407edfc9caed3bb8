//! RIPS for pure exploration.

use super::phases::{Learned, Phases, Round, RoundRule};
use super::policy::elimination_policy;
use super::schedule::{exact_draws, printed_draws, statements_of_round};
use super::settings::Constants;
use crate::bandit::{BanditError, Goal, Plan};
use crate::design::Criterion;
use crate::estimate::Tails;

/// RIPS for pure exploration: the best choice, the m best or all good ones, for any noise of bounded variance and means bounded by B. What is
/// measured and what is chosen among may be two tables.
///
/// A round draws from the XY design of the surviving choices over all measurable points, takes the robust mean W of the differences that
/// decide, and drops the choices that are surely beaten. It stops when the pick is surely within ε of the best.
///
/// ```
/// use elfving::bandit::{Bandit, Goal, Outcome, Question, elimination::RipsBest};
/// use elfving::{estimate::Assumptions, numerics::Matrix, pool::Pool};
///
/// let means = [0.9, -0.2, 0.1];
/// let pool = Pool::from_features(Matrix::identity(3))?;
/// let assumptions = Assumptions::new(0.1)?.bound(1.0)?;
/// let question = Question::new(pool, assumptions, Goal::Best { epsilon: 0.1 })?;
/// let mut bandit = Bandit::new(Box::new(RipsBest::new(question)?));
/// while !bandit.finished() {
///     for slot in bandit.ask(100)? {
///         let value = means[slot.point.index()] + 0.1 * (slot.id.number() as f64).sin();
///         bandit.tell(slot.id, Outcome::from(value))?;
///     }
/// }
/// let report = bandit.report();
/// assert_eq!(report.picks[0].index(), 0);
/// assert!(report.epsilon.unwrap() <= 0.1);
/// println!("{report}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct RipsBest(Phases);

elimination_policy!(
    RipsBest,
    Goal::Best { .. } | Goal::Top { .. } | Goal::AllGood { .. },
    "the best, the m best or all good choices; for little loss use rips-regret"
);

impl RoundRule for RipsBest {
    const NAME: &'static str = "rips-best";
    const TAILS: Tails = Tails::BoundedVariance;

    fn plan_round(phases: &Phases, round: &Round) -> Result<Option<Plan>, BanditError> {
        // λ_ℓ minimises f(λ; Z_ℓ, γ) = max ‖φ(z) - φ(z')‖² over the simplex on all points X.
        let design = phases.design(Criterion::Xy, round)?;
        // τ_ℓ: W(z - z') within ε_ℓ of its expectation for all pairs of Z_ℓ.
        let draws = match phases.constants() {
            Constants::Certified => {
                let log_term = phases.log_term(round, statements(phases));
                exact_draws(log_term, design.moment, design.accuracy)
            }
            Constants::Paper => {
                phases.only_best_as_printed(Self::NAME)?;
                let log_term = phases.log_term(round, phases.pairs());
                printed_draws(log_term, phases.second_moment(), design.value, round.epsilon)
            }
        };
        phases.draw(round, &design, draws)
    }

    fn learn_round(phases: &Phases, plan: &Plan, outcomes: &[f64]) -> Result<Learned, BanditError> {
        let pool = &phases.question.pool;
        if phases.constants() == Constants::Paper {
            // Z_{ℓ+1} = {z : max_z' ⟨φ(z') - φ(z), θ̂⟩ ≤ 2 ε_ℓ}.
            let estimator = phases.estimator(pool, plan, outcomes, phases.pairs())?;
            return phases.drop_as_printed(plan, &estimator, 2.0);
        }
        let estimator = phases.estimator(pool, plan, outcomes, statements(phases))?;
        // W at the points themselves: what the next round is centred on.
        let stated = if pool.chooses_among_itself() {
            estimator.means_of_points()?
        } else {
            let measurable = pool.points_only();
            let of_points = phases.estimator(&measurable, plan, outcomes, statements(phases))?;
            [of_points.means_of_points()?, estimator.means_of_survivors(phases)?].concat()
        };
        // Z_{ℓ+1}: who is not beaten, by the W of differences.
        phases.compare(plan, statements(phases), &estimator, stated)
    }
}

fn statements(phases: &Phases) -> usize {
    statements_of_round(&phases.question.pool, phases.survivors().len(), RipsBest::TAILS)
}
