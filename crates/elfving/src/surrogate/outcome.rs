//! From the outcomes of a table to those of the model and back.

use serde::{Deserialize, Serialize};

use super::YeoJohnson;

/// Which outcomes are good.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Aim {
    /// Large ones.
    #[default]
    Maximise,
    /// Small ones; in the model their sign is changed.
    Minimise,
}

/// The increasing map from "how good" to the model's units: z-score, [Yeo-Johnson](YeoJohnson), and standardised again,
/// each by mean and standard deviation of the *distinct-row averages*, so that a row measured often counts once.
///
/// In the model large is always good.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OutcomeScale {
    aim: Aim,
    unit: f64,
    centre: f64,
    spread: f64,
    warp: YeoJohnson,
    mean: f64,
    deviation: f64,
}

/// A prediction in the units of the table.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Reported {
    /// The middle of the distribution.
    pub median: f64,
    /// The smaller end of the interval.
    pub lower: f64,
    /// The larger end.
    pub upper: f64,
}

impl OutcomeScale {
    /// The map that changes nothing but, to minimise, the sign: for outcomes that are in the model's units already, of spread
    /// about 1.
    pub fn unchanged(aim: Aim) -> Self {
        let warp = YeoJohnson::IDENTITY;
        Self { aim, unit: 1.0, centre: 0.0, spread: 1.0, warp, mean: 0.0, deviation: 1.0 }
    }

    /// Learns the map from the outcomes of each distinct row; `warp` allows λ above 1.
    ///
    /// Where nothing varies, deviations are taken as 1. Outcomes must be finite, and every row must have one.
    ///
    /// ```
    /// use elfving::surrogate::{Aim, OutcomeScale};
    /// let map = OutcomeScale::learn(&[vec![10.0, 12.0], vec![20.0], vec![30.0]], Aim::Minimise, true);
    /// assert!(map.forward(10.0) > map.forward(30.0)); // small is good
    /// assert!((map.inverse(map.forward(17.0)) - 17.0).abs() < 1e-12);
    /// ```
    pub fn learn(rows: &[Vec<f64>], aim: Aim, warp: bool) -> Self {
        // Outcomes are divided by the largest first: sums of 1e308 do not overflow.
        let largest = rows.iter().flatten().fold(0.0f64, |largest, y| largest.max(y.abs()));
        let unit = if largest > 0.0 { largest } else { 1.0 };
        let mut map = Self { unit, ..Self::unchanged(aim) };
        (map.centre, map.spread) = moments(&map.row_averages(rows));
        if warp {
            map.warp = YeoJohnson::most_likely(&map.row_averages(rows));
        }
        (map.mean, map.deviation) = moments(&map.row_averages(rows));
        map
    }

    /// The average of each row under the map as it is.
    fn row_averages(&self, rows: &[Vec<f64>]) -> Vec<f64> {
        rows.iter().map(|row| row.iter().map(|y| self.forward(*y)).sum::<f64>() / row.len() as f64).collect()
    }

    /// The model's value of an outcome.
    pub fn forward(&self, outcome: f64) -> f64 {
        (self.warp.forward(self.z_score(outcome)) - self.mean) / self.deviation
    }

    /// The outcome of a model's value.
    pub fn inverse(&self, value: f64) -> f64 {
        let z = self.warp.inverse(value * self.deviation + self.mean);
        // An interval may reach beyond the largest number; its end is that number then.
        (self.sign() * (z * self.spread + self.centre) * self.unit).clamp(-f64::MAX, f64::MAX)
    }

    /// `|d forward / d outcome|`: what a small standard error is multiplied by.
    pub fn slope(&self, outcome: f64) -> f64 {
        let log = self.warp.log_slope(self.z_score(outcome));
        log.exp() / (self.spread * self.deviation) / self.unit
    }

    /// Median and the interval `mean ± width · deviation` of a normal prediction, in the units of the table.
    pub fn report(&self, mean: f64, deviation: f64, width: f64) -> Reported {
        let (a, b) = (self.inverse(mean - width * deviation), self.inverse(mean + width * deviation));
        Reported { median: self.inverse(mean), lower: a.min(b), upper: a.max(b) }
    }

    /// The Yeo-Johnson part.
    pub fn warp(&self) -> YeoJohnson {
        self.warp
    }

    /// Which outcomes are good.
    pub fn aim(&self) -> Aim {
        self.aim
    }

    fn z_score(&self, outcome: f64) -> f64 {
        (self.sign() * (outcome / self.unit) - self.centre) / self.spread
    }

    fn sign(&self) -> f64 {
        match self.aim {
            Aim::Maximise => 1.0,
            Aim::Minimise => -1.0,
        }
    }
}

/// Mean and standard deviation (divided by n); the latter 1 where the values differ by rounding only.
fn moments(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let deviation = (values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>() / n).sqrt();
    let rounding = 8.0 * f64::EPSILON * values.iter().fold(0.0f64, |largest, value| largest.max(value.abs()));
    (mean, if deviation > rounding { deviation } else { 1.0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows() -> Vec<Vec<f64>> {
        vec![vec![3.0, 3.4], vec![-50.0], vec![4.0, 4.1, 4.2], vec![5.0], vec![0.0], vec![4.4]]
    }

    #[test]
    fn averages_of_distinct_rows_are_standardised() {
        for aim in [Aim::Maximise, Aim::Minimise] {
            let map = OutcomeScale::learn(&rows(), aim, true);
            let averages = map.row_averages(&rows());
            let (mean, deviation) = moments(&averages);
            assert!(mean.abs() < 1e-14 && (deviation - 1.0).abs() < 1e-14);
        }
    }

    #[test]
    fn units_of_the_table_do_not_matter() {
        let map = OutcomeScale::learn(&rows(), Aim::Maximise, true);
        let scaled: Vec<Vec<f64>> =
            rows().iter().map(|row| row.iter().map(|y| 1e5 * y + 7.0).collect()).collect();
        let other = OutcomeScale::learn(&scaled, Aim::Maximise, true);
        for y in [-50.0, 0.0, 4.7] {
            assert!((map.forward(y) - other.forward(1e5 * y + 7.0)).abs() < 1e-4);
        }
        assert!(map.warp().lambda() > 1.0, "the -50 is drawn in");
    }

    #[test]
    fn the_slope_is_the_derivative_and_the_inverse_inverts() {
        for aim in [Aim::Maximise, Aim::Minimise] {
            let map = OutcomeScale::learn(&rows(), aim, true);
            for y in [-49.0, -3.0, 0.5, 4.9, 8.0] {
                let difference = (map.forward(y + 1e-5) - map.forward(y - 1e-5)).abs() / 2e-5;
                assert!((difference - map.slope(y)).abs() < 1e-7 * map.slope(y).max(1.0));
                assert!((map.inverse(map.forward(y)) - y).abs() < 1e-11);
            }
            let reported = map.report(0.3, 0.2, 1.6);
            assert!(reported.lower < reported.median && reported.median < reported.upper);
        }
    }

    #[test]
    fn constant_and_extreme_outcomes_stay_finite() {
        for rows in [
            vec![vec![5.0], vec![5.0, 5.0]],
            vec![vec![0.0]],
            vec![vec![f64::MAX], vec![-f64::MAX], vec![f64::MAX]],
            vec![vec![5e-324], vec![0.0]],
            vec![vec![1e15], vec![1e15 + 0.125]],
        ] {
            let map = OutcomeScale::learn(&rows, Aim::Minimise, true);
            for y in rows.iter().flatten() {
                assert!(map.forward(*y).is_finite() && map.inverse(map.forward(*y)).is_finite());
            }
        }
    }
}
