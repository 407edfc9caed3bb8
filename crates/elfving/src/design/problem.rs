//! The question: a pool, a criterion, targets and a ridge.

use serde::{Deserialize, Serialize};
use std::fmt;

use super::DesignError;
use crate::named::named_enum;
use crate::numerics::Matrix;
use crate::pool::{Pool, Subset, TargetRows, Targets};
use crate::units::Ridge;

named_enum! {
    /// What a design minimises, with `M = A(λ) + γI` and `q_v = vᵀ M⁻¹ v`.
    pub enum Criterion: "criterion" {
        /// The worst target: `max_v q_v`.
        ///
        /// ```
        /// # use elfving::design::{Control, Criterion, InteriorPoint, Problem, Solver};
        /// # use elfving::{numerics::Matrix, pool::{Pool, Targets}, units::{Ridge, Tolerance}};
        /// // A straight line, measured at 0, 0.1, ..., 1.
        /// let line = Pool::from_features(Matrix::from_fn(11, 2, |i, k| (i as f64 / 10.0).powi(k as i32)))?;
        /// let problem = Problem::over_choices(&line, Criterion::G, Ridge::ZERO)?;
        /// let design = InteriorPoint::default().solve(&problem, &mut Control::new(Tolerance::new(1e-9)?))?;
        /// // Half of the measurements at each end; with the two coefficients the worst prediction has variance 2.
        /// assert!((design.certificate().value() - 2.0).abs() < 1e-8);
        /// # Ok::<(), elfving::design::DesignError>(())
        /// ```
        G = "g": "The largest variance of a target",
        /// The worst difference of two targets: `max_{v,v'} q_{v-v'}`.
        Xy = "xy": "The largest variance of a difference of two targets",
        /// The determinant: maximises `log det M`.
        D = "d": "The volume of the confidence region of the coefficients (the log determinant of the information is maximised)",
        /// The average over all directions: `tr M⁻¹`.
        A = "a": "The sum of the variances of the coefficients",
        /// The average over the targets: `mean_v q_v`.
        V = "v": "The average variance of the targets",
        /// One target: `q_c`.
        C = "c": "The variance of one target",
    }
}

impl Criterion {
    /// Whether larger values are better; only for [`Criterion::D`].
    pub fn is_maximised(self) -> bool {
        self == Criterion::D
    }
}

/// One target of a problem: a row of the target set, or the difference of two of its rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TargetRef {
    /// The row with this position.
    Row(usize),
    /// The first row minus the second; the first position is the smaller one.
    Pair(usize, usize),
}

impl fmt::Display for TargetRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TargetRef::Row(i) => write!(f, "target {i}"),
            TargetRef::Pair(i, j) => write!(f, "the difference of targets {i} and {j}"),
        }
    }
}

/// A design problem: which weights on the pool make the targets best known?
#[derive(Debug, Clone)]
pub struct Problem<'a> {
    pool: &'a Pool,
    criterion: Criterion,
    targets: Targets,
    gamma: Ridge,
    rows: TargetRows<'a>,
}

impl<'a> Problem<'a> {
    /// A problem with explicit targets. Criterion xy takes the differences of the targets it is given;
    /// d and a look at no targets.
    ///
    /// # Errors
    /// What [`Targets::compile`] finds, and [`DesignError::OneTarget`] for c with several targets.
    pub fn new(
        pool: &'a Pool,
        criterion: Criterion,
        targets: Targets,
        gamma: Ridge,
    ) -> Result<Self, DesignError> {
        let targets = match (criterion, targets) {
            (Criterion::Xy, Targets::Points(subset)) => Targets::Differences(subset),
            (_, targets) => targets,
        };
        let rows = match (criterion, targets.compile(pool)?) {
            (Criterion::Xy, TargetRows::Rows(rows)) if rows.rows() > 1 => TargetRows::Pairs(rows),
            (_, rows) => rows,
        };
        if criterion == Criterion::C && rows.count() != 1 {
            return Err(DesignError::OneTarget { got: rows.count() });
        }
        Ok(Self { pool, criterion, targets, gamma, rows })
    }

