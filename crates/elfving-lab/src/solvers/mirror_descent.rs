//! Entropic mirror descent: the paper's way to compute designs.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::first_order::{Descent, Gradient, Patience, Standing, descend, largest, normalise, worst_target};
use elfving::design::Breakdown;
use elfving::design::{Canonical, Objective, materialise};
use elfving::design::{Control, Criterion, Design, DesignError, Problem, Solver, TargetRef};
use elfving::numerics::{Cholesky, Matrix, apply, dot, norm_squared, row_norms, triangular_factor};
use elfving::pool::TargetRows;

/// How far a step goes: weights are multiplied by `exp(η_t g_x / max g)`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum StepSize {
    /// `η_t = η`.
    Constant(f64),
    /// `η_t = η / √t`.
    SquareRoot(f64),
}

/// Who plays against the design in a worst-case criterion (g, xy).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Opponent {
    /// The paper's: always the worst target v̄, so that a step follows the subgradient `-(xᵀM⁻¹v̄)²`. The
    /// answer is an average over the steps, λ̄, and how often each target was the worst one is the w that proves it.
    Worst,
    /// Weights w on all targets that take mirror steps of their own, towards the targets with large q. The
    /// weights themselves converge, and fast, but every target is written out.
    Weighted,
}

/// Entropic mirror descent `λ_x ← λ_x exp(η_t g_x / max g)`, normalised, for every criterion.
///
/// Minus the gradient g is `q_x` for d, `xᵀM⁻¹SM⁻¹x` for a, v and c, and `(xᵀM⁻¹v̄)²` for g and xy (with the
/// [worst](Opponent::Worst) target v̄, or averaged over [weighted](Opponent::Weighted) ones).
///
/// | setting | default | effect |
/// |---|---|---|
/// | `opponent` | `Worst` | for g and xy; `Weighted` is far more accurate, at the price of m more weights |
/// | `step_size` | `SquareRoot(3)` against the worst target, `Constant(1)` for d, else `Constant(0.7)` | larger moves faster; constant steps of 2 for d and of 1 for the others are where oscillation begins |
/// | `recency` | 1 | step t counts `t^recency` in the averages; 0 is the plain mean |
/// | `iteration_limit` | 100 000 | ends here even when the control would go on |
///
/// Against the worst target the *value* is soon within 1e-2 to 1e-3 of the optimum, but the certified gap falls
/// like one over the root of the steps, and hardly at all when the optimal information matrix is
/// singular: λ̄ is near the optimum, its gradient is not. Against weighted targets both sides converge themselves,
/// and a certified 1e-3 takes a few hundred steps.
///
/// Cost: a step is one pass over points and targets, 2 (n + m) r², and for xy m² r; a check costs the same again.
///
/// ```
/// use elfving::design::{Control, Criterion, Problem, Solver, DesignStatus};
/// use elfving_lab::solvers::{MirrorDescent, Opponent};
/// use elfving::{numerics::Matrix, pool::Pool, units::{Ridge, Tolerance}};
/// let pool = Pool::from_features(Matrix::from_fn(11, 2, |i, k| (i as f64 / 10.0).powi(k as i32)))?;
/// let problem = Problem::over_choices(&pool, Criterion::G, Ridge::new(0.1)?)?;
/// let method = MirrorDescent::default().opponent(Opponent::Weighted);
/// let design = method.solve(&problem, &mut Control::new(Tolerance::new(1e-3)?))?;
/// assert_eq!(design.status(), DesignStatus::Certified);
/// # Ok::<(), elfving::design::DesignError>(())
/// ```
#[derive(Debug, Clone)]
pub struct MirrorDescent {
    opponent: Opponent,
    step_size: Option<StepSize>,
    recency: f64,
    iteration_limit: usize,
}

impl Default for MirrorDescent {
    fn default() -> Self {
        Self { opponent: Opponent::Worst, step_size: None, recency: 1.0, iteration_limit: 100_000 }
    }
}

