//! Numbers and values in words, for people.

use comfy_table::Table;
use elfving::design::Criterion;
use elfving::pool::Pool;
pub(crate) use elfving_problem::words::{counted, number, short};

/// What the value of a criterion is.
pub(crate) fn meaning(criterion: Criterion, pool: &Pool) -> &'static str {
    let pool = pool.chooses_among_itself();
    match criterion {
        Criterion::G if pool => "the largest variance of a candidate's prediction",
        Criterion::G => "the largest variance of a target's prediction",
        Criterion::Xy if pool => "the largest variance of a difference between two candidates",
        Criterion::Xy => "the largest variance of a difference between two targets",
        Criterion::D => "the log determinant of the information matrix",
        Criterion::A => "the sum of the variances of the coefficients",
        Criterion::V if pool => "the average variance of a candidate's prediction",
        Criterion::V => "the average variance of a target's prediction",
        Criterion::C => "the variance of the target",
    }
}

/// What has a standard error of the root of the value; nothing for criteria about all coefficients.
pub(crate) fn predicted(criterion: Criterion, pool: &Pool) -> Option<&'static str> {
    match criterion {
        Criterion::G if pool.chooses_among_itself() => Some("the prediction of every candidate"),
        Criterion::G => Some("the prediction of every target"),
        Criterion::Xy => Some("every predicted difference"),
        Criterion::C => Some("the target"),
        Criterion::V => Some("a typical prediction"),
        Criterion::D | Criterion::A => None,
    }
}

/// What a certified gap says: `is within 1.0e-9 (relative) of the best possible one`.
pub(crate) fn how_good(criterion: Criterion, gap: f64) -> String {
    match criterion {
        Criterion::D => format!("has a D-efficiency of at least 1 - {gap:.1e}"),
        _ => format!("is within {gap:.1e} (relative) of the best possible one"),
    }
}

/// A table without the spaces at the ends of its lines, indented a little.
pub(crate) fn trimmed(table: &Table) -> String {
    table.lines().map(|line| format!(" {}", line.trim_end())).collect::<Vec<_>>().join("\n")
}

/// A number without the digits that arithmetic left behind: `0.30000000000000004` is 0.3.
pub(crate) fn tidy(x: f64) -> String {
    format!("{x:.9e}").parse::<f64>().unwrap_or(x).to_string()
}

/// `195 ± 15`: two digits of the standard error, and as many of the mean.
pub(crate) fn with_error(mean: f64, standard_error: f64) -> String {
    if standard_error == 0.0 {
        return format!("{} ± 0", tidy_short(mean));
    }
    let exponent = standard_error.abs().log10().floor();
    if !(-6.0..9.0).contains(&exponent) {
        return format!("{} ± {}", short(mean), short(standard_error));
    }
    let decimals = (1.0 - exponent).max(0.0) as usize;
    format!("{mean:.decimals$} ± {standard_error:.decimals$}")
}

/// Four digits without a tail of zeros.
pub(crate) fn tidy_short(x: f64) -> String {
    let text = short(x);
    match text.contains('.') && !text.contains('e') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

/// A number with three digits of an uncertainty of this width; four digits of its own where there is none.
pub(crate) fn by_width(x: f64, width: f64) -> String {
    let exponent = width.abs().log10().floor();
    match width.is_finite() && width != 0.0 && (-9.0..9.0).contains(&exponent) {
        true => format!("{x:.*}", (2.0 - exponent).max(0.0) as usize),
        false => short(x),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_the_digits_they_should() {
        assert_eq!(tidy(0.1 + 0.2), "0.3");
        assert_eq!(
            (with_error(195.0, 15.0), with_error(20.0, 0.0)),
            ("195 ± 15".to_owned(), "20 ± 0".to_owned())
        );
        assert_eq!(
            (with_error(0.123_4, 0.004_56), with_error(2852.3, 182.0)),
            ("0.1234 ± 0.0046".to_owned(), "2852 ± 182".to_owned())
        );
        assert_eq!(
            (tidy_short(2.0), tidy_short(2.25), tidy_short(0.000_01)),
            ("2".to_owned(), "2.25".to_owned(), "1.000e-5".to_owned())
        );
        assert_eq!(
            (by_width(0.805_512, 1.55), by_width(717.123, 95.0)),
            ("0.81".to_owned(), "717.1".to_owned())
        );
    }
}