    /// The usual problem: every choice of the pool is a target.
    ///
    /// # Errors
    /// [`DesignError::OneTarget`] for c on a pool with several choices.
    ///
    /// ```
    /// use elfving::design::{Criterion, Problem};
    /// use elfving::{numerics::Matrix, pool::Pool, units::Ridge};
    /// let pool = Pool::from_features(Matrix::identity(4))?;
    /// let problem = Problem::over_choices(&pool, Criterion::G, Ridge::ZERO)?;
    /// assert_eq!(problem.target_count(), 4);
    /// # Ok::<(), elfving::design::DesignError>(())
    /// ```
    pub fn over_choices(pool: &'a Pool, criterion: Criterion, gamma: Ridge) -> Result<Self, DesignError> {
        // One choice has no pair to compare: its xy design is a g design.
        if criterion == Criterion::Xy && pool.choice_count() == 1 {
            return Self::new(pool, Criterion::G, Targets::Points(Subset::All), gamma);
        }
        Self::new(pool, criterion, Targets::Points(Subset::All), gamma)
    }

    /// The pool.
    pub fn pool(&self) -> &'a Pool {
        self.pool
    }

    /// The criterion.
    pub fn criterion(&self) -> Criterion {
        self.criterion
    }

    /// The targets as given.
    pub fn targets(&self) -> &Targets {
        &self.targets
    }

    /// The ridge γ.
    pub fn gamma(&self) -> Ridge {
        self.gamma
    }

    /// |V|.
    pub fn target_count(&self) -> usize {
        self.rows.count()
    }

    /// What to say when the information matrix of the problem breaks down.
    pub fn singular(&self) -> DesignError {
        DesignError::Singular { scale: self.pool.features().max_abs(), gamma: self.gamma.get() }
    }

    /// The targets in feature space.
    pub fn rows(&self) -> &TargetRows<'a> {
        &self.rows
    }

    /// Whether V is the set of measurable points itself.
    pub(super) fn targets_are_the_points(&self) -> bool {
        match &self.rows {
            TargetRows::Rows(rows) => std::ptr::eq::<Matrix>(&**rows, self.pool.features()),
            TargetRows::Pairs(_) => false,
        }
    }

    /// The named targets as rows in feature space, differences written out.
    pub(super) fn known_rows(&self, targets: &[TargetRef]) -> Result<Matrix, DesignError> {
        for &target in targets {
            let known = match (&self.rows, target) {
                (TargetRows::Rows(rows), TargetRef::Row(i)) => i < rows.rows(),
                (TargetRows::Pairs(rows), TargetRef::Pair(i, j)) => i < rows.rows() && j < rows.rows(),
                _ => false,
            };
            if !known {
                return Err(DesignError::UnknownTarget { target });
            }
        }
        Ok(materialise(&self.rows, targets))
    }

    /// A root R of the moment matrix of the averaged criteria: `RᵀR = Σ_v s_v v vᵀ`, with weights 1/|V|
    /// for v, one for c. Cost: 2 m r².
    pub(super) fn moment_root(&self) -> Matrix {
        use crate::numerics::triangular_factor;
        match (&self.criterion, &self.rows) {
            (Criterion::A, _) => Matrix::identity(self.pool.dimension()),
            (_, TargetRows::Rows(rows)) => scaled(triangular_factor(rows), 1.0 / rows.rows() as f64),
            (_, TargetRows::Pairs(rows)) => {
                // Σ_{i<j} (z_i - z_j)(z_i - z_j)ᵀ = m Σ (z_i - z̄)(z_i - z̄)ᵀ
                let m = rows.rows() as f64;
                let centred = centred(rows);
                scaled(triangular_factor(&centred), 2.0 / (m - 1.0))
            }
        }
    }
}

/// The named targets as rows, pairs as differences.
///
/// # Panics
/// When there is no such row.
pub fn materialise(rows: &TargetRows, targets: &[TargetRef]) -> Matrix {
    let base = rows.matrix();
    let mut out = Matrix::zeros(targets.len(), base.columns());
    for (k, target) in targets.iter().enumerate() {
        match *target {
            TargetRef::Row(i) => out.row_mut(k).copy_from_slice(base.row(i)),
            TargetRef::Pair(i, j) => {
                for ((value, a), b) in out.row_mut(k).iter_mut().zip(base.row(i)).zip(base.row(j)) {
                    *value = a - b;
                }
            }
        }
    }
    out
}

fn scaled(mut root: Matrix, by: f64) -> Matrix {
    root.as_mut_slice().iter_mut().for_each(|value| *value *= by.sqrt());
    root
}

fn centred(rows: &Matrix) -> Matrix {
    let m = rows.rows() as f64;
    let mut centre = vec![0.0; rows.columns()];
    for i in 0..rows.rows() {
        centre.iter_mut().zip(rows.row(i)).for_each(|(c, z)| *c += z / m);
    }
    let mut out = rows.clone();
    for i in 0..out.rows() {
        out.row_mut(i).iter_mut().zip(&centre).for_each(|(z, c)| *z -= c);
    }
    out
}
