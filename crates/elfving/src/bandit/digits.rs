//! Numbers in statements, rounded to the safe side.

/// Four digits, rounded up: what may be lost is never printed smaller than it is.
pub(super) fn up(x: f64) -> f64 {
    four_digits(x, f64::ceil)
}

/// Four digits, rounded down: what may be assumed is never printed larger than it is.
pub(super) fn down(x: f64) -> f64 {
    four_digits(x, f64::floor)
}

fn four_digits(x: f64, round: impl Fn(f64) -> f64) -> f64 {
    let scale = 10f64.powf(3.0 - x.abs().log10().floor());
    let rounded = round(x * scale) / scale;
    if rounded.is_finite() { rounded } else { x }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_printed_is_rounded_to_the_safe_side() {
        assert_eq!((down(0.000_469_99), up(0.000_469_91)), (0.000_469_9, 0.000_47));
        assert_eq!((down(1.299_99), up(1.234_51)), (1.299, 1.235));
        assert_eq!((down(12_345.6), up(12_345.6)), (12_340.0, 12_350.0));
        for x in [0.0, 1e-320, 1e300, f64::MAX] {
            assert!(down(x) <= x && up(x) >= x && up(x).is_finite(), "{x}");
        }
    }
}
