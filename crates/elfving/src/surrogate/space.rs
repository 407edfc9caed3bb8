//! The space of candidates: numbers scaled to [0, 1], categories that are the same or not.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::numerics::Matrix;
use crate::pool::{ChoiceId, PointId, row_id};

use super::SurrogateError;

/// Candidates as the table has them: numbers as they are, and a code for each category.
///
/// Codes are names: only whether two are equal matters.
#[derive(Debug, Clone, PartialEq)]
pub struct Columns {
    /// n × p numbers; p may be 0.
    pub numeric: Matrix,
    /// For each category column its n codes.
    pub categories: Vec<Vec<u32>>,
}

impl Columns {
    /// Numeric columns alone.
    pub fn numeric(numeric: Matrix) -> Self {
        Self { numeric, categories: Vec::new() }
    }

    /// Adds a category column.
    #[must_use]
    pub fn category(mut self, codes: Vec<u32>) -> Self {
        self.categories.push(codes);
        self
    }

    fn rows(&self) -> usize {
        self.numeric.rows()
    }
}

/// How two rows differ in a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnKind {
    /// `D = (a - b)²`, with the column scaled to [0, 1].
    Numeric,
    /// `D = 0` for the same level and 1 for two levels: one parameter, however many levels.
    Category,
}

/// Points X that can be measured and, where they are others, the choices Z: rows in one space.
///
/// Each column is scaled over both. A column that does not vary says nothing and is left out, so the G columns
/// here may be fewer than the table's. Rows that agree in every column are one **site**: the model knows them
/// to be the same candidate. A clone shares the coordinates.
#[derive(Debug, Clone, PartialEq)]
pub struct Space {
    coordinates: Arc<Matrix>,
    kinds: Arc<[ColumnKind]>,
    sites: Arc<[usize]>,
    points: usize,
}

row_id! {
    /// A row of a space: its points, then its choices where these are others.
    RowId
}

impl Space {
    /// Scales and checks the table of points, and that of the choices where these are others.
    ///
    /// # Errors
    /// [`SurrogateError::NoRows`], [`SurrogateError::CategoryLength`], [`SurrogateError::OtherColumns`], or
    /// [`SurrogateError::Coordinate`] for the first number that is not finite.
    ///
    /// ```
    /// use elfving::numerics::Matrix;
    /// use elfving::surrogate::{Columns, Space};
    /// let table = Columns::numeric(Matrix::from_rows(&[[20.0], [30.0], [40.0]])).category(vec![0, 7, 7]);
    /// let space = Space::new(&table, None)?;
    /// assert_eq!(space.dimension(), 2);
    /// assert_eq!(space.row(1), [0.5, 7.0]);
    /// assert_eq!(space.squared_distance(0, 1, 0), 0.25); // half the range, squared
    /// assert_eq!(space.squared_distance(0, 1, 1), 1.0); // two levels
    /// # Ok::<(), elfving::surrogate::SurrogateError>(())
    /// ```
    pub fn new(points: &Columns, choices: Option<&Columns>) -> Result<Self, SurrogateError> {
        Self::on_the_scale_of(points.rows(), points, choices)
    }

    /// The same where only the first `scaling` points and the choices set the scale: points that come later do not move those there were.
    ///
    /// # Errors
    /// Those of [`new`](Self::new).
    pub fn on_the_scale_of(
        scaling: usize,
        points: &Columns,
        choices: Option<&Columns>,
    ) -> Result<Self, SurrogateError> {
        check(points, 0)?;
        if let Some(choices) = choices {
            check(choices, points.rows())?;
            let shape = |table: &Columns| (table.numeric.columns(), table.categories.len());
            if shape(choices) != shape(points) {
                return Err(SurrogateError::OtherColumns {
                    numeric: choices.numeric.columns(),
                    categories: choices.categories.len(),
                    expected_numeric: points.numeric.columns(),
                    expected_categories: points.categories.len(),
                });
            }
        }
        let tables: Vec<&Columns> = std::iter::once(points).chain(choices).collect();
        let numbers =
            (0..points.numeric.columns()).map(|k| (ColumnKind::Numeric, numeric_column(&tables, k, scaling)));
        let codes = (0..points.categories.len()).map(|k| (ColumnKind::Category, category_column(&tables, k)));
        let varying: Vec<(ColumnKind, Vec<f64>)> = numbers
            .chain(codes)
            .filter(|(_, column)| column.iter().any(|value| *value != column[0]))
            .collect();

        let rows = tables.iter().map(|table| table.rows()).sum();
        let coordinates = Matrix::from_fn(rows, varying.len(), |i, g| varying[g].1[i]);
        let kinds = varying.iter().map(|(kind, _)| *kind).collect();
        let sites = sites_of(&coordinates).into();
        Ok(Self { sites, coordinates: Arc::new(coordinates), kinds, points: points.rows() })
    }

