//! A simulation in words, for people.

use comfy_table::{CellAlignment, Table, presets};
use elfving::bandit::Goal;
use elfving_lab::simulate::{Run, Summary};

use super::{Answer, Tried};
use crate::words::{self, tidy_short, trimmed};

/// The whole answer. Stops and wrong answers are shown where the goal has them.
pub(super) fn text(answer: &Answer) -> String {
    let decides = !matches!(answer.settings.goal, Goal::Regret { .. });
    let mut header = vec!["algorithm", "regret", "gap of the pick"];
    if decides {
        header.extend(["stopped", "after", "wrong"]);
    }
    header.extend(["rounds", "seconds per run"]);
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(header);
    for tried in &answer.tried {
        table.add_row(row(tried, decides));
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    let mut notes = "regret: sum of the gaps of what was measured".to_owned();
    if decides {
        notes.push_str("; wrong: stopped with a pick worse than promised, of all runs");
    }
    format!(
        "{}\n\n{}\n\n{notes}; ±: standard error of the mean over the runs\n",
        head(answer),
        trimmed(&table)
    )
}

/// `rbf100.csv: 100 candidates, kernel RBF; 20 runs of 2000 measurements, in batches of 10`.
pub(super) fn head(answer: &Answer) -> String {
    let (loaded, settings) = (answer.loaded, answer.settings);
    let batches =
        if settings.batch > 1 { format!(", in batches of {}", settings.batch) } else { String::new() };
    format!(
        "{}: {} candidates, {}; {} runs of {} measurements{batches}",
        loaded.file_name(),
        loaded.pool.len(),
        loaded.data.model(),
        settings.repetitions,
        settings.budget,
    )
}

fn row(tried: &Tried, decides: bool) -> Vec<String> {
    let runs = &tried.runs;
    let last = |curve: Vec<Summary>| curve.last().map_or_else(String::new, with_error);
    let percent = |share: Summary| format!("{:.0} %", 100.0 * share.mean);
    let mut cells = vec![tried.algorithm.name().to_owned(), last(runs.regret()), last(runs.simple_regret())];
    if decides {
        let any_stopped = runs.runs.iter().any(Run::stopped);
        let after = if any_stopped { with_error(&runs.samples_to_stop()) } else { "-".to_owned() };
        cells.extend([percent(runs.stopped()), after, percent(runs.error_rate())]);
    }
    cells.extend([tidy_short(runs.rounds().mean), format!("{:.3}", tried.seconds / runs.runs.len() as f64)]);
    cells
}

fn with_error(summary: &Summary) -> String {
    words::with_error(summary.mean, summary.standard_error)
}
