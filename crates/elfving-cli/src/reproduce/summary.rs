//! An experiment in words: means with standard errors, then claim by claim.

use comfy_table::{CellAlignment, Table, presets};
use elfving_lab::experiments::{Curve, Findings, Panel};

use crate::words::{trimmed, with_error};

/// Most columns of a table: more values of x than this are thinned out, the last one kept.
const MOST_COLUMNS: usize = 7;

/// All panels and claims.
pub(super) fn text(findings: &Findings) -> String {
    let mut text = String::new();
    for panel in &findings.panels {
        text.push_str(&format!("{}\n{}\n\n{}\n\n", panel.title, panel.subtitle, trimmed(&table(panel))));
    }
    for claim in &findings.claims {
        text.push_str(&format!("{claim}\n"));
    }
    text.push('\n');
    text
}

fn table(panel: &Panel) -> Table {
    let all = panel.curves.iter().map(|curve| &curve.x).max_by_key(|x| x.len()).cloned().unwrap_or_default();
    let every = all.len().div_ceil(MOST_COLUMNS).max(1);
    let shown: Vec<f64> = all.iter().rev().step_by(every).rev().copied().collect();
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header([panel.x.clone()].into_iter().chain(shown.iter().map(f64::to_string)));
    let cell = |curve: &Curve, x: f64| {
        let value = curve.at(x);
        value.map_or_else(|| "-".to_owned(), |y| with_error(y.mean, y.standard_error))
    };
    for curve in &panel.curves {
        table.add_row([curve.method.clone()].into_iter().chain(shown.iter().map(|&x| cell(curve, x))));
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}
