//! A design with its certificate in one line.

use super::{Control, Criterion, Design, DesignError, ElfvingSet, InteriorPoint, Problem, Solver};
use crate::numerics::Matrix;
use crate::pool::{Pool, Subset, Targets};
use crate::units::{InvalidValue, Ridge, Tolerance};

/// A question in the making: the criterion is chosen, every choice is a target and there is no ridge until something else is
/// said.
///
/// ```
/// use elfving::prelude::*;
/// let line = Pool::from_features(Matrix::from_fn(11, 2, |i, k| (i as f64 / 10.0).powi(k as i32)))?;
/// let design = Problem::g(&line).solve(1e-9)?;
/// assert!((design.certificate().value() - 2.0).abs() < 1e-8);
/// let ridged = Problem::d(&line).gamma(0.01)?.solve(1e-6)?;
/// println!("{design}\n{ridged}");
/// # Ok::<(), elfving::design::DesignError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Optimal<'a> {
    pool: &'a Pool,
    criterion: Criterion,
    targets: Targets,
    gamma: Ridge,
}

impl<'a> Problem<'a> {
    /// The worst variance of the choices: criterion g.
    pub fn g(pool: &'a Pool) -> Optimal<'a> {
        Optimal::new(pool, Criterion::G)
    }

    /// The worst variance of a difference of two choices: criterion xy.
    pub fn xy(pool: &'a Pool) -> Optimal<'a> {
        Optimal::new(pool, Criterion::Xy)
    }

    /// The determinant of the information: criterion d.
    pub fn d(pool: &'a Pool) -> Optimal<'a> {
        Optimal::new(pool, Criterion::D)
    }

    /// The average variance of all directions: criterion a.
    pub fn a(pool: &'a Pool) -> Optimal<'a> {
        Optimal::new(pool, Criterion::A)
    }

    /// The average variance of the choices: criterion v.
    pub fn v(pool: &'a Pool) -> Optimal<'a> {
        Optimal::new(pool, Criterion::V)
    }

    /// The variance of one direction in feature space: criterion c.
    pub fn c(pool: &'a Pool, direction: &[f64]) -> Optimal<'a> {
        let direction = Matrix::from_row_major(1, direction.len(), direction.to_vec());
        Optimal::new(pool, Criterion::C).targets(Targets::Directions(direction))
    }
}

impl<'a> Optimal<'a> {
    fn new(pool: &'a Pool, criterion: Criterion) -> Self {
        Self { pool, criterion, targets: Targets::Points(Subset::All), gamma: Ridge::ZERO }
    }

    /// With the ridge γ.
    ///
    /// # Errors
    /// [`InvalidValue::Ridge`] unless γ is finite and at least 0.
    pub fn gamma(self, gamma: f64) -> Result<Self, InvalidValue> {
        Ok(Self { gamma: Ridge::new(gamma)?, ..self })
    }

    /// For other targets than all choices.
    #[must_use]
    pub fn targets(self, targets: Targets) -> Self {
        Self { targets, ..self }
    }

    /// The problem, for a [`Solver`] or a [`Control`] of your own.
    ///
    /// # Errors
    /// Those of [`Problem::new`].
    pub fn problem(&self) -> Result<Problem<'a>, DesignError> {
        match self.targets {
            Targets::Points(Subset::All) => Problem::over_choices(self.pool, self.criterion, self.gamma),
            ref other => Problem::new(self.pool, self.criterion, other.clone(), self.gamma),
        }
    }

    /// The design, by the solver that suits the problem, to this relative gap.
    ///
    /// # Errors
    /// [`InvalidValue::Tolerance`] and those of [`Problem::new`] and [`Solver::solve`].
    pub fn solve(&self, tolerance: f64) -> Result<Design, DesignError> {
        let problem = self.problem()?;
        let mut control = Control::new(Tolerance::new(tolerance)?);
        match ElfvingSet::suits(&problem) {
            true => ElfvingSet.solve(&problem, &mut control),
            false => InteriorPoint::default().solve(&problem, &mut control),
        }
    }
}
