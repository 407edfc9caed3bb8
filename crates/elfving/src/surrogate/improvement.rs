//! Expected improvement on the log scale, where it does not vanish.

use std::f64::consts::PI;

use super::normal::{mills_fraction, normal_distribution};

/// `log E max(f - best, 0)` for f ~ N(mean, deviation²).
///
/// With `z = (mean - best) / deviation` it is `log deviation + log(φ(z) + z Φ(z))`. The second term falls like `-z²/2`; far below
/// the incumbent the improvement itself is 0 in double precision and its logarithm here still tells rows apart, to about
/// 1e-12. A deviation of 0 gives the logarithm of the improvement that is certain, -∞ for none.
///
/// ```
/// use elfving::surrogate::log_expected_improvement;
/// assert!((log_expected_improvement(0.0, 1.0, 0.0).exp() - 0.398_942_280_401_432_7).abs() < 1e-15);
/// let (far, farther) = (log_expected_improvement(0.0, 1.0, 50.0), log_expected_improvement(0.0, 1.0, 51.0));
/// assert!(far.is_finite() && farther < far);
/// ```
pub fn log_expected_improvement(mean: f64, deviation: f64, best: f64) -> f64 {
    if !(deviation > 0.0) {
        return (mean - best).max(0.0).ln();
    }
    let z = (mean - best) / deviation;
    let log_density = -0.5 * (z * z + (2.0 * PI).ln());
    let log_unit = if z > -1.0 {
        (log_density.exp() + z * normal_distribution(z)).ln()
    } else {
        // φ + zΦ = φ (1 - x M(x)) with x = -z and Mills' ratio M = 1/(x + c): the bracket is c / (x + c).
        let x = -z;
        let c = mills_fraction(x);
        log_density + (c / (x + c)).ln()
    };
    deviation.ln() + log_unit
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `mpmath`, 60 digits: log(npdf(z) + z ncdf(z)).
    const REFERENCE: [(f64, f64); 13] = [
        (8.0, 2.079_441_541_679_835_9),
        (5.5, 1.704_748_092_830_244_7),
        (4.9, 1.589_235_223_680_395_2),
        (2.0, 0.697_383_545_788_228_3),
        (0.3, -0.567_817_153_677_937),
        (-0.5, -1.620_516_264_387_32),
        (-0.999, -2.483_217_115_447_585_4),
        (-1.001, -2.487_025_657_955_389_2),
        (-1.5, -3.529_935_920_805_71),
        (-3.0, -7.869_686_059_603_029),
        (-8.0, -37.122_364_261_692_63),
        (-40.0, -808.298_568_356_62),
        (-1000.0, -500_014.734_452_091_16),
    ];

    #[test]
    fn the_logarithm_agrees_with_sixty_digits() {
        for (z, exact) in REFERENCE {
            let ours = log_expected_improvement(z, 1.0, 0.0);
            assert!((ours - exact).abs() <= 1e-12 * exact.abs().max(1.0), "{z}: {ours} {exact}");
        }
    }

    #[test]
    fn scale_and_certainty_are_as_they_must_be() {
        let scaled = log_expected_improvement(3.0, 2.0, 4.0);
        assert!((scaled - 2f64.ln() - log_expected_improvement(-0.5, 1.0, 0.0)).abs() < 1e-15);
        assert_eq!(log_expected_improvement(3.0, 0.0, 2.0), 0.0);
        assert_eq!(log_expected_improvement(1.0, 0.0, 2.0), f64::NEG_INFINITY);
    }
}
