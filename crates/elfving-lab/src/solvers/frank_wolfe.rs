//! Frank-Wolfe methods with exact line search and a cached gradient.

use super::first_order::{Descent, Gradient, Patience, Standing, descend, normalise, refuse_worst_case};
use super::rank_one::{ALMOST_ALL, Column, Inverse};
use elfving::design::Breakdown;
use elfving::design::{Canonical, Objective};
use elfving::design::{Control, Criterion, Design, DesignError, Problem, Solver};
use elfving::numerics::position_of_largest;
use elfving::numerics::{
    Cholesky, SymmetricEigen, add_scaled_row, apply, apply_transposed, dot, multiply, multiply_transposed,
    norm_squared, transposed_multiply,
};

/// Which way a Frank-Wolfe step goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Variant {
    /// Towards the point with the largest gradient (Wynn 1970, Fedorov 1972).
    Plain,
    /// Towards that point, or away from the support point with the smallest gradient (Atwood 1973, Todd and
    /// Yıldırım 2007).
    Away,
    /// From the support point with the smallest gradient to the one with the largest (Böhning 1986).
    Pairwise,
}

/// Frank-Wolfe for d, a, v and c, and for g at γ = 0 over the pool itself.
///
/// | setting | default | effect |
/// |---|---|---|
/// | `variant` | `Pairwise` | the gap of `Plain` falls like one over the steps; `Away` and `Pairwise` can drop points and converge linearly |
/// | `iteration_limit` | 1 000 000 | ends here even when the control would go on |
///
/// Starts from r points that span the space, so that the support stays small. Every step has the best length
/// along its direction. Cost: a step updates the gradient of all points by rank-one formulas in O(n r); with a
/// ridge, plain and away steps scale A(λ) but not γI and cost a pass, 2 n r² + 9 r³.
///
/// ```
/// use elfving::design::{Control, Criterion, Problem, Solver, DesignStatus};
/// use elfving_lab::solvers::{FrankWolfe, Variant};
/// use elfving::{numerics::Matrix, pool::Pool, units::{Ridge, Tolerance}};
/// let pool = Pool::from_features(Matrix::from_fn(41, 3, |i, k| (i as f64 / 20.0 - 1.0).powi(k as i32)))?;
/// let problem = Problem::over_choices(&pool, Criterion::D, Ridge::ZERO)?;
/// let method = FrankWolfe::default().variant(Variant::Pairwise);
/// let design = method.solve(&problem, &mut Control::new(Tolerance::new(1e-6)?))?;
/// assert_eq!(design.status(), DesignStatus::Certified);
/// assert_eq!(design.support().len(), 3); // -1, 0 and 1
/// # Ok::<(), elfving::design::DesignError>(())
/// ```
#[derive(Debug, Clone)]
pub struct FrankWolfe {
    variant: Variant,
    iteration_limit: usize,
}

impl Default for FrankWolfe {
    fn default() -> Self {
        Self { variant: Variant::Pairwise, iteration_limit: 1_000_000 }
    }
}

impl FrankWolfe {
    /// Which way a step goes.
    #[must_use]
    pub fn variant(mut self, variant: Variant) -> Self {
        self.variant = variant;
        self
    }

    /// Ends after this many steps at the latest.
    #[must_use]
    pub fn iteration_limit(mut self, limit: usize) -> Self {
        self.iteration_limit = limit;
        self
    }
}

/// Steps between two looks at the gap.
const CHECK_EVERY: usize = 10;
/// Rank-one updates after which everything is computed afresh, so that rounding does not add up.
const REFRESH_EVERY: usize = 200;

impl Solver for FrankWolfe {
    fn name(&self) -> &'static str {
        match self.variant {
            Variant::Plain => "frank-wolfe",
            Variant::Away => "frank-wolfe-away",
            Variant::Pairwise => "frank-wolfe-pairwise",
        }
    }

    fn solve(&self, problem: &Problem, control: &mut Control) -> Result<Design, DesignError> {
        let canonical = Canonical::new(problem)?;
        refuse_worst_case(problem, &canonical, self.name())?;
        let steps =
            Steps::new(&canonical, problem.criterion(), self.variant).map_err(|_| problem.singular())?;
        let patience = Patience { iteration_limit: self.iteration_limit, check_every: CHECK_EVERY };
        descend(problem, self.name(), steps, patience, control)
    }
}