impl MirrorDescent {
    /// Who plays against the design in g and xy.
    #[must_use]
    pub fn opponent(mut self, opponent: Opponent) -> Self {
        self.opponent = opponent;
        self
    }

    /// How far a step goes.
    #[must_use]
    pub fn step_size(mut self, step_size: StepSize) -> Self {
        self.step_size = Some(step_size);
        self
    }

    /// Step t counts `t^recency` in the averages of [`Opponent::Worst`].
    #[must_use]
    pub fn recency(mut self, recency: f64) -> Self {
        self.recency = recency;
        self
    }

    /// Ends after this many steps at the latest.
    #[must_use]
    pub fn iteration_limit(mut self, limit: usize) -> Self {
        self.iteration_limit = limit;
        self
    }
}

/// Steps between two looks at the averages, which cost as much as a step.
const CHECK_EVERY: usize = 20;
/// Near the optimum g is homogeneous of degree -2 in λ (for d, -1), so that a step of η multiplies an error by up to
/// 1 - 2η: at η = 1 it would swing for ever.
const BELOW_OSCILLATION: f64 = 0.7;
/// Targets that [`Opponent::Weighted`] is ready to write out.
const MOST_TARGETS: usize = 2_000_000;

impl Solver for MirrorDescent {
    fn name(&self) -> &'static str {
        "mirror-descent"
    }

    fn solve(&self, problem: &Problem, control: &mut Control) -> Result<Design, DesignError> {
        let canonical = Canonical::new(problem)?;
        let lambda = canonical.uniform();
        let patience = |check_every| Patience { iteration_limit: self.iteration_limit, check_every };
        match (&canonical.objective, self.opponent) {
            (Objective::Largest(targets), Opponent::Worst) => {
                let schedule = Schedule::new(self.step_size.unwrap_or(StepSize::SquareRoot(3.0)));
                let game = AgainstWorst {
                    canonical: &canonical,
                    targets,
                    average: vec![0.0; lambda.len()],
                    times_worst: BTreeMap::new(),
                    total: 0.0,
                    recency: self.recency,
                    lambda,
                    schedule,
                    passes: 0,
                };
                descend(problem, self.name(), game, patience(CHECK_EVERY), control)
            }
            (Objective::Largest(_), Opponent::Weighted) if problem.target_count() > MOST_TARGETS => {
                let method = "mirror descent with a weight on each of millions of targets";
                Err(DesignError::Unsupported { method, criterion: problem.criterion() })
            }
            (Objective::Largest(targets), Opponent::Weighted) => {
                let schedule = Schedule::new(self.step_size.unwrap_or(StepSize::Constant(BELOW_OSCILLATION)));
                let game = AgainstWeighted::new(&canonical, targets, lambda, schedule)
                    .map_err(|_| problem.singular())?;
                descend(problem, self.name(), game, patience(1), control)
            }
            (goal, _) => {
                let usual = if matches!(goal, Objective::LogDet) { 1.0 } else { BELOW_OSCILLATION };
                let schedule = Schedule::new(self.step_size.unwrap_or(StepSize::Constant(usual)));
                let smooth = Smooth::new(&canonical, problem.criterion(), lambda, schedule)
                    .map_err(|_| problem.singular())?;
                descend(problem, self.name(), smooth, patience(1), control)
            }
        }
    }
}

/// Step sizes in order.
struct Schedule {
    step_size: StepSize,
    taken: usize,
}

impl Schedule {
    fn new(step_size: StepSize) -> Self {
        Self { step_size, taken: 0 }
    }

    fn next(&mut self) -> f64 {
        self.taken += 1;
        match self.step_size {
            StepSize::Constant(eta) => eta,
            StepSize::SquareRoot(eta) => eta / (self.taken as f64).sqrt(),
        }
    }
}

