//! Catoni's influence function and the root that defines his mean.

/// Arguments beyond ±1e150 count as ±1e150, so that the square cannot overflow. The clipped function still lies
/// between `-log(1 - x + x²/2)` and `log(1 + x + x²/2)` and still rises, which is all the theorem asks of it.
const CLIP: f64 = 1e150;

/// `|ψ''| ≤ κ ψ'`: with w = 1 + |x| the ratio is (w² - 1)/(w³ + w), largest (0.3003) at w² = 2 + √5.
///
/// So the slope D of `m ↦ -Σ ψ(xᵢ - m)` changes by at most a factor exp(κ|t|) over a distance t, and integrating it
/// places the root near the Newton step s: between log(1 + κs)/κ and -log(1 - κs)/κ, which for κ|s| ≤ 1/2 is within
/// κs² of s. That is the stopping rule here and in the batch form: no further pass is spent on checking.
pub(super) const KAPPA: f64 = 0.301;

/// `ψ(x) = sign(x) log(1 + |x| + x²/2)` (Catoni 2012, eq. 2.2: the widest choice).
pub(super) fn psi(x: f64) -> f64 {
    let a = x.abs().min(CLIP);
    (a * (1.0 + 0.5 * a)).ln_1p().copysign(x)
}

/// `(Σ ψ(uᵢ), Σ ψ'(uᵢ))` at uᵢ = α(xᵢ - m).
fn influence(samples: &[f64], alpha: f64, m: f64) -> (f64, f64) {
    let (mut sum, mut slope) = (0.0, 0.0);
    for x in samples {
        let u = alpha * (x - m);
        let a = u.abs().min(CLIP);
        let growth = a * (1.0 + 0.5 * a);
        sum += growth.ln_1p().copysign(u);
        slope += (1.0 + a) / (1.0 + growth);
    }
    (sum, slope)
}

/// The root m of `Σ ψ(α(xᵢ - m)) = 0` in `[low, high] = [min xᵢ, max xᵢ]`, to about one rounding: Newton from the median,
/// halving the bracket whenever a step leaves it or is not half of the one before.
pub(super) fn root(samples: &[f64], alpha: f64, mut low: f64, mut high: f64) -> f64 {
    let mut m = median(samples);
    let mut last_step = f64::INFINITY;
    // 1,100 halvings take the widest bracket of doubles to neighbours; every second step at least is one.
    for _ in 0..2_200 {
        let (sum, slope) = influence(samples, alpha, m);
        if sum > 0.0 {
            low = m;
        } else if sum < 0.0 {
            high = m;
        } else {
            return m;
        }
        let step = sum / slope; // in units of 1/α
        let newton = m + step / alpha;
        let left = KAPPA * step * step;
        if step.abs() <= 1.0 && left <= f64::EPSILON / 8.0 * (alpha * newton.abs()).max(1e-9) {
            return newton.clamp(low, high);
        }
        if low < newton && newton < high && step.abs() <= 0.5 * last_step {
            m = newton;
            last_step = step.abs();
        } else {
            m = 0.5 * low + 0.5 * high;
            last_step = alpha * (0.5 * high - 0.5 * low);
            if !(low < m && m < high) {
                return m;
            }
        }
    }
    m
}

/// The upper median: a start that no minority of outliers can move far.
fn median(samples: &[f64]) -> f64 {
    let mut sorted = samples.to_vec();
    let middle = sorted.len() / 2;
    *sorted.select_nth_unstable_by(middle, f64::total_cmp).1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_influence_function_has_its_reference_values() {
        for (x, want) in [(1.0, 0.9162907318741551), (2.0, 1.6094379124341003), (10.0, 4.110873864173311)] {
            assert!((psi(x) - want).abs() < 2e-15 && psi(-x) == -psi(x));
        }
        assert_eq!(psi(0.0), 0.0);
        assert!(psi(f64::MAX).is_finite() && psi(f64::INFINITY) == psi(CLIP));
    }

    #[test]
    fn the_roots_of_the_reference_sample_agree() {
        let samples = [1.0, 2.0, 3.0, 4.0, 100.0];
        let cases = [
            (0.01, 21.13821354797335),
            (0.1, 13.130127330663615),
            (0.5, 7.086756772793675),
            (1.0, 5.56725895401574),
            (5.0, 3.9723687204117777),
        ];
        for (alpha, want) in cases {
            let got = root(&samples, alpha, 1.0, 100.0);
            assert!((got - want).abs() < 1e-14 * want, "alpha {alpha}: {got} against {want}");
        }
    }

    #[test]
    fn the_curvature_constant_holds_on_a_fine_grid() {
        for i in 0..100_000 {
            let w = 1.0 + f64::from(i) * 1e-3;
            assert!((w * w - 1.0) / (w * w * w + w) < KAPPA);
        }
    }

    #[test]
    fn a_hopeless_scale_still_ends_inside_the_bracket() {
        let samples = [-1e150, -1.0, 0.0, 1e-150, 3e149];
        for alpha in [1e-160, 1e-150, 1.0, 1e150, 1e160] {
            let m = root(&samples, alpha, -1e150, 3e149);
            assert!((-1e150..=3e149).contains(&m), "alpha {alpha}: {m}");
        }
    }
}