struct Steps<'a> {
    canonical: &'a Canonical<'a>,
    criterion: Criterion,
    variant: Variant,
    lambda: Vec<f64>,
    inverse: Inverse<'a>,
    gradient: Gradient,
    without_prior: bool,
    since_refresh: usize,
    passes: usize,
}

impl<'a> Steps<'a> {
    fn new(canonical: &'a Canonical, criterion: Criterion, variant: Variant) -> Result<Self, Breakdown> {
        let lambda = canonical.spanning_start()?;
        let inverse = Inverse::new(canonical, &lambda)?;
        let gradient = Gradient::new(canonical, &canonical.information(&lambda)?)?;
        let without_prior = canonical.prior.max_abs() == 0.0;
        Ok(Self {
            canonical,
            criterion,
            variant,
            lambda,
            inverse,
            gradient,
            without_prior,
            since_refresh: 0,
            passes: 2,
        })
    }

    fn refresh(&mut self) -> Result<(), Breakdown> {
        self.inverse = Inverse::new(self.canonical, &self.lambda)?;
        self.gradient = Gradient::new(self.canonical, &self.canonical.information(&self.lambda)?)?;
        self.since_refresh = 0;
        self.passes += 1;
        Ok(())
    }

    /// The support point with the smallest gradient.
    fn weakest(&self) -> usize {
        let mut support = (0..self.lambda.len()).filter(|&i| self.lambda[i] > 0.0);
        let first = support.next().expect("weights sum to one");
        support
            .fold(first, |weakest, i| if self.gradient.g[i] < self.gradient.g[weakest] { i } else { weakest })
    }

    /// `λ ← λ + α (e_i - e_j)` with the best α.
    fn exchange(&mut self, i: usize, j: usize) {
        let points = &self.canonical.points;
        let (gaining, losing) = (self.inverse.column(points.row(i)), self.inverse.column(points.row(j)));
        let alpha = self.inverse.best_exchange((&gaining, self.lambda[i]), (&losing, self.lambda[j]));
        self.lambda[i] += alpha;
        self.lambda[j] -= alpha;
        self.add(alpha, i);
        self.add(-alpha, j);
    }

    /// `λ ← (λ + t e_i) / (1 + t)` with the best t ≥ -λ_i.
    fn stretch(&mut self, i: usize) -> Result<(), Breakdown> {
        let column = self.inverse.column(self.canonical.points.row(i));
        let t = if self.without_prior {
            self.best_stretch(&column)
        } else {
            Spectrum::new(self.canonical, &self.canonical.information(&self.lambda)?, column.x)?
                .best_stretch()
        };
        // See ALMOST_ALL: neither the point nor all the others may carry a direction away with them.
        let carries_alone = self.without_prior && self.lambda[i] * column.q > 1.0 - 1e-9;
        let least = if carries_alone { -ALMOST_ALL * self.lambda[i] } else { -self.lambda[i] };
        // A point with all the weight has nowhere to go: rounding must not send it away.
        let towards = column.g >= dot(&self.lambda, &self.gradient.g);
        let (least, most) = if towards { (0.0, 1.0 / (1.0 - ALMOST_ALL)) } else { (least, 0.0) };
        let t = if t > least { t.min(most) } else { least };
        self.lambda[i] += t;
        normalise(&mut self.lambda);
        if !self.without_prior {
            return self.refresh();
        }
        self.add(t, i);
        self.scale(1.0 / (1.0 + t));
        Ok(())
    }

    /// Without a prior, closed forms. Log det: `log(1 + t q) - r log(1 + t)`. Trace: `(1 + t)(F - t g / (1 + t q))`.
    fn best_stretch(&self, column: &Column) -> f64 {
        let (q, g, level) = (column.q, column.g, self.gradient.level);
        match self.canonical.objective {
            Objective::LogDet => (q - level) / (q * (level - 1.0)),
            Objective::Trace { .. } | Objective::Largest(_) => {
                (-1.0 + (1.0 - q * (level - g) / (level * q - g)).max(0.0).sqrt()) / q
            }
        }
    }

