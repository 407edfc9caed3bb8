//! One campaign: whether the goal is reached, what is guaranteed, what remains.

use elfving::bandit::Guarantee;
use elfving::units::grouped;
use elfving_campaign::{Aim, CampaignStatus, Mode, Survivor, number};
use maud::{Markup, html};
use serde_json::Value;

use super::words::{interval, recipe, value};
use super::{Page, page, part, scrolling};
use crate::call::{Answer, Answered, Call};
use crate::token::Scope;

/// Survivors on the page; the rest is with the candidates.
const SHOWN: usize = 20;

/// What the page shows by itself, so that the list of all else leaves it out.
const SHOWN_FIELDS: [&str; 26] = [
    "name",
    "outcome",
    "aim",
    "goal",
    "mode",
    "algorithm",
    "model",
    "event",
    "head",
    "candidates",
    "choices",
    "told",
    "open",
    "survivors",
    "eliminated",
    "statement",
    "picks",
    "goal_reached",
    "guarantee",
    "stopped",
    "set_aside",
    "workers",
    "budget",
    "earlier",
    "earlier_used",
    "created",
];

/// Where a campaign stands, in a few words.
pub(super) fn in_short(status: &CampaignStatus) -> Markup {
    html! {
        @if status.guarantee == Guarantee::Withdrawn { span.care { "verdict withdrawn" } }
        @else if status.goal_reached { span.good { "goal reached" } }
        @else if let Some(stop) = &status.stopped { (stop) }
        @else if status.open > 0 { "results awaited" }
        @else if status.told == 0 { "nothing asked yet" }
        @else { "ready for the next batch" }
    }
}

pub(crate) fn show(call: &mut Call) -> Answered {
    let name = call.name()?;
    let status = call.look(|open| open.status())?;
    let content = html! {
        (now(call, name.as_str(), &status))
        (in_numbers(&status))
        (statement(&status))
        (survivors(name.as_str(), &status))
        (rest(&status))
    };
    let about = Page { title: name.as_str(), campaign: Some((name.as_str(), status.event)), place: "" };
    Ok(Answer::html(page(call, &about, content)))
}

fn now(call: &Call, name: &str, status: &CampaignStatus) -> Markup {
    let aim = match status.aim {
        Aim::Maximise => "Maximise",
        Aim::Minimise => "Minimise",
    };
    let mode = match status.mode {
        Mode::Certified => "certified",
        Mode::Calibrated => "calibrated, no proof",
    };
    let campaign = crate::name::Name::new(name);
    let may = |scope| call.who.allows(scope, campaign.as_ref());
    html! {
        p.quiet { (aim) " " (status.outcome) ": " (status.goal) ". Mode: " (mode) "; algorithm: " (status.algorithm) ". Model: " (status.model) "." }
        section #now.now.finished[status.stopped.is_some()] aria-labelledby="now-title" {
            h2 #now-title { (in_short(status)) }
            @if status.told + status.earlier == 0 {
                p { "Nothing has been measured yet." }
            } @else {
                @for pick in status.picks.iter().take(5) {
                    p {
                        "Pick so far: " a.pick href=(format!("/c/{name}/candidates/{}", part(pick))) { (pick) } " "
                        @if let Some(span) = status.survivors.iter().find(|one| one.id == *pick).and_then(|one| one.interval) {
                            (status.outcome) " estimated at " (interval(span))
                        }
                    }
                }
                @if status.picks.len() > 5 { p { "and " (status.picks.len() - 5) " more." } }
            }
            p { b { "Next: " }
                @if status.stopped.is_some() && status.open == 0 { "nothing more to measure." }
                @else if status.open > 0 {
                    a href=(format!("/c/{name}/batch")) { "measure the " (grouped(status.open as u64)) @if status.open == 1 { " open slot" } @else { " open slots" } }
                    @if may(Scope::Tell) { ", then " a href=(format!("/c/{name}/tell")) { "record the results" } }
                    "."
                } @else { a href=(format!("/c/{name}/batch")) { "ask for the next batch" } "." }
            }
        }
    }
}

