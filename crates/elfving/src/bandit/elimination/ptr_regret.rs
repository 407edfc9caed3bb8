//! PTR for regret minimisation: the paper's alternative for sub-Gaussian noise.

use super::phases::{Learned, Phases, Round, RoundRule};
use super::policy::elimination_policy;
use super::settings::Constants;
use crate::bandit::{BanditError, Plan};
use crate::design::Criterion;
use crate::estimate::Tails;

/// PTR for regret: little loss while measuring, for sub-Gaussian noise; it pays for σ² alone, whatever B is.
///
/// A round rounds the G design of the survivors to counts (project-then-round, with the ratio that was achieved), fits ridge
/// regression, and drops the survivors whose mean surely lies below another one's.
///
/// ```
/// use elfving::bandit::{Bandit, Goal, Outcome, Question, elimination::PtrRegret};
/// use elfving::{estimate::{Assumptions, Tails}, numerics::Matrix, pool::Pool};
///
/// let means = [0.9, -0.2, 0.1];
/// let pool = Pool::from_features(Matrix::identity(3))?;
/// let assumptions = Assumptions::new(0.1)?.bound(1.0)?.norm(1.0)?.tails(Tails::SubGaussian);
/// let question = Question::new(pool, assumptions, Goal::Regret { horizon: Some(1_000) })?;
/// let mut bandit = Bandit::new(Box::new(PtrRegret::new(question)?));
/// while !bandit.finished() {
///     for slot in bandit.ask(50)? {
///         let value = means[slot.point.index()] + 0.1 * (slot.id.number() as f64).sin();
///         bandit.tell(slot.id, Outcome::from(value))?;
///     }
/// }
/// assert_eq!(bandit.report().picks[0].index(), 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct PtrRegret(Phases);

elimination_policy!(PtrRegret, crate::bandit::Goal::Regret { .. }, "regret; for an answer use ptr-best");

impl RoundRule for PtrRegret {
    const NAME: &'static str = "ptr-regret";
    const TAILS: Tails = Tails::SubGaussian;

    fn plan_round(phases: &Phases, round: &Round) -> Result<Option<Plan>, BanditError> {
        // λ_ℓ minimises f(λ; X_ℓ, γ) = max ‖φ(x)‖² over the simplex on the survivors X_ℓ.
        let design = phases.design(Criterion::G, round)?;
        // τ_ℓ counts close to λ_ℓ: the fit at x within ε_ℓ of its expectation for all x in X_ℓ, in all rounds.
        let log_term = phases.log_term(round, phases.survivors().len());
        phases.count(round, &design, log_term)
    }

    fn learn_round(phases: &Phases, plan: &Plan, outcomes: &[f64]) -> Result<Learned, BanditError> {
        let survivors = phases.survivors();
        let estimator = phases.estimator(&phases.question.pool, plan, outcomes, survivors.len())?;
        match phases.constants() {
            // X_{ℓ+1}: whose mean may still be the largest, by this fit and all earlier ones.
            Constants::Certified => {
                phases.drop_below(plan, survivors.len(), estimator.means_of_survivors(phases)?)
            }
            // X_{ℓ+1} = {x : max_x' ⟨φ(x') - φ(x), θ̂⟩ < 8 ε_ℓ}.
            Constants::Paper => phases.drop_as_printed(plan, &estimator, 8.0),
        }
    }
}
