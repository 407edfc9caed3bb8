//! The quantities as JSON and in words.

use std::collections::BTreeMap;

use comfy_table::{CellAlignment, Table, presets};
use elfving_lab::complexity::Enclosure;
use serde::Serialize;

use super::Answer;
use crate::words::{number, short, trimmed};

/// Stable names for programs.
#[derive(Debug, Serialize)]
pub(super) struct ComplexityDocument {
    n: usize,
    choices: usize,
    dimension: usize,
    gamma: f64,
    quantities: BTreeMap<&'static str, Enclosure>,
    unavailable: BTreeMap<&'static str, String>,
    version: &'static str,
}

impl ComplexityDocument {
    pub(super) fn of(answer: &Answer) -> Self {
        Self {
            n: answer.loaded.pool.len(),
            choices: answer.loaded.pool.choice_count(),
            dimension: answer.loaded.pool.dimension(),
            gamma: answer.gamma.get(),
            quantities: answer.quantities.iter().map(|found| (found.name, found.enclosure)).collect(),
            unavailable: answer.unavailable.iter().cloned().collect(),
            version: env!("CARGO_PKG_VERSION"),
        }
    }
}

/// A table for people.
pub(super) fn text(answer: &Answer) -> String {
    let loaded = answer.loaded;
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(["quantity", "value", "certified within", "in words"]);
    for found in &answer.quantities {
        let width = found.enclosure.relative_width();
        let within = match width {
            0.0 => String::new(),
            ..1e-2 => format!("{width:.1e}"),
            _ => format!("at least {}", short(found.enclosure.at_least)),
        };
        table.add_row([found.name.to_owned(), plain(found.enclosure.value), within, found.meaning.clone()]);
    }
    for column in table.column_iter_mut().skip(1).take(2) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    format!(
        "{}: {} candidates in {} dimensions, {}; gamma = {}\n\n{}\n",
        loaded.file_name(),
        loaded.pool.len(),
        loaded.pool.dimension(),
        loaded.data.model(),
        answer.gamma.get(),
        trimmed(&table)
    )
}

/// A count without digits after the point.
fn plain(x: f64) -> String {
    if x == x.trunc() && x.abs() < 1e9 { x.to_string() } else { number(x) }
}
