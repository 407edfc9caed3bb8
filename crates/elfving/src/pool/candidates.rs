//! The pool: measurable points X and choices Z in one feature space.

use std::fmt;
use std::sync::Arc;

use rayon::prelude::*;

use crate::numerics::{Matrix, PivotedCholesky};

use super::feature_maps::PivotedCholeskyFeatures;
use super::points::check_table;
use super::{ChoiceId, ExactKernel, Factorisation, Kernel, PointId, Points, PoolError, gram};

/// The finite set X that can be measured, and the set Z to choose among (X itself unless given).
///
/// Features are shared, not copied, when a pool is cloned or when Z = X.
#[derive(Clone)]
pub struct Pool {
    features: Arc<Matrix>,
    /// Z, when it is not X.
    other_choices: Option<Arc<Matrix>>,
    exact: Option<ExactKernel>,
    residual: f64,
}

impl Pool {
    /// A pool of explicit features, n × r, taken without copying.
    ///
    /// # Errors
    /// [`PoolError::NoPoints`], [`PoolError::NoFeatures`], [`PoolError::NotFinite`].
    ///
    /// ```
    /// use elfving::{numerics::Matrix, pool::Pool};
    /// let pool = Pool::from_features(Matrix::identity(3))?;
    /// assert_eq!((pool.len(), pool.choice_count(), pool.dimension()), (3, 3, 3));
    /// # Ok::<(), elfving::pool::PoolError>(())
    /// ```
    pub fn from_features(x: Matrix) -> Result<Pool, PoolError> {
        check_table(&x)?;
        Ok(Pool { features: Arc::new(x), other_choices: None, exact: None, residual: 0.0 })
    }

    /// A pool of explicit features in which one set is measured (x: n × r) and another one is
    /// chosen from (z: m × r).
    ///
    /// # Errors
    /// Those of [`Pool::from_features`] for either matrix; [`PoolError::ColumnCount`] when they do
    /// not have the same columns.
    pub fn from_features_with_choices(x: Matrix, z: Matrix) -> Result<Pool, PoolError> {
        check_table(&z)?;
        if z.columns() != x.columns() {
            return Err(PoolError::ColumnCount { expected: x.columns(), got: z.columns() });
        }
        Ok(Pool { other_choices: Some(Arc::new(z)), ..Pool::from_features(x)? })
    }

    /// A pool given by a kernel on raw coordinates: X and Z together go through one pivoted Cholesky
    /// factorisation. Cost O((n + m) r²), memory (n + m) × r, with r the numerical rank.
    ///
    /// # Errors
    /// What [`Kernel::check`] finds; [`PoolError::ColumnCount`] when X and Z differ in dimension;
    /// [`PoolError::Parameter`] for the settings; [`PoolError::KernelNotFinite`] for a kernel that
    /// overflows, [`PoolError::NotPositiveSemidefinite`] for one that is not a kernel.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use elfving::numerics::Matrix;
    /// use elfving::pool::{Factorisation, Points, Pool, kernels::Matern52};
    /// let measurable = Points::new(Matrix::from_fn(30, 2, |i, k| (i * (k + 3) % 7) as f64))?;
    /// let orderable = Points::new(Matrix::from_fn(5, 2, |i, k| (i + k) as f64 + 0.5))?;
    /// let kernel = Arc::new(Matern52::new(2.0)?);
    /// let pool = Pool::from_kernel(kernel, measurable, Some(orderable), &Factorisation::default())?;
    /// assert_eq!((pool.len(), pool.choice_count()), (30, 5));
    /// # Ok::<(), elfving::pool::PoolError>(())
    /// ```
    pub fn from_kernel(
        kernel: Arc<dyn Kernel>,
        x: Points,
        z: Option<Points>,
        settings: &Factorisation,
    ) -> Result<Pool, PoolError> {
        let measurable = x.len();
        let first_choice = if z.is_some() { measurable } else { 0 };
        let atoms = match z {
            Some(z) => x.followed_by(&z)?,
            None => x,
        };
        let map = PivotedCholeskyFeatures::new(Arc::clone(&kernel), *settings);
        let factorised = map.factorise(&atoms)?;
        let exact = ExactKernel::from_kernel(kernel, atoms, first_choice);
        Ok(Pool::from_factor(factorised, measurable, exact))
    }

