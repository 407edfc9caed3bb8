//! A plan in words, for people.

use comfy_table::{CellAlignment, Table, presets};
use elfving::rounding::RoundingPath;
use elfving_problem::Measurements;
use elfving_table::Cell;

use super::Answer;
use crate::words::{self, counted, number, short, trimmed};

/// More feature columns than this are not shown beside the counts.
const MOST_COLUMNS: usize = 6;

/// The whole answer.
pub(super) fn text(answer: &Answer, show: usize) -> String {
    format!("{}\n\n{}\n\n{}\n\n{}\n", title(answer), facts(answer), meaning(answer), candidates(answer, show))
}

/// `20 measurements on line.csv: 11 candidates, ...`.
pub(super) fn title(answer: &Answer) -> String {
    let (loaded, report) = (answer.loaded, &answer.report);
    format!(
        "{} measurements on {}: {} candidates, {} dimensions ({}), gamma = {}",
        report.total,
        loaded.file_name(),
        loaded.pool.len(),
        loaded.pool.dimension(),
        loaded.data.model(),
        report.gamma.get(),
    )
}

/// `best: 1.0042 times the continuous value; 3 of 11 candidates are measured`, for a picture and a note.
pub(super) fn standing(answer: &Answer) -> String {
    let report = &answer.report;
    let worth = match report.ratio {
        Some(ratio) => format!("{} times the continuous value", ratio_text(ratio)),
        None => "some target is not determined".to_owned(),
    };
    format!(
        "{}: {worth}; {} of {} candidates are measured",
        report.method,
        report.candidates,
        answer.loaded.pool.len()
    )
}

/// What is said beside a lab sheet.
pub(super) fn one_line(answer: &Answer) -> String {
    let total = answer.report.total;
    format!("{total} measurements, order of seed {}; {}", answer.seed, standing(answer))
}

