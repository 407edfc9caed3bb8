//! The inner loops of the batch form, written over four lanes so that they vectorise without changing a bit from
//! one vector width to another.
//!
//! The logarithm is what Catoni's sum costs. Here the factors `f = 1 + |u| + u²/2` are multiplied instead,
//! `Σ log f = log Π f`; the exponents are split off the running products every sixteen factors, by integer operations,
//! so one logarithm a lane is left for the whole sample. With U the product over u > 0 and P over all,
//! `Σ ψ(u) = 2 log U - log P`. The slopes `ψ' = (1 + |u|)/f` are added in pairs over a common denominator, which is a
//! factor of P anyway: half the divisions. With w = 1 + |u| the factor is `(w² + 1)/2`; the loop multiplies `w² + 1`
//! and leaves the powers of two to the end.

use std::f64::consts::LN_2;

const LANES: usize = 4;
/// Factors between two exponent splits.
const STEPS: usize = 16;
/// Samples come in whole blocks.
pub(super) const BLOCK: usize = LANES * STEPS;
/// The largest |u| of the product form: sixteen factors of u² stay below the largest double.
pub(super) const LARGEST: f64 = (1u64 << 31) as f64;

/// Running products, one a lane, as mantissa in [1, 2) times a power of two.
struct Products {
    mantissa: [f64; LANES],
    exponent: [i64; LANES],
}

impl Products {
    fn ones() -> Self {
        Self { mantissa: [1.0; LANES], exponent: [0; LANES] }
    }

    /// Moves the exponents of the (positive, normal) mantissas into the counts.
    #[inline(always)]
    fn split(&mut self) {
        const FRACTION: u64 = (1 << 52) - 1;
        const ONE: u64 = 1023 << 52;
        for lane in 0..LANES {
            let bits = self.mantissa[lane].to_bits();
            self.exponent[lane] += (bits >> 52) as i64 - 1023;
            self.mantissa[lane] = f64::from_bits(bits & FRACTION | ONE);
        }
    }

    fn log_of_mantissas(&self) -> f64 {
        self.mantissa.iter().map(|x| x.ln()).sum()
    }

    fn exponents(&self) -> i64 {
        self.exponent.iter().sum()
    }
}

/// `(Σ ψ(z - m), Σ ψ'(z - m))` by products, for |z - m| ≤ [`LARGEST`]. Rounding: about 1e-16 a sample in the sum.
pub(super) fn product_influence(z: &[f64], m: f64) -> (f64, f64) {
    let (mut all, mut upper) = (Products::ones(), Products::ones());
    let mut half_slope = [0.0; LANES];
    for block in z.as_chunks::<LANES>().0.as_chunks::<STEPS>().0 {
        for [first, second] in block.as_chunks::<2>().0 {
            for lane in 0..LANES {
                let (a, b) = (Term::at(first[lane] - m), Term::at(second[lane] - m));
                let doubles = a.double * b.double;
                all.mantissa[lane] *= doubles;
                upper.mantissa[lane] *= a.upper * b.upper;
                half_slope[lane] += (a.w * b.double + b.w * a.double) / doubles;
            }
        }
        all.split();
        upper.split();
    }
    // The powers of two are subtracted as integers, so their cancellation is exact. Every factor was doubled: once too
    // often in P, and twice in the square of U.
    let powers = 2 * upper.exponents() - all.exponents() - z.len() as i64;
    let sum = powers as f64 * LN_2 + 2.0 * upper.log_of_mantissas() - all.log_of_mantissas();
    (sum, 2.0 * half_slope.iter().sum::<f64>())
}

/// What one sample contributes at u = z - m.
#[derive(Clone, Copy)]
struct Term {
    /// w = 1 + |u|.
    w: f64,
    /// w² + 1 = 2 (1 + |u| + u²/2).
    double: f64,
    /// The same where u > 0, else 2.
    upper: f64,
}

impl Term {
    #[inline(always)]
    fn at(u: f64) -> Self {
        let w = 1.0 + u.abs();
        let double = w * w + 1.0;
        Self { w, double, upper: if u > 0.0 { double } else { 2.0 } }
    }
}

