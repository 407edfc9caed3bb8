//! Numbers and values in words, for people.

use comfy_table::Table;
use elfving::design::Criterion;
use elfving::pool::Pool;

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

/// A table without the spaces at the ends of its lines, indented a little.
pub(crate) fn trimmed(table: &Table) -> String {
    table.lines().map(|line| format!(" {}", line.trim_end())).collect::<Vec<_>>().join("\n")
}

/// `1 slot`, `2 slots`.
pub(crate) fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// Nine digits: what a certificate to 1e-9 can hold.
pub(crate) fn number(x: f64) -> String {
    digits(x, 9)
}

/// Four digits, for a sentence.
pub(crate) fn short(x: f64) -> String {
    digits(x, 4)
}

fn digits(x: f64, count: i32) -> String {
    let size = x.abs();
    if x == 0.0 || (1e-4..1e9).contains(&size) {
        let whole = if size >= 1.0 { size.log10().floor() as i32 + 1 } else { 1 };
        format!("{x:.*}", (count - whole).max(0) as usize)
    } else {
        format!("{x:.*e}", (count - 1) as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_the_digits_they_should() {
        assert_eq!(number(27.491_106_123_4), "27.4911061");
        assert_eq!(number(-3.5), "-3.50000000");
        assert_eq!(number(1.25e-7), "1.25000000e-7");
        assert_eq!(number(1e300), "1.00000000e300");
        assert_eq!(short(0.012_345), "0.012");
        assert_eq!(short(12345.6), "12346");
    }
}
