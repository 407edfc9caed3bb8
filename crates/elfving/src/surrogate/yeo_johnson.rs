//! The Yeo-Johnson transform for λ in [1, 2]: it compresses the lower tail, never the upper one.

/// The transform with its λ (Yeo and Johnson 2000):
///
/// `T(z) = ((1 + z)^λ - 1) / λ` for z ≥ 0 and `-((1 - z)^(2-λ) - 1) / (2 - λ)` below, `-log(1 - z)` at λ = 2.
///
/// λ = 1 is the identity. For λ in [1, 2] it maps the real line onto itself, so every value has an inverse.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct YeoJohnson(f64);

impl YeoJohnson {
    /// λ = 1: nothing changes.
    pub const IDENTITY: YeoJohnson = YeoJohnson(1.0);

    /// The transform with the given λ, moved into [1, 2]; a NaN is taken as 1.
    ///
    /// ```
    /// use elfving::surrogate::YeoJohnson;
    /// let log = YeoJohnson::new(2.0);
    /// assert!((log.forward(-1.0) + 2f64.ln()).abs() < 1e-15);
    /// assert!((log.inverse(log.forward(-30.0)) + 30.0).abs() < 1e-12);
    /// ```
    pub fn new(lambda: f64) -> Self {
        if lambda >= 1.0 { Self(lambda.min(2.0)) } else { Self::IDENTITY }
    }

    /// The λ that makes the values most like a normal sample: the largest [profile likelihood](Self::log_likelihood)
    /// on a grid of 21, refined by golden sections to 1e-6. λ = 1 for fewer than three different values.
    pub fn most_likely(values: &[f64]) -> Self {
        const GRID: usize = 20;
        let mut different: Vec<f64> = values.to_vec();
        different.sort_by(f64::total_cmp);
        different.dedup();
        if different.len() < 3 {
            return Self::IDENTITY;
        }
        let value = |lambda: f64| Self::new(lambda).log_likelihood(values);
        let at = |k: usize| 1.0 + k as f64 / GRID as f64;
        // Ties to the smallest λ.
        let best = (0..=GRID).fold(0, |best, k| if value(at(k)) > value(at(best)) { k } else { best });
        let (mut low, mut high) = (at(best.saturating_sub(1)), at((best + 1).min(GRID)));
        let golden = 0.5 * (5f64.sqrt() - 1.0);
        while high - low > 1e-6 {
            let (left, right) = (high - golden * (high - low), low + golden * (high - low));
            if value(left) >= value(right) { high = right } else { low = left }
        }
        // The ends of the range are reached exactly.
        let candidates = [at(best), 0.5 * (low + high)];
        Self::new(if value(candidates[1]) > value(candidates[0]) { candidates[1] } else { candidates[0] })
    }

    /// λ.
    pub fn lambda(self) -> f64 {
        self.0
    }

    /// `T(z)`.
    pub fn forward(self, z: f64) -> f64 {
        if self == Self::IDENTITY {
            z
        } else if z >= 0.0 {
            power(z.ln_1p(), self.0)
        } else {
            -power((-z).ln_1p(), 2.0 - self.0)
        }
    }

    /// The z with `T(z) = t`.
    pub fn inverse(self, t: f64) -> f64 {
        if self == Self::IDENTITY {
            t
        } else if t >= 0.0 {
            logarithm(t, self.0).exp_m1()
        } else {
            -logarithm(-t, 2.0 - self.0).exp_m1()
        }
    }

    /// `log T'(z) = (λ - 1) sign(z) log(1 + |z|)`: the Jacobian of one value.
    pub fn log_slope(self, z: f64) -> f64 {
        (self.0 - 1.0) * z.signum() * z.abs().ln_1p()
    }