    /// A pool given by its kernel matrix, N × N with N = n + m: the first `measurable` = n rows are
    /// X, the rest are Z; with n = N the pool chooses among itself. Cost O(N² r) for the checks.
    ///
    /// Nothing is added to the diagonal: a matrix that is not a kernel matrix is refused. Asymmetry
    /// and negative eigenvalues up to `settings.residual` (relative) pass as rounding; for a matrix
    /// computed in single precision, say so with a residual of 1e-6.
    ///
    /// # Errors
    /// [`PoolError::NotSquare`], [`PoolError::MeasurableCount`], [`PoolError::NotFinite`],
    /// [`PoolError::NotSymmetric`] with the worst entry, [`PoolError::NotPositiveSemidefinite`] with
    /// the smallest eigenvalue found.
    pub fn from_gram(gram: Matrix, measurable: usize, settings: &Factorisation) -> Result<Pool, PoolError> {
        check_table(&gram)?;
        let atoms = gram.rows();
        if !(1..=atoms).contains(&measurable) {
            return Err(PoolError::MeasurableCount { measurable, atoms });
        }
        let factorised = gram::factorise(&gram, settings)?;
        let first_choice = if measurable < atoms { measurable } else { 0 };
        let exact = ExactKernel::from_gram(gram, first_choice);
        Ok(Pool::from_factor(factorised, measurable, exact))
    }

    fn from_factor(factorised: PivotedCholesky, measurable: usize, exact: ExactKernel) -> Pool {
        let (atoms, rank) = (factorised.factor.rows(), factorised.factor.columns());
        // A kernel that is zero everywhere has rank 0: one feature, always 0, says the same.
        let columns = rank.max(1);
        let mut x = if rank > 0 { factorised.factor.into_vec() } else { vec![0.0; atoms] };
        let z = x.split_off(measurable * columns);
        let choices = atoms - measurable;
        Pool {
            features: Arc::new(Matrix::from_row_major(measurable, columns, x)),
            other_choices: (choices > 0).then(|| Arc::new(Matrix::from_row_major(choices, columns, z))),
            exact: Some(exact),
            residual: factorised.max_residual,
        }
    }

    /// X: the features of the measurable points, n × r.
    pub fn features(&self) -> &Matrix {
        &self.features
    }

    /// Z: the features of the choices, m × r; the same matrix as [`Pool::features`] when Z = X.
    pub fn choices(&self) -> &Matrix {
        self.other_choices.as_ref().unwrap_or(&self.features)
    }

    /// Whether Z = X.
    pub fn chooses_among_itself(&self) -> bool {
        self.other_choices.is_none()
    }

    /// The choice that a point is; none unless Z = X.
    ///
    /// ```
    /// use elfving::numerics::Matrix;
    /// use elfving::pool::{ChoiceId, PointId, Pool};
    /// let pool = Pool::from_features(Matrix::identity(3))?;
    /// assert_eq!(pool.choice_of(PointId::new(2)), Some(ChoiceId::new(2)));
    /// let others = Pool::from_features_with_choices(Matrix::identity(3), Matrix::identity(3))?;
    /// assert_eq!(others.choice_of(PointId::new(2)), None);
    /// # Ok::<(), elfving::pool::PoolError>(())
    /// ```
    pub fn choice_of(&self, point: PointId) -> Option<ChoiceId> {
        self.chooses_among_itself().then(|| ChoiceId::new(point.index()))
    }

    /// The point that a choice is; none unless Z = X.
    pub fn point_of(&self, choice: ChoiceId) -> Option<PointId> {
        self.chooses_among_itself().then(|| PointId::new(choice.index()))
    }

    /// Number n of measurable points, at least 1.
    pub fn len(&self) -> usize {
        self.features.rows()
    }

    /// Always false: a pool has at least one point.
    pub fn is_empty(&self) -> bool {
        self.features.rows() == 0
    }

    /// Number m of choices, at least 1.
    pub fn choice_count(&self) -> usize {
        self.choices().rows()
    }

    /// Number r of features.
    pub fn dimension(&self) -> usize {
        self.features.columns()
    }

    /// The kernel the features come from; none for explicit features.
    pub fn exact(&self) -> Option<&ExactKernel> {
        self.exact.as_ref()
    }

    /// The largest `k(x, x) - |φ(x)|²` over points and choices; 0 for explicit features.
    ///
    /// A residual ρ makes a squared norm q at most `ρ (1 + √q)² / γ` too small, never too large.
    pub fn residual(&self) -> f64 {
        self.residual
    }