fn in_numbers(status: &CampaignStatus) -> Markup {
    let count = |n: usize| grouped(n as u64);
    let remaining =
        if status.mode == Mode::Calibrated { "may still be the best" } else { "candidates remaining" };
    let mut numbers = vec![
        ("measurements recorded", count(status.told)),
        ("slots open", count(status.open)),
        (remaining, format!("{} of {}", count(status.survivors.len()), count(status.choices))),
    ];
    if status.earlier > 0 {
        let used = if status.earlier_used { "measured before" } else { "measured before, not used" };
        numbers.push((used, count(status.earlier)));
    }
    if let Some(budget) = status.budget {
        numbers.push(("budget", grouped(budget)));
    }
    html! { ul.numbers { @for (what, value) in numbers { li { b { (value) } (what) } } } }
}

/// The statement: its first line is the sentence, the rest its premises and margins.
fn statement(status: &CampaignStatus) -> Markup {
    let lines = &status.statement;
    let premises: Vec<&str> = lines.iter().filter_map(|line| line.strip_prefix("- ")).collect();
    let rest = lines.iter().skip(1).filter(|line| !line.starts_with("- "));
    html! {
        section aria-labelledby="statement-title" {
            h2 #statement-title { "What is guaranteed" }
            div.statement.none[status.guarantee != Guarantee::Certified] {
                @if let Some(first) = lines.first() { p { b { (first) } } }
                @if !premises.is_empty() { ul { @for premise in premises { li { (premise) } } } }
                @for line in rest { p { (line) } }
            }
        }
    }
}

fn survivors(name: &str, status: &CampaignStatus) -> Markup {
    let title =
        if status.mode == Mode::Calibrated { "May still be the best" } else { "Remaining candidates" };
    let rows = |one: &Survivor| {
        html! {
            tr.picked[status.picks.contains(&one.id) && one.interval.is_some()] {
                td { a href=(format!("/c/{name}/candidates/{}", part(&one.id))) { (one.id) } }
                @match one.interval {
                    Some(span) => { td.number { (number(span.estimate)) } td.number { (number(span.lower)) } td.number { (number(span.upper)) } }
                    None => { td.number { "–" } td.number { "–" } td.number { "–" } }
                }
                td.number { (one.measured) }
                td.wrap { (recipe(&one.columns)) }
            }
        }
    };
    html! {
        section aria-labelledby="survivors-title" {
            h2 #survivors-title { (title) }
            (scrolling("Candidates, the best estimates first", html! {
                table {
                    caption { "The best estimates first." }
                    thead { tr {
                        th scope="col" { "candidate" } th.number scope="col" { (status.outcome) } th.number scope="col" { "from" }
                        th.number scope="col" { "to" } th.number scope="col" { "measured" } th scope="col" { "recipe" }
                    } }
                    tbody { @for one in status.survivors.iter().take(SHOWN) { (rows(one)) } }
                }
            }))
            @if status.survivors.len() > SHOWN {
                p { a href=(format!("/c/{name}/candidates?state=remaining&sort=estimate&descending={}", status.aim == Aim::Maximise)) {
                    "All " (grouped(status.survivors.len() as u64)) } }
            }
        }
    }
}

/// Everything else that a status says, whatever that may be one day.
fn rest(status: &CampaignStatus) -> Markup {
    let document = serde_json::to_value(status).unwrap_or_default();
    let fields = document.as_object().cloned().unwrap_or_default();
    let said = |field: &Value| {
        let is_empty = field.as_object().is_some_and(serde_json::Map::is_empty);
        !field.is_null() && field.as_u64() != Some(0) && !is_empty
    };
    let others: Vec<(String, String)> = fields
        .iter()
        .filter(|(name, field)| !SHOWN_FIELDS.contains(&name.as_str()) && said(field))
        .map(|(name, field)| (name.replace('_', " "), value(field)))
        .collect();
    html! {
        section aria-labelledby="more-title" {
            h2 #more-title { "More" }
            dl.facts {
                @for (worker, slots) in &status.workers { dt { "slots with " (worker) } dd { (slots.join(", ")) } }
                @if !status.set_aside.is_empty() { dt { "excluded" } dd {
                    @for (k, aside) in status.set_aside.iter().take(10).enumerate() { @if k > 0 { ", " } (aside.id) " (" (aside.reason) ")" }
                    @if status.set_aside.len() > 10 { " and " (status.set_aside.len() - 10) " more" }
                } }
                @for (what, how) in others.iter().filter(|(_, how)| !how.is_empty()) { dt { (what) } dd { (how) } }
                dt { "event" } dd { (status.event) ", " code { (status.head) } }
                dt { "created" } dd { (status.created) }
            }
        }
    }
}
