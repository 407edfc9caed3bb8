//! A plan in words, for people.

use comfy_table::{CellAlignment, Table, presets};
use elfving::units::grouped;

use elfving_problem::forecast::{AlgorithmPlan, Forecast, Simulated};

use super::missing;
use crate::pool_source::LoadedPool;
use crate::words::{short, tidy, tidy_short, trimmed, with_error};

pub(super) fn text(plan: &Forecast, loaded: &LoadedPool) -> String {
    let mut parts = vec![
        format!(
            "{}: {} candidates in {} dimensions, {}\nGoal: within {} of the best, with probability {}",
            loaded.file_name(),
            plan.n,
            plan.dimension,
            loaded.data.model(),
            plan.epsilon,
            tidy(1.0 - plan.delta)
        ),
        algorithms(plan),
        drivers(plan),
        by_epsilon(plan),
        by_gamma(plan),
    ];
    if !plan.by_batch.is_empty() {
        parts.push(by_batch(plan));
    }
    parts.push(advice(plan));
    parts.join("\n\n") + "\n"
}

fn algorithms(plan: &Forecast) -> String {
    let mut table =
        table(&["algorithm", "at worst", "rounds", "all equal (simulated)", "the guess (simulated)", ""]);
    for one in &plan.algorithms {
        let worst = one.worst_case.as_ref();
        table.add_row([
            one.algorithm.to_owned(),
            worst.map_or("-".to_owned(), |worst| {
                if worst.reached { grouped(worst.samples) } else { "not reached".to_owned() }
            }),
            worst.map_or("-".to_owned(), |worst| worst.rounds.len().to_string()),
            one.all_equal.as_ref().map_or("-".to_owned(), simulated),
            one.guess.as_ref().map_or("-".to_owned(), simulated),
            missing(one).map_or(String::new(), |missing| format!("needs {missing}")),
        ]);
    }
    let mut text = trimmed(&aligned(table));
    text.push_str("\n\nat worst: nothing can be eliminated before the end; computed round by round");
    if plan.algorithms.iter().any(|one| one.all_equal.is_some()) {
        text.push_str(
            "\nall equal: all candidates are equally good, the hardest case; simulated, not a bound",
        );
    }
    if let Some(bound) = plan.lower_bound {
        let bound = short(bound);
        text.push_str(&format!(
            "\nif the guess is true, no algorithm finds the best itself (epsilon = 0) in fewer than {bound} measurements on average"
        ));
    }
    text
}

fn drivers(plan: &Forecast) -> String {
    let f = short(plan.f_differences);
    let mut text = format!(
        "What drives the cost: measurements grow with f / epsilon^2, where f = {f} replaces the {} dimensions.",
        plan.dimension
    );
    let noise = plan.sigma * plan.sigma;
    if let Some(bound) = plan.bound {
        text.push_str(&format!(
            "\nRIPS pays for bound^2 + sigma^2 = {} in its first round and for the remaining uncertainty later; PTR pays for \
             sigma^2 = {} only.",
            short(bound * bound + noise),
            short(noise)
        ));
    }
    text
}

/// What the simulations of the tables take as true.
fn simulated_truth(plan: &Forecast) -> &'static str {
    if plan.simulated_truth == "guess" { "ellipsoid-best, the guess" } else { "ellipsoid-best, all equal" }
}

fn by_epsilon(plan: &Forecast) -> String {
    let mut table = table(&["epsilon", "rips-best, at worst", "ptr-best, at worst", simulated_truth(plan)]);
    for at in &plan.by_epsilon {
        let count = |samples: Option<u64>| samples.map_or("not reached".to_owned(), grouped);
        table.add_row([
            tidy(at.epsilon),
            if plan.bound.is_some() { count(at.rips_best) } else { "-".to_owned() },
            count(at.ptr_best),
            at.ellipsoid_best.as_ref().map_or("-".to_owned(), simulated),
        ]);
    }
    trimmed(&aligned(table))
}

fn by_gamma(plan: &Forecast) -> String {
    let mut table = table(&["gamma", "f", "rips-best, at worst", "ptr-best, at worst"]);
    for at in &plan.by_gamma {
        let count = |samples: Option<u64>| samples.map_or("not reached".to_owned(), grouped);
        table.add_row([
            format!("{:.2e}", at.gamma),
            short(at.f_differences),
            if plan.bound.is_some() { count(at.rips_best) } else { "-".to_owned() },
            count(at.ptr_best),
        ]);
    }
    trimmed(&aligned(table))
}

fn by_batch(plan: &Forecast) -> String {
    let mut table = table(&["batch", simulated_truth(plan), "rounds"]);
    for at in &plan.by_batch {
        let found = &at.ellipsoid_best;
        table.add_row([at.batch.to_string(), simulated(found), tidy_short(found.rounds)]);
    }
    trimmed(&aligned(table))
}

fn advice(plan: &Forecast) -> String {
    let samples = |name: &str| {
        let of = |one: &&AlgorithmPlan| one.algorithm == name;
        let worst = plan.algorithms.iter().find(of)?.worst_case.as_ref()?;
        worst.reached.then_some(worst.samples)
    };
    let mut lines = vec![format!("auto chooses {}.", plan.recommendation)];
    if let (Some(rips), Some(ptr)) = (samples("rips-best"), samples("ptr-best")) {
        let (cheap, by) =
            if ptr < rips { ("PTR", rips as f64 / ptr as f64) } else { ("RIPS", ptr as f64 / rips as f64) };
        let light = if ptr < rips { ", if the noise has light tails (--noise sub-gaussian)" } else { "" };
        lines.push(format!("{cheap} is cheaper at worst, by a factor of {}{light}.", tidy_short(by)));
    }
    lines.push(match plan.suggested_gamma {
        Some(gamma) => format!("Suggested ridge (its bias is an eighth of epsilon): --gamma {gamma:.2e}"),
        None => "No ridge is suggested: without --norm its bias cannot be bounded.".to_owned(),
    });
    lines.join("\n")
}

fn simulated(found: &Simulated) -> String {
    match found.samples {
        Some(samples) if found.stopped >= 1.0 => with_error(samples.mean, samples.standard_error),
        _ => format!("more than {}", grouped(found.budget)),
    }
}

fn table(header: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(header);
    table
}

fn aligned(mut table: Table) -> Table {
    let last = table.column_count();
    for (k, column) in table.column_iter_mut().enumerate().skip(1) {
        if k + 1 < last.max(6) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}