    /// G, the number of columns that vary.
    pub fn dimension(&self) -> usize {
        self.kinds.len()
    }

    /// Number of points.
    pub fn points(&self) -> usize {
        self.points
    }

    /// Number of choices: the points themselves unless others were given.
    pub fn choices(&self) -> usize {
        self.choice_rows().len()
    }

    /// The kinds of the G columns.
    pub fn kinds(&self) -> &[ColumnKind] {
        &self.kinds
    }

    /// The row of a point.
    pub fn point_row(&self, point: PointId) -> RowId {
        RowId::new(point.index())
    }

    /// The row of a choice; that of the point itself where the points are chosen among.
    pub fn choice_row(&self, choice: ChoiceId) -> RowId {
        RowId::new(self.choice_rows().start + choice.index())
    }

    /// Scaled coordinates of a row; the choices come after the points.
    pub fn row(&self, row: usize) -> &[f64] {
        self.coordinates.row(row)
    }

    /// `D_g` of two rows in column g.
    pub fn squared_distance(&self, a: usize, b: usize, g: usize) -> f64 {
        self.kinds[g].squared_distance(self.coordinates[(a, g)], self.coordinates[(b, g)])
    }

    /// The first row with the same coordinates.
    pub fn site(&self, row: usize) -> usize {
        self.sites[row]
    }

    /// Whether the points are chosen among, not others.
    pub fn chooses_among_itself(&self) -> bool {
        self.coordinates.rows() == self.points
    }

    pub(super) fn choice_rows(&self) -> std::ops::Range<usize> {
        let rows = self.coordinates.rows();
        if rows > self.points { self.points..rows } else { 0..rows }
    }

    pub(super) fn all_rows(&self) -> std::ops::Range<usize> {
        0..self.coordinates.rows()
    }

    /// Some rows as points of a space of their own, on the same scale: row k of it is `rows[k]`. Give every row once, and the first of its
    /// site before any other.
    pub(crate) fn part(&self, rows: &[usize]) -> Self {
        let coordinates =
            Matrix::from_fn(rows.len(), self.dimension(), |i, g| self.coordinates[(rows[i], g)]);
        let sites = sites_of(&coordinates).into();
        Self { coordinates: Arc::new(coordinates), kinds: self.kinds.clone(), sites, points: rows.len() }
    }

    /// The coordinates of some rows, a row of the answer for each column.
    pub(super) fn by_column(&self, rows: &[usize]) -> Matrix {
        Matrix::from_fn(self.dimension(), rows.len(), |g, i| self.coordinates[(rows[i], g)])
    }
}

impl ColumnKind {
    #[inline]
    pub(super) fn squared_distance(self, a: f64, b: f64) -> f64 {
        match self {
            ColumnKind::Numeric => (a - b) * (a - b),
            ColumnKind::Category => f64::from(u8::from(a != b)),
        }
    }
}

fn check(table: &Columns, rows_before: usize) -> Result<(), SurrogateError> {
    if table.rows() == 0 {
        return Err(SurrogateError::NoRows);
    }
    if let Some((column, codes)) =
        table.categories.iter().enumerate().find(|(_, codes)| codes.len() != table.rows())
    {
        return Err(SurrogateError::CategoryLength { column, expected: table.rows(), got: codes.len() });
    }
    match table.numeric.first_non_finite() {
        Some((row, column)) => Err(SurrogateError::Coordinate {
            row: rows_before + row,
            column,
            value: table.numeric[(row, column)],
        }),
        None => Ok(()),
    }
}

