//! Numbers as people read them.

/// About four digits, without a tail of zeros.
pub fn number(x: f64) -> String {
    if x == 0.0 {
        return "0".to_owned();
    }
    let exponent = x.abs().log10().floor();
    if !(-4.0..7.0).contains(&exponent) {
        return format!("{x:.3e}");
    }
    let decimals = (3.0 - exponent).clamp(0.0, 8.0) as usize;
    let text = format!("{x:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_four_digits_and_no_tail() {
        for (x, text) in [
            (0.0, "0"),
            (0.5, "0.5"),
            (61.25, "61.25"),
            (1234.56, "1235"),
            (-0.012_345, "-0.01235"),
            (1e-9, "1.000e-9"),
            (2.5e12, "2.500e12"),
        ] {
            assert_eq!(number(x), text);
        }
    }
}
