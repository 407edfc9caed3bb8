//! The normal distribution function and its inverse.

use std::f64::consts::PI;

/// The z ≥ 0 with `Φ(z) = 1 - tail`: intervals of `z` deviations to each side hold `1 - 2 tail` of a normal distribution.
///
/// ```
/// use elfving::surrogate::upper_quantile;
/// assert!((upper_quantile(0.05) - 1.644_853_626_951_472_7).abs() < 1e-12);
/// assert_eq!(upper_quantile(0.5), 0.0);
/// ```
///
/// # Panics
/// Unless the tail is above 0 and at most ½.
pub fn upper_quantile(tail: f64) -> f64 {
    assert!(tail > 0.0 && tail <= 0.5, "a tail above 0 and at most 1/2, got {tail}");
    // Newton's method on log(1 - Φ), which is concave: from the right of the root it stays there. 1 - Φ(z) ≤ ½ exp(-z²/2).
    let mut z = (-2.0 * (2.0 * tail).ln()).sqrt();
    for _ in 0..100 {
        let density = (-0.5f64 * z * z).exp() / (2.0 * PI).sqrt();
        let survival = if z < 1.0 { 1.0 - normal_distribution(z) } else { density / (z + mills_fraction(z)) };
        let step = (survival / tail).ln() * survival / density;
        z += step;
        if !(step.abs() > 1e-14 * z.abs().max(1.0)) {
            break;
        }
    }
    z.max(0.0)
}

/// `Φ(z)` for z > -1.
pub(super) fn normal_distribution(z: f64) -> f64 {
    let density = (-0.5 * z * z).exp() / (2.0 * PI).sqrt();
    if z > 5.0 {
        return 1.0 - density / (z + mills_fraction(z));
    }
    // Φ = ½ + φ (z + z³/3 + z⁵/15 + …); for z > -1 nothing cancels that matters.
    let (mut term, mut sum, mut odd) = (z, z, 1.0);
    while term.abs() > 1e-17 * sum.abs() {
        odd += 2.0;
        term *= z * z / odd;
        sum += term;
    }
    0.5 + density * sum
}

/// `c = 1/(x + 2/(x + 3/(x + …)))` for x ≥ 1, so that Mills' ratio `Φ(-x)/φ(x)` is `1/(x + c)`.
pub(super) fn mills_fraction(x: f64) -> f64 {
    // Enough terms for 1e-13 at x = 1; fewer would do farther out.
    const TERMS: u32 = 400;
    (2..=TERMS).rev().fold(x, |tail, k| x + f64::from(k) / tail).recip()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_the_tables() {
        for (tail, z) in [
            (0.25, 0.674_489_750_196_081_7),
            (0.025, 1.959_963_984_540_054),
            (0.005, 2.575_829_303_548_901),
            (1e-9, 5.997_807_015_007_687),
            (1e-300, 37.047_096_299_361_2),
        ] {
            assert!((upper_quantile(tail) - z).abs() < 1e-10, "{tail}: {}", upper_quantile(tail));
        }
    }
}
