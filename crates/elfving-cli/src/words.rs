//! Numbers and values in words, for people.

use comfy_table::Table;
use elfving::design::Criterion;
use elfving::pool::Pool;
pub(crate) use elfving_problem::words::{number, short};

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
