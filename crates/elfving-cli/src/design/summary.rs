//! A design in words, for people.

use comfy_table::{CellAlignment, Table, presets};
use elfving::design::{Criterion, DesignStatus};
use elfving_problem::ExactPlan;
use elfving_table::Cell;

use super::Answer;
use crate::words::{self, number, short, trimmed};

/// More feature columns than this are not shown beside the weights.
const MOST_COLUMNS: usize = 6;

/// The whole answer.
pub(super) fn text(answer: &Answer, show: usize) -> String {
    let list = match &answer.plan {
        Some(plan) => runs(answer, plan, show),
        None => support(answer, show),
    };
    format!("{}\n\n{}\n\n{list}\n", head(answer), certificate(answer))
}

/// `G-optimal design`.
pub(super) fn kind(criterion: Criterion) -> String {
    format!("{}-optimal design", criterion.to_string().to_uppercase())
}

fn head(answer: &Answer) -> String {
    let loaded = answer.loaded;
    let targets = match loaded.about().files.targets.is_some() {
        true => format!(", {} targets", loaded.pool.choice_count()),
        false => String::new(),
    };
    format!(
        "{} on {}: {} candidates{targets}, {} dimensions ({}), gamma = {}",
        kind(answer.design.criterion()),
        loaded.file_name(),
        loaded.pool.len(),
        loaded.pool.dimension(),
        loaded.data.model(),
        answer.design.gamma().get(),
    )
}

fn certificate(answer: &Answer) -> String {
    let design = &answer.design;
    let claim = design.certificate();
    let mut lines = Table::new();
    lines.load_style(presets::NOTHING);
    let bound = if design.criterion().is_maximised() { "upper bound" } else { "lower bound" };
    lines.add_row(["value", &number(claim.value()), words::meaning(design.criterion(), &answer.loaded.pool)]);
    lines.add_row([bound, &number(claim.bound()), "no design on this pool can do better than this"]);
    let gap = match design.criterion() {
        Criterion::D => "1 - efficiency is at most this",
        _ => "between the two, relative",
    };
    lines.add_row(["gap", &format!("{:.1e}", claim.relative_gap()), gap]);
    let checked = match claim.checked_by() {
        elfving::design::CheckedBy::Features => "checked independently of the solver",
        elfving::design::CheckedBy::ExactKernel => "checked with the exact kernel",
    };
    lines.add_row(["status", &design.status().to_string(), checked]);
    if let Some(column) = lines.column_mut(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    let work = format!(
        "Found by {} in {} iterations and {} passes over the pool, {:.3} s.",
        design.method(),
        design.iterations(),
        design.passes(),
        answer.seconds
    );
    format!("{}\n\n{}{}\n{work}", trimmed(&lines), sentence(answer), precision(answer))
}

/// What the certificate says.
fn sentence(answer: &Answer) -> String {
    let gap = answer.design.certificate().relative_gap();
    match answer.design.status() {
        DesignStatus::Certified => {
            format!("Certified: this design {}.", words::how_good(answer.design.criterion(), gap))
        }
        _ if answer.design.criterion().is_maximised() => {
            let efficiency = answer.design.certificate().efficiency();
            format!("Not certified: the D-efficiency of this design may be as low as {efficiency:.4}.")
        }
        _ => format!(
            "Not certified: this design may be as far as {gap:.1e} (relative) from the best possible one."
        ),
    }
}

/// `certified within 1.2e-9 of the optimum`, for a picture.
pub(super) fn standing(answer: &Answer) -> String {
    let gap = answer.design.certificate().relative_gap();
    match answer.design.status() {
        DesignStatus::Certified => format!("certified within {gap:.1e} of the optimum"),
        status => format!("{status}: gap {gap:.1e}"),
    }
}

/// What the value means at the bench.
fn precision(answer: &Answer) -> String {
    let pool = &answer.loaded.pool;
    let Some(what) = words::predicted(answer.design.criterion(), pool) else { return String::new() };
    let value = answer.design.certificate().value();
    format!(
        "\nAfter N measurements with noise of standard deviation s, {what} has a standard error of\n\
         about s * sqrt({} / N).",
        short(value)
    )
}

/// Whole runs, and how far they can be from the best ones.
fn runs(answer: &Answer, plan: &ExactPlan, show: usize) -> String {
    let counts = plan.allocation.counts();
    let shown = counts.iter().take(show).map(|&(id, count)| (id.index(), count.to_string()));
    let efficiency = 100.0 * plan.efficiency_bound;
    let criterion = answer.design.criterion().to_string().to_uppercase();
    let total = plan.report.total;
    let mut text = format!(
        "{total} runs of {} candidates, {}: at least {efficiency:.1} % as good ({criterion}-efficiency) as any plan of {total} runs.\n\n{}",
        counts.len(),
        plan.report.path,
        candidates(answer, "runs", shown)
    );
    if counts.len() > show {
        let more = counts.len() - show;
        text.push_str(&format!("\n... and {more} more: --show N, --format csv or --out FILE has them all"));
    }
    text
}

fn support(answer: &Answer, show: usize) -> String {
    let loaded = answer.loaded;
    let order = answer.heaviest_first();
    let shown = &order[..order.len().min(show)];
    let rows = shown.iter().map(|&(row, weight)| (row, format!("{weight:.6}")));
    let mut text = format!(
        "Measure {} of the {} candidates in these proportions (the weights sum to 1{}):\n\n{}",
        order.len(),
        loaded.pool.len(),
        concentration(&order, show),
        candidates(answer, "weight", rows)
    );
    if order.len() > shown.len() {
        let rest: f64 = order[shown.len()..].iter().map(|(_, weight)| weight).sum();
        text.push_str(&format!(
            "\n... and {} more with a total weight of {rest:.6}: --show N, --format csv or --out FILE has them all",
            order.len() - shown.len()
        ));
    }
    text
}

/// Candidates with a number each, and the user's own columns where there are few.
fn candidates(answer: &Answer, name: &'static str, rows: impl Iterator<Item = (usize, String)>) -> String {
    let loaded = answer.loaded;
    let mut columns = loaded.feature_columns();
    if columns.len() > MOST_COLUMNS {
        columns.clear();
    }
    let mut lines = Table::new();
    lines.load_style(presets::NOTHING);
    let id = loaded.id_column().unwrap_or("row");
    lines.set_header([id, name].into_iter().chain(columns.iter().copied()));
    let positions: Vec<usize> = loaded.table().map_or_else(Vec::new, |table| {
        let position = |name: &&str| table.columns().iter().position(|column| column.name() == *name);
        columns.iter().filter_map(position).collect()
    });
    for (row, number) in rows {
        let mut cells = vec![loaded.ids()[row].to_owned(), number];
        if let Some(table) = loaded.table() {
            let own: Vec<Cell> = table.cells(row).collect();
            cells.extend(positions.iter().map(|&k| own[k].to_string()));
        }
        lines.add_row(cells);
    }
    trimmed(&lines)
}

/// Where most of a long list of weights is.
fn concentration(order: &[(usize, f64)], show: usize) -> String {
    if order.len() <= show {
        return String::new();
    }
    let mut total = 0.0;
    let most = order.iter().take_while(|(_, weight)| {
        total += weight;
        total - weight < 0.9
    });
    format!("; the first {} carry 90 % of the weight", most.count())
}
