//! Candidates that no measurement can tell apart.

use rayon::prelude::*;

use crate::numerics::Matrix;

use super::{PointId, Pool};

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
        equal_rows(self.features())
    }

    /// Groups of two or more choices with identical features; those of [`duplicates`](Pool::duplicates) when Z = X.
    pub fn duplicate_choices(&self) -> Vec<Vec<PointId>> {
        equal_rows(self.choices())
    }
}

fn equal_rows(table: &Matrix) -> Vec<Vec<PointId>> {
    let mut order: Vec<usize> = (0..table.rows()).collect();
    let compare = |&i: &usize, &j: &usize| {
        let by_row = table.row(i).partial_cmp(table.row(j)).expect("a pool has finite features only");
        by_row.then(i.cmp(&j))
    };
    order.par_sort_unstable_by(compare);
    let runs = order.chunk_by(|&i, &j| table.row(i) == table.row(j)).filter(|run| run.len() > 1);
    let mut groups: Vec<Vec<PointId>> =
        runs.map(|run| run.iter().map(|&i| PointId::new(i)).collect()).collect();
    groups.sort_unstable();
    groups
}