/// `weights ← weights · exp(η g / max g)`, normalised.
fn mirror_step(weights: &mut [f64], g: &[f64], eta: f64) {
    let largest = largest(g);
    if largest == 0.0 {
        return; // next to the ridge nothing that is measured matters
    }
    for (weight, g) in weights.iter_mut().zip(g) {
        *weight *= (eta * (g / largest - 1.0)).exp();
    }
    normalise(weights);
}

/// Descent on a criterion that has a gradient.
struct Smooth<'a> {
    canonical: &'a Canonical<'a>,
    criterion: Criterion,
    lambda: Vec<f64>,
    gradient: Gradient,
    schedule: Schedule,
}

impl<'a> Smooth<'a> {
    fn new(
        canonical: &'a Canonical,
        criterion: Criterion,
        lambda: Vec<f64>,
        schedule: Schedule,
    ) -> Result<Self, Breakdown> {
        let gradient = Gradient::new(canonical, &canonical.information(&lambda)?)?;
        Ok(Self { canonical, criterion, lambda, gradient, schedule })
    }
}

impl Descent for Smooth<'_> {
    fn step(&mut self) -> Result<(), Breakdown> {
        mirror_step(&mut self.lambda, &self.gradient.g, self.schedule.next());
        self.gradient = Gradient::new(self.canonical, &self.canonical.information(&self.lambda)?)?;
        Ok(())
    }

    fn standing(&mut self) -> Result<Standing, Breakdown> {
        let gap = self.gradient.gap(self.criterion, &self.lambda);
        Ok(Standing { gap, lambda: self.lambda.clone(), target_weights: vec![] })
    }

    fn passes(&self) -> usize {
        self.schedule.taken + 1
    }
}

/// The paper's game: the opponent always answers with the worst target.
struct AgainstWorst<'a> {
    canonical: &'a Canonical<'a>,
    targets: &'a TargetRows<'a>,
    lambda: Vec<f64>,
    /// Σ_t t^recency λ_t.
    average: Vec<f64>,
    /// Σ t^recency over the steps at which the target was the worst.
    times_worst: BTreeMap<TargetRef, f64>,
    total: f64,
    recency: f64,
    schedule: Schedule,
    passes: usize,
}

impl Descent for AgainstWorst<'_> {
    fn step(&mut self) -> Result<(), Breakdown> {
        let factor = self.canonical.information(&self.lambda)?;
        let (_, worst) = worst_target(self.targets, &factor);
        let mut solved = materialise(self.targets, &[worst]);
        factor.solve_rows(&mut solved);
        let mut g = apply(&self.canonical.points, solved.row(0));
        g.iter_mut().for_each(|value| *value *= *value);
        self.passes += 1;

        let eta = self.schedule.next();
        let count = (self.schedule.taken as f64).powf(self.recency);
        self.average.iter_mut().zip(&self.lambda).for_each(|(sum, weight)| *sum += count * weight);
        *self.times_worst.entry(worst).or_insert(0.0) += count;
        self.total += count;
        mirror_step(&mut self.lambda, &g, eta);
        if self.lambda.iter().all(|weight| weight.is_finite()) { Ok(()) } else { Err(Breakdown) }
    }

    fn standing(&mut self) -> Result<Standing, Breakdown> {
        let played = self.total > 0.0;
        let lambda: Vec<f64> = if played {
            self.average.iter().map(|sum| sum / self.total).collect()
        } else {
            self.lambda.clone()
        };
        let factor = self.canonical.information(&lambda)?;
        let (largest, worst) = worst_target(self.targets, &factor);
        let (members, w): (Vec<TargetRef>, Vec<f64>) = if played {
            self.times_worst.iter().map(|(&target, &count)| (target, count / self.total)).unzip()
        } else {
            (vec![worst], vec![1.0])
        };
        let duel = Duel::new(self.canonical, &factor, &materialise(self.targets, &members), &w)?;
        self.passes += 1;
        let gap = duel.gap(&lambda, largest);
        Ok(Standing { gap, lambda, target_weights: members.into_iter().zip(w).collect() })
    }

    fn passes(&self) -> usize {
        self.passes
    }
}

