//! The candidates, a page at a time.

use elfving::units::grouped;
use elfving_campaign::number;
use maud::{Markup, html};

use super::words::recipe;
use super::{Page, page, part, scrolling};
use crate::api::reading::listing;
use crate::call::{Answer, Answered, Call};

pub(crate) fn show(call: &mut Call) -> Answered {
    let name = call.name()?;
    let listing = listing(call)?;
    let (list, status) = call.look(|open| {
        let status = open.status()?;
        Ok((open.campaign.list(&listing, &status)?, status))
    })?;
    let rows = html! {
        @for one in &list.rows {
            tr {
                td { a href=(format!("/c/{name}/candidates/{}", part(&one.id))) { (one.id) } }
                td { (one.state) }
                @match one.interval {
                    Some(span) => { td.number { (number(span.estimate)) } td.number { (number(span.lower)) } td.number { (number(span.upper)) } }
                    None => { td.number { "–" } td.number { "–" } td.number { "–" } }
                }
                td.number { (one.measured) } td.wrap { (recipe(&one.columns)) }
            }
        }
    };
    let content = html! {
        (filter(call, name.as_str()))
        p { (grouped(list.total as u64)) @if list.total == 1 { " candidate." } @else { " candidates." } }
        (scrolling("Candidates", html! {
            table {
                caption { "Where each candidate stands." }
                thead { tr {
                    th scope="col" { "candidate" } th scope="col" { "state" } th.number scope="col" { (status.outcome) }
                    th.number scope="col" { "from" } th.number scope="col" { "to" } th.number scope="col" { "measured" } th scope="col" { "recipe" }
                } }
                tbody { (rows) }
            }
        }))
        (turning(call, list.offset, list.rows.len(), list.total))
    };
    let title = format!("{name}: candidates");
    let about = Page { title: &title, campaign: Some((name.as_str(), status.event)), place: "/candidates" };
    Ok(Answer::html(page(call, &about, content)))
}

fn filter(call: &Call, name: &str) -> Markup {
    let said = |option: &str| call.option(option).unwrap_or_default().to_owned();
    let state = said("state");
    html! {
        form.inline.keep method="get" action=(format!("/c/{name}/candidates")) {
            label { "Only where" span { "such as dose <= 3" } input name="where" value=(said("where")); }
            label { "State" select name="state" {
                @for (value, words) in [("", "all"), ("remaining", "remaining"), ("eliminated", "eliminated"), ("excluded", "excluded")] {
                    option value=(value) selected[value == state] { (words) }
                }
            } }
            label { "Sort by" span { "id, measured, estimate, or a column" } input name="sort" value=(said("sort")); }
            label { "Order" select name="descending" {
                option value="false" { "smallest first" } option value="true" selected[said("descending") == "true"] { "largest first" }
            } }
            button type="submit" { "Show" }
        }
    }
}

fn turning(call: &Call, offset: usize, shown: usize, total: usize) -> Markup {
    let address = |offset: usize| {
        let kept = call.query.iter().filter(|(name, _)| name != "offset");
        let mut pairs = form_urlencoded::Serializer::new(String::new());
        pairs.extend_pairs(kept).append_pair("offset", &offset.to_string());
        format!("?{}", pairs.finish())
    };
    html! {
        p {
            @if offset > 0 { a href=(address(offset.saturating_sub(shown.max(1)))) { "Back" } " " }
            @if offset + shown < total { a href=(address(offset + shown)) { "Next" } }
        }
    }
}
