//! PTR for pure exploration.

use super::phases::{Learned, Phases, Round, RoundRule};
use super::policy::elimination_policy;
use super::schedule::statements_of_round;
use super::settings::Constants;
use crate::bandit::{BanditError, Goal, Plan};
use crate::design::Criterion;
use crate::estimate::Tails;

/// PTR for pure exploration: the best choice, the m best or all good ones, for sub-Gaussian noise; it pays for σ² alone, whatever B is.
///
/// A round rounds the XY design of the surviving choices to counts (project-then-round, with the ratio that was achieved), fits
/// ridge regression, and drops the choices that are surely beaten. It stops when the pick is surely within ε of the best.
///
/// ```
/// use elfving::bandit::{Bandit, Goal, Outcome, Question, elimination::PtrBest};
/// use elfving::{estimate::{Assumptions, Tails}, numerics::Matrix, pool::Pool};
///
/// // Two doses can be measured, three are to choose among: the line between them says it all.
/// let measurable = Matrix::from_rows(&[[1.0, 0.0], [1.0, 1.0]]);
/// let orderable = Matrix::from_rows(&[[1.0, 0.2], [1.0, 0.5], [1.0, 0.9]]);
/// let pool = Pool::from_features_with_choices(measurable, orderable)?;
/// let assumptions = Assumptions::new(0.1)?.bound(1.0)?.tails(Tails::SubGaussian);
/// let question = Question::new(pool, assumptions, Goal::Best { epsilon: 0.05 })?;
/// let mut bandit = Bandit::new(Box::new(PtrBest::new(question)?));
/// while !bandit.finished() {
///     for slot in bandit.ask(10)? {
///         let value = [0.1, 0.8][slot.point.index()] + 0.1 * (slot.id.number() as f64).sin();
///         bandit.tell(slot.id, Outcome::from(value))?;
///     }
/// }
/// assert_eq!(bandit.report().picks[0].index(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct PtrBest(Phases);

elimination_policy!(
    PtrBest,
    Goal::Best { .. } | Goal::Top { .. } | Goal::AllGood { .. },
    "the best, the m best or all good choices; for little loss use ptr-regret"
);

impl RoundRule for PtrBest {
    const NAME: &'static str = "ptr-best";
    const TAILS: Tails = Tails::SubGaussian;

    fn plan_round(phases: &Phases, round: &Round) -> Result<Option<Plan>, BanditError> {
        if phases.constants() == Constants::Paper {
            phases.only_best_as_printed(Self::NAME)?;
        }
        // λ_ℓ minimises f(λ; Z_ℓ, γ) = max ‖φ(z) - φ(z')‖² over the simplex on all points X.
        let design = phases.design(Criterion::Xy, round)?;
        // τ_ℓ counts close to λ_ℓ: the fitted differences within ε_ℓ of their expectation for all pairs of Z_ℓ.
        let log_term = phases.log_term(round, statements(phases));
        phases.count(round, &design, log_term)
    }

    fn learn_round(phases: &Phases, plan: &Plan, outcomes: &[f64]) -> Result<Learned, BanditError> {
        let estimator = phases.estimator(&phases.question.pool, plan, outcomes, statements(phases))?;
        match phases.constants() {
            // Z_{ℓ+1}: who is not beaten, by the fitted differences.
            Constants::Certified => {
                let own = estimator.means_of_survivors(phases)?;
                phases.compare(plan, statements(phases), &estimator, own)
            }
            // Z_{ℓ+1} = {z : max_z' ⟨φ(z') - φ(z), θ̂⟩ ≤ 4 ε_ℓ}: the box prints ε_ℓ, its proof needs 4 ε_ℓ.
            Constants::Paper => phases.drop_as_printed(plan, &estimator, 4.0),
        }
    }
}

fn statements(phases: &Phases) -> usize {
    statements_of_round(&phases.question.pool, phases.survivors().len(), PtrBest::TAILS)
}
