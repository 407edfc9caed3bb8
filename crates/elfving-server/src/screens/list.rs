//! The campaigns of the folder.

use std::sync::Arc;

use elfving::units::grouped;
use elfving_campaign::CampaignStatus;
use maud::{Markup, html};

use super::{Page, page, scrolling, sentence};
use crate::call::{Answer, Answered, Call};
use crate::name::Name;
use crate::refusal::Refusal;
use crate::token::Scope;

pub(crate) fn show(call: &mut Call) -> Answered {
    let (names, others) = call.desk.house.names()?;
    let seen: Vec<Name> = names.into_iter().filter(|name| call.who.sees(name)).collect();
    let found: Vec<(&Name, Result<Arc<CampaignStatus>, Refusal>)> =
        seen.iter().map(|name| (name, call.desk.house.with(name, |open| open.status()))).collect();
    let content = html! {
        @if found.is_empty() {
            p { "There is no campaign here yet." }
        } @else {
            (scrolling("Campaigns", html! {
                table {
                    caption { "One line per campaign." }
                    thead { tr {
                        th scope="col" { "campaign" } th scope="col" { "where it stands" } th scope="col" { "pick so far" }
                        th.number scope="col" { "measured" } th.number scope="col" { "open" }
                    } }
                    tbody { @for (name, status) in &found { (line(name, status)) } }
                }
            }))
        }
        @if call.who.allows(Scope::Admin, None) { p { a href="/new" { "New campaign" } } }
        @if !others.is_empty() && call.who.name().is_none() {
            p.quiet { "Not shown, because their names cannot be used here: " (others.join(", ")) ". " (sentence(crate::name::RULE)) }
        }
    };
    Ok(Answer::html(page(call, &Page { title: "Campaigns", campaign: None, place: "" }, content)))
}

fn line(name: &Name, status: &Result<Arc<CampaignStatus>, Refusal>) -> Markup {
    html! {
        tr {
            td { a href=(format!("/c/{name}")) { (name) } }
            @match status {
                Ok(status) => {
                    td.wrap { (super::campaign::in_short(status)) }
                    td { (status.picks.first().filter(|_| status.told + status.earlier > 0).map_or("–", String::as_str)) }
                    td.number { (grouped(status.told as u64)) @if let Some(budget) = status.budget { " of " (grouped(budget)) } }
                    td.number { (grouped(status.open as u64)) }
                }
                Err(refusal) => { td.wrap colspan="4" { span.care { (sentence(&refusal.detail)) } } }
            }
        }
    }
}
