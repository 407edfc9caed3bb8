//! Multiplicative updates.

use super::first_order::{
    Descent, Gradient, Patience, Standing, descend, largest, normalise, refuse_worst_case,
};
use elfving::design::Breakdown;
use elfving::design::{Canonical, Objective};
use elfving::design::{Control, Criterion, Design, DesignError, Problem, Solver};

/// Multiplicative updates `λ_x ← λ_x (g_x / ⟨λ, g⟩)^power`, for d, a, v and c, and for g at γ = 0 over the
/// pool itself.
///
/// Each update improves the criterion at the default powers, with or without a ridge (Titterington 1976,
/// Torsney 1983, Yu 2010); the gap falls like one over the number of updates. No weight ever becomes zero.
///
/// | setting | default | effect |
/// |---|---|---|
/// | `power` | 1 for d and g, 1/2 for a, v and c | larger moves faster, and above the default may oscillate |
/// | `iteration_limit` | 100 000 | ends here even when the control would go on |
///
/// Cost: an update is one pass, 2 n r².
///
/// ```
/// use elfving::design::{Control, Criterion, Problem, Solver, DesignStatus};
/// use elfving_lab::solvers::{Multiplicative};
/// use elfving::{numerics::Matrix, pool::Pool, units::{Ridge, Tolerance}};
/// let pool = Pool::from_features(Matrix::from_fn(11, 2, |i, k| (i as f64 / 10.0).powi(k as i32)))?;
/// let problem = Problem::over_choices(&pool, Criterion::D, Ridge::ZERO)?;
/// let design = Multiplicative::default().solve(&problem, &mut Control::new(Tolerance::new(1e-3)?))?;
/// assert_eq!(design.status(), DesignStatus::Certified);
/// assert!((design.certificate().value() - 0.25f64.ln()).abs() < 2e-3);
/// # Ok::<(), elfving::design::DesignError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Multiplicative {
    power: Option<f64>,
    iteration_limit: usize,
}

impl Default for Multiplicative {
    fn default() -> Self {
        Self { power: None, iteration_limit: 100_000 }
    }
}

impl Multiplicative {
    /// The exponent of every update.
    #[must_use]
    pub fn power(mut self, power: f64) -> Self {
        self.power = Some(power);
        self
    }

    /// Ends after this many updates at the latest.
    #[must_use]
    pub fn iteration_limit(mut self, limit: usize) -> Self {
        self.iteration_limit = limit;
        self
    }
}

impl Solver for Multiplicative {
    fn name(&self) -> &'static str {
        "multiplicative"
    }

    fn solve(&self, problem: &Problem, control: &mut Control) -> Result<Design, DesignError> {
        let canonical = Canonical::new(problem)?;
        refuse_worst_case(problem, &canonical, self.name())?;
        let power = self.power.unwrap_or(match canonical.objective {
            Objective::LogDet => 1.0,
            Objective::Trace { .. } | Objective::Largest(_) => 0.5,
        });
        let updates = Updates::new(&canonical, problem.criterion(), power).map_err(|_| problem.singular())?;
        let patience = Patience { iteration_limit: self.iteration_limit, check_every: 1 };
        descend(problem, self.name(), updates, patience, control)
    }
}

struct Updates<'a> {
    canonical: &'a Canonical<'a>,
    criterion: Criterion,
    power: f64,
    lambda: Vec<f64>,
    gradient: Gradient,
    passes: usize,
}

impl<'a> Updates<'a> {
    fn new(canonical: &'a Canonical, criterion: Criterion, power: f64) -> Result<Self, Breakdown> {
        let lambda = canonical.uniform();
        let gradient = Gradient::new(canonical, &canonical.information(&lambda)?)?;
        Ok(Self { canonical, criterion, power, lambda, gradient, passes: 1 })
    }
}

impl Descent for Updates<'_> {
    fn step(&mut self) -> Result<(), Breakdown> {
        let largest = largest(&self.gradient.g);
        if largest == 0.0 {
            return Err(Breakdown); // next to the ridge nothing that is measured matters
        }
        for (weight, g) in self.lambda.iter_mut().zip(&self.gradient.g) {
            *weight *= (g / largest).powf(self.power);
        }
        normalise(&mut self.lambda);
        self.gradient = Gradient::new(self.canonical, &self.canonical.information(&self.lambda)?)?;
        self.passes += 1;
        Ok(())
    }

    fn standing(&mut self) -> Result<Standing, Breakdown> {
        let gap = self.gradient.gap(self.criterion, &self.lambda);
        Ok(Standing { gap, lambda: self.lambda.clone(), target_weights: vec![] })
    }

    fn passes(&self) -> usize {
        self.passes
    }
}
