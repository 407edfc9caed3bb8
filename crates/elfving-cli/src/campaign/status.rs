//! `elfving status`: where a campaign stands, and why.

use clap::Args;
use comfy_table::{CellAlignment, Table, presets};
use elfving::bandit::Guarantee;
use elfving::units::grouped;
use elfving_campaign::{Aim, CampaignStatus, CandidateStory, Mode, Span};
use elfving_table::Cell;

use super::CampaignFile;
use super::failure::failed;
use crate::console::Console;
use crate::error::CliError;
use crate::output::{self, OutputArgs};
use crate::words::{by_width, short, trimmed};

/// Arguments of `elfving status`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  elfving status screen
      the pick so far, the guarantee, the remaining candidates
  elfving status screen --candidate a7
      one candidate: its results, its interval, why it was eliminated
  elfving status screen --check
      for scripts: exit code 11 when the data refute what is assumed
  elfving status screen --json")]
pub(crate) struct StatusArgs {
    #[command(flatten)]
    file: CampaignFile,
    /// Show one candidate
    #[arg(long, value_name = "ID")]
    candidate: Option<String>,
    /// Exit with code 11 when the data refute what is assumed
    #[arg(long, conflicts_with = "candidate")]
    check: bool,
    /// Remaining candidates to print
    #[arg(long, value_name = "N", default_value_t = 20, help_heading = "Output")]
    show: usize,
    #[command(flatten)]
    output: OutputArgs,
}

pub(crate) fn status(args: &StatusArgs, as_json: bool, console: Console) -> Result<(), CliError> {
    args.output.check(as_json, "a status is")?;
    let mut campaign = args.file.open()?;
    let spinner = console.spinner("looking");
    let failed = |error| failed(error, None);
    if let Some(id) = &args.candidate {
        let story = campaign.candidate(id).map_err(failed)?;
        drop(spinner);
        return args.output.deliver(
            as_json,
            "a story is",
            &story,
            || output::csv_of_fields(&story),
            || told(&story),
        );
    }
    let status = campaign.status().map_err(failed)?;
    drop(spinner);
    args.output.deliver(as_json, "a status is", &status, || sheet(&status), || text(&status, args.show))?;
    let refuted = status.guarantee == Guarantee::Withdrawn;
    if args.check && refuted { Err(CliError::Refuted) } else { Ok(()) }
}

/// One line per remaining candidate, the best estimate first.
fn sheet(status: &CampaignStatus) -> Result<Vec<u8>, CliError> {
    let rows = status.survivors.iter().map(|survivor| {
        let numbers = match &survivor.interval {
            Some(span) => [span.estimate, span.lower, span.upper].map(Cell::Number),
            None => [Cell::Empty, Cell::Empty, Cell::Empty],
        };
        let mut row = vec![Cell::Text(survivor.id.clone().into())];
        row.extend(numbers);
        row.push(Cell::Integer(survivor.measured as i64));
        row
    });
    output::csv(&["candidate", "estimate", "lower", "upper", "measured"], rows)
}

fn text(status: &CampaignStatus, show: usize) -> String {
    let mut lines = Table::new();
    lines.load_style(presets::NOTHING);
    for [what, how] in facts(status) {
        lines.add_row([what, how]);
    }
    format!("{}\n\n{}\n\n{}", trimmed(&lines), status.statement.join("\n"), survivors(status, show))
}

fn facts(status: &CampaignStatus) -> Vec<[String; 2]> {
    let fact = |what: &str, how: String| [what.to_owned(), how];
    let aim = match status.aim {
        Aim::Maximise => "maximise",
        Aim::Minimise => "minimise",
    };
    let mode = match status.mode {
        Mode::Certified => "certified",
        Mode::Calibrated => "calibrated, no proof",
    };
    let mut facts = vec![
        fact("campaign", format!("{}: {aim} {:?}, {}", status.name, status.outcome, status.goal)),
        fact("mode", format!("{mode}; algorithm {}", status.algorithm)),
        fact("model", status.model.clone()),
        fact("rounds", rounds(status)),
        fact("measurements", measurements(status)),
    ];
    if status.earlier > 0 {
        let used = if status.earlier_used { "used" } else { "on record, not used by this algorithm" };
        facts.push(fact("made before", format!("{}, {used}", status.earlier)));
    }
    for (worker, slots) in &status.workers {
        facts.push(fact("with", format!("{worker}: {}", slots.join(", "))));
    }
    if !status.set_aside.is_empty() {
        facts.push(fact("excluded", excluded(status)));
    }
    facts.push(fact("pick", pick(status)));
    let (left, out) = (status.survivors.len(), status.eliminated.len());
    let count = |n: usize| grouped(n as u64);
    facts.push(match status.mode {
        Mode::Certified => fact(
            "remaining",
            format!("{} of {} ({} eliminated)", count(left), count(status.choices), count(out)),
        ),
        Mode::Calibrated => fact("may be best", format!("{} of {}", count(left), count(status.choices))),
    });
    facts.push(fact("event", format!("{} ({})", status.event, status.head)));
    facts
}

