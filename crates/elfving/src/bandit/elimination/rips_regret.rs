//! RIPS for regret minimisation, the paper's first elimination algorithm.

use super::phases::{Learned, Phases, Round, RoundRule};
use super::policy::elimination_policy;
use super::schedule::{exact_draws, printed_draws};
use super::settings::Constants;
use crate::bandit::{BanditError, Plan};
use crate::design::Criterion;
use crate::estimate::Tails;
use crate::numerics::position_of_largest;
use crate::pool::{Subset, Targets};

/// RIPS for regret: little loss while measuring, for any noise of bounded variance and means bounded by B.
///
/// A round draws from the G design of the survivors, takes the robust mean W(x) of every survivor, and drops those whose mean surely lies
/// below another one's. The last survivor, or the leader when no further round fits into the horizon, is then measured for ever.
///
/// ```
/// use elfving::bandit::{Bandit, Goal, Outcome, Question, elimination::RipsRegret};
/// use elfving::{estimate::Assumptions, numerics::Matrix, pool::Pool};
///
/// let means = [0.9, -0.2, 0.1];
/// let pool = Pool::from_features(Matrix::identity(3))?;
/// let assumptions = Assumptions::new(0.1)?.bound(1.0)?.norm(1.0)?;
/// let question = Question::new(pool, assumptions, Goal::Regret { horizon: Some(3_000) })?;
/// let mut bandit = Bandit::new(Box::new(RipsRegret::new(question)?));
/// let mut loss = 0.0;
/// while !bandit.finished() {
///     for slot in bandit.ask(100)? {
///         let mean = means[slot.point.index()];
///         loss += 0.9 - mean;
///         bandit.tell(slot.id, Outcome::from(mean + 0.1 * (slot.id.number() as f64).sin()))?;
///     }
/// }
/// assert_eq!(bandit.report().picks[0].index(), 0);
/// assert!(loss < 1_000.0); // half of what measuring all three alike would lose
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct RipsRegret(Phases);

elimination_policy!(RipsRegret, crate::bandit::Goal::Regret { .. }, "regret; for an answer use rips-best");

impl RoundRule for RipsRegret {
    const NAME: &'static str = "rips-regret";
    const TAILS: Tails = Tails::BoundedVariance;

    fn plan_round(phases: &Phases, round: &Round) -> Result<Option<Plan>, BanditError> {
        // λ_ℓ minimises f(λ; X_ℓ, γ) = max ‖φ(x)‖² over the simplex on the survivors X_ℓ.
        let design = phases.design(Criterion::G, round)?;
        // τ_ℓ: W(x) within ε_ℓ of its expectation for all x in X_ℓ, in all rounds, with probability 1 - δ.
        let log_term = phases.log_term(round, phases.survivors().len());
        let draws = match phases.constants() {
            Constants::Certified => exact_draws(log_term, design.moment, design.accuracy),
            Constants::Paper => printed_draws(log_term, phases.second_moment(), design.value, round.epsilon),
        };
        phases.draw(round, &design, draws)
    }

    fn learn_round(phases: &Phases, plan: &Plan, outcomes: &[f64]) -> Result<Learned, BanditError> {
        let survivors = phases.survivors();
        let estimator = phases.estimator(&phases.question.pool, plan, outcomes, survivors.len())?;
        if phases.too_few_for_catoni(plan, survivors.len()) {
            // The horizon cut the first round short: the leader is a guess, and nobody is out.
            let targets = Targets::Points(Subset::Of(survivors.to_vec()));
            let values = estimator.fit().predict(&phases.question.pool, &targets)?;
            return Ok(phases.learned(plan, Vec::new(), vec![survivors[position_of_largest(&values)]], None));
        }
        match phases.constants() {
            // X_{ℓ+1}: whose mean may still be the largest, by W and all earlier W.
            Constants::Certified => {
                phases.drop_below(plan, survivors.len(), estimator.means_of_survivors(phases)?)
            }
            // X_{ℓ+1} = {x : max_x' ⟨φ(x') - φ(x), θ̂⟩ < 4 ε_ℓ}.
            Constants::Paper => phases.drop_as_printed(plan, &estimator, 4.0),
        }
    }
}
