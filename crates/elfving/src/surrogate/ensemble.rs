//! Parameters that the measurements leave open: draws around the most probable ones.

use crate::numerics::rng::Stream;
use crate::numerics::{Matrix, SymmetricEigen, add_scaled_row};

use super::fit::SCREEN_ABOVE;
use super::samples::fill_normal;
use super::{Fit, Parameters, Surrogate};

/// The step of the central differences, in logarithms: the gradient is exact, so that what is left is its third derivative.
const STEP: f64 = 1e-2;
/// The least curvature in any direction: what the widest prior has by itself is 0.4.
const LEAST_CURVATURE: f64 = 0.25;
/// With more columns than this their length scales move together in the draws: a column alone is hardly seen then, and each costs
/// two evaluations.
const MOST_COLUMNS: usize = 40;

impl Surrogate {
    /// `count` draws of the parameters from the normal distribution of their logarithms that has the log posterior's curvature at the
    /// fit (Laplace's approximation), in pairs on both sides of it.
    ///
    /// Where the fit is not an optimum, or the curvature cannot be had, the curvature is taken as that of the priors or a little less.
    /// Cost: 2 (G + 2) evaluations of the likelihood, on at most 400 distinct rows.
    ///
    /// ```
    /// use elfving::numerics::Matrix;
    /// use elfving::numerics::rng::{Purpose, stream};
    /// use elfving::pool::PointId;
    /// use elfving::surrogate::{Columns, Measurement, Space, Surrogate};
    /// let space = Space::new(&Columns::numeric(Matrix::from_fn(9, 1, |i, _| i as f64)), None)?;
    /// let measured: Vec<_> = (0..9).map(|i| Measurement::new(PointId::new(i), (i as f64).sin())).collect();
    /// let surrogate = Surrogate::default();
    /// let fit = surrogate.fit(&space, &measured, None)?;
    /// let draws = surrogate.plausible(&fit, 6, &mut stream(1, 0, Purpose::new("plausible")));
    /// assert_eq!(draws.len(), 6);
    /// # Ok::<(), elfving::surrogate::SurrogateError>(())
    /// ```
    pub fn plausible(&self, fit: &Fit, count: usize, random: &mut Stream) -> Vec<Parameters> {
        let centre = fit.parameters().logs();
        let root = self.spread(fit, &centre);
        let bounds = self.bounds(fit.space().dimension());
        let mut draws = Vec::with_capacity(count + 1);
        let mut normals = vec![0.0; root.rows()];
        while draws.len() < count {
            fill_normal(&mut normals, random);
            for sign in [1.0, -1.0] {
                let mut logs = centre.clone();
                for (k, normal) in normals.iter().enumerate() {
                    add_scaled_row(&mut logs, sign * normal, root.row(k));
                }
                for (log, (low, high)) in logs.iter_mut().zip(&bounds) {
                    *log = log.clamp(*low, *high);
                }
                draws.push(Parameters::from_logs(&logs));
            }
        }
        draws.truncate(count);
        draws
    }

    /// Rows whose outer products sum to the covariance of the logarithms.
    fn spread(&self, fit: &Fit, centre: &[f64]) -> Matrix {
        let directions = directions(centre.len());
        let curvature = self.curvature(fit, centre, &directions);
        let eigen = curvature.and_then(|curvature| SymmetricEigen::new(&curvature).ok());
        let of = |k: usize, row: &mut [f64]| {
            let Some(eigen) = &eigen else {
                let alone = LEAST_CURVATURE.sqrt().recip();
                return add_scaled_row(row, alone, directions.row(k));
            };
            let deviation = eigen.values[k].max(LEAST_CURVATURE).sqrt().recip();
            for (j, entry) in eigen.vectors.row(k).iter().enumerate() {
                add_scaled_row(row, deviation * entry, directions.row(j));
            }
        };
        let mut spread = Matrix::zeros(directions.rows(), centre.len());
        (0..directions.rows()).for_each(|k| of(k, spread.row_mut(k)));
        spread
    }

    /// The negative second derivatives of the log posterior along some directions; none where it cannot be evaluated.
    fn curvature(&self, fit: &Fit, centre: &[f64], directions: &Matrix) -> Option<Matrix> {
        let evidence = match fit.evidence().cells() > SCREEN_ABOVE {
            true => fit.evidence().thinned(fit.space(), SCREEN_ABOVE),
            false => fit.evidence().clone(),
        };
        let along = |direction: &[f64], step: f64| {
            let mut logs = centre.to_vec();
            add_scaled_row(&mut logs, step, direction);
            let parameters = Parameters::from_logs(&logs);
            evidence.evaluate(fit.space(), &parameters, self.priors_of_parameters()).ok()
        };
        let k = directions.rows();
        let mut curvature = Matrix::zeros(k, k);
        for i in 0..k {
            let (above, below) = (along(directions.row(i), STEP)?, along(directions.row(i), -STEP)?);
            for j in 0..k {
                let slope = |gradient: &[f64]| crate::numerics::dot(gradient, directions.row(j));
                let second = (slope(&below.gradient) - slope(&above.gradient)) / (2.0 * STEP);
                curvature[(i, j)] += 0.5 * second;
                curvature[(j, i)] += 0.5 * second;
            }
        }
        Some(curvature)
    }
}

