//! The page: what to know first comes first.

use elfving::bandit::{Advice, Reading};
use elfving::units::grouped;
use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::facts::Facts;
use super::figures::{Figure, Figures};
use super::words::{number, recipe};
use crate::at::At;
use crate::spec::{Aim, Mode};
use crate::status::Span;
use crate::words::{counted, shell_word};

/// Rows of a table; the rest is in the export.
const MOST_ROWS: usize = 500;
/// Choices shown before the rest folds away.
const FIRST_CHOICES: usize = 20;

const STYLE: &str = include_str!("style.css");
/// Nothing is loaded and nothing runs, also where somebody's table says otherwise.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";

pub(super) fn document(facts: &Facts, figures: &Figures, at: At) -> Markup {
    let name = &facts.spec.name;
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                link rel="icon" href="data:,";
                title { (name) " · Elfving" }
                style { (PreEscaped(STYLE)) }
            }
            body {
                a.skip href="#now" { "Skip to the result" }
                header {
                    h1 { (name) }
                    p.quiet { (subject(facts)) }
                    p.quiet { "Model: " (facts.status.model) "." }
                }
                main {
                    (now(facts))
                    (in_numbers(facts))
                    (statement(facts))
                    (plates(facts))
                    (survivors(facts, figures))
                    (pictures(figures))
                    (eliminated(facts))
                    (rounds(facts))
                    (measurements(facts))
                    (log(facts))
                }
                footer.quiet { (closing(facts, at)) }
            }
        }
    }
}

fn subject(facts: &Facts) -> String {
    let aim = match facts.spec.aim {
        Aim::Maximise => "Maximise",
        Aim::Minimise => "Minimise",
    };
    let mode = match facts.spec.mode {
        Mode::Certified => "certified",
        Mode::Calibrated => "calibrated, no proof",
    };
    let status = &facts.status;
    let candidates = counted(status.candidates, "candidate");
    format!(
        "{aim} {} over {candidates}: {}. Mode: {mode}; algorithm: {}.",
        status.outcome, status.goal, status.algorithm
    )
}

/// The pick and the next step.
fn now(facts: &Facts) -> Markup {
    let status = &facts.status;
    let finished = status.stopped.is_some();
    html! {
        section #now.now.finished[finished] aria-labelledby="now-title" {
            h2 #now-title { @if finished { "Result" } @else { "Status" } }
            @if status.told + status.earlier == 0 {
                p { "Nothing has been measured yet." }
            } @else {
                @for (pick, cells) in status.picks.iter().zip(&facts.picks).take(5) {
                    p {
                        span.pick { (pick) } " "
                        @if let Some(span) = interval(facts, pick) { "estimated at " (in_words(span)) }
                    }
                    @if !cells.is_empty() {
                        p.quiet {
                            @for (k, (column, cell)) in cells.iter().take(12).enumerate() {
                                @if k > 0 { " · " } (column) " " (cell)
                            }
                        }
                    }
                }
                @if status.picks.len() > 5 { p { "and " (counted(status.picks.len() - 5, "other pick")) } }
            }
            @if let Some(next_batch) = &status.next_batch { p.advice { (next_batch.words) } }
            p { b { "Next: " } (next_step(facts)) }
        }
    }
}

fn next_step(facts: &Facts) -> Markup {
    let (status, file) = (&facts.status, &facts.file);
    html! {
        @if let Some(stop) = &status.stopped {
            "nothing more to measure: " (stop) "."
        } @else if status.open > 0 {
            "measure the " (counted(status.open, "open slot"))
            @if let Some(round) = status.round { " of round " (round) }
            " (" code { "elfving ask " (shell_word(file)) } " lists them again) and record the results with "
            code { "elfving tell " (shell_word(file)) " RESULTS.csv" } "."
        } @else if status.next_batch.as_ref().is_some_and(|next| next.advice == Advice::Stop) {
            "nothing, by this advice; " code { "elfving ask " (shell_word(file)) } " gives another batch all the same."
        } @else {
            "ask for the next batch with " code { "elfving ask " (shell_word(file)) } "."
        }
    }
}

