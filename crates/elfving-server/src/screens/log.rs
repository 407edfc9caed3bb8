//! The log: who did what, why, and the seals; and the check of all of it.

use elfving_campaign::Verification;
use maud::{Markup, html};

use super::{Page, page, scrolling};
use crate::call::{Answer, Answered, Call};

/// Events on a page.
const SHOWN: usize = 200;

pub(crate) fn show(call: &mut Call) -> Answered {
    let name = call.name()?;
    let (check, before) = (call.flag("verify")?, call.number::<u64>("before")?);
    let (events, event, verified) = call.look(|open| {
        let event = open.campaign.head().event;
        let last = before.map_or(event, |before| before.saturating_sub(1).min(event));
        let mut events = open.campaign.events_after(last.saturating_sub(SHOWN as u64))?;
        events.retain(|recorded| recorded.seq <= last);
        let verified = if check { Some(open.campaign.verify()?) } else { None };
        Ok((events, event, verified))
    })?;
    let first = events.first().map_or(1, |recorded| recorded.seq);
    let content = html! {
        @match &verified {
            Some(verified) => (checked(verified)),
            None => p { a href="?verify=true" { "Check every seal and every decision" } },
        }
        (scrolling("Events", html! {
            table {
                caption { "Every event carries a seal over all events before it; newest first." }
                thead { tr { th.number scope="col" { "event" } th scope="col" { "when" } th scope="col" { "who" } th scope="col" { "kind" }
                    th scope="col" { "what" } th scope="col" { "seal" } } }
                tbody { @for recorded in events.iter().rev() {
                    tr {
                        td.number { (recorded.seq) } td { (recorded.at) } td { (recorded.event.by().unwrap_or_default()) }
                        td { (recorded.event.kind()) } td.wide { (recorded.event) }
                        td { code { (recorded.hash.to_string().get(..12).unwrap_or_default()) } }
                    }
                } }
            }
        }))
        @if first > 1 { p { a href=(format!("?before={first}")) { "Older events" } } }
    };
    let title = format!("{name}: log");
    let about = Page { title: &title, campaign: Some((name.as_str(), event)), place: "/log" };
    Ok(Answer::html(page(call, &about, content)))
}

fn checked(verified: &Verification) -> Markup {
    html! {
        div.statement role="status" {
            p { b { "Intact: " } (verified.events) " events, " (verified.attachments) " attached tables, " (verified.rounds) " decided rounds." }
            p { "Seal of the last event: " code { (verified.head) } }
            @if !verified.differing.is_empty() {
                p { "Recomputed on this machine, rounds " (verified.differing.iter().map(u64::to_string).collect::<Vec<_>>().join(", "))
                    " differ in the last digits; the record stands." }
            }
        }
    }
}
