//! A simulation in words, for people.

use comfy_table::{CellAlignment, Table, presets};
use elfving::bandit::Status;
use elfving::simulate::Summary;

use super::{Answer, Tried};
use crate::words::{short, trimmed};

/// The whole answer.
pub(super) fn text(answer: &Answer) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    let header = ["algorithm", "regret", "gap of the pick", "stopped", "after", "wrong", "rounds", "seconds a run"];
    table.set_header(header);
    for tried in &answer.tried {
        table.add_row(row(tried));
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    format!(
        "{}\n\n{}\n\nregret: sum of the gaps of what was measured; ±: standard error of the mean over the runs\n",
        head(answer),
        trimmed(&table)
    )
}

/// `rbf100.csv: 100 candidates, kernel RBF; 20 runs of 2000 measurements, in batches of 10`.
pub(super) fn head(answer: &Answer) -> String {
    let (loaded, settings) = (answer.loaded, answer.settings);
    let batches = if settings.batch > 1 { format!(", in batches of {}", settings.batch) } else { String::new() };
    format!(
        "{}: {} candidates, {}; {} runs of {} measurements{batches}",
        loaded.file_name(),
        loaded.pool.len(),
        loaded.model(),
        settings.repeats,
        settings.budget,
    )
}

fn row(tried: &Tried) -> [String; 8] {
    let runs = &tried.runs;
    let last = |curve: Vec<Summary>| curve.last().map_or_else(String::new, with_error);
    let any_stopped = runs.runs.iter().any(|run| run.status != Status::Measuring);
    let percent = |share: Summary| format!("{:.0} %", 100.0 * share.mean);
    [
        tried.algorithm.name().to_owned(),
        last(runs.regret()),
        last(runs.simple_regret()),
        percent(runs.stopped()),
        if any_stopped { with_error(&runs.samples_to_stop()) } else { "-".to_owned() },
        percent(runs.error_rate()),
        short(runs.rounds().mean),
        format!("{:.3}", tried.seconds / runs.runs.len() as f64),
    ]
}

fn with_error(summary: &Summary) -> String {
    format!("{} ± {}", short(summary.mean), short(summary.standard_error))
}