fn in_numbers(facts: &Facts) -> Markup {
    let status = &facts.status;
    let mut numbers = vec![
        ("measurements recorded", grouped(status.told as u64)),
        ("slots open", grouped(status.open as u64)),
        ("rounds decided", status.rounds.to_string()),
        (
            facts.remaining(),
            format!("{} of {}", grouped(status.survivors.len() as u64), grouped(status.choices as u64)),
        ),
    ];
    if status.earlier > 0 {
        let used = if status.earlier_used { "measured before" } else { "measured before, not used" };
        numbers.push((used, grouped(status.earlier as u64)));
    }
    if let Some(budget) = status.budget {
        numbers.push(("budget", grouped(budget)));
    }
    html! {
        ul.numbers { @for (what, value) in numbers { li { b { (value) } (what) } } }
    }
}

/// The statement: its first line is the sentence, the rest its premises and margins.
fn statement(facts: &Facts) -> Markup {
    let lines = &facts.status.statement;
    let premises: Vec<&str> = lines.iter().filter_map(|line| line.strip_prefix("- ")).collect();
    let (first, rest) = (lines.first(), lines.iter().skip(1).filter(|line| !line.starts_with("- ")));
    html! {
        section aria-labelledby="statement-title" {
            h2 #statement-title { "What is guaranteed" }
            div.statement.none[!facts.is_certified()] {
                @if let Some(first) = first { p { b { (first) } } }
                @if !premises.is_empty() { ul { @for premise in premises { li { (premise) } } } }
                @for line in rest { p { (line) } }
            }
        }
    }
}

/// The plates that are under way, with the candidate in each well.
fn plates(facts: &Facts) -> Markup {
    let plates = facts.open_plates();
    html! {
        @if !plates.is_empty() {
            section aria-labelledby="plates-title" {
                h2 #plates-title { @if plates.len() == 1 { "Plate under way" } @else { "Plates under way" } }
                @for (number, plate, wells) in plates.iter().enumerate().map(|(k, (plate, wells))| (k + 1, plate, wells)) {
                    (scrolling(&format!("Plate {number}"), html! {
                        table.plate {
                            caption { "Plate " (number) ": the candidate in each well." }
                            thead { tr { td {} @for column in 1..=plate.columns() { th scope="col" { (column) } } } }
                            tbody {
                                @for row in 0..plate.rows() {
                                    tr {
                                        th scope="row" { (plate.row_name(row)) }
                                        @for column in 0..plate.columns() {
                                            td { (wells.get(&(row * plate.columns() + column)).copied().unwrap_or_default()) }
                                        }
                                    }
                                }
                            }
                        }
                    }))
                }
            }
        }
    }
}

fn survivors(facts: &Facts, figures: &Figures) -> Markup {
    let survivors = &facts.status.survivors;
    let more = survivors.len().saturating_sub(FIRST_CHOICES);
    html! {
        section aria-labelledby="survivors-title" {
            h2 #survivors-title { @if facts.is_calibrated() { "May still be the best" } @else { "Remaining candidates" } }
            @if facts.is_calibrated() {
                p.quiet { "The pick and every candidate whose interval overlaps its own. No candidate is ruled out for good." }
            }
            (shown(figures.intervals.as_ref()))
            (choices(facts, 0..survivors.len().min(FIRST_CHOICES), "Best estimates"))
            @if more > 0 {
                details {
                    summary { "The other " (more) }
                    (choices(facts, FIRST_CHOICES..survivors.len().min(FIRST_CHOICES + MOST_ROWS), "The others, best first"))
                    @if more > MOST_ROWS { p.quiet { "and " (more - MOST_ROWS) " more: " code { "elfving export " (shell_word(&facts.file)) } } }
                }
            }
        }
    }
}