    /// `-n/2 log var T(z) + Σ log T'(z)`: the likelihood of a normal sample with its mean and variance profiled out,
    /// without constants.
    pub fn log_likelihood(self, values: &[f64]) -> f64 {
        let n = values.len() as f64;
        let transformed: Vec<f64> = values.iter().map(|z| self.forward(*z)).collect();
        let mean = transformed.iter().sum::<f64>() / n;
        let variance = transformed.iter().map(|t| (t - mean) * (t - mean)).sum::<f64>() / n;
        values.iter().map(|z| self.log_slope(*z)).sum::<f64>()
            - 0.5 * n * variance.max(f64::MIN_POSITIVE).ln()
    }
}

/// `(exp(power · log) - 1) / power`, which is `log` at power 0.
fn power(log: f64, power: f64) -> f64 {
    if power == 0.0 { log } else { (power * log).exp_m1() / power }
}

/// The inverse of [`power`].
fn logarithm(value: f64, power: f64) -> f64 {
    if power == 0.0 { value } else { (power * value).ln_1p() / power }
}

#[cfg(test)]
mod tests {
    use super::*;

    const VALUES: [f64; 9] = [-40.0, -3.0, -1.0, -0.2, 0.0, 0.3, 1.0, 2.5, 30.0];

    #[test]
    fn the_transform_is_its_closed_form() {
        for lambda in [1.0, 1.25, 1.5, 1.9, 2.0] {
            for z in VALUES {
                let closed: f64 = match (z >= 0.0, lambda == 2.0) {
                    (true, _) => ((1.0 + z).powf(lambda) - 1.0) / lambda,
                    (false, true) => -(1.0 - z).ln(),
                    (false, false) => -((1.0 - z).powf(2.0 - lambda) - 1.0) / (2.0 - lambda),
                };
                let ours = YeoJohnson::new(lambda).forward(z);
                assert!(
                    (ours - closed).abs() <= 1e-13 * closed.abs().max(1.0),
                    "{lambda} {z}: {ours} {closed}"
                );
            }
        }
    }

    #[test]
    fn there_and_back_is_where_one_was() {
        for lambda in [1.0, 1.1, 1.7, 2.0 - 1e-9, 2.0] {
            let transform = YeoJohnson::new(lambda);
            for z in VALUES {
                let back = transform.inverse(transform.forward(z));
                assert!((back - z).abs() <= 1e-12 * z.abs().max(1.0), "{lambda} {z}: {back}");
            }
        }
    }

    #[test]
    fn the_jacobian_is_the_derivative() {
        for lambda in [1.0, 1.4, 2.0] {
            let transform = YeoJohnson::new(lambda);
            for z in VALUES.into_iter().filter(|z| *z != 0.0) {
                let step = 1e-5 * z.abs();
                let slope = (transform.forward(z + step) - transform.forward(z - step)) / (2.0 * step);
                assert!((slope.ln() - transform.log_slope(z)).abs() < 1e-7, "{lambda} {z}");
            }
        }
    }

    #[test]
    fn a_long_lower_tail_is_compressed_and_a_long_upper_tail_left_alone() {
        let tail: Vec<f64> = (1..40).map(|i| (i as f64 / 8.0).exp() / 20.0).collect();
        let lower: Vec<f64> = tail.iter().map(|value| -value).collect();
        assert!(YeoJohnson::most_likely(&lower).lambda() > 1.5);
        assert_eq!(YeoJohnson::most_likely(&tail), YeoJohnson::IDENTITY);
        assert_eq!(YeoJohnson::most_likely(&[1.0, 1.0, 2.0]), YeoJohnson::IDENTITY);
    }

    #[test]
    fn the_most_likely_lambda_has_no_better_neighbour() {
        let values = [-3.0, -2.0, -1.2, -0.5, -0.4, 0.0, 0.1, 0.3, 0.6, 0.8, 0.9, 1.1];
        let best = YeoJohnson::most_likely(&values);
        assert!(best.lambda() > 1.0 && best.lambda() < 2.0, "an inner optimum: {best:?}");
        for step in [-0.05, -0.01, 0.01, 0.05] {
            let other = YeoJohnson::new(best.lambda() + step);
            assert!(other.log_likelihood(&values) < best.log_likelihood(&values));
        }
    }
}