/// One per logarithm; where there are many columns, one for all length scales.
fn directions(logs: usize) -> Matrix {
    let columns = logs - 2;
    if columns <= MOST_COLUMNS {
        return Matrix::identity(logs);
    }
    Matrix::from_fn(3, logs, |i, j| match i {
        0 => f64::from(u8::from(j < columns)),
        _ => f64::from(u8::from(j == columns + i - 1)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numerics::rng::{Purpose, stream};
    use crate::pool::PointId;
    use crate::surrogate::{Columns, Measurement, Space};

    fn fitted(rows: usize) -> (Surrogate, Fit) {
        let space = Space::new(&Columns::numeric(Matrix::from_fn(rows, 1, |i, _| i as f64)), None).unwrap();
        let wave = |i: usize| (12.0 * i as f64 / rows as f64).sin() + 0.1 * ((7 * i) as f64).cos();
        let measured: Vec<_> = (0..rows).map(|i| Measurement::new(PointId::new(i), wave(i))).collect();
        let surrogate = Surrogate::default();
        let fit = surrogate.fit(&space, &measured, None).unwrap();
        (surrogate, fit)
    }

    #[test]
    fn draws_have_the_spread_that_the_likelihood_leaves() {
        // Along each logarithm alone the log posterior falls by half at one conditional deviation: an independent look at the curvature.
        let (surrogate, fit) = fitted(40);
        let centre = fit.parameters().logs();
        let curvature = surrogate.curvature(&fit, &centre, &Matrix::identity(3)).unwrap();
        let value = |logs: &[f64]| {
            let found = fit.evidence().evaluate(
                fit.space(),
                &Parameters::from_logs(logs),
                surrogate.priors_of_parameters(),
            );
            found.map(|found| found.log_likelihood + found.log_prior).unwrap()
        };
        let at_the_fit = value(&centre);
        for k in 0..3 {
            let deviation = curvature[(k, k)].sqrt().recip().min(0.2);
            let fall = |sign: f64| {
                let mut logs = centre.clone();
                logs[k] += sign * deviation;
                at_the_fit - value(&logs)
            };
            let expected = 0.5 * curvature[(k, k)] * deviation * deviation;
            let found = 0.5 * (fall(1.0) + fall(-1.0));
            assert!((found - expected).abs() < 0.25 * expected, "{k}: {found} {expected}");
        }
        let draws = surrogate.plausible(&fit, 4000, &mut stream(1, 0, Purpose::new("test")));
        let inverse = {
            let eigen = SymmetricEigen::new(&curvature).unwrap();
            move |k: usize| -> f64 {
                (0..3).map(|j| eigen.vectors[(j, k)].powi(2) / eigen.values[j].max(LEAST_CURVATURE)).sum()
            }
        };
        for k in 0..3 {
            let squares: f64 = draws.iter().map(|draw| (draw.logs()[k] - centre[k]).powi(2)).sum();
            let (found, expected) = (squares / 4000.0, inverse(k));
            assert!((found - expected).abs() < 0.1 * expected, "{k}: {found} {expected}");
        }
    }

    #[test]
    fn the_more_data_the_closer_the_draws() {
        let spread = |rows| {
            let (surrogate, fit) = fitted(rows);
            let centre = fit.parameters().logs()[0];
            let draws = surrogate.plausible(&fit, 200, &mut stream(2, 0, Purpose::new("test")));
            draws.iter().map(|draw| (draw.logs()[0] - centre).powi(2)).sum::<f64>()
        };
        assert!(spread(60) < 0.5 * spread(6));
    }

    #[test]
    fn draws_come_in_pairs_around_the_fit() {
        let (surrogate, fit) = fitted(20);
        let centre = fit.parameters().logs();
        let draws = surrogate.plausible(&fit, 5, &mut stream(3, 0, Purpose::new("test")));
        assert_eq!(draws.len(), 5);
        let middle: Vec<f64> =
            draws[0].logs().iter().zip(draws[1].logs()).map(|(a, b)| 0.5 * (a + b)).collect();
        for (a, b) in middle.iter().zip(&centre) {
            assert!((a - b).abs() < 1e-12, "{middle:?} {centre:?}");
        }
    }

    #[test]
    fn many_columns_move_together() {
        let directions = directions(52);
        assert_eq!((directions.rows(), directions.columns()), (3, 52));
        assert_eq!((directions[(0, 49)], directions[(0, 50)]), (1.0, 0.0));
        assert_eq!((directions[(1, 50)], directions[(2, 51)]), (1.0, 1.0));
    }
}