fn choices(facts: &Facts, range: std::ops::Range<usize>, caption: &str) -> Markup {
    let outcome = &facts.spec.outcome;
    let choices = &facts.status.survivors[range];
    let recipes: Vec<Option<String>> = choices.iter().map(|choice| recipe(&choice.columns)).collect();
    let has_recipes = recipes.iter().any(Option::is_some);
    let names: Vec<&str> =
        choices.first().map_or_else(Vec::new, |choice| choice.columns.keys().map(String::as_str).collect());
    scrolling(
        caption,
        html! {
            table {
                caption { (caption) }
                thead { tr {
                    th scope="col" { "candidate" }
                    @if has_recipes { th scope="col" { (names.join(" · ")) } }
                    th.number scope="col" { (outcome) }
                    th.number scope="col" { "from" }
                    th.number scope="col" { "to" }
                    th.number scope="col" { "times measured" }
                } }
                tbody {
                    @for (choice, recipe) in choices.iter().zip(&recipes) {
                        tr.picked[facts.status.picks.contains(&choice.id)] {
                            td { (choice.id) }
                            @if has_recipes { td { @if let Some(recipe) = recipe { (recipe) } } }
                            @match choice.interval {
                                Some(span) => {
                                    td.number { (number(span.estimate)) }
                                    td.number { (number(span.lower)) }
                                    td.number { (number(span.upper)) }
                                }
                                None => { td.number { "–" } td.number { "–" } td.number { "–" } }
                            }
                            td.number { (choice.measured) }
                        }
                    }
                }
            }
        },
    )
}

fn pictures(figures: &Figures) -> Markup {
    let all = [&figures.estimates, &figures.progress, &figures.elimination, &figures.design];
    html! {
        @if all.iter().any(|figure| figure.is_some()) {
            section aria-labelledby="pictures-title" {
                h2 #pictures-title { "Pictures" }
                @for figure in all { (shown(figure.as_ref())) }
            }
        }
    }
}

fn eliminated(facts: &Facts) -> Markup {
    let out = &facts.status.eliminated;
    html! {
        @if !out.is_empty() {
            section aria-labelledby="out-title" {
                h2 #out-title { "Eliminated candidates" }
                details {
                    summary { (counted(out.len(), "candidate")) " eliminated" }
                    (scrolling("Table of eliminated candidates", html! {
                        table {
                            caption { "A candidate is eliminated when the estimated difference exceeds its bound." }
                            thead { tr {
                                th scope="col" { "candidate" } th scope="col" { "beaten by" } th.number scope="col" { "round" }
                                th.number scope="col" { "difference" } th.number scope="col" { "bound" }
                            } }
                            tbody {
                                @for one in out.iter().rev().take(MOST_ROWS) {
                                    tr {
                                        td { (one.id) } td { (one.by) } td.number { (one.round) }
                                        td.number { (number(one.difference)) } td.number { (number(one.threshold)) }
                                    }
                                }
                            }
                        }
                    }))
                    @if out.len() > MOST_ROWS { p.quiet { "The last " (MOST_ROWS) "; all of them: " code { "elfving export " (shell_word(&facts.file)) } } }
                }
            }
        }
    }
}

fn rounds(facts: &Facts) -> Markup {
    // Only some algorithms plan an accuracy, or have a design with a value.
    let planned = facts.rounds.iter().any(|round| round.epsilon.is_some());
    let designed = facts.rounds.iter().any(|round| round.value.is_some());
    html! {
        @if !facts.rounds.is_empty() {
            section aria-labelledby="rounds-title" {
                h2 #rounds-title { "Rounds" }
                (scrolling("Table of rounds", html! {
                    table {
                        caption { "What was asked, what came back, what was decided. Round 0 holds the measurements that you requested." }
                        thead { tr {
                            th.number scope="col" { "round" } th scope="col" { "asked" } th.number scope="col" { "measurements" }
                            th.number scope="col" { "candidates" } th.number scope="col" { "recorded" }
                            @if planned { th.number scope="col" { "planned accuracy" } }
                            @if designed { th.number scope="col" { "value of its design" } }
                            th.number scope="col" { "eliminated" } th.number scope="col" { "remaining" }
                        } }
                        tbody {
                            @for round in facts.rounds.iter().rev().take(MOST_ROWS) {
                                tr {
                                    td.number { (round.number) } td { (round.asked) } td.number { (round.planned) }
                                    td.number { (round.candidates) } td.number { (round.told) }
                                    @if planned { td.number { (maybe(round.epsilon)) } }
                                    @if designed { td.number { (maybe(round.value)) } }
                                    @match round.decided {
                                        Some((survivors, out)) => { td.number { (out) } td.number { (survivors) } }
                                        None => { td.number { "open" } td.number { "–" } }
                                    }
                                }
                            }
                        }
                    }
                }))
            }
        }
    }
}