    /// `M ← M + t x_i x_iᵀ`, and with it the gradient of every point. Cost: O(n r).
    fn add(&mut self, t: f64, i: usize) {
        let points = &self.canonical.points;
        let column = self.inverse.column(points.row(i));
        let p = apply(points, &column.u);
        let second = self.inverse.second(&column).map(|z| apply(points, &z));
        let beta = self.inverse.add(t, &column);
        let g = &mut self.gradient.g;
        match second {
            None => g.iter_mut().zip(&p).for_each(|(g, p)| *g -= beta * p * p),
            Some(h) => {
                for ((g, p), h) in g.iter_mut().zip(&p).zip(&h) {
                    *g += beta * p * (beta * column.g * p - 2.0 * h);
                }
                self.gradient.level -= beta * column.g;
            }
        }
    }

    /// `M ← by · M`.
    fn scale(&mut self, by: f64) {
        self.inverse.scale(by);
        let power = match self.canonical.objective {
            Objective::LogDet => by,
            Objective::Trace { .. } | Objective::Largest(_) => {
                self.gradient.level /= by;
                by * by
            }
        };
        self.gradient.g.iter_mut().for_each(|g| *g /= power);
    }
}

impl Descent for Steps<'_> {
    fn step(&mut self) -> Result<(), Breakdown> {
        let strongest = position_of_largest(&self.gradient.g);
        let weakest = self.weakest();
        let average = dot(&self.lambda, &self.gradient.g);
        let (above, below) = (self.gradient.g[strongest] - average, average - self.gradient.g[weakest]);
        match self.variant {
            Variant::Pairwise => self.exchange(strongest, weakest),
            Variant::Away if below > above => self.stretch(weakest)?,
            Variant::Plain | Variant::Away => self.stretch(strongest)?,
        }
        self.since_refresh += 1;
        if self.since_refresh >= REFRESH_EVERY { self.refresh() } else { Ok(()) }
    }

    fn standing(&mut self) -> Result<Standing, Breakdown> {
        let gap = self.gradient.gap(self.criterion, &self.lambda);
        if gap.is_finite() {
            Ok(Standing { gap, lambda: self.lambda.clone(), target_weights: vec![] })
        } else {
            Err(Breakdown)
        }
    }

    fn passes(&self) -> usize {
        self.passes
    }
}

/// The criterion along `(1 + t) M(t) = M + t (x xᵀ + Γ)`, which is diagonal in one basis for all t.
struct Spectrum {
    /// Eigenvalues of `L⁻¹ (x xᵀ + Γ) L⁻ᵀ`.
    rates: Vec<f64>,
    /// The diagonal of `L⁻¹ S L⁻ᵀ` in their basis; none for log det.
    shares: Option<Vec<f64>>,
}

impl Spectrum {
    fn new(canonical: &Canonical, factor: &Cholesky, x: &[f64]) -> Result<Self, Breakdown> {
        let whitening = factor.inverse_upper();
        let y = apply_transposed(&whitening, x);
        let mut matrix = transposed_multiply(&whitening, &multiply(&canonical.prior, &whitening));
        for i in 0..y.len() {
            add_scaled_row(matrix.row_mut(i), y[i], &y);
        }
        let eigen = SymmetricEigen::new(&matrix).map_err(|_| Breakdown)?;
        let shares = match &canonical.objective {
            Objective::Trace { root, .. } => {
                let mut whitened = root.clone();
                factor.whiten_rows(&mut whitened);
                let along = multiply_transposed(&eigen.vectors, &whitened);
                Some((0..y.len()).map(|k| norm_squared(along.row(k))).collect())
            }
            Objective::LogDet | Objective::Largest(_) => None,
        };
        Ok(Self { rates: eigen.values, shares })
    }

    /// The derivative of the criterion to be minimised, in `α = t / (1 + t)`, up to a positive factor.
    ///
    /// `M(α) = M + α (E - M)`: every eigenvalue goes from 1 to its rate.
    fn slope(&self, alpha: f64) -> f64 {
        let term = |k: usize| (self.rates[k] - 1.0, 1.0 + alpha * (self.rates[k] - 1.0));
        match &self.shares {
            None => -(0..self.rates.len()).map(|k| term(k).0 / term(k).1).sum::<f64>(),
            Some(shares) => {
                -(0..shares.len()).map(|k| shares[k] * term(k).0 / term(k).1.powi(2)).sum::<f64>()
            }
        }
    }

