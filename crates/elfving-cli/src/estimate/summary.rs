//! Estimates in words, for people.

use comfy_table::{CellAlignment, Table, presets};

use super::{Answer, Sort};
use crate::words::trimmed;

/// Most estimates in the list, unless more are asked for.
pub(super) const MOST_ROWS: usize = 20;

/// The whole answer.
pub(super) fn text(answer: &Answer, top: usize) -> String {
    format!("{}\n\n{}\n\n{}\n", title(answer), statement(answer), estimates(answer, top))
}

/// `RIPS on pool.csv: 400 measurements, 100 candidates (linear model, gamma 0.01)`.
pub(super) fn title(answer: &Answer) -> String {
    let loaded = answer.loaded;
    format!(
        "{} on {}: {} measurements, {} candidates ({}), gamma = {}",
        answer.intervals.statement.estimator,
        loaded.file_name(),
        answer.results.recorded(),
        loaded.pool.len(),
        loaded.data.model(),
        answer.gamma.get(),
    )
}

/// `RIPS: 400 measurements on pool.csv`, for a picture.
pub(super) fn short_title(answer: &Answer) -> String {
    let (estimator, recorded) = (answer.intervals.statement.estimator, answer.results.recorded());
    format!("{estimator}: {recorded} measurements on {}", answer.loaded.file_name())
}

/// `all 11 intervals hold together with probability 0.95`, for a picture.
pub(super) fn promise(answer: &Answer) -> String {
    let statement = &answer.intervals.statement;
    match answer.results.open() {
        0 => format!(
            "{} with probability {}, under the assumptions stated",
            if statement.statements == 1 {
                "the interval holds".to_owned()
            } else {
                format!("all {} intervals hold together", statement.statements)
            },
            1.0 - statement.delta
        ),
        open => format!("no guarantee: {open} measurements are missing"),
    }
}

fn statement(answer: &Answer) -> String {
    let statement = &answer.intervals.statement;
    match answer.results.open() {
        0 => statement.to_string().trim_end().to_owned(),
        open => {
            let premises: Vec<String> =
                statement.premises.iter().map(|premise| format!("- {premise}")).collect();
            format!(
                "NO GUARANTEE: {open} of {} measurements are missing. The intervals would hold if only the others had been planned and:\n{}",
                open + answer.results.recorded(),
                premises.join("\n")
            )
        }
    }
}

fn estimates(answer: &Answer, top: usize) -> String {
    let sorted = answer.sorted();
    let shown = &sorted[..sorted.len().min(top)];
    let narrowest = shown.iter().map(|(_, interval)| interval.width()).fold(f64::INFINITY, f64::min);
    let decimals =
        decimals(narrowest, shown.iter().map(|(_, interval)| interval.estimate.abs()).fold(0.0, f64::max));
    let number = |x: f64| format!("{x:.decimals$}");
    let mut lines = Table::new();
    lines.load_style(presets::NOTHING);
    let id = answer.loaded.id_column().unwrap_or("row");
    let mut header = vec![id, "estimate", "lower", "upper", "noise", "ridge", "misspec."];
    if answer.loaded.pool.chooses_among_itself() {
        header.push("measured");
    }
    lines.set_header(&header);
    for &(i, interval) in shown {
        let mut cells = vec![answer.loaded.choice_name(i).to_owned()];
        cells.extend([interval.estimate, interval.lower(), interval.upper(), interval.noise].map(number));
        cells.push(interval.bias.ridge.map_or("unknown".to_owned(), number));
        cells.push(number(interval.bias.misspecification));
        cells.extend(answer.measured(i).map(|count| count.to_string()));
        lines.add_row(cells);
    }
    for k in 1..header.len() {
        if let Some(column) = lines.column_mut(k) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    let order = match answer.sort {
        Sort::Estimate => "largest first",
        Sort::Lower => "largest lower end first",
        Sort::Upper => "largest upper end first",
        Sort::Pool => "in the order of the pool",
    };
    let mut text = format!(
        "Estimates, {order} (lower = estimate - noise - ridge - misspec., upper likewise):\n\n{}",
        trimmed(&lines)
    );
    if sorted.len() > shown.len() {
        text.push_str(&format!(
            "\n... and {} more: --show N, --format csv or --out FILE has them",
            sorted.len() - shown.len()
        ));
    }
    text
}

/// Decimals that show the narrowest width to three digits, or a number of this size to six.
fn decimals(width: f64, size: f64) -> usize {
    let digits = |x: f64, count: f64| (count - 1.0 - x.log10().floor()).clamp(0.0, 12.0) as usize;
    match (width > 0.0 && width.is_finite(), size > 0.0) {
        (true, _) => digits(width, 3.0),
        (false, true) => digits(size, 6.0),
        _ => 3,
    }
}