fn measurements(facts: &Facts) -> Markup {
    html! {
        @if !facts.slots.is_empty() {
            section aria-labelledby="slots-title" {
                h2 #slots-title { "Slots and results" }
                details {
                    summary { (counted(facts.slots.len(), "slot")) }
                    (scrolling("Slots", html! {
                        table {
                            caption { "Newest first." }
                            thead { tr {
                                th scope="col" { "slot" } th scope="col" { "candidate" } th.number scope="col" { "round" }
                                th scope="col" { "state" } th.number scope="col" { (facts.spec.outcome) }
                            } }
                            tbody {
                                @for slot in facts.slots.iter().rev().take(MOST_ROWS) {
                                    tr {
                                        td { (slot.slot) } td { (slot.id) } td.number { (slot.round) } td { (slot.state) }
                                        td.number { (slot.reading.as_ref().map_or_else(String::new, reading)) }
                                    }
                                }
                            }
                        }
                    }))
                    @if facts.slots.len() > MOST_ROWS { p.quiet { "The last " (MOST_ROWS) "; all of them: " code { "elfving export " (shell_word(&facts.file)) } } }
                }
            }
        }
    }
}

fn log(facts: &Facts) -> Markup {
    html! {
        section aria-labelledby="log-title" {
            h2 #log-title { "Log" }
            details {
                summary { (counted(facts.log.len(), "event")) }
                (scrolling("Events", html! {
                    table {
                        caption { "Every event carries a seal over all events before it; newest first." }
                        thead { tr {
                            th.number scope="col" { "event" } th scope="col" { "when" } th scope="col" { "kind" }
                            th scope="col" { "what" } th scope="col" { "seal" }
                        } }
                        tbody {
                            @for recorded in facts.log.iter().rev().take(MOST_ROWS) {
                                tr {
                                    td.number { (recorded.seq) } td { (recorded.at) } td { (recorded.event.kind()) }
                                    td.wide { (recorded.event) } td { code { (short(&recorded.hash.to_string())) } }
                                }
                            }
                        }
                    }
                }))
            }
        }
    }
}

fn closing(facts: &Facts, at: At) -> Markup {
    html! {
        p { "Made " (at) " by Elfving " (env!("CARGO_PKG_VERSION")) " from event " (facts.status.event) " of " (facts.file)
            ", created " (facts.status.created) ", seed " (facts.spec.seed) "." }
        p { "Seal of the last event: " code { (facts.status.head) } ". With it you can show later that nothing before it was changed: "
            code { "elfving verify " (shell_word(&facts.file)) } "." }
    }
}

/// A picture with its words; nothing without one.
fn shown(figure: Option<&Figure>) -> Markup {
    html! {
        @if let Some(figure) = figure {
            figure {
                div.scroll tabindex="0" role="region" aria-label=(figure.name) {
                    div role="img" aria-label=(figure.description) { (PreEscaped(&figure.svg)) }
                }
                figcaption { (figure.caption) }
            }
        }
    }
}

/// Wide tables scroll by themselves, with the keyboard too.
fn scrolling(label: &str, table: Markup) -> Markup {
    html! { div.scroll tabindex="0" role="region" aria-label=(label) { (table) } }
}

fn interval(facts: &Facts, id: &str) -> Option<Span> {
    facts.status.survivors.iter().find(|choice| choice.id == id)?.interval
}

fn in_words(span: Span) -> String {
    format!("{}, between {} and {}", number(span.estimate), number(span.lower), number(span.upper))
}

/// A reading with the digits that people read; the export has all of them.
fn reading(reading: &Reading) -> String {
    let readable = |value: f64| {
        let text = value.to_string();
        if text.len() <= 8 { text } else { number(value) }
    };
    match reading {
        Reading::Value(value) => readable(*value),
        Reading::Repeats(values) => {
            values.iter().map(|&value| readable(value)).collect::<Vec<_>>().join("; ")
        }
        Reading::WithError { value, standard_error } => {
            format!("{} ± {}", readable(*value), number(*standard_error))
        }
        Reading::Summary { count, mean, .. } => format!("{} (mean of {count})", readable(*mean)),
    }
}

fn maybe(x: Option<f64>) -> String {
    x.map_or_else(|| "–".to_owned(), number)
}

fn short(hash: &str) -> &str {
    hash.get(..12).unwrap_or(hash)
}