    /// The root of the slope, which rises with α, by bisection; α < 0 goes away from the point.
    fn best_stretch(&self) -> f64 {
        let (mut low, mut high) = if self.slope(0.0) < 0.0 { (0.0, 1.0) } else { (lowest(&self.rates), 0.0) };
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if self.slope(middle) < 0.0 { low = middle } else { high = middle }
        }
        let alpha = 0.5 * (low + high);
        alpha / (1.0 - alpha)
    }
}

/// How far below zero α may go before an eigenvalue vanishes.
fn lowest(rates: &[f64]) -> f64 {
    let largest = rates.iter().copied().fold(1.0, f64::max);
    -0.999_999 / (largest - 1.0).max(1e-6)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solvers::first_order::tests::criterion;
    use elfving::numerics::Matrix;
    use elfving::pool::Pool;
    use elfving::units::Ridge;

    fn pool() -> Pool {
        Pool::from_features(Matrix::from_fn(15, 4, |i, k| ((i * i + 5 * i * k + 3 * k) as f64).sin()))
            .unwrap()
    }

    #[test]
    fn the_cached_gradient_is_the_gradient() {
        let pool = pool();
        for variant in [Variant::Plain, Variant::Away, Variant::Pairwise] {
            for (kind, gamma) in
                [(Criterion::D, 0.0), (Criterion::D, 0.2), (Criterion::A, 0.0), (Criterion::V, 0.2)]
            {
                let problem = Problem::over_choices(&pool, kind, Ridge::new(gamma).unwrap()).unwrap();
                let canonical = Canonical::new(&problem).unwrap();
                let mut steps = Steps::new(&canonical, kind, variant).unwrap_or_else(|_| panic!("definite"));
                for _ in 0..50 {
                    steps.step().unwrap_or_else(|_| panic!("definite"));
                }
                let cached = steps.gradient.clone();
                steps.refresh().unwrap_or_else(|_| panic!("definite"));
                assert!((cached.level - steps.gradient.level).abs() < 1e-10 * cached.level);
                for (a, b) in cached.g.iter().zip(&steps.gradient.g) {
                    assert!((a - b).abs() < 1e-10 * cached.level, "{variant:?} {kind} {gamma}: {a} {b}");
                }
                assert!((steps.lambda.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn the_best_stretch_is_not_beaten_by_any_other_one() {
        let pool = pool();
        let mut lambda: Vec<f64> = (0..15).map(|i| (1 + i % 4) as f64).collect();
        normalise(&mut lambda);
        for (kind, gamma) in [
            (Criterion::D, 0.0),
            (Criterion::D, 0.3),
            (Criterion::A, 0.0),
            (Criterion::V, 0.0),
            (Criterion::V, 0.3),
        ] {
            let problem = Problem::over_choices(&pool, kind, Ridge::new(gamma).unwrap()).unwrap();
            let canonical = Canonical::new(&problem).unwrap();
            let stretched = |i: usize, t: f64| -> Vec<f64> {
                (0..15).map(|k| (lambda[k] + if k == i { t } else { 0.0 }) / (1.0 + t)).collect()
            };
            for i in 0..15 {
                let mut steps =
                    Steps::new(&canonical, kind, Variant::Away).unwrap_or_else(|_| panic!("definite"));
                steps.lambda.clone_from(&lambda);
                steps.refresh().unwrap_or_else(|_| panic!("definite"));
                steps.stretch(i).unwrap_or_else(|_| panic!("definite"));
                let reached = criterion(&canonical, &steps.lambda);
                for k in 0..=200 {
                    let t = -lambda[i] + 0.01 * k as f64;
                    let other = criterion(&canonical, &stretched(i, t));
                    assert!(reached <= other + 1e-10 * other.abs(), "{kind} {gamma} {i}: {t} is better");
                }
            }
        }
    }
}