    /// The pool of these measurable points only, in the order given. The choices are the same
    /// points when the pool chooses among itself, and stay as they are otherwise.
    ///
    /// # Panics
    /// When `points` is empty or names a point the pool does not have.
    pub fn restrict(&self, points: &[PointId]) -> Pool {
        assert!(!points.is_empty(), "a pool has at least one point");
        let rows: Vec<usize> = points.iter().map(|id| id.index()).collect();
        let mut restricted = Pool {
            features: Arc::new(self.features.select_rows(&rows)),
            other_choices: self.other_choices.clone(),
            exact: self.exact.as_ref().map(|exact| exact.restrict(&rows)),
            residual: 0.0,
        };
        restricted.residual = restricted.measured_residual();
        restricted
    }

    /// The same measurable points, to choose among themselves; their features are shared.
    pub fn points_only(&self) -> Pool {
        Pool {
            features: Arc::clone(&self.features),
            other_choices: None,
            exact: self.exact.as_ref().map(|exact| exact.points_only(self.len())),
            residual: self.residual,
        }
    }

    /// `k(x, x) - |φ(x)|²` of every measurable point, at least 0; zeros for explicit features.
    pub fn residuals(&self) -> Vec<f64> {
        self.residuals_of(&self.features, 0)
    }

    /// The same of every choice.
    pub fn choice_residuals(&self) -> Vec<f64> {
        let first = self.exact.as_ref().map_or(0, |exact| exact.choice_atom(0));
        self.residuals_of(self.choices(), first)
    }

    fn residuals_of(&self, features: &Matrix, first_atom: usize) -> Vec<f64> {
        let Some(exact) = &self.exact else { return vec![0.0; features.rows()] };
        let residual = |i: usize| {
            let squared_norm = features.row(i).iter().map(|v| v * v).sum::<f64>();
            (exact.value(first_atom + i, first_atom + i) - squared_norm).max(0.0)
        };
        (0..features.rows()).map(residual).collect()
    }

    /// [`Pool::residual`], recomputed from the features and the exact kernel.
    fn measured_residual(&self) -> f64 {
        let of_choices = if self.chooses_among_itself() { Vec::new() } else { self.choice_residuals() };
        self.residuals().into_iter().chain(of_choices).fold(0.0, f64::max)
    }
}

impl fmt::Display for Pool {
    /// `501 points in 110 dimensions, residual 9.2e-13`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} points", self.len())?;
        if !self.chooses_among_itself() {
            write!(f, " and {} choices", self.choice_count())?;
        }
        write!(f, " in {} dimensions", self.dimension())?;
        if self.exact.is_some() {
            write!(f, ", residual {:.1e}", self.residual)?;
        }
        Ok(())
    }
}

impl fmt::Debug for Pool {
    /// A million rows help nobody in a message: the same words as `Display`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Pool({self})")
    }
}

impl Pool {
    /// Groups of two or more measurable points with identical features (0 and -0 are the same).
    ///
    /// Members in order, groups by their first member. Points with equal coordinates have equal
    /// features also when these come from a kernel. Cost O(n log n) comparisons of rows.
    ///
    /// ```
    /// use elfving::numerics::Matrix;
    /// use elfving::pool::{PointId, Pool};
    /// let pool = Pool::from_features(Matrix::from_rows(&[[1.0], [2.0], [1.0]]))?;
    /// assert_eq!(pool.duplicates(), vec![vec![PointId::new(0), PointId::new(2)]]);
    /// # Ok::<(), elfving::pool::PoolError>(())
    /// ```
    pub fn duplicates(&self) -> Vec<Vec<PointId>> {
        equal_rows(self.features(), PointId::new)
    }

    /// Groups of two or more choices with identical features; those of [`duplicates`](Pool::duplicates) when Z = X.
    pub fn duplicate_choices(&self) -> Vec<Vec<ChoiceId>> {
        equal_rows(self.choices(), ChoiceId::new)
    }
}

fn equal_rows<Id: Ord>(table: &Matrix, name: impl Fn(usize) -> Id) -> Vec<Vec<Id>> {
    let mut order: Vec<usize> = (0..table.rows()).collect();
    let compare = |&i: &usize, &j: &usize| {
        let by_row = table.row(i).partial_cmp(table.row(j)).expect("a pool has finite features only");
        by_row.then(i.cmp(&j))
    };
    order.par_sort_unstable_by(compare);
    let runs = order.chunk_by(|&i, &j| table.row(i) == table.row(j)).filter(|run| run.len() > 1);
    let mut groups: Vec<Vec<Id>> = runs.map(|run| run.iter().map(|&i| name(i)).collect()).collect();
    groups.sort_unstable();
    groups
}