fn facts(answer: &Answer) -> String {
    let report = &answer.report;
    let mut lines = Table::new();
    lines.load_style(presets::NOTHING);
    lines.add_row(["method".to_owned(), report.method.clone(), road(answer)]);
    let asked = match report.total == report.budget {
        true => format!("of {} candidates", report.candidates),
        false => format!("of {} candidates; {} were asked for", report.candidates, report.budget),
    };
    lines.add_row(["measurements".to_owned(), report.total.to_string(), asked]);
    if report.done > 0 {
        lines.add_row([
            "measured before".to_owned(),
            report.done.to_string(),
            "counted in all values".to_owned(),
        ]);
    }
    let infinite = || "infinite".to_owned();
    let value_of = words::meaning(report.criterion, &answer.loaded.pool);
    lines.add_row(["value".to_owned(), report.value.map_or_else(infinite, number), value_of.to_owned()]);
    let against = format!("times that of the continuous design, {}", number(report.continuous_value));
    let against = match report.criterion.is_maximised() {
        true => "one over the D-efficiency next to the continuous design".to_owned(),
        false => against,
    };
    lines.add_row(["ratio".to_owned(), report.ratio.map_or_else(infinite, ratio_text), against]);
    lines.add_row(["lambda_min".to_owned(), format!("{:.4}", report.smallest_eigenvalue), spread(answer)]);
    if let Some(promised) = report.guaranteed_eigenvalue {
        let words = "guaranteed lower bound on lambda_min, (1 - sqrt(2 p / T))^2".to_owned();
        lines.add_row(["guarantee".to_owned(), format!("{promised:.4}"), words]);
    }
    lines.add_row(["dimension".to_owned(), report.dimension.to_string(), dimension(answer)]);
    if let Some(column) = lines.column_mut(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    trimmed(&lines)
}

/// How the method got there.
fn road(answer: &Answer) -> String {
    match &answer.report.path {
        RoundingPath::Direct => "directly from the weights".to_owned(),
        RoundingPath::Reduced { from, to } if from == to => {
            format!("the weights are on {from} candidates; none could be left out")
        }
        RoundingPath::Reduced { from, to } => {
            format!("first reduced to {to} of {from} candidates with the same information")
        }
        RoundingPath::Steps { alpha, swaps: 0, .. } => {
            format!("one measurement at a time, alpha = {alpha:.3}")
        }
        RoundingPath::Steps { alpha, swaps, .. } => {
            format!("one measurement at a time, alpha = {alpha:.3}, then {swaps} swaps")
        }
        RoundingPath::Projected if answer.report.ratio.is_none_or(|ratio| ratio > 2.0) => {
            "as in the paper; the ratio exceeds the guaranteed 2, but the full space is no better".to_owned()
        }
        RoundingPath::Projected => "as in the paper: rounded in the projected space".to_owned(),
        RoundingPath::FullSpace { projected_ratio } => {
            let ratio = projected_ratio.map_or("infinite".to_owned(), |ratio| format!("{ratio:.3}, above 2"));
            format!(
                "NOT as in the paper: its ratio was {ratio}; regret minimisation in the full space instead"
            )
        }
        RoundingPath::Exchanged { from, swaps, settled } => {
            let more = if *settled { "no further one helps" } else { "more may help" };
            format!("{from}, then {}; {more}", counted(*swaps, "exchange"))
        }
        RoundingPath::Searched { searches, .. } => format!("the best of {}", counted(*searches, "search")),
        RoundingPath::Drawn { seed, .. } => format!("independent draws, seed {seed}"),
    }
}

/// What the smallest eigenvalue certifies.
fn spread(answer: &Answer) -> String {
    let smallest = answer.report.smallest_eigenvalue;
    if smallest > 0.0 {
        format!("no variance is more than {} times that of the continuous design", short(1.0 / smallest))
    } else {
        "some direction that the continuous design determines is not measured".to_owned()
    }
}

fn dimension(answer: &Answer) -> String {
    match answer.report.path {
        RoundingPath::Projected => {
            "eigenvalues of the design at least gamma: the effective dimension".to_owned()
        }
        _ => "of the space the method worked in".to_owned(),
    }
}

/// What the plan means at the bench, and what it may be used for.
fn meaning(answer: &Answer) -> String {
    let report = &answer.report;
    let all = report.total + report.done;
    let precision = match (words::predicted(report.criterion, &answer.loaded.pool), report.value) {
        (Some(what), Some(value)) => format!(
            "With noise of standard deviation s, {what} has a standard error of about {} s\n\
             after these measurements.",
            short((value / all as f64).sqrt())
        ),
        (Some(_), None) => "The measurements do not determine every target: raise --budget, or design with a ridge (--gamma)."
            .to_owned(),
        (None, _) => String::new(),
    };
    let kind = match &answer.plan {
        Measurements::Allocation(_) => "The counts are fixed: estimate with least squares.",
        Measurements::Draws(_) => {
            "The draws are independent: estimate with IPS or RIPS. Keep all of them, in this order."
        }
    };
    if precision.is_empty() { kind.to_owned() } else { format!("{precision}\n{kind}") }
}

fn candidates(answer: &Answer, show: usize) -> String {
    let loaded = answer.loaded;
    let order = answer.most_first();
    let shown = &order[..order.len().min(show)];
    let mut columns = loaded.feature_columns();
    if columns.len() > MOST_COLUMNS {
        columns.clear();
    }
    let positions: Vec<usize> = loaded.table().map_or_else(Vec::new, |table| {
        let position = |name: &&str| table.columns().iter().position(|column| column.name() == *name);
        columns.iter().filter_map(position).collect()
    });
    let weights: std::collections::HashMap<&str, f64> =
        answer.design.support.iter().map(|share| (share.id.as_str(), share.weight)).collect();
    let mut lines = Table::new();
    lines.load_style(presets::NOTHING);
    let id = loaded.id_column().unwrap_or("row");
    lines.set_header([id, "count", "quota"].into_iter().chain(columns.iter().copied()));
    for &(row, count) in shown {
        let quota = weights.get(&loaded.ids()[row]).map_or(0.0, |w| w * answer.report.budget as f64);
        let mut cells = vec![loaded.ids()[row].to_owned(), count.to_string(), quota_text(quota)];
        if let Some(table) = loaded.table() {
            let own: Vec<Cell> = table.cells(row).collect();
            cells.extend(positions.iter().map(|&k| own[k].to_string()));
        }
        lines.add_row(cells);
    }
    for k in [1, 2] {
        if let Some(column) = lines.column_mut(k) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    let mut text =
        format!("Measure (quota: the weight of the design times the budget):\n\n{}", trimmed(&lines));
    if order.len() > shown.len() {
        let rest: u64 = order[shown.len()..].iter().map(|(_, count)| count).sum();
        text.push_str(&format!(
            "\n... and {} more with {rest} measurements: --show N, --format csv or --out FILE has them all",
            order.len() - shown.len()
        ));
    }
    text
}

fn quota_text(quota: f64) -> String {
    match quota {
        0.0 => "-".to_owned(),
        _ if quota < 0.005 => "< 0.01".to_owned(),
        _ => format!("{quota:.2}"),
    }
}

fn ratio_text(ratio: f64) -> String {
    format!("{ratio:.4}")
}