/// Both sides take mirror steps: λ towards large g, w towards large q.
struct AgainstWeighted<'a> {
    canonical: &'a Canonical<'a>,
    members: Vec<TargetRef>,
    rows: Cow<'a, Matrix>,
    lambda: Vec<f64>,
    w: Vec<f64>,
    duel: Duel,
    schedule: Schedule,
}

/// The targets move faster than the points: their side of the game is linear and has no curvature to respect.
const TARGETS_FASTER: f64 = 2.0;

impl<'a> AgainstWeighted<'a> {
    fn new(
        canonical: &'a Canonical,
        targets: &'a TargetRows<'a>,
        lambda: Vec<f64>,
        schedule: Schedule,
    ) -> Result<Self, Breakdown> {
        let (members, rows): (Vec<TargetRef>, Cow<Matrix>) = match targets {
            TargetRows::Rows(rows) => {
                ((0..rows.rows()).map(TargetRef::Row).collect(), Cow::Borrowed(rows.as_ref()))
            }
            TargetRows::Pairs(rows) => {
                let pairs: Vec<TargetRef> = (0..rows.rows())
                    .flat_map(|i| (i + 1..rows.rows()).map(move |j| TargetRef::Pair(i, j)))
                    .collect();
                let written = materialise(targets, &pairs);
                (pairs, Cow::Owned(written))
            }
        };
        let w = vec![1.0 / members.len() as f64; members.len()];
        let duel = Duel::new(canonical, &canonical.information(&lambda)?, &rows, &w)?;
        Ok(Self { canonical, members, rows, lambda, w, duel, schedule })
    }
}

impl Descent for AgainstWeighted<'_> {
    fn step(&mut self) -> Result<(), Breakdown> {
        let eta = self.schedule.next();
        mirror_step(&mut self.lambda, &self.duel.g, eta);
        mirror_step(&mut self.w, &self.duel.q, TARGETS_FASTER * eta);
        let factor = self.canonical.information(&self.lambda)?;
        self.duel = Duel::new(self.canonical, &factor, &self.rows, &self.w)?;
        Ok(())
    }

    fn standing(&mut self) -> Result<Standing, Breakdown> {
        let gap = self.duel.gap(&self.lambda, largest(&self.duel.q));
        let target_weights = self.members.iter().copied().zip(self.w.iter().copied()).collect();
        Ok(Standing { gap, lambda: self.lambda.clone(), target_weights })
    }

    fn passes(&self) -> usize {
        self.schedule.taken + 1
    }
}

/// A design against weights w on some targets: `F = Σ w_v q_v` and `g_x = Σ w_v (xᵀM⁻¹v)²`.
struct Duel {
    q: Vec<f64>,
    level: f64,
    g: Vec<f64>,
}

impl Duel {
    fn new(canonical: &Canonical, factor: &Cholesky, rows: &Matrix, w: &[f64]) -> Result<Self, Breakdown> {
        let q = row_norms(rows, &factor.inverse_upper());
        let mut root = rows.clone();
        for (k, w) in w.iter().enumerate() {
            root.row_mut(k).iter_mut().for_each(|value| *value *= w.sqrt());
        }
        let mut solved = triangular_factor(&root);
        factor.solve_rows(&mut solved);
        let g = row_norms(&canonical.points, &solved.transposed());
        let level = dot(w, &q);
        let finite = level > 0.0 && level.is_finite() && norm_squared(&g).is_finite();
        if finite { Ok(Self { q, level, g }) } else { Err(Breakdown) }
    }

    /// `max q (F + Δ) / F² - 1` with `Δ = max g - ⟨λ, g⟩`.
    fn gap(&self, lambda: &[f64], worst: f64) -> f64 {
        let delta = (largest(&self.g) - dot(lambda, &self.g)).max(0.0);
        // In this order nothing leaves the floating-point range.
        worst / self.level * (1.0 + delta / self.level) - 1.0
    }
}
