//! A cautious smooth class with an intercept, chosen from the points alone.

use crate::numerics::Matrix;

use super::{KernelSpec, Lengthscale};

/// The constant kernel in it: a level L of the outcomes costs `(L / 10)²` of the squared norm, so that the level hardly counts.
const INTERCEPT: f64 = 100.0;
/// The variance of its smooth part: two, so that a norm of the size of the largest deviation from the level allows for functions
/// with about twice the norm of the smoothest one that reaches it (docs/assumptions.md has the measurement).
const SMOOTH: f64 = 4.0;
/// The length scales against the typical distance between two points, by columns scaled to [0, 1].
const LENGTH: f64 = 0.5;

/// `100 + 4 · Matern 5/2`, with a length scale for each column: half the root mean square distance between two points, columns scaled
/// to [0, 1], times the range of the column. Scaling a column changes nothing.
pub(super) fn smooth(points: &Matrix) -> KernelSpec {
    let n = points.rows() as f64;
    let columns: Vec<(f64, f64)> = (0..points.columns())
        .map(|k| {
            let column = || (0..points.rows()).map(|i| points[(i, k)]);
            let (lower, upper) =
                column().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
            // Halves, so that no range overflows.
            let half_range = 0.5 * upper - 0.5 * lower;
            if !(half_range > 0.0) {
                return (0.0, 0.0);
            }
            let unit = |x: f64| (0.5 * x - 0.5 * lower) / half_range;
            let mean = column().map(unit).sum::<f64>() / n;
            let variance = column().map(|x| (unit(x) - mean).powi(2)).sum::<f64>() / n;
            (2.0 * half_range, variance)
        })
        .collect();
    let typical = (2.0 * columns.iter().map(|(_, variance)| variance).sum::<f64>()).sqrt();
    let length = |(range, _): &(f64, f64)| {
        let length = LENGTH * typical * range;
        // A column that does not vary tells nothing apart, at any length scale; three digits can be typed.
        if length > 0.0 && length.is_finite() { short(length) } else { 1.0 }
    };
    let lengthscale = Lengthscale::PerFeature(columns.iter().map(length).collect());
    let smooth = KernelSpec::Scaled { scale: SMOOTH, of: Box::new(KernelSpec::Matern52 { lengthscale }) };
    KernelSpec::Sum { terms: vec![KernelSpec::Constant { value: INTERCEPT }, smooth] }
}

fn short(length: f64) -> f64 {
    format!("{length:.2e}").parse().unwrap_or(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lengths(spec: &KernelSpec) -> Vec<f64> {
        let (intercept, variance, lengthscale) = spec.smooth_parts().expect("a smooth class");
        assert_eq!((intercept, variance), (INTERCEPT, SMOOTH));
        lengthscale.values().to_vec()
    }

    #[test]
    fn two_points_at_the_ends_are_one_typical_distance_apart() {
        // Variance 1/4 on [0, 1]: the root mean square distance of two draws is √(1/2).
        let line = Matrix::from_rows(&[[0.0, 5.0], [10.0, 5.0]]);
        assert_eq!(lengths(&smooth(&line)), [3.54, 1.0], "0.5 · √0.5 · 10, and a column that does not vary");
    }

    #[test]
    fn the_scale_of_a_column_changes_nothing() {
        let points = Matrix::from_fn(12, 2, |i, k| ((i * (k + 3)) % 7) as f64);
        let scaled = Matrix::from_fn(12, 2, |i, k| points[(i, k)] * [1e3, 1e-3][k] + 7.0);
        let (a, b) = (lengths(&smooth(&points)), lengths(&smooth(&scaled)));
        assert!(
            (b[0] / a[0] / 1e3 - 1.0).abs() < 0.01 && (b[1] / a[1] / 1e-3 - 1.0).abs() < 0.01,
            "{a:?} {b:?}"
        );
    }
}