/// A numeric column of all tables, with that of the choices and of the first `scaling` points on [0, 1]; where these do not vary, of all
/// points; all zeros when nothing varies.
fn numeric_column(tables: &[&Columns], k: usize, scaling: usize) -> Vec<f64> {
    // Halved, so that the range of the largest numbers does not overflow.
    let mut column: Vec<f64> =
        tables.iter().flat_map(|table| (0..table.rows()).map(move |i| 0.5 * table.numeric[(i, k)])).collect();
    let points = tables[0].rows();
    let is_late = |row: usize| (scaling..points).contains(&row);
    let range_of = |all: bool| {
        let rows = column.iter().enumerate().filter(|(row, _)| all || !is_late(*row));
        rows.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), (_, value)| {
            (low.min(*value), high.max(*value))
        })
    };
    let (low, high) =
        Some(range_of(false)).filter(|(low, high)| high > low).unwrap_or_else(|| range_of(true));
    let range = high - low;
    column.iter_mut().for_each(|value| *value = if range > 0.0 { (*value - low) / range } else { 0.0 });
    column
}

fn category_column(tables: &[&Columns], k: usize) -> Vec<f64> {
    tables.iter().flat_map(|table| table.categories[k].iter().map(|&code| f64::from(code))).collect()
}

fn sites_of(coordinates: &Matrix) -> Vec<usize> {
    let mut first = BTreeMap::new();
    (0..coordinates.rows())
        .map(|i| {
            // -0 and 0 are one coordinate: adding 0 makes them the same bits.
            let key: Vec<u64> = coordinates.row(i).iter().map(|value| (value + 0.0).to_bits()).collect();
            *first.entry(key).or_insert(i)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_that_do_not_vary_are_left_out_and_equal_rows_are_one_site() {
        let points = Columns::numeric(Matrix::from_rows(&[[1.0, 5.0], [2.0, 5.0], [1.0, 5.0]]))
            .category(vec![3, 3, 3]);
        let space = Space::new(&points, None).unwrap();
        assert_eq!((space.dimension(), space.points(), space.choices()), (1, 3, 3));
        assert_eq!([space.site(0), space.site(1), space.site(2)], [0, 1, 0]);
    }

    #[test]
    fn choices_share_the_scale_of_the_points() {
        let points = Columns::numeric(Matrix::from_rows(&[[0.0], [1.0]]));
        let choices = Columns::numeric(Matrix::from_rows(&[[4.0], [1.0]]));
        let space = Space::new(&points, Some(&choices)).unwrap();
        assert_eq!((space.row(1)[0], space.row(2)[0], space.site(3)), (0.25, 1.0, 1));
        assert_eq!(space.choice_rows(), 2..4);
    }

    #[test]
    fn points_that_come_later_do_not_move_those_there_were() {
        let rows = [[0.0, 5.0], [4.0, 5.0], [2.0, 5.0], [8.0, 7.0]];
        let all = Columns::numeric(Matrix::from_rows(&rows)).category(vec![0, 1, 0, 2]);
        let first = Columns::numeric(Matrix::from_rows(&rows[..3])).category(vec![0, 1, 0]);
        let (before, after) =
            (Space::new(&first, None).unwrap(), Space::on_the_scale_of(3, &all, None).unwrap());
        assert_eq!(
            after.row(3),
            [2.0, 1.0, 2.0],
            "twice the old range; a column that varies only now; a new level"
        );
        for row in 0..3 {
            assert_eq!((after.row(row)[0], after.row(row)[2]), (before.row(row)[0], before.row(row)[1]));
        }
        assert_eq!(Space::new(&all, None).unwrap().row(1)[0], 0.5, "without that they would");
    }

    #[test]
    fn the_widest_numbers_stay_finite() {
        let table = Columns::numeric(Matrix::from_rows(&[[-f64::MAX], [0.0], [f64::MAX]]));
        let space = Space::new(&table, None).unwrap();
        assert_eq!([space.row(0)[0], space.row(1)[0], space.row(2)[0]], [0.0, 0.5, 1.0]);
    }

    #[test]
    fn bad_tables_are_refused_with_their_place() {
        let nan = Columns::numeric(Matrix::from_rows(&[[0.0], [f64::NAN]]));
        assert!(matches!(Space::new(&nan, None), Err(SurrogateError::Coordinate { row: 1, column: 0, .. })));
        let short = Columns::numeric(Matrix::zeros(2, 1)).category(vec![0]);
        assert!(matches!(Space::new(&short, None), Err(SurrogateError::CategoryLength { got: 1, .. })));
        let good = Columns::numeric(Matrix::zeros(2, 1));
        let wider = Columns::numeric(Matrix::zeros(2, 2));
        assert!(matches!(Space::new(&good, Some(&wider)), Err(SurrogateError::OtherColumns { .. })));
        assert_eq!(Space::new(&Columns::numeric(Matrix::zeros(0, 1)), None), Err(SurrogateError::NoRows));
    }
}