/// `(Σ ψ(z - m), Σ ψ'(z - m))` by `ψ(u) = u (1 - u²/6 + |u|³/8 - u⁴/20 + u⁶/56 - …)`, exact to rounding for
/// |z - m| ≤ 1/512.
pub(super) fn series_influence(z: &[f64], m: f64) -> (f64, f64) {
    let (mut sum, mut slope) = ([0.0; LANES], [0.0; LANES]);
    for step in z.as_chunks::<LANES>().0 {
        for lane in 0..LANES {
            let u = step[lane] - m;
            let a = u.abs();
            let square = a * a;
            sum[lane] += u - u * square * (1.0 / 6.0 - a * (0.125 - 0.05 * a));
            slope[lane] += 1.0 - square * (0.5 - a * (0.5 - 0.25 * a));
        }
    }
    (sum.iter().sum(), slope.iter().sum())
}

/// The sum of the entries clipped at ±1 (NaN if one is) and the largest absolute entry.
pub(super) fn clipped_sum_and_largest(z: &[f64]) -> (f64, f64) {
    let (mut sum, mut largest) = ([0.0; LANES], [0.0f64; LANES]);
    for step in z.as_chunks::<LANES>().0 {
        for lane in 0..LANES {
            let a = step[lane].abs();
            sum[lane] += step[lane].clamp(-1.0, 1.0);
            largest[lane] = if a > largest[lane] { a } else { largest[lane] };
        }
    }
    (sum.iter().sum(), largest.into_iter().fold(0.0, f64::max))
}

#[cfg(test)]
mod tests {
    use super::super::influence::psi;
    use super::*;

    fn slope_of_psi(u: f64) -> f64 {
        (1.0 + u.abs()) / (1.0 + u.abs() + 0.5 * u * u)
    }

    #[test]
    fn products_and_logarithms_give_the_same_sums() {
        for scale in [1e-3, 1.0, 1e5, 1e9] {
            let z: Vec<f64> = (0..20 * BLOCK).map(|i| scale * (1.7 * i as f64).sin().powi(3)).collect();
            let m = 0.1 * scale;
            let (sum, slope) = product_influence(&z, m);
            let want: f64 = z.iter().map(|x| psi(x - m)).sum();
            let size: f64 = z.iter().map(|x| psi(x - m).abs()).sum();
            let want_slope: f64 = z.iter().map(|x| slope_of_psi(x - m)).sum();
            assert!((sum - want).abs() < 1e-13 * size.max(1.0), "{scale}: {sum} against {want}");
            assert!((slope / want_slope - 1.0).abs() < 1e-13);
        }
    }

    #[test]
    fn the_series_is_exact_where_it_is_used() {
        for scale in [1e-3, 1e-6, 1e-200] {
            let z: Vec<f64> = (0..5 * BLOCK).map(|i| scale * (1.7 * i as f64).sin().powi(3)).collect();
            let m = 0.3 * scale;
            let (sum, slope) = series_influence(&z, m);
            let want: f64 = z.iter().map(|x| psi(x - m)).sum();
            let want_slope: f64 = z.iter().map(|x| slope_of_psi(x - m)).sum();
            assert!((sum / want - 1.0).abs() < 1e-14, "{scale}: {sum} against {want}");
            assert!((slope / want_slope - 1.0).abs() < 1e-14);
        }
    }

    #[test]
    fn the_largest_factors_do_not_overflow() {
        let z = [0.5 * LARGEST; 4 * BLOCK];
        let (sum, _) = product_influence(&z, -0.5 * LARGEST);
        let want = 4.0 * BLOCK as f64 * psi(LARGEST);
        assert!((sum / want - 1.0).abs() < 1e-14);
    }

    #[test]
    fn nan_poisons_the_clipped_sum() {
        let mut z = [0.5; BLOCK];
        z[13] = f64::NAN;
        assert!(clipped_sum_and_largest(&z).0.is_nan());
    }
}