/// Who is neither measured nor chosen, and why.
fn excluded(status: &CampaignStatus) -> String {
    const NAMED: usize = 4;
    let named = status.set_aside.iter().take(NAMED);
    let named: Vec<String> = named.map(|aside| format!("{} ({})", aside.id, aside.reason)).collect();
    let more = match status.set_aside.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{}{more}", named.join(", "))
}

/// Before a round is decided every candidate is as good as another.
fn pick(status: &CampaignStatus) -> String {
    if status.rounds == 0 && status.earlier == 0 && status.stopped.is_none() {
        return "none yet".to_owned();
    }
    status.picks.join(", ")
}

fn rounds(status: &CampaignStatus) -> String {
    let now = match (&status.stopped, status.round) {
        (Some(stop), _) => format!("stopped: {stop}"),
        (None, Some(0)) => "the measurements that you requested are under way".to_owned(),
        (None, Some(round)) => format!("round {round} is under way"),
        (None, None) => "`elfving ask` starts the next one".to_owned(),
    };
    format!("{} decided; {now}", status.rounds)
}

fn measurements(status: &CampaignStatus) -> String {
    let CampaignStatus { told, open, failed, later, .. } = status;
    let failed = if *failed > 0 { format!(" ({failed} failed)") } else { String::new() };
    let later = if *later > 0 { format!(", {} planned", grouped(*later as u64)) } else { String::new() };
    let budget = status.budget.map_or_else(String::new, |budget| format!(", budget {}", grouped(budget)));
    format!("{} recorded, {} open{failed}{later}{budget}", grouped(*told as u64), grouped(*open as u64))
}

/// The remaining candidates, the best estimate first.
fn survivors(status: &CampaignStatus, show: usize) -> String {
    let mut lines = Table::new();
    lines.load_style(presets::NOTHING);
    let remaining = match status.mode {
        Mode::Certified => "remaining",
        Mode::Calibrated => "may be best",
    };
    lines.set_header([remaining, "estimate", "from", "to", "measured"]);
    for survivor in status.survivors.iter().take(show) {
        let [estimate, lower, upper] = span(survivor.interval.as_ref());
        lines.add_row([survivor.id.clone(), estimate, lower, upper, survivor.measured.to_string()]);
    }
    for column in 1..5 {
        if let Some(column) = lines.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    let more = match status.survivors.len().saturating_sub(show) {
        0 => String::new(),
        more => format!("  and {more} more; --show {} lists all\n", status.survivors.len()),
    };
    format!("{}\n{more}", trimmed(&lines))
}

/// As many digits as the width carries.
fn span(interval: Option<&Span>) -> [String; 3] {
    match interval {
        Some(span) => {
            let width = 0.5 * (span.upper - span.lower);
            [span.estimate, span.lower, span.upper].map(|x| by_width(x, width))
        }
        None => ["-", "-", "-"].map(str::to_owned),
    }
}

/// The story of one candidate.
fn told(story: &CandidateStory) -> String {
    let mut text = format!("candidate {}\n", story.id);
    let mut say = |line: String| {
        text.push_str("  ");
        text.push_str(&line);
        text.push('\n');
    };
    if let Some(reason) = &story.infeasible {
        say(format!("infeasible ({reason}): neither measured nor chosen"));
    } else if story.forbidden {
        say("excluded: neither measured nor chosen".to_owned());
    } else if !story.measurable {
        say("a target: can be chosen, is not measured".to_owned());
    }
    if story.pick {
        say("the pick so far".to_owned());
    }
    if let Some(out) = &story.eliminated {
        say(format!(
            "eliminated in round {}: {} is better by {} (bound {})",
            out.round,
            out.by,
            short(out.difference),
            short(out.threshold)
        ));
    }
    if let Some(span) = &story.interval {
        let [estimate, lower, upper] = self::span(Some(span));
        say(format!("estimate {estimate}, between {lower} and {upper}"));
    }
    for reading in &story.earlier {
        say(format!("measured before: {reading}"));
    }
    for slot in &story.slots {
        let outcome = slot.reading.as_ref().map_or(slot.state.to_owned(), ToString::to_string);
        say(format!("{} in round {}: {outcome}", slot.slot, slot.round));
    }
    if story.slots.is_empty() && story.measurable {
        say("not asked so far".to_owned());
    }
    text
}
