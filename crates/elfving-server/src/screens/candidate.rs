//! One candidate: its outcomes, its interval, which bound removed it; and correcting an outcome.

use maud::{Markup, html};

use super::words::{interval, reading, recipe};
use super::{Page, key, page, part, scrolling};
use crate::api::reading::not_there;
use crate::api::results::check_reason;
use crate::call::{Answer, Answered, Call};
use crate::refusal::Refusal;
use crate::token::Scope;
use elfving_campaign::{CandidateStory, number, outcome_from_text};

pub(crate) fn show(call: &mut Call) -> Answered {
    let name = call.name()?;
    let id = call.named("id").to_owned();
    let seen = call.look(|open| {
        let story = open.campaign.candidate(&id)?;
        let columns = open.campaign.columns_of(&id)?;
        Ok((story, columns, open.campaign.spec().outcome.clone(), open.campaign.head().event))
    });
    let (story, columns, outcome, event) = seen.map_err(not_there)?;
    let may_correct = call.who.allows(Scope::Tell, Some(&name));
    let content = html! {
        p { (recipe(&columns)) }
        dl.facts {
            dt { "where it stands" } dd { (standing(&story)) }
            @if let Some(span) = story.interval { dt { (outcome) } dd { (interval(span)) } }
            @if let Some(out) = &story.eliminated {
                dt { "eliminated" } dd { "in round " (out.round) " by " a href=(format!("/c/{name}/candidates/{}", part(&out.by))) { (out.by) }
                    ": worse by " (number(out.difference)) ", and more than " (number(out.threshold)) " was needed" }
            }
            @if !story.earlier.is_empty() {
                dt { "measured before" } dd { (story.earlier.iter().map(reading).collect::<Vec<_>>().join(", ")) }
            }
        }
        h2 { "Slots" }
        @if story.slots.is_empty() { p { "It was not asked for yet." } } @else {
            (scrolling("Slots", html! {
                table {
                    caption { "Every time that it was asked for." }
                    thead { tr { th scope="col" { "slot" } th.number scope="col" { "round" } th scope="col" { "state" } th scope="col" { "with" }
                        th.number scope="col" { (outcome) } @if may_correct { th scope="col" { "correct" } } } }
                    tbody { @for slot in &story.slots {
                        tr {
                            td { code { (slot.slot) } } td.number { (slot.round) } td { (slot.state) } td { (slot.worker.as_deref().unwrap_or_default()) }
                            td.number { (slot.reading.as_ref().map_or_else(|| "–".to_owned(), reading)) }
                            @if may_correct { td.wrap { @if slot.reading.is_some() { (correction(call, name.as_str(), &id, &slot.slot)) } } }
                        }
                    } }
                }
            }))
        }
    };
    let title = format!("{name}: {id}");
    let about = Page { title: &title, campaign: Some((name.as_str(), event)), place: "/candidates" };
    Ok(Answer::html(page(call, &about, content)))
}

fn standing(story: &CandidateStory) -> Markup {
    html! {
        @if story.pick && story.interval.is_some() { span.good { "the pick so far" } }
        @else if let Some(why) = &story.infeasible { span.care { "cannot be measured: " (why) } }
        @else if story.forbidden { "excluded" }
        @else if story.eliminated.is_some() { "eliminated" }
        @else if story.measurable { "may be measured and chosen" }
        @else { "may be chosen, not measured" }
    }
}

fn correction(call: &Call, name: &str, id: &str, slot: &str) -> Markup {
    html! {
        details {
            summary { "Correct " (slot) }
            form.inline method="post" action=(format!("/c/{name}/correct")) {
                (key(call))
                input type="hidden" name="slot" value=(slot);
                input type="hidden" name="candidate" value=(id);
                label { "Outcome" span { "a number, repeats as 0.5;0.6, or failed" } input name="value" required; }
                label { "Reason" span { "kept in the log" } input name="reason" required; }
                button type="submit" { "Correct" }
            }
        }
    }
}

pub(crate) fn correct(call: &mut Call) -> Answered {
    let name = call.name()?;
    let said = |field: &str| call.field(field).unwrap_or_default().to_owned();
    let (slot, id, reason) = (said("slot"), said("candidate"), said("reason"));
    check_reason(&reason)?;
    let outcome = outcome_from_text(&said("value"), None)
        .map_err(|what| Refusal::malformed(what).help("give a number, repeats as 0.5;0.6, or failed"))?;
    call.change(|open, at| open.campaign.correct(&slot, outcome, &reason, at))?;
    Ok(Answer::see(&format!("/c/{name}/candidates/{}", part(&id))))
}
